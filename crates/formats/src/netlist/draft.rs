//! A netlist under construction: takes nodes and ports line by line, then checks the whole.
//!
//! Lines refer to nodes before the file describes them, so each id gets a number when it first appears.
//! [`Draft::finish`] replaces those numbers by node indices and checks what needs more than one line: both sides of
//! every link, GUIDs, LIDs. Until then each port keeps its line, for messages. An oddity with a sensible reading is a
//! warning.
//!
//! Each line of a port is a claim about a link. Claims may differ: `claims` keeps those that hold. What two nodes both
//! say of themselves (a GUID, a LID) goes to the node with the lesser GUID, so no choice depends on the order of lines.

use super::claims::{self, Entry, PortLine, Usual};
use super::components::components;
use super::error::{PortOf, Reason};
use super::model::{Kind, Netlist, Node, Port};
use crate::input::{Fault, Lenient, Parsed, Warnings, lines, plain};
use crate::scan::text;
use dmodc_fabric::{Guid, Lid, LidOwners, NoLids, PortNumber};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Draft {
    ids: HashMap<String, u32>,
    described: Vec<Option<u32>>,
    nodes: Vec<Entry>,
    links: HashMap<Box<[u8]>, Arc<str>>,
    pub guids: HashSet<Guid>,
    pub usual: Usual,
    /// The nodes with several LIDs.
    torn: HashSet<u32>,
    warnings: Warnings<Reason>,
    pub line: u32,
}

impl Draft {
    /// Reads a text. Passes each line to `take`, without control sequences of a terminal (with a warning) and without
    /// blanks at its ends.
    pub fn read(
        bytes: &[u8],
        mut take: impl FnMut(&mut Draft, &[u8]) -> Result<(), Reason>,
    ) -> Result<Draft, Fault<Reason>> {
        let mut draft = Draft::default();
        for (number, line) in lines(bytes) {
            draft.line = number;
            let line = plain(line).ok_or(Fault::in_line(number, Reason::Binary))?;
            if let Cow::Owned(_) = line {
                draft.warn(Reason::Terminal);
            }
            let taken = take(&mut draft, line.trim_ascii());
            taken.map_err(|reason| Fault::in_line(number, reason))?;
        }
        Ok(draft)
    }

    /// The number of an id; a new id gets the next number. Ids with the same text are the same.
    pub fn id(&mut self, id: &[u8]) -> u32 {
        let next = self.described.len() as u32;
        let number = *self.ids.entry(text(id)).or_insert(next);
        if number == next {
            self.described.push(None);
        }
        number
    }

    /// One shared copy of a link's width and speed.
    pub fn link(&mut self, link: &[u8]) -> Arc<str> {
        if let Some(shared) = self.links.get(link) {
            return shared.clone();
        }
        let shared: Arc<str> = text(link).into();
        self.links.insert(link.into(), shared.clone());
        shared
    }

    /// Sets this width and speed at ports whose lines have none.
    pub fn fill_in_link(&mut self, link: &str) {
        let link = self.link(link.as_bytes());
        for (port, _) in self.nodes.iter_mut().flat_map(|entry| &mut entry.ports) {
            if port.link.is_empty() {
                port.link = link.clone();
            }
        }
    }

    pub fn warn(&mut self, reason: Reason) {
        self.warnings.add(self.line, reason);
    }

    /// A LID and an LMC as the file has them; 0 instead of one that is out of range, with a warning.
    pub fn lid(&mut self, lid: u64, lmc: u64) -> (Lid, u8) {
        let known = Lid::read(lid);
        let fits = u8::try_from(lmc).ok().filter(|lmc| *lmc <= 7);
        if known.is_none() || fits.is_none() {
            self.warn(Reason::LidOutOfRange { lid, lmc });
        }
        (known.unwrap_or_default(), fits.unwrap_or_default())
    }

    pub fn id_of(&self, node: u32) -> &str {
        &self.nodes[node as usize].node.id
    }

