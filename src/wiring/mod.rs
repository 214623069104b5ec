//! Cables: what is missing, extra, moved, on the wrong port, at the wrong switch of several, or slow.
//!
//! Against a reference (the fabric as designed, or as it was) every difference is known:
//! [`against`]. Without one, a switch is compared with its siblings, which mostly
//! have the same switches above them: [`among_siblings`]; and the ports of a server with those of servers that are named
//! alike: [`among_servers`]. What was there before and is not now is
//! known as well: [`Memory`] tells what changes, and [`missing_uplinks`] what is gone. Links that are there and slower
//! than they should be are [`slow_links`].

mod lines;
mod memory;
mod missing;
mod rails;
mod reference;
mod siblings;
mod slow;
mod slow_memory;

pub use memory::Memory;
pub use missing::{Uplink, hosts, missing_uplinks};
pub use rails::among_servers;
pub use reference::{against, is_of_another, with_missing};
pub use siblings::{Doubt, Unlike, among_siblings, doubts, unlike_siblings};
pub use slow::{Far, Slow, Slowness, Witness, slow_links};
pub use slow_memory::SlowLink;

use crate::fabric::Guid;
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

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}'", self.guid, self.name)?;
        match self.port {
            Some(port) => write!(f, " [{port}]"),
            None => Ok(()),
        }
    }
}

/// How something differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A link or a node that should be there.
    Missing,
    /// A link or a node that should not be there.
    Extra,
    /// A link of which one end is where it should be, and the other at another node.
    Moved,
    /// A link between the right nodes at a wrong port.
    WrongPort,
    /// A port of a server at a switch that has another port of such servers.
    WrongRail,
    /// A port of a server at a switch that has another one of its ports, unlike those of such servers.
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

/// Something that differs from what should be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Difference {
    /// How.
    pub kind: Kind,
    /// The link as it should be, of an extra one as it is; a node alone is a single end, and so is a port of a server
    /// of which nobody knows where it should be.
    pub ends: Vec<End>,
    /// The link as it is, where it is moved, at a wrong port or on a wrong rail.
    pub found: Vec<End>,
    /// Why it is thought so; empty with a reference.
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
