//! Finds cables that are missing, extra, moved, at the wrong port or switch, or slow.
//!
//! [`among_siblings`] compares a switch with its siblings, which mostly have the same switches above them.
//! [`among_servers`] compares the ports of servers with similar names. [`Memory`] finds changes over time,
//! [`missing_uplinks`] lost links, [`slow_links`] slow links, [`wiring_warnings`] oddities in a tree. The tool compares
//! netlists with a reference.

mod lines;
mod memory;
mod missing;
mod rails;
mod siblings;
mod slow;
mod slow_memory;
#[cfg(test)]
mod tests;
mod view;
mod warnings;

pub use memory::Memory;
pub use missing::{Uplink, low_first, missing_uplinks};
pub use rails::{Rail, among_servers, rails};
pub use siblings::{Doubt, Unlike, among_siblings, doubts, unlike_siblings};
pub use slow::{Far, Slow, Slowness, Witness, slow_links};
pub use slow_memory::SlowLink;
pub use warnings::{odd_places, wiring_warnings};

use crate::fabric::{Fabric, Guid};
use crate::netlist::Names;
use std::fmt;

/// One end of a link, or a node as a whole.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct End {
    /// Description.
    pub name: String,
    /// Node GUID.
    pub guid: Guid,
    /// Port; `None` for the node as a whole, or where the port is not known.
    pub port: Option<u8>,
}

impl End {
    /// A port of a switch, or the switch as a whole.
    fn of_switch(fabric: &Fabric, names: &Names, index: u32, port: Option<u8>) -> End {
        End {
            name: names.switches[index as usize].clone(),
            guid: fabric.guid(index),
            port,
        }
    }

    /// A host.
    fn of_host(names: &Names, index: u32) -> End {
        End {
            name: names.end_nodes[index as usize].clone(),
            guid: names.node_guids[index as usize],
            port: None,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}'", self.guid, self.name)?;
        match self.port {
            Some(port) => write!(f, " [{port}]"),
            None => Ok(()),
        }
    }
}

/// The kind of a difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A link or a node that should be there.
    Missing,
    /// A link or a node that should not be there.
    Extra,
    /// A link with one end where it should be, and the other end at a wrong node.
    Moved,
    /// A link between the right nodes at a wrong port.
    WrongPort,
    /// A port of a server at a switch of another rail: the switch of a different port of such servers.
    WrongRail,
    /// A second port of a server at one switch, where such servers have one port.
    SameSwitch,
    /// A link that is slower than it should be.
    Slow,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Missing => "missing",
            Kind::Extra => "extra",
            Kind::Moved => "moved",
            Kind::WrongPort => "wrong port",
            Kind::WrongRail => "wrong rail",
            Kind::SameSwitch => "same switch",
            Kind::Slow => "slow",
        })
    }
}

/// A difference from the fabric as it should be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Difference {
    /// Its kind.
    pub kind: Kind,
    /// The link as it should be, or an extra link as it is. A single end for a node alone, and for a server's port
    /// whose right switch is unknown.
    pub ends: Vec<End>,
    /// The link as it is, if it is moved, at a wrong port or on a wrong rail.
    pub found: Vec<End>,
    /// The evidence; empty where a netlist differs from a reference.
    pub reason: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let link = |ends: &[End]| {
            let ends: Vec<String> = ends.iter().map(End::to_string).collect();
            ends.join(" -- ")
        };
        write!(f, "{}: {}", self.kind, link(&self.ends))?;
        if !self.found.is_empty() {
            write!(f, ", found {}", link(&self.found))?;
        }
        if !self.reason.is_empty() {
            write!(f, ": {}", self.reason)?;
        }
        Ok(())
    }
}