    /// The node with the id of this number, if the file has described it.
    pub fn node(&self, id: u32) -> Option<u32> {
        self.described[id as usize]
    }

    /// Adds a node. Two descriptions of one id become one node, with the ports of both.
    pub fn add_node(&mut self, id: u32, node: Node) -> Result<u32, Reason> {
        if let Some(index) = self.described[id as usize] {
            let first = self.nodes[index as usize].line;
            let id = node.id.clone();
            self.warn(Reason::IdTwice { id, first });
            let there = &mut self.nodes[index as usize].node;
            let count = there.port_count.max(node.port_count);
            let key = |n: &Node| (n.lid == Lid(0), n.lid, n.lmc, n.description.clone());
            if key(&node) < key(there) {
                *there = node;
            }
            there.port_count = count;
            return Ok(index);
        }
        if self.nodes.len() == Lid::UNICAST_MAX.index() {
            return Err(Reason::TooManyNodes);
        }
        let index = self.nodes.len() as u32;
        self.guids.insert(node.guid);
        self.described[id as usize] = Some(index);
        self.nodes.push(Entry {
            node,
            line: self.line,
            ports: Vec::new(),
        });
        Ok(index)
    }

    /// Takes what one more line of a list says of a node: a switch's LID, a description. Of several the least holds,
    /// with a warning of LIDs.
    pub fn tell(&mut self, index: u32, lid: Lid, description: &[u8]) {
        let node = &mut self.nodes[index as usize].node;
        let description = text(description);
        if !description.is_empty() && description < node.description {
            node.description = description;
        }
        if node.kind != Kind::Switch || lid == Lid(0) || lid == node.lid {
            return;
        }
        let before = std::mem::replace(&mut node.lid, lid);
        if before != Lid(0) {
            node.lid = before.min(lid);
            let reason = Reason::OtherLid(node.id.clone(), before, lid);
            if self.torn.insert(index) {
                self.warn(reason);
            }
        }
    }

    /// Adds a port to a node. `port.peer` is the number of the other end's id; `number` is the
    /// port number as the file has it.
    pub fn add_port(
        &mut self,
        node: u32,
        number: u64,
        port: Port,
        port_line: PortLine,
    ) -> Result<(), Reason> {
        let Entry { node, ports, .. } = &mut self.nodes[node as usize];
        if number == 0 || number > node.port_count.into() {
            return Err(Reason::NoSuchPort {
                node: node.id.clone(),
                count: node.port_count,
                port: number,
            });
        }
        let number = PortNumber(number as u8);
        let is_kept = |label: &Arc<str>| is_label(label, number, node.guid);
        let label = port.label.clone().filter(is_kept);
        let port = Port {
            number,
            label,
            ..port
        };
        ports.push((port, port_line));
        Ok(())
    }

    pub fn finish(mut self) -> Parsed<Netlist, Reason> {
        if self.nodes.is_empty() {
            return Err(Fault::whole(Reason::NoNode));
        }
        self.number_peers()?;
        self.check_guids();
        self.sort_ports();
        claims::settle(&mut self.nodes, &mut self.warnings, self.usual);
        if self.nodes.iter().all(|entry| entry.ports.is_empty()) {
            return Err(Fault::whole(Reason::NoLink));
        }
        self.sort_ports();
        self.fill_in_from_peers();
        self.check_planes()?;
        self.check_port_guids();
        self.check_lids();
        let nodes = self.nodes.into_iter().map(|entry| Node {
            ports: entry.ports.into_iter().map(|(port, _)| port).collect(),
            ..entry.node
        });
        let nodes = nodes.collect();
        Ok(Lenient::new(Netlist { nodes }, self.warnings))
    }

