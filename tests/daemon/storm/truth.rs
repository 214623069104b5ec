//! The links, LIDs and tables that the simulated nodes hold, read from ibsim itself, not from any output of OpenSM.

use super::faults::parts;
use crate::support::*;
use dmodc_analysis::check;
use dmodc_core::Engine;
use dmodc_fabric::{Fabric, Guid, Lid, NO_PATH, Peer, PortNumber, SwitchId, Tables};
use dmodc_formats::netlist::{Kind, Netlist, Node, Port};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The part of the fabric that is connected with OpenSM.
pub struct Truth {
    netlist: Netlist,
    /// The table of each switch without the "no path" at its end.
    pub rows: BTreeMap<Guid, Vec<u8>>,
}

impl Truth {
    /// Reads ibsim's own dump of the fabric. `home` is the node at which OpenSM runs.
    pub fn read(sim: &mut Ibsim, original: &Netlist, home: u32) -> Truth {
        let text = String::from_utf8(sim.dump()).expect("ibsim writes plain text");
        let places = (0..).zip(&original.nodes);
        let index: HashMap<&str, u32> = places.map(|(i, n)| (&*n.id, i)).collect();
        let mut netlist = original.clone();
        let mut rows = BTreeMap::new();
        let mut at = 0;
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("#\tForwarding table") {
                let guid = netlist.nodes[at].guid;
                read_entries(rest, rows.entry(guid).or_insert_with(Vec::new));
            } else if line.contains("\tnodeguid ") {
                let id = line.split('"').nth(1).expect("the node's name");
                at = index[id] as usize;
                netlist.nodes[at].ports.clear();
            } else if let Some((number, rest)) = port(line) {
                let node = &mut netlist.nodes[at];
                let lid = Lid(after(rest, " lid ").unwrap_or(0));
                if number == PortNumber::ZERO {
                    node.lid = lid;
                } else if let Some((peer, peer_port)) = link(rest) {
                    node.ports.push(Port {
                        number,
                        peer: index[peer],
                        peer_port,
                        guid: None,
                        lid,
                        lmc: 0,
                        label: None,
                        link: speed(rest).into(),
                    });
                }
            }
        }
        let parts = parts(&netlist, vec![false; netlist.nodes.len()]).into_iter();
        let apart = parts.filter(|part| !part.contains(&home)).flatten();
        let netlist = netlist.without_nodes(&apart.collect::<Vec<u32>>());
        let there: Vec<Guid> = netlist.switches().map(|s| s.guid).collect();
        rows.retain(|guid, _| there.contains(guid));
        for row in rows.values_mut() {
            let used = row.iter().rposition(|&port| port != NO_PATH);
            row.truncate(used.map_or(0, |last| last + 1));
        }
        Truth { netlist, rows }
    }

    /// The fabric with the tables that its switches hold.
    pub fn fabric_and_tables(&self) -> (Fabric, Tables) {
        let (fabric, _) = self.netlist.to_fabric(None).expect("LIDs for all");
        let mut tables = Tables::for_fabric(&fabric);
        for (s, switch) in fabric.switches().iter_enumerated() {
            let (row, held) = (&mut tables.row_mut(s).raw, &self.rows[&switch.guid]);
            let length = row.len().min(held.len());
            row[..length].copy_from_slice(&held[..length]);
        }
        (fabric, tables)
    }

    /// Asserts that every port has a LID, and every switch the table that Dmodc makes for this very fabric, which
    /// delivers by shortest up-down paths and closes no credit loop. Entries for LIDs that no port has are "no path",
    /// or lead to a port without a link.
    pub fn assert_routed(&self, engine: &Engine, options: &Options) {
        let fault = self.fault(engine, options);
        assert_eq!(fault, None);
    }

    /// The first violation of the rules of [`Truth::assert_routed`].
    pub fn fault(&self, engine: &Engine, options: &Options) -> Option<String> {
        let has_lid = |node: &&Node| match node.kind {
            Kind::Switch => node.lid != Lid(0),
            _ => node.ports.iter().all(|port| port.lid != Lid(0)),
        };
        if let Some(node) = self.netlist.nodes.iter().find(|node| !has_lid(node)) {
            return Some(format!("{} has no LID", node.id));
        }
        let (fabric, _) = self.netlist.to_fabric(None).expect("LIDs for all");
        let plan = engine.plan(&fabric, options).expect("a tree");
        let (tables, _) = engine
            .tables(&fabric, &plan)
            .expect("tables of the right size");
        let lids: HashSet<usize> = fabric.lids().map(|(lid, ..)| lid.index()).collect();
        for (s, switch) in fabric.switches().iter_enumerated() {
            let (wanted, found) = (&tables.row(s).raw, &*self.rows[&switch.guid]);
            for lid in 0..wanted.len().max(found.len()) {
                let [found, wanted] = [found, wanted].map(|row| entry(row, lid));
                let is_right = match lids.contains(&lid) || found == NO_PATH {
                    true => found == wanted,
                    false => self.ends(&fabric, s, lid),
                };
                if !is_right {
                    let guid = switch.guid;
                    return Some(format!("LID {lid} at {guid}: port {found}, not {wanted}"));
                }
            }
        }
        let ranking = plan.ranking();
        let report = check(&fabric, &tables, |a, b| ranking.is_up(a, b));
        (!report.is_minimal()).then(|| format!("{report:#?}"))
    }

    /// Whether a packet from a switch to a LID that no port has ends at a port without a link.
    fn ends(&self, fabric: &Fabric, from: SwitchId, lid: usize) -> bool {
        let mut at = from;
        for _ in 0..=fabric.switches().len() {
            let port = entry(&self.rows[&fabric.guid(at)], lid);
            match fabric.peer(at, PortNumber(port)) {
                Peer::Switch { index, .. } => at = index,
                found => return matches!(found, Peer::None) && port != 0,
            }
        }
        false
    }
}

