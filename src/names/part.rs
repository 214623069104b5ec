//! Parts of a fabric by name: a switch, a host, or a link.

use super::{Directory, NameError, ThingsOrPort};
use crate::fabric::Guid;
use crate::netlist::{Netlist, Part};

/// A name without a match among the parts.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PartError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("port {port} of {guid} '{name}' has no link")]
    NoLink { guid: Guid, name: String, port: u8 },
}

impl Directory<u32> {
    /// The parts of this directory's netlist that a name means: a switch or host, the ports of a server, the
    /// matches of a pattern, or the link at a port for `NAME:PORT`.
    pub fn parts(&self, netlist: &Netlist, name: &str) -> Result<Vec<Part>, PartError> {
        let (node, number) = match self.find_things_or_port(name)? {
            ThingsOrPort::Things(nodes) => return Ok(nodes.into_iter().map(Part::Node).collect()),
            ThingsOrPort::Port(node, number) => (node, number),
        };
        let side = &netlist.nodes[node as usize];
        match side.port(number) {
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
