//! A netlist under construction: takes nodes and ports line by line, then checks the whole.
//!
//! Lines refer to nodes before the file describes them, so each id gets a number when it first appears.
//! [`Draft::finish`] replaces those numbers by node indices and checks what needs more than one line: both sides of
//! every link, GUIDs, LIDs. Until then each port keeps its line, for messages. An oddity with a sensible reading is a
//! warning.

use super::error::{PortOf, Reason};
use super::model::{Kind, Netlist, Node, Port};
use crate::fabric::{Guid, Lid, LidOwners, NoLids};
use crate::input::{Fault, Lenient, Parsed, Warnings, lines, plain};
use crate::scan::text;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The parts of a port line about the other end.
#[derive(Clone, Copy, Default)]
pub(super) struct PortLine {
    /// The line number.
    pub line: u32,
    /// Port GUID of the other end.
    pub peer_guid: Option<Guid>,
    /// LID of the other end; 0 if the line has none.
    pub peer_lid: Lid,
}

/// A node under construction, with its ports beside it.
struct Entry {
    node: Node,
    line: u32,
    ports: Vec<(Port, PortLine)>,
}

impl Entry {
    /// The index of a port in the sorted ports.
    fn find(&self, number: u8) -> Option<usize> {
        let found = self.ports.binary_search_by_key(&number, |(p, _)| p.number);
        found.ok()
    }
}

#[derive(Default)]
pub(super) struct Draft {
    ids: HashMap<String, u32>,
    described: Vec<Option<u32>>,
    nodes: Vec<Entry>,
    links: HashMap<Box<[u8]>, Arc<str>>,
    guids: HashMap<Guid, u32>,
    warnings: Warnings<Reason>,
    /// The number of the current line.
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
            let line = plain(line).ok_or(Fault::at(number, Reason::Binary))?;
            if let Cow::Owned(_) = line {
                draft.warn(Reason::Terminal);
            }
            let taken = take(&mut draft, line.trim_ascii());
            taken.map_err(|reason| Fault::at(number, reason))?;
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
    pub fn fill_in_links(&mut self, link: &str) {
        let link = self.link(link.as_bytes());
        for (port, _) in self.nodes.iter_mut().flat_map(|entry| &mut entry.ports) {
            if port.link.is_empty() {
                port.link = link.clone();
            }
        }
    }

    /// Adds a warning about the current line.
    pub fn warn(&mut self, reason: Reason) {
        self.warnings.add(self.line, reason);
    }

    /// Whether a node has this GUID already.
    pub fn has_guid(&self, guid: Guid) -> bool {
        self.guids.contains_key(&guid)
    }

    /// The id of a node.
    pub fn id_of(&self, node: u32) -> &str {
        &self.nodes[node as usize].node.id
    }

    /// The node with the id of this number, if the file has described it.
    pub fn node(&self, id: u32) -> Option<u32> {
        self.described[id as usize]
    }

    /// Adds a node.
    pub fn add_node(&mut self, id: u32, node: Node) -> Result<u32, Reason> {
        if let Some(other) = self.described[id as usize] {
            let first = self.nodes[other as usize].line;
            return Err(Reason::IdTwice { id: node.id, first });
        }
        if self.nodes.len() == Lid::UNICAST_MAX.index() {
            return Err(Reason::TooManyNodes);
        }
        let index = self.nodes.len() as u32;
        if let Some(other) = self.guids.insert(node.guid, index) {
            let other = &self.nodes[other as usize];
            return Err(Reason::GuidTwice {
                guid: node.guid,
                other: other.node.id.clone(),
                first: other.line,
            });
        }
        self.described[id as usize] = Some(index);
        self.nodes.push(Entry {
            node,
            line: self.line,
            ports: Vec::new(),
        });
        Ok(index)
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
        let number = number as u8;
        if let Some((_, first)) = ports.iter().find(|(p, _)| p.number == number) {
            let port = PortOf(number, node.id.clone());
            return Err(Reason::PortTwice(port, first.line));
        }
        let port = match node.kind {
            // A switch has one GUID and one LID, at its port 0.
            Kind::Switch => Port::new(number, port.peer, port.peer_port, port.link),
            _ => Port { number, ..port },
        };
        ports.push((port, port_line));
        Ok(())
    }