/// An entry of a table; beyond its end there is no path.
pub fn entry(row: &[u8], lid: usize) -> u8 {
    row.get(lid).copied().unwrap_or(NO_PATH)
}

/// ` 0-15: [0]FF [1]3 ..`: port numbers in hexadecimal.
fn read_entries(text: &str, row: &mut Vec<u8>) {
    for entry in text.split(' ').filter_map(|word| word.strip_prefix('[')) {
        let (lid, port) = entry.split_once(']').expect("[LID]port");
        assert_eq!(lid.parse(), Ok(row.len()), "entries come in order");
        row.push(u8::from_str_radix(port, 16).expect("a port number"));
    }
}

/// `200000000000c`, `[3]`, `"S-..."[5]` with tabs between: a port's number and the rest of the line.
fn port(line: &str) -> Option<(PortNumber, &str)> {
    let (guid, rest) = line.split_once("\t[")?;
    guid.parse::<Guid>().ok()?;
    let (number, rest) = rest.split_once(']')?;
    Some((number.parse().ok()?, rest))
}

/// The far end, if the port has a link.
fn link(rest: &str) -> Option<(&str, PortNumber)> {
    let (id, rest) = rest.strip_prefix("\t\"")?.split_once("\"[")?;
    Some((id, rest.split_once(']')?.0.parse().ok()?))
}

/// The width and speed of a link: ` 4x  2.5G ` is 4xSDR. Other speeds are left open.
fn speed(rest: &str) -> String {
    let width = if rest.contains(" 1x ") { "1x" } else { "4x" };
    let speed = if rest.contains("x  2.5G ") { "SDR" } else { "" };
    format!("{width}{speed}")
}

fn after(text: &str, word: &str) -> Option<u16> {
    let (_, rest) = text.split_once(word)?;
    rest.split(' ').next()?.parse().ok()
}
