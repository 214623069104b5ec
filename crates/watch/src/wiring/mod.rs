//! Finds cables that are missing, extra, moved, at the wrong port or switch, or slow.
//!
//! [`among_siblings`] compares a switch with its siblings, which mostly have the same switches above them.
//! `among_servers` compares the ports of servers with similar names. `Memory` finds changes over time,
//! [`missing_uplinks`] lost links, [`slow_links`] slow links, [`wiring_warnings`] oddities in a tree. The tool compares
//! netlists with a reference.

mod causes;
#[cfg(test)]
mod causes_tests;
mod families;
mod lines;
mod memory;
#[cfg(test)]
mod planted;
mod rails;
mod siblings;
mod slow;
mod slow_memory;
#[cfg(test)]
mod tests;
mod warnings;

pub(crate) use causes::by_switch;
pub use causes::{Cause, causes};
pub(crate) use lines::parts;
pub(crate) use memory::Memory;
use rails::among_servers;
pub use siblings::among_siblings;
pub(crate) use siblings::{Doubt, Unlike, unlike_siblings};
pub(crate) use slow::Designed;
pub use slow::{Far, Slow, Slowness, Witness, slow_links};
pub(crate) use slow_memory::SlowLink;
pub use warnings::wiring_warnings;
pub(crate) use warnings::{describe_unlike, odd_places};

use dmodc_core::Ranking;
use dmodc_fabric::{Fabric, Guid, Merged, NodeId, PortNumber, SwitchId};
use dmodc_formats::netlist::{Names, shown_port};
use std::fmt;
use std::sync::Arc;

/// Whether so many of all voters make a place usual: three in four. The one in question is a voter and is elsewhere, so
/// at least four vote: of three, two are no better evidence than the third.
fn is_majority(votes: usize, voters: usize) -> bool {
    4 * votes >= 3 * voters
}

/// A link between two switches, as (switch, port), the lower end first.
pub type Uplink = [(SwitchId, PortNumber); 2];

/// The missing links of a merged fabric, in ascending order of their lower ends. `rank` gives the rank of a
/// switch there.
pub fn missing_uplinks(merged: &Merged, rank: impl Fn(SwitchId) -> u32) -> Vec<Uplink> {
    let missing = merged.missing_links.iter();
    let mut missing: Vec<Uplink> = missing.map(|link| low_first(*link, &rank)).collect();
    missing.sort_unstable();
    missing
}

/// A link with its lower end first: the switch of lower rank, or of lower index where the ranks are equal.
pub fn low_first([a, b]: Uplink, rank: impl Fn(SwitchId) -> u32) -> Uplink {
    match (rank(a.0), a.0) <= (rank(b.0), b.0) {
        true => [a, b],
        false => [b, a],
    }
}

/// One end of a link, or a node as a whole.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct End {
    /// Description.
    pub name: String,
    /// Node GUID.
    pub guid: Guid,
    /// Port; `None` for the node as a whole, or where the port is not known.
    pub port: Option<PortNumber>,
    /// The label of the port, if it has one.
    pub label: Option<Arc<str>>,
}

/// All odd links of switches and servers, by their siblings, as differences with names.
pub fn by_siblings(fabric: &Fabric, names: &Names, ranking: &Ranking) -> Vec<Difference> {
    let mut found = among_siblings(fabric, names, ranking);
    found.extend(among_servers(fabric, names));
    found
}

impl End {
    /// A port of a switch, or the switch as a whole.
    fn of_switch(fabric: &Fabric, names: &Names, index: SwitchId, port: Option<PortNumber>) -> End {
        End {
            name: names.switches[index].clone(),
            guid: fabric.guid(index),
            port,
            label: port.and_then(|port| names.labels.get(&(index, port)).cloned()),
        }
    }

    fn of_host(names: &Names, index: NodeId) -> End {
        End {
            name: names.end_nodes[index].clone(),
            guid: names.node_guids[index],
            port: None,
            label: None,
        }
    }

    /// The port in brackets, after a blank; nothing if it is not known.
    fn bracketed_port(&self) -> String {
        self.port.map_or_else(String::new, |port| {
            format!(" [{}]", shown_port(port, self.label.as_deref()))
        })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}'{}", self.guid, self.name, self.bracketed_port())
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
    /// A port of a server at a switch where servers cabled alike have none.
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
    /// The nodes to which a node alone was linked; of *same switch*, the switches where the server lacks a port.
    pub beside: Vec<Guid>,
    /// Whether it is a node alone that is no switch.
    pub is_host: bool,
    /// The speeds of a slow link.
    pub slowness: Option<Slowness>,
}

impl Difference {
    /// The difference of a link.
    pub(crate) fn link(kind: Kind, ends: Vec<End>, found: Vec<End>, reason: String) -> Difference {
        Difference {
            kind,
            ends,
            found,
            reason,
            beside: Vec::new(),
            is_host: false,
            slowness: None,
        }
    }

    /// Whether it is a node alone, with all its links.
    fn is_node(&self) -> bool {
        self.ends.len() == 1 && self.found.is_empty()
    }
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
