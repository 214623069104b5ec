//! Parts of a fabric taken away: switches, hosts, links. `Directory::parts` finds them by name.

use super::model::Netlist;
use std::collections::HashSet;

/// A part to take away.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A switch or a host, by index, with all its links.
    Node(u32),
    /// A link, by its two sides: node and port.
    Link([(u32, u8); 2]),
}

impl Netlist {
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
            let node = &self.nodes[node as usize];
            format!("{} '{}'", node.guid, node.description)
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
    use crate::netlist::Netlist;
    use crate::netlist::generate::{Order, Pgft, build};

    fn figure_1() -> Netlist {
        let shape: Pgft = "PGFT(3;2,2,3;1,2,2;1,2,1)".parse().unwrap();
        build(&shape.into(), Order::default())
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
}
