//! A netlist under construction: takes nodes and ports line by line, then checks the whole.
//!
//! Lines refer to nodes before the file describes them, so each id gets a number when it first appears.
//! [`Draft::finish`] replaces those numbers by node indices and checks what one line cannot show: both sides
//! of every link, GUIDs, LIDs. Until then each port keeps its line, for messages. An oddity with a sensible
//! reading is a warning.

use super::error::Reason;
use super::model::{Kind, Netlist, Node, Port};
use crate::fabric::{Guid, Lid, lid_range};
use crate::input::{Fault, Lenient, Warnings, plain};
use crate::scan::text;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A port line, as far as it is about the other end.
#[derive(Clone, Copy, Default)]
pub(super) struct PortLine {
    /// Its line.
    pub line: u32,
    /// Port GUID of the other end.
    pub peer_guid: Option<Guid>,
    /// LID of the other end; 0 if the line has none.
    pub peer_lid: Lid,
}

struct Entry {
    line: u32,
    lines: Vec<PortLine>,
}

/// The netlist under construction: see the module.
#[derive(Default)]
pub(super) struct Draft {
    ids: HashMap<Box<[u8]>, u32>,
    described: Vec<Option<u32>>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    links: HashMap<Box<[u8]>, Arc<str>>,
    guids: HashMap<Guid, u32>,
    warnings: Warnings<Reason>,
}

impl Draft {
    /// The number of an id, new if the id is. Ids with the same text are the same.
    pub fn id(&mut self, id: &[u8]) -> u32 {
        let id = String::from_utf8_lossy(id);
        let id = id.as_bytes();
        if let Some(&number) = self.ids.get(id) {
            return number;
        }
        let number = self.described.len() as u32;
        self.ids.insert(id.into(), number);
        self.described.push(None);
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
        for port in self.nodes.iter_mut().flat_map(|node| &mut node.ports) {
            if port.link.is_empty() {
                port.link = link.clone();
            }
        }
    }

