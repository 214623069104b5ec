//! Parts of a fabric by name: a switch, a host, or a link.

use super::{Directory, NameError};
use crate::fabric::Guid;
use crate::netlist::{Netlist, Part};

/// A name without a match among the parts.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PartError {
    /// No node, or several, by that name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A port without a link.
    #[error("port {port} of {guid} '{name}' has no link")]
    NoLink {
        /// The node's GUID.
        guid: Guid,
        /// Its description.
        name: String,
        /// The port.
        port: u8,
    },
}

impl Directory<u32> {
    /// The parts of this directory's netlist that a name means: a switch or host, the ports of a server, the
    /// matches of a pattern, or the link at a port for `NAME:PORT`.
    pub fn parts(&self, netlist: &Netlist, name: &str) -> Result<Vec<Part>, PartError> {
        let whole = match self.find_all(name) {
            Ok(nodes) => return Ok(nodes.into_iter().map(Part::Node).collect()),
            Err(error) => error,
        };
        let Some(found) = self.find_port(name) else {
            return Err(whole.into());
        };
        let (node, number) = found?;
        let side = &netlist.nodes[node as usize];
        match side.ports.iter().find(|port| port.number == number) {
            Some(port) => {
                let sides = [(node, number), (port.peer, port.peer_port)];
                Ok(vec![Part::Link(sides)])
            }
            None => Err(PartError::NoLink {
                guid: side.guid,
                name: side.description.clone(),
                port: number,
            }),
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
            .flat_map(|name| directory.parts(&netlist, name).unwrap());
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
        assert_eq!(without(&["node-[0-3]"]), (16, 8, 36));
        assert_eq!(without(&["L2*"]), (10, 12, 0));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let netlist = figure_1();
        let directory = Directory::of_netlist(&netlist);
        let refused = |name| directory.parts(&netlist, name).unwrap_err().to_string();
        assert!(refused("L2-0:99").contains("port 99 of 0x0002000200000000 'L2-0' has no link"));
        assert!(refused("L2:1").contains("'L2' could be any of 6"));
        assert!(refused("spine").contains("nothing in this fabric is called 'spine'"));
        let link = directory.parts(&netlist, "L1-0:3").unwrap()[0];
        assert_eq!(
            netlist.describe(link),
            "link 0x0002000100000000 'L1-0' [3] -- 0x0002000200000000 'L2-0' [1]"
        );
    }
}