    /// Checks the whole and returns the netlist.
    pub fn finish(mut self) -> Parsed<Netlist, Reason> {
        if self.nodes.is_empty() {
            return Err(Fault::whole(Reason::NoNode));
        }
        if self.nodes.iter().all(|entry| entry.ports.is_empty()) {
            return Err(Fault::whole(Reason::NoLink));
        }
        self.number_peers()?;
        self.sort_ports();
        self.complete_links()?;
        self.sort_ports();
        self.fill_in_from_peers();
        self.check_port_guids();
        self.check_lids();
        let nodes = self.nodes.into_iter().map(|entry| Node {
            ports: entry.ports.into_iter().map(|(port, _)| port).collect(),
            ..entry.node
        });
        let nodes = nodes.collect();
        Ok(Lenient::new(Netlist { nodes }, self.warnings))
    }

    /// Turns id numbers into node indices.
    fn number_peers(&mut self) -> Result<(), Fault<Reason>> {
        for Entry { node, ports, .. } in &mut self.nodes {
            for (port, port_line) in ports {
                let Some(index) = self.described[port.peer as usize] else {
                    let unknown = self.ids.iter().find(|(_, number)| **number == port.peer);
                    let unknown = unknown.map(|(id, _)| id.clone()).unwrap_or_default();
                    let port = PortOf(port.number, node.id.clone());
                    let reason = Reason::UnknownPeer(port, unknown);
                    return Err(Fault::at(port_line.line, reason));
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

    /// Adds the missing side of each link that one side has. Fails if the other node's port has another link.
    fn complete_links(&mut self) -> Result<(), Fault<Reason>> {
        let mut one_sided = Vec::new();
        let port_of = |(node, port): (u32, u8)| PortOf(port, self.id_of(node).to_owned());
        for (index, entry) in (0..).zip(&self.nodes) {
            for (port, PortLine { line, .. }) in &entry.ports {
                let ends = [(index, port.number), (port.peer, port.peer_port)];
                let peer = &self.nodes[port.peer as usize];
                let Some(back) = peer.find(port.peer_port).map(|at| &peer.ports[at].0) else {
                    let [here, there] = ends.map(port_of);
                    let reason = Reason::OneSided(here, there);
                    one_sided.push((index, port.clone(), Fault::at(*line, reason)));
                    continue;
                };
                if (back.peer, back.peer_port) != ends[0] {
                    let [here, there] = ends.map(port_of);
                    let other = port_of((back.peer, back.peer_port));
                    let reason = Reason::Contradiction(here, there, other);
                    return Err(Fault::at(*line, reason));
                }
            }
        }
        for (index, port, Fault { line, reason }) in one_sided {
            let far = Port::new(port.peer_port, index, port.number, port.link);
            let far_line = PortLine {
                line,
                ..PortLine::default()
            };
            let added = self.add_port(port.peer, port.peer_port.into(), far, far_line);
            added.map_err(|reason| Fault::at(line, reason))?;
            self.warnings.add(line, reason);
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

    fn check_port_guids(&mut self) {
        let mut holders: HashMap<Guid, (&str, u32)> = HashMap::new();
        for Entry { node, ports, .. } in &mut self.nodes {
            for (port, PortLine { line, .. }) in ports {
                let Some(guid) = port.guid else { continue };
                if let Some(&(other, first)) = holders.get(&guid) {
                    let other = other.to_owned();
                    let reason = Reason::PortGuidTwice { guid, other, first };
                    self.warnings.add(*line, reason);
                    port.guid = None;
                } else {
                    holders.insert(guid, (&node.id, *line));
                }
            }
        }
    }

    /// Removes LIDs that are out of range or belong to another port.
    fn check_lids(&mut self) {
        let mut owners = LidOwners::default();
        for index in 0..self.nodes.len() {
            let Entry { node, line, ports } = &self.nodes[index];
            let own = (node.lid, node.lmc, *line);
            let ports = ports.iter().map(|(p, at)| (p.lid, p.lmc, at.line));
            let lids: Vec<_> = [own].into_iter().chain(ports).collect();
            for (at, (lid, lmc, line)) in lids.into_iter().enumerate() {
                if lid == Lid(0) {
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

/// The port number of the other end.
pub(super) fn peer_port(number: u64) -> Result<u8, &'static str> {
    match u8::try_from(number) {
        Ok(port @ 1..=254) => Ok(port),
        _ => Err("the other port is out of range (1 to 254)"),
    }
}