    /// A line without the control sequences of a terminal, and without blanks at its ends. Warns of such sequences.
    pub fn plain<'l>(
        &mut self,
        line: &'l [u8],
        number: u32,
    ) -> Result<Cow<'l, [u8]>, Fault<Reason>> {
        let text = plain(line).ok_or(Fault::at(number, Reason::Binary))?;
        Ok(match text {
            Cow::Borrowed(line) => line.trim_ascii().into(),
            Cow::Owned(line) => {
                self.warn(number, Reason::Terminal);
                line.trim_ascii().to_vec().into()
            }
        })
    }

    /// Adds a warning about a line.
    pub fn warn(&mut self, line: u32, reason: Reason) {
        self.warnings.add(line, reason);
    }

    /// Whether a node has this GUID already.
    pub fn has_guid(&self, guid: Guid) -> bool {
        self.guids.contains_key(&guid)
    }

    /// The id of a node.
    pub fn id_of(&self, node: u32) -> &str {
        &self.nodes[node as usize].id
    }

    /// Whether there is no node yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node described under the id of this number.
    pub fn node(&self, id: u32) -> Option<u32> {
        self.described[id as usize]
    }

    /// Adds a node.
    pub fn add_node(&mut self, id: u32, node: Node, line: u32) -> Result<u32, Fault<Reason>> {
        if let Some(other) = self.described[id as usize] {
            let first = self.entries[other as usize].line;
            return Err(Fault::at(line, Reason::IdTwice { id: node.id, first }));
        }
        if self.nodes.len() == Lid::UNICAST_MAX.index() {
            return Err(Fault::at(line, Reason::TooManyNodes));
        }
        let index = self.nodes.len() as u32;
        if let Some(other) = self.guids.insert(node.guid, index) {
            let reason = Reason::GuidTwice {
                guid: node.guid,
                other: self.nodes[other as usize].id.clone(),
                first: self.entries[other as usize].line,
            };
            return Err(Fault::at(line, reason));
        }
        self.described[id as usize] = Some(index);
        self.nodes.push(node);
        self.entries.push(Entry {
            line,
            lines: Vec::new(),
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
    ) -> Result<(), Fault<Reason>> {
        let (n, e) = (
            &mut self.nodes[node as usize],
            &mut self.entries[node as usize],
        );
        if number == 0 || number > n.port_count.into() {
            let reason = Reason::NoSuchPort {
                node: n.id.clone(),
                count: n.port_count,
                port: number,
            };
            return Err(Fault::at(port_line.line, reason));
        }
        let number = number as u8;
        if let Some(at) = n.ports.iter().position(|p| p.number == number) {
            let reason = Reason::PortTwice {
                node: n.id.clone(),
                port: number,
                first: e.lines[at].line,
            };
            return Err(Fault::at(port_line.line, reason));
        }
        // A switch has one GUID and one LID, at its port 0.
        n.ports.push(match n.kind {
            Kind::Switch => Port {
                number,
                guid: None,
                lid: Lid(0),
                lmc: 0,
                ..port
            },
            _ => Port { number, ..port },
        });
        e.lines.push(port_line);
        Ok(())
    }

    /// Checks the whole and gives the netlist.
    pub fn finish(mut self) -> Result<Lenient<Netlist, Reason>, Fault<Reason>> {
        if self.nodes.is_empty() {
            return Err(Fault::whole(Reason::NoNode));
        }
        if self.nodes.iter().all(|node| node.ports.is_empty()) {
            return Err(Fault::whole(Reason::NoLink));
        }
        self.number_peers()?;
        self.complete_links()?;
        self.fill_in_from_peers();
        self.check_port_guids();
        self.check_lids();
        Ok(Lenient {
            value: Netlist { nodes: self.nodes },
            warnings: self.warnings,
        })
    }

    /// Turns id numbers into node indices.
    fn number_peers(&mut self) -> Result<(), Fault<Reason>> {
        for (node, entry) in self.nodes.iter_mut().zip(&self.entries) {
            for (port, port_line) in node.ports.iter_mut().zip(&entry.lines) {
                port.peer = match self.described[port.peer as usize] {
                    Some(index) => index,
                    None => {
                        let unknown = self.ids.iter().find(|(_, number)| **number == port.peer);
                        let reason = Reason::UnknownPeer {
                            node: node.id.clone(),
                            port: port.number,
                            peer: unknown.map(|(id, _)| text(id)).unwrap_or_default(),
                        };
                        return Err(Fault::at(port_line.line, reason));
                    }
                };
            }
        }
        Ok(())
    }

    /// Sorts the ports, and adds the other side of each link that only one side has, if the other node has
    /// that port free.
    fn complete_links(&mut self) -> Result<(), Fault<Reason>> {
        self.sort_ports();
        let mut one_sided = Vec::new();
        for (index, (node, entry)) in (0..).zip(self.nodes.iter().zip(&self.entries)) {
            for (port, port_line) in node.ports.iter().zip(&entry.lines) {
                let peer = &self.nodes[port.peer as usize];
                let Some(back) = find_port(peer, port.peer_port).map(|at| &peer.ports[at]) else {
                    one_sided.push((index, port.clone(), *port_line));
                    continue;
                };
                if (back.peer, back.peer_port) != (index, port.number) {
                    let reason = Reason::Contradiction {
                        node: node.id.clone(),
                        port: port.number,
                        peer: peer.id.clone(),
                        peer_port: port.peer_port,
                        other: self.nodes[back.peer as usize].id.clone(),
                        other_port: back.peer_port,
                    };
                    return Err(Fault::at(port_line.line, reason));
                }
            }
        }
        for (index, port, port_line) in one_sided {
            let far = Port {
                peer: index,
                peer_port: port.number,
                guid: None,
                lid: Lid(0),
                lmc: 0,
                ..port.clone()
            };
            let line = PortLine {
                line: port_line.line,
                ..PortLine::default()
            };
            let reason = Reason::OneSided {
                node: self.nodes[index as usize].id.clone(),
                port: port.number,
                peer: self.nodes[port.peer as usize].id.clone(),
                peer_port: port.peer_port,
            };
            self.add_port(port.peer, port.peer_port.into(), far, line)?;
            self.warnings.add(port_line.line, reason);
        }
        self.sort_ports();
        Ok(())
    }

    fn sort_ports(&mut self) {
        for (node, entry) in self.nodes.iter_mut().zip(&mut self.entries) {
            let ports = std::mem::take(&mut node.ports);
            let mut both: Vec<_> = ports.into_iter().zip(entry.lines.iter().copied()).collect();
            both.sort_by_key(|(port, _)| port.number);
            (node.ports, entry.lines) = both.into_iter().unzip();
        }
    }

    /// Takes GUID and LID of an end port from the other side if its own line has none.
    fn fill_in_from_peers(&mut self) {
        for index in 0..self.nodes.len() {
            for at in 0..self.nodes[index].ports.len() {
                let port = &self.nodes[index].ports[at];
                let (peer, peer_port) = (port.peer as usize, port.peer_port);
                let port_line = self.entries[index].lines[at];
                let Some(back) = find_port(&self.nodes[peer], peer_port) else {
                    continue;
                };
                let node = &mut self.nodes[peer];
                if node.kind == Kind::Switch {
                    if node.lid == Lid(0) {
                        node.lid = port_line.peer_lid;
                    }
                    continue;
                }
                let end = &mut node.ports[back];
                end.guid = end.guid.or(port_line.peer_guid);
                if end.lid == Lid(0) {
                    end.lid = port_line.peer_lid;
                }
            }
        }
    }

    fn check_port_guids(&mut self) {
        let mut holders: HashMap<Guid, (String, u32)> = HashMap::new();
        for (node, entry) in self.nodes.iter_mut().zip(&self.entries) {
            for (port, port_line) in node.ports.iter_mut().zip(&entry.lines) {
                let Some(guid) = port.guid else { continue };
                if let Some((other, first)) = holders.get(&guid) {
                    let (other, first) = (other.clone(), *first);
                    let reason = Reason::PortGuidTwice { guid, other, first };
                    self.warnings.add(port_line.line, reason);
                    port.guid = None;
                } else {
                    holders.insert(guid, (node.id.clone(), port_line.line));
                }
            }
        }
    }

    fn check_lids(&mut self) {
        let mut claims = Claims {
            nodes: self.nodes.iter().map(|node| node.id.clone()).collect(),
            owners: vec![None; Lid::UNICAST_MAX.index() + 1],
            warnings: &mut self.warnings,
        };
        for (index, (node, entry)) in self.nodes.iter_mut().zip(&self.entries).enumerate() {
            if !claims.granted(index, entry.line, node.lid, node.lmc) {
                node.lid = Lid(0);
            }
            for (port, port_line) in node.ports.iter_mut().zip(&entry.lines) {
                if !claims.granted(index, port_line.line, port.lid, port.lmc) {
                    port.lid = Lid(0);
                }
            }
        }
    }
}

/// The owner of each LID, and its line.
struct Claims<'a> {
    nodes: Vec<String>,
    owners: Vec<Option<(u32, u32)>>,
    warnings: &'a mut Warnings<Reason>,
}

impl Claims<'_> {
    /// Whether the LIDs are in range and free. No LID at all is fine.
    fn granted(&mut self, node: usize, line: u32, lid: Lid, lmc: u8) -> bool {
        if lid == Lid(0) {
            return true;
        }
        let Some(range) = lid_range(lid, lmc) else {
            let (lid, lmc) = (lid.0.into(), lmc.into());
            self.warnings.add(line, Reason::LidOutOfRange { lid, lmc });
            return false;
        };
        for lid in range.clone().map(Lid) {
            if let Some((other, first)) = self.owners[lid.index()] {
                let other = self.nodes[other as usize].clone();
                let reason = Reason::LidTwice { lid, other, first };
                self.warnings.add(line, reason);
                return false;
            }
        }
        range.for_each(|lid| self.owners[usize::from(lid)] = Some((node as u32, line)));
        true
    }
}

fn find_port(node: &Node, number: u8) -> Option<usize> {
    node.ports.binary_search_by_key(&number, |p| p.number).ok()
}
