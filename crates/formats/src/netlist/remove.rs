//! Removes parts of a fabric: switches, hosts, links. `Directory::parts` finds them by name.

use super::model::{Kind, Netlist};
use dmodc_fabric::PortNumber;
use std::collections::HashSet;

/// A part to remove.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A switch or a host, by index, with all its links.
    Node(u32),
    /// A link, by its two sides: node and port.
    Link([(u32, PortNumber); 2]),
}

impl Netlist {
    /// The netlist without these parts, and without end nodes that lose their last link with them.
    pub fn without(&self, parts: &[Part]) -> Netlist {
        let (mut nodes, mut ports) = (HashSet::new(), HashSet::new());
        for part in parts {
            match *part {
                Part::Node(node) => drop(nodes.insert(node)),
                Part::Link(sides) => ports.extend(sides),
            }
        }
        let keep_node = |node: u32| !nodes.contains(&node);
        let keep_port = |node: u32, port: PortNumber| !ports.contains(&(node, port));
        let linked = |index: u32| {
            let node = &self.nodes[index as usize];
            let mut ports = node.ports.iter();
            let keeps_a_link = ports.any(|port| {
                let sides = [(index, port.number), (port.peer, port.peer_port)];
                keep_node(port.peer) && sides.iter().all(|&(node, port)| keep_port(node, port))
            });
            node.kind == Kind::Switch || node.ports.is_empty() || keeps_a_link
        };
        let mut next = 0;
        let mut kept_as: Vec<Option<u32>> = Vec::with_capacity(self.nodes.len());
        for index in 0..self.nodes.len() as u32 {
            let kept = keep_node(index) && linked(index);
            kept_as.push(kept.then_some(next));
            next += u32::from(kept);
        }
        let mut netlist = Netlist::default();
        for (index, node) in (0..).zip(&self.nodes) {
            if kept_as[index as usize].is_none() {
                continue;
            }
            let mut node = node.clone();
            node.ports.retain_mut(|port| {
                let peer = kept_as[port.peer as usize].filter(|_| keep_port(index, port.number));
                port.peer = peer.unwrap_or(port.peer);
                peer.is_some()
            });
            netlist.nodes.push(node);
        }
        netlist
    }

    /// A part in words.
    pub fn describe(&self, part: Part) -> String {
        let name = |node: u32| {
            let node = &self.nodes[node as usize];
            format!("{} '{}'", node.guid, node.description)
        };
        match part {
            Part::Node(node) => {
                format!("{} {}", self.nodes[node as usize].kind, name(node))
            }
            Part::Link([(a, a_port), (b, b_port)]) => {
                let port = |node: u32, port| self.nodes[node as usize].shown_port(port);
                let (p, q) = (port(a, a_port), port(b, b_port));
                format!("link {} [{p}] -- {} [{q}]", name(a), name(b))
            }
        }
    }
}
