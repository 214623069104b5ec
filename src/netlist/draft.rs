//! A netlist in the making: nodes and ports as the lines give them, then the whole checked.
//!
//! Lines refer to nodes by id before they are described, so ids are numbered as they turn up.
//! [`Draft::finish`] replaces those numbers by node indices and checks all that takes more than
//! one line to see: both sides of every link, GUIDs, LIDs. Each port keeps its line until then.

use super::error::Reason;
use super::model::{Kind, Netlist, Node, Port};
use super::scan::text;
use crate::fabric::{Guid, Lid, lid_range};
use crate::input::Fault;
use std::collections::HashMap;
use std::sync::Arc;

/// What one port line says beside the port itself.
#[derive(Clone, Copy, Default)]
pub(super) struct Said {
    /// Its line.
    pub line: u32,
    /// Port GUID of the other end.
    pub peer_guid: Option<Guid>,
    /// LID of the other end; 0 if not said.
    pub peer_lid: Lid,
}

struct Entry {
    line: u32,
    said: Vec<Said>,
    taken: [u64; 4],
}

/// See the module's text.
#[derive(Default)]
pub(super) struct Draft {
    ids: HashMap<Box<[u8]>, u32>,
    described: Vec<Option<u32>>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    links: HashMap<Box<[u8]>, Arc<str>>,
}

impl Draft {
    /// The number of an id, given out when it first turns up. Ids that read alike are one.
    pub fn id(&mut self, id: &[u8]) -> u32 {
        let id = String::from_utf8_lossy(id);
        let id = id.as_bytes();
        match self.ids.get(id) {
            Some(&number) => number,
            None => {
                let number = self.described.len() as u32;
                self.ids.insert(id.into(), number);
                self.described.push(None);
                number
            }
        }
    }

