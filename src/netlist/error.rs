//! Errors and warnings of netlists.

use crate::fabric::{Guid, Lid};
use std::fmt;

/// A port of a node in a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortOf(pub u8, pub String);

impl fmt::Display for PortOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "port {} of \"{}\"", self.0, self.1)
    }
}

/// Why a netlist was refused, or a warning about it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum Reason {
    #[error("the file is empty")]
    Empty,
    #[error("binary data: not a netlist")]
    Binary,
    #[error("no switch, CA or router in it: neither a netlist nor an opensm-subnet.lst")]
    NoNode,
    #[error("no link in it: a fabric has at least one")]
    NoLink,
    #[error("the file ends in the middle of a node: it is truncated")]
    Truncated,
    /// A command of ibsim that makes no sense in a single netlist.
    #[error("'{0}' lines of ibsim are not supported")]
    Unsupported(&'static str),
    /// A line that cannot be parsed: what is wrong, and the line.
    #[error("{0}: '{1}'")]
    BadLine(&'static str, String),
    #[error("a port line that belongs to no node")]
    StrayPort,
    #[error("a node with {0} ports: InfiniBand allows 1 to 254")]
    PortCount(u64),
    #[error(
        "more than {} nodes: InfiniBand has no LIDs for more",
        Lid::UNICAST_MAX
    )]
    TooManyNodes,
    #[error("\"{node}\" has ports 1 to {count}, not {port}")]
    NoSuchPort { node: String, count: u8, port: u64 },
    #[error("{0} is used twice, first in line {1}")]
    PortTwice(PortOf, u32),
    #[error("node \"{id}\" is described twice, first in line {first}")]
    IdTwice { id: String, first: u32 },
    #[error("GUID {guid} belongs to \"{other}\" of line {first} too")]
    GuidTwice {
        guid: Guid,
        other: String,
        first: u32,
    },
    #[error("{0} is linked to \"{1}\", which the file does not describe")]
    UnknownPeer(PortOf, String),
    #[error("{0} is linked to {1}, which is linked to {2}")]
    Contradiction(PortOf, PortOf, PortOf),
    // The variants below are warnings.
    #[error("no value for '{0}' in '{1}': taken as unknown")]
    BadValue(&'static str, String),
    #[error("terminal control characters: left out")]
    Terminal,
    /// A line of another program in an `opensm-subnet.lst`.
    #[error("no part of the list, left out: '{0}'")]
    Foreign(String),
    #[error("GUID {given} where \"{id}\" says {used}: the quoted id counts")]
    OtherGuid { given: Guid, id: String, used: Guid },
    #[error("port GUID {guid} belongs to \"{other}\" of line {first} too: taken as unknown here")]
    PortGuidTwice {
        guid: Guid,
        other: String,
        first: u32,
    },
    #[error("{0} is linked to {1}, which does not list the link: taken as a link")]
    OneSided(PortOf, PortOf),
    /// The range counts all LIDs of the LMC.
    #[error(
        "LID {lid} with LMC {lmc} is out of range (LIDs are 1 to 49151, LMCs 0 to 7): \
         taken as unknown"
    )]
    LidOutOfRange { lid: u64, lmc: u64 },
    #[error("LID {lid} belongs to \"{other}\" of line {first} too: taken as unknown here")]
    LidTwice { lid: Lid, other: String, first: u32 },
}
