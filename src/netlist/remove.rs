//! Parts of a fabric taken away by name: switches, hosts, links.

use super::degrade::{NamedSwitch, named};
use super::model::Netlist;
use crate::names::{Directory, NameError};
use std::collections::HashSet;

/// A part to take away.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A switch or a host, by index, with all its links.
    Node(u32),
    /// A link, by its two sides: node and port.
    Link([(u32, u8); 2]),
}

/// A name that no part has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PartError {
    /// No node, or several, by that name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A port without a link.
    #[error("port {port} of {guid} '{name}' has no link", guid = .node.guid, name = .node.name)]
    NoLink {
        /// The node.
        node: NamedSwitch,
        /// The port.
        port: u8,
    },
}

impl Netlist {
    /// What each of some names means: a switch or host, or `NAME:PORT` for the link at a port.
    pub fn part(&self, directory: &Directory<u32>, name: &str) -> Result<Part, PartError> {
        let whole = match directory.find(name) {
            Ok(node) => return Ok(Part::Node(node)),
            Err(error) => error,
        };
        let Some(found) = directory.find_port(name) else {
            return Err(whole.into());
        };
        let (node, number) = found?;
        let mut ports = self.nodes[node as usize].ports.iter();
        match ports.find(|port| port.number == number) {
            Some(port) => Ok(Part::Link([(node, number), (port.peer, port.peer_port)])),
            None => Err(PartError::NoLink {
                node: named(&self.nodes[node as usize]),
                port: number,
            }),
        }
    }

    /// The netlist without these parts. End nodes that lose their last link with them go too.
    pub fn without(&self, parts: &[Part]) -> Netlist {
        let (mut nodes, mut ports) = (HashSet::new(), HashSet::new());
        for part in parts {
            match *part {
                Part::Node(node) => drop(nodes.insert(node)),
                Part::Link(sides) => ports.extend(sides),
            }
        }
        self.keeping(
            |node| !nodes.contains(&node),
            |node, port| !ports.contains(&(node, port)),
        )
    }

    /// A part in words.
    pub fn describe(&self, part: Part) -> String {
        let name = |node: u32| {
            let node = named(&self.nodes[node as usize]);
            format!("{} '{}'", node.guid, node.name)
        };
        match part {
            Part::Node(node) => {
                format!("{} {}", self.nodes[node as usize].kind, name(node))
            }
            Part::Link([(a, a_port), (b, b_port)]) => {
                format!("link {} [{a_port}] -- {} [{b_port}]", name(a), name(b))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::generate::{Order, Pgft, build};

    fn figure_1() -> Netlist {
        let shape: Pgft = "PGFT(3;2,2,3;1,2,2;1,2,1)".parse().unwrap();
        build(&shape.into(), Order::default())
    }

    /// Switches, end nodes and links between switches without these parts.
    fn without(names: &[&str]) -> (usize, usize, usize) {
        let netlist = figure_1();
        let directory = Directory::of_netlist(&netlist);
        let parts = names
            .iter()
            .map(|name| netlist.part(&directory, name).unwrap());
        let less = netlist.without(&parts.collect::<Vec<_>>());
        let (fabric, _) = less.to_fabric(None).unwrap();
        let (switches, nodes) = (fabric.switches().len(), fabric.end_nodes().len());
        (switches, nodes, fabric.switch_links())
    }

    #[test]
    fn switches_hosts_and_links_go_alone_and_together() {
        assert_eq!(without(&[]), (16, 12, 36));
        assert_eq!(without(&["L2-0"]), (15, 12, 30));
        assert_eq!(without(&["node-3"]), (16, 11, 36));
        assert_eq!(without(&["L1-0:3"]), (16, 12, 35));
        assert_eq!(
            without(&["L1-0:1"]),
            (16, 11, 36),
            "the host has no other link"
        );
        assert_eq!(without(&["L1-0"]), (15, 10, 32));
        assert_eq!(without(&["L1-0", "L1-0:3", "node-0"]), (15, 10, 32));
    }

    #[test]
    fn a_node_that_has_no_link_anyway_stays() {
        let mut netlist = figure_1();
        let mut dark = netlist.nodes[netlist.nodes.len() - 1].clone();
        dark.ports.clear();
        dark.guid.0 += 100;
        netlist.nodes.push(dark);
        let nodes = netlist.nodes.len();
        assert_eq!(netlist.without(&[]).nodes.len(), nodes);
        assert_eq!(netlist.without_links(1, 1).unwrap().0.nodes.len(), nodes);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let netlist = figure_1();
        let directory = Directory::of_netlist(&netlist);
        let refused = |name| netlist.part(&directory, name).unwrap_err().to_string();
        assert!(refused("L2-0:99").contains("port 99 of 0x0002000200000000 'L2-0' has no link"));
        assert!(refused("L2:1").contains("'L2' could be any of 6"));
        assert!(refused("spine").contains("nothing in this fabric is called 'spine'"));
        let link = netlist.part(&directory, "L1-0:3").unwrap();
        assert_eq!(
            netlist.describe(link),
            "link 0x0002000100000000 'L1-0' [3] -- 0x0002000200000000 'L2-0' [1]"
        );
    }
}