    fn number_peers(&mut self) -> Result<(), Fault<Reason>> {
        for Entry { node, ports, .. } in &mut self.nodes {
            for (port, port_line) in ports {
                // A switch has one GUID and one LID, at its port 0. Only now: of two descriptions one may be a host's.
                if node.kind == Kind::Switch {
                    (port.guid, port.lid, port.lmc) = (None, Lid(0), 0);
                }
                let Some(index) = self.described[port.peer as usize] else {
                    let unknown = self.ids.iter().find(|(_, number)| **number == port.peer);
                    let unknown = unknown.map(|(id, _)| id.clone()).unwrap_or_default();
                    let port = PortOf(port.number, node.id.clone());
                    let reason = Reason::UnknownPeer(port, unknown);
                    return Err(Fault::in_line(port_line.line, reason));
                };
                port.peer = index;
            }
        }
        Ok(())
    }

    fn sort_ports(&mut self) {
        for entry in &mut self.nodes {
            entry.ports.sort_by_key(|(port, _)| port.number);
        }
    }

    /// Gives each node a GUID of its own: of several with one GUID, the one with the least id keeps it.
    fn check_guids(&mut self) {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&at| (self.nodes[at].node.guid, self.nodes[at].node.id.clone()));
        let mut holders: HashMap<Guid, usize> = HashMap::new();
        let all: HashSet<Guid> = self.nodes.iter().map(|entry| entry.node.guid).collect();
        for at in order {
            let guid = self.nodes[at].node.guid;
            let Some(&other) = holders.get(&guid) else {
                holders.insert(guid, at);
                continue;
            };
            let other = &self.nodes[other];
            let reason = Reason::GuidTwice {
                guid,
                id: self.nodes[at].node.id.clone(),
                other: other.node.id.clone(),
                first: other.line,
            };
            self.warnings.add(self.nodes[at].line, reason);
            let mut free = guid;
            while all.contains(&free) || holders.contains_key(&free) {
                free = Guid(free.0.wrapping_add(1 << 32) | 1 << 63);
            }
            holders.insert(free, at);
            self.nodes[at].node.guid = free;
        }
    }

    /// Refuses a fabric in planes: a host whose ports share GUID and LID, as far as that is known.
    fn check_planes(&self) -> Result<(), Fault<Reason>> {
        for Entry { node, ports, .. } in &self.nodes {
            let same = |(port, _): &&(Port, PortLine)| {
                let first = &ports[0].0;
                let lids = [port.lid, first.lid];
                let fits = lids[0] == lids[1] || lids.contains(&Lid(0));
                port.guid.is_some() && port.guid == first.guid && fits
            };
            let planes = ports.iter().filter(same).count();
            if node.kind == Kind::Ca && planes > 1 {
                let reason = Reason::Planes {
                    planes,
                    node: node.description.clone(),
                    guid: ports[0].0.guid.unwrap_or_default(),
                    lid: ports[0].0.lid,
                };
                return Err(Fault::in_line(ports[1].1.line, reason));
            }
        }
        Ok(())
    }

    /// Takes a port's GUID, and a port's or switch's LID, from the far side's line if its own has none.
    fn fill_in_from_peers(&mut self) {
        for index in 0..self.nodes.len() {
            for at in 0..self.nodes[index].ports.len() {
                let (ref port, port_line) = self.nodes[index].ports[at];
                let (peer, peer_port) = (port.peer as usize, port.peer_port);
                let peer = &mut self.nodes[peer];
                let Some(back) = peer.find(peer_port) else {
                    continue;
                };
                let end = &mut peer.ports[back].0;
                let lid = match peer.node.kind {
                    Kind::Switch => &mut peer.node.lid,
                    _ => {
                        end.guid = end.guid.or(port_line.peer_guid);
                        &mut end.lid
                    }
                };
                if *lid == Lid(0) {
                    *lid = port_line.peer_lid;
                }
            }
        }
    }

    /// The nodes in the order of their GUIDs, which are unique.
    fn by_guid(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&at| self.nodes[at].node.guid);
        order
    }

    fn check_port_guids(&mut self) {
        let mut holders: HashMap<Guid, (usize, u32)> = HashMap::new();
        for index in self.by_guid() {
            for at in 0..self.nodes[index].ports.len() {
                let (ref port, PortLine { line, .. }) = self.nodes[index].ports[at];
                let Some(guid) = port.guid else { continue };
                let Some(&(other, first)) = holders.get(&guid) else {
                    holders.insert(guid, (index, line));
                    continue;
                };
                let other = self.nodes[other].node.id.clone();
                let reason = Reason::PortGuidTwice { guid, other, first };
                self.warnings.add(line, reason);
                self.nodes[index].ports[at].0.guid = None;
            }
        }
    }

    /// Removes LIDs that are out of range or belong to another port of the same component: fabrics that no link joins
    /// count LIDs each for itself. Names ports without a LID in a file that has some.
    fn check_lids(&mut self) {
        let peers = |at: usize| self.nodes[at].ports.iter().map(|(port, _)| port.peer);
        let component = components(self.nodes.iter().map(|entry| &entry.node), peers);
        let mut all = self.nodes.iter().flat_map(|entry| {
            let ports = entry.ports.iter().map(|(port, _)| port.lid);
            ports.chain([entry.node.lid])
        });
        let has_some = all.any(|lid| lid != Lid(0));
        let mut owners: HashMap<Option<Guid>, LidOwners<(usize, u32)>> = HashMap::new();
        for index in self.by_guid() {
            let Entry { node, line, ports } = &self.nodes[index];
            let (is_switch, id) = (node.kind == Kind::Switch, node.id.clone());
            let zero = PortNumber::ZERO;
            let own = (zero, node.lid, node.lmc, *line, component[index]);
            let of = |port: &Port| component[port.peer as usize];
            let ports = ports
                .iter()
                .map(|(p, at)| (p.number, p.lid, p.lmc, at.line, of(p)));
            let lids: Vec<_> = [own].into_iter().chain(ports).collect();
            for (at, (number, lid, lmc, line, of)) in lids.into_iter().enumerate() {
                let owners = owners.entry(of).or_default();
                if lid == Lid(0) {
                    if has_some && is_switch == (number == zero) {
                        let port = PortOf(number, id.clone());
                        self.warnings.remark(line, Reason::NoLid(port));
                    }
                    continue;
                }
                let reason = match owners.claim(lid, lmc, (index, line)) {
                    Ok(()) => continue,
                    Err(NoLids::OutOfRange) => Reason::LidOutOfRange {
                        lid: lid.0.into(),
                        lmc: lmc.into(),
                    },
                    Err(NoLids::Taken(lid, (other, first))) => Reason::LidTwice {
                        lid,
                        other: self.nodes[other].node.id.clone(),
                        first,
                    },
                };
                self.warnings.add(line, reason);
                let entry = &mut self.nodes[index];
                match at.checked_sub(1) {
                    None => entry.node.lid = Lid(0),
                    Some(at) => entry.ports[at].0.lid = Lid(0),
                }
            }
        }
    }
}