    /// One shared copy of a link's width and speed.
    pub fn link(&mut self, link: &[u8]) -> Arc<str> {
        match self.links.get(link) {
            Some(shared) => shared.clone(),
            None => {
                let shared: Arc<str> = text(link).into();
                self.links.insert(link.into(), shared.clone());
                shared
            }
        }
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
        if self.described[id as usize].is_some() {
            return Err(Fault::at(line, Reason::IdTwice(node.id)));
        }
        if self.nodes.len() == Lid::UNICAST_MAX.index() {
            return Err(Fault::at(line, Reason::TooManyNodes));
        }
        let index = self.nodes.len() as u32;
        self.described[id as usize] = Some(index);
        self.nodes.push(node);
        self.entries.push(Entry {
            line,
            said: Vec::new(),
            taken: [0; 4],
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
        said: Said,
    ) -> Result<(), Fault<Reason>> {
        let (n, e) = (
            &mut self.nodes[node as usize],
            &mut self.entries[node as usize],
        );
        if number == 0 || number > n.port_count.into() {
            let (node, count) = (n.id.clone(), n.port_count);
            return Err(Fault::at(
                said.line,
                Reason::NoSuchPort {
                    node,
                    count,
                    port: number,
                },
            ));
        }
        let number = number as u8;
        let (word, bit) = (usize::from(number) / 64, 1u64 << (number % 64));
        if e.taken[word] & bit != 0 {
            let reason = Reason::PortTwice {
                node: n.id.clone(),
                port: number,
            };
            return Err(Fault::at(said.line, reason));
        }
        e.taken[word] |= bit;
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
        e.said.push(said);
        Ok(())
    }

    /// Checks the whole and gives the netlist.
    pub fn finish(mut self) -> Result<Netlist, Fault<Reason>> {
        if self.nodes.is_empty() {
            return Err(Fault::whole(Reason::NoNode));
        }
        if self.nodes.iter().all(|node| node.ports.is_empty()) {
            return Err(Fault::whole(Reason::NoLink));
        }
        for (node, entry) in self.nodes.iter_mut().zip(&mut self.entries) {
            let ports = std::mem::take(&mut node.ports);
            let mut both: Vec<_> = ports.into_iter().zip(entry.said.iter().copied()).collect();
            both.sort_by_key(|(port, _)| port.number);
            (node.ports, entry.said) = both.into_iter().unzip();
        }
        self.resolve_links()?;
        self.fill_in_from_peers();
        self.check_guids()?;
        self.check_lids()?;
        Ok(Netlist { nodes: self.nodes })
    }

    /// Turns id numbers into node indices and holds both sides of each link against each other.
    fn resolve_links(&mut self) -> Result<(), Fault<Reason>> {
        for (node, entry) in self.nodes.iter_mut().zip(&self.entries) {
            for (port, said) in node.ports.iter_mut().zip(&entry.said) {
                port.peer = match self.described[port.peer as usize] {
                    Some(index) => index,
                    None => {
                        let unknown = self.ids.iter().find(|(_, number)| **number == port.peer);
                        let reason = Reason::UnknownPeer {
                            node: node.id.clone(),
                            port: port.number,
                            peer: unknown.map(|(id, _)| text(id)).unwrap_or_default(),
                        };
                        return Err(Fault::at(said.line, reason));
                    }
                };
            }
        }
        for (index, (node, entry)) in self.nodes.iter().zip(&self.entries).enumerate() {
            for (port, said) in node.ports.iter().zip(&entry.said) {
                let peer = &self.nodes[port.peer as usize];
                let back = find_port(peer, port.peer_port).map(|at| &peer.ports[at]);
                let (node, peer_id) = (node.id.clone(), peer.id.clone());
                let (port, peer_port) = (port.number, port.peer_port);
                let reason = match back {
                    Some(b) if b.peer as usize == index && b.peer_port == port => continue,
                    Some(b) => Reason::Contradiction {
                        node,
                        port,
                        peer: peer_id,
                        peer_port,
                        other: self.nodes[b.peer as usize].id.clone(),
                        other_port: b.peer_port,
                    },
                    None => Reason::OneSided {
                        node,
                        port,
                        peer: peer_id,
                        peer_port,
                    },
                };
                return Err(Fault::at(said.line, reason));
            }
        }
        Ok(())
    }

    /// Takes the GUID and the LID of an end port from the other side where its own line has none.
    fn fill_in_from_peers(&mut self) {
        for index in 0..self.nodes.len() {
            for at in 0..self.nodes[index].ports.len() {
                let port = &self.nodes[index].ports[at];
                let (peer, peer_port) = (port.peer as usize, port.peer_port);
                let said = self.entries[index].said[at];
                let Some(back) = find_port(&self.nodes[peer], peer_port) else {
                    continue;
                };
                let node = &mut self.nodes[peer];
                if node.kind == Kind::Switch {
                    if node.lid == Lid(0) {
                        node.lid = said.peer_lid;
                    }
                    continue;
                }
                let end = &mut node.ports[back];
                end.guid = end.guid.or(said.peer_guid);
                if end.lid == Lid(0) {
                    end.lid = said.peer_lid;
                }
            }
        }
    }

    fn check_guids(&self) -> Result<(), Fault<Reason>> {
        let mut node_guids: HashMap<Guid, usize> = HashMap::new();
        let mut port_guids: HashMap<Guid, usize> = HashMap::new();
        for (index, (node, entry)) in self.nodes.iter().zip(&self.entries).enumerate() {
            let twice = |line, guid, other: usize| {
                let other = self.nodes[other].id.clone();
                Err(Fault::at(line, Reason::GuidTwice { guid, other }))
            };
            if let Some(other) = node_guids.insert(node.guid, index) {
                return twice(entry.line, node.guid, other);
            }
            for (port, said) in node.ports.iter().zip(&entry.said) {
                if let Some(guid) = port.guid
                    && let Some(other) = port_guids.insert(guid, index)
                {
                    return twice(said.line, guid, other);
                }
            }
        }
        Ok(())
    }

    fn check_lids(&self) -> Result<(), Fault<Reason>> {
        let mut owner: Vec<Option<u32>> = vec![None; Lid::UNICAST_MAX.index() + 1];
        let mut claim = |index: usize, line: u32, lid: Lid, lmc: u8| {
            if lid == Lid(0) {
                return Ok(());
            }
            let out = Reason::LidOutOfRange {
                lid: lid.0.into(),
                lmc: lmc.into(),
            };
            for l in lid_range(lid, lmc).ok_or(Fault::at(line, out))? {
                if let Some(other) = owner[usize::from(l)].replace(index as u32) {
                    let other = self.nodes[other as usize].id.clone();
                    return Err(Fault::at(line, Reason::LidTwice { lid: Lid(l), other }));
                }
            }
            Ok(())
        };
        for (index, (node, entry)) in self.nodes.iter().zip(&self.entries).enumerate() {
            claim(index, entry.line, node.lid, node.lmc)?;
            for (port, said) in node.ports.iter().zip(&entry.said) {
                claim(index, said.line, port.lid, port.lmc)?;
            }
        }
        Ok(())
    }
}

fn find_port(node: &Node, number: u8) -> Option<usize> {
    node.ports.binary_search_by_key(&number, |p| p.number).ok()
}
