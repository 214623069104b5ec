//! The engine's options, its errors, and its times.

use dmodc_fabric::{Drained, Fabric, Guid, PortNumber, SwitchId};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// What to do with pairs that have no up-down path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnUnreachable {
    /// Give these pairs detours that close no credit loop.
    #[default]
    Connect,
    /// Leave their entries at "no path" and route the rest.
    Partial,
    /// Refuse the fabric if both switches of such a pair have hosts.
    Fail,
}

impl FromStr for OnUnreachable {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "connect" => Ok(Self::Connect),
            "partial" => Ok(Self::Partial),
            "fail" => Ok(Self::Fail),
            _ => Err(format!("'{s}' is none of 'connect', 'partial' and 'fail'")),
        }
    }
}

/// How a fault changes routes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Faults {
    /// The paper's choice among the expected uplinks, dark ones included, kept where its port leads nearer; displaced
    /// entries spread over the open ports. So a fault leaves most entries in place.
    #[default]
    Stable,
    /// The paper's choice on the fabric as it is.
    Paper,
}

impl FromStr for Faults {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "stable" => Ok(Self::Stable),
            "paper" => Ok(Self::Paper),
            _ => Err(format!("'{s}' is neither 'stable' nor 'paper'")),
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stable => "stable",
            Self::Paper => "paper",
        })
    }
}

/// Whether routes depend on the speeds of links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Capacity {
    /// A slow link carries fewer routes, by its speed. [`Faults::Paper`] ignores speeds.
    #[default]
    Use,
    /// All links count as equally fast.
    Ignore,
}

impl FromStr for Capacity {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "use" => Ok(Self::Use),
            "ignore" => Ok(Self::Ignore),
            _ => Err(format!("'{s}' is neither 'use' nor 'ignore'")),
        }
    }
}

/// The administrator's options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How a fault changes routes.
    pub faults: Faults,
    /// The reference: the fabric as designed, or as it was when healthy. [`Faults::Stable`] keeps its places.
    pub reference: Option<Arc<Fabric>>,
    /// Whether no reference is ever kept: then nothing is counted on small racks, since counted ports need a memory.
    pub forgets: bool,
    /// Whether routes depend on the speeds of links.
    pub capacity: Capacity,
    /// Drained links and switches.
    pub drain: Vec<Drained>,
    /// What to do with pairs that have no up-down path.
    pub on_unreachable: OnUnreachable,
    /// Connect switches without end nodes to one another too (OpenSM's `connect_roots`).
    pub connect_roots: bool,
    /// Switches at the top of the tree (OpenSM's `root_guid_file`).
    pub root_guids: Vec<Guid>,
    /// Port GUIDs of compute nodes (OpenSM's `cn_guid_file`).
    pub cn_guids: Vec<Guid>,
    /// Port GUIDs of I/O nodes (OpenSM's `io_guid_file`).
    pub io_guids: Vec<Guid>,
}

impl Options {
    /// The reference, if `faults` uses one.
    pub(super) fn reference(&self) -> Option<&Fabric> {
        let reference = self.reference.as_deref();
        reference.filter(|_| self.faults == Faults::Stable)
    }

    /// Both ends of drained links, ascending, if `faults` drains any.
    pub(super) fn drained(&self, fabric: &Fabric) -> Vec<(SwitchId, PortNumber)> {
        match self.faults {
            Faults::Stable => Drained::ends(fabric, &self.drain),
            Faults::Paper => Vec::new(),
        }
    }
}

/// Why the engine refused a fabric. On an error no table is changed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RouteError {
    /// `on_unreachable=fail`, and this many pairs of switches with hosts have no up-down path.
    #[error(
        "{0} pairs of switches with hosts have no up-down path, and on_unreachable=fail permits no detour"
    )]
    Unreachable(usize),
    /// Links between switches of equal rank alone close a cycle: there are no levels.
    #[error("not a tree: the links between equal ranks close a cycle: {}", closed(.0))]
    NotATree(Vec<Guid>),
    /// A forwarding table is too short for the LIDs of the fabric.
    #[error(
        "the forwarding table of switch {switch} has {len} entries, the highest LID is {max_lid}"
    )]
    TableTooShort {
        /// Node GUID of the switch.
        switch: Guid,
        /// Number of its entries.
        len: usize,
        /// The highest LID of the fabric.
        max_lid: u16,
    },
    /// The number of tables differs from the number of switches.
    #[error("{tables} forwarding tables for {switches} switches")]
    TableCount {
        /// Number of tables.
        tables: usize,
        /// Number of switches of the fabric.
        switches: usize,
    },
}

/// A cycle as text, shortened if it is long.
fn closed(cycle: &[Guid]) -> String {
    const SHOWN: usize = 8;
    let mut words: Vec<String> = cycle.iter().take(SHOWN).map(Guid::to_string).collect();
    if cycle.len() > SHOWN {
        words.push(format!("{} more", cycle.len() - SHOWN));
    }
    words.extend(cycle.first().map(Guid::to_string));
    words.join(" - ")
}

/// The phases of a sweep. The caller reads and writes, the core computes between.
pub const PHASES: [&str; 6] = ["read", "rank", "cost", "nid", "routes", "write"];

/// Time spent in each phase of the core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Ranks.
    pub rank: Duration,
    /// Port groups and costs.
    pub cost: Duration,
    /// Roles of ports with topological NIDs, sets of links for slow and drained ones, and detours.
    pub nid: Duration,
}