/// A node with this number of ports, and a description if that is not empty.
pub(super) fn new_node(
    kind: Kind,
    id: String,
    guid: Guid,
    ports: u64,
    description: &[u8],
) -> Result<Node, Reason> {
    match u8::try_from(ports) {
        Ok(count @ 1..=254) => {
            let mut node = Node::new(kind, id, guid, count);
            if !description.is_empty() {
                node.description = text(description);
            }
            Ok(node)
        }
        _ => Err(Reason::PortCount(ports)),
    }
}

/// Whether a label says more than the number of its port, and can be written: a number beside a short GUID would be
/// read as a GUID.
fn is_label(label: &str, number: PortNumber, node: Guid) -> bool {
    let is_written = |c: char| c.is_ascii_graphic() && !matches!(c, '(' | ')' | '"');
    let is_number = label.len() <= 3 && label.bytes().all(|b| b.is_ascii_digit());
    let is_read = label.contains('/') || (is_number && node.0 > 0xffff);
    is_read && label.chars().all(is_written) && label != number.to_string()
}

pub(super) fn peer_port(number: u64) -> Result<PortNumber, &'static str> {
    match u8::try_from(number) {
        Ok(port @ 1..=254) => Ok(PortNumber(port)),
        _ => Err("the other port is out of range (1 to 254)"),
    }
}
