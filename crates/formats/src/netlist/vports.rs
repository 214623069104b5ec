//! Virtual ports: LIDs beside those of a host's port, which netlists do not show.
//!
//! The file is ibdiagnet2's `.vports`: a line `Port Name=…, LID=164, GUID=0x…` for each port, then a line `VPort0:
//! Guid=…, VLid=164, …` for each of its virtual ports; or an `ibdiagnet2.db_csv` with a section VPORTS. Mostly the LID
//! is the port's, and nothing is to be done. A LID of its own leads where the port's LID leads.

use super::db_csv::{Row, Section};
use crate::input::{Fault, Lenient, Parsed, Warnings, lines, quoted};
use crate::scan::{Scan, find};
use dmodc_fabric::{Fabric, Guid, Lid, NodeId, lid_range};
use std::collections::{HashMap, HashSet};

/// The virtual ports of a file: the line of each, the GUID of the port that carries it, and its LID.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VirtualPorts(Vec<(u32, Guid, Lid)>);

/// Why a file was refused, or a warning about a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum VirtualReason {
    #[error("no virtual port in it: neither 'VPort0: … VLid=' lines nor a section START_VPORTS")]
    None,
    #[error("a virtual port without LID or port, left out: '{0}'")]
    Bad(String),
    #[error("LID {lid} of a virtual port of {port}, which the fabric does not have: left out")]
    NoPort { lid: Lid, port: Guid },
    #[error("LID {0} of a virtual port belongs to another port too: left out")]
    Taken(Lid),
}

impl VirtualPorts {
    /// Parses a file; lines that are not understood are warnings.
    pub fn parse_leniently(bytes: &[u8]) -> Parsed<VirtualPorts, VirtualReason> {
        let (mut all, mut warnings) = (Vec::new(), Warnings::default());
        let (mut port, mut section) = (None, Section::default());
        for (number, line) in lines(bytes) {
            let line = line.trim_ascii();
            let row = section.row(line).filter(|row| row.section == "VPORTS");
            let has = |row: &Row| row.at("PortGUID").is_some() && row.at("VPortLid").is_some();
            let found = if let Some(row) = row.filter(has) {
                row.number("PortGUID").zip(row.number("VPortLid"))
            } else if line.starts_with(b"Port Name=") {
                port = value(line, b", GUID=");
                continue;
            } else if line.starts_with(b"VPort") && find(line, b"VLid=").is_some() {
                port.zip(value(line, b"VLid="))
            } else {
                continue;
            };
            match found.and_then(|(port, lid)| Some((Guid(port), Lid::read(lid)?))) {
                Some((port, lid)) => all.push((number, port, lid)),
                None => warnings.add(number, VirtualReason::Bad(quoted(line))),
            }
        }
        match all.is_empty() && warnings.count() == 0 {
            true => Err(Fault::whole(VirtualReason::None)),
            false => Ok(Lenient::new(VirtualPorts(all), warnings)),
        }
    }

    /// The LIDs of their own, ascending, each with the end node whose LID it is to follow.
    pub fn lids(&self, fabric: &Fabric) -> Lenient<Vec<(Lid, NodeId)>, VirtualReason> {
        let nodes = fabric.end_nodes().iter_enumerated();
        let by_guid: HashMap<Guid, NodeId> = nodes.map(|(n, node)| (node.guid, n)).collect();
        let mut taken: HashSet<Lid> = fabric.lids().map(|(lid, ..)| lid).collect();
        let (mut lids, mut warnings) = (Vec::new(), Warnings::default());
        let mut all = self.0.clone();
        all.sort_by_key(|&(_, port, lid)| (lid, port));
        for (line, port, lid) in all {
            let node = by_guid.get(&port);
            let own = node.map(|&n| &fabric.end_nodes()[n]);
            let own = own.and_then(|own| lid_range(own.lid, own.lmc));
            match node {
                _ if !lid.is_unicast() || own.is_some_and(|own| own.contains(&lid.0)) => {}
                None => warnings.add(line, VirtualReason::NoPort { lid, port }),
                Some(&node) if taken.insert(lid) => lids.push((lid, node)),
                Some(_) => warnings.add(line, VirtualReason::Taken(lid)),
            }
        }
        Lenient::new(lids, warnings)
    }
}

fn value(line: &[u8], key: &[u8]) -> Option<u64> {
    let at = find(line, key)?;
    Scan(&line[at + key.len()..]).c_number()
}
