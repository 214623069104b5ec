//! Errors and warnings of netlists.

use crate::fabric::{Guid, Lid};

/// Why a netlist was refused, or a warning about it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// An empty file.
    #[error("the file is empty")]
    Empty,
    /// Control characters.
    #[error("binary data: not a netlist")]
    Binary,
    /// Text without a node.
    #[error("no switch, CA or router in it: neither a netlist nor an opensm-subnet.lst")]
    NoNode,
    /// Nodes without a link between them.
    #[error("no link in it: a fabric has at least one")]
    NoLink,
    /// The file is cut: the last line is incomplete, or lines are missing after it.
    #[error("the file ends in the middle of a node: it is truncated")]
    Truncated,
    /// A command of ibsim that makes no sense in a single netlist.
    #[error("'{0}' lines of ibsim are not supported")]
    Unsupported(&'static str),
    /// A line that cannot be parsed: what is wrong, and the line.
    #[error("{0}: '{1}'")]
    BadLine(&'static str, String),
    /// Warning: a value that cannot be read, as if it were not there.
    #[error("no value for '{0}' in '{1}': taken as unknown")]
    BadValue(&'static str, String),
    /// Warning: control sequences of a terminal, left out.
    #[error("terminal control characters: left out")]
    Terminal,
    /// Warning: a line of another program in an `opensm-subnet.lst`, left out.
    #[error("no part of the list, left out: '{0}'")]
    Foreign(String),
    /// Warning: a switch GUID that the quoted id contradicts.
    #[error("GUID {said} where \"{id}\" says {used}: the quoted id counts")]
    OtherGuid {
        /// The GUID in the file.
        said: Guid,
        /// The node's id.
        id: String,
        /// The GUID used.
        used: Guid,
    },
    /// A port line before any node line.
    #[error("a port line that belongs to no node")]
    StrayPort,
    /// A port count out of range.
    #[error("a node with {0} ports: InfiniBand allows 1 to 254")]
    PortCount(u64),
    /// More nodes than there are LIDs.
    #[error(
        "more than {} nodes: InfiniBand has no LIDs for more",
        Lid::UNICAST_MAX
    )]
    TooManyNodes,
    /// A port number that the node does not have.
    #[error("\"{node}\" has ports 1 to {count}, not {port}")]
    NoSuchPort {
        /// Node id.
        node: String,
        /// How many ports it has.
        count: u8,
        /// The port that the line names.
        port: u64,
    },
    /// A port with two lines.
    #[error("port {port} of \"{node}\" is used twice, first in line {first}")]
    PortTwice {
        /// Node id.
        node: String,
        /// The port.
        port: u8,
        /// The line that uses it first.
        first: u32,
    },
    /// A node id that appears twice.
    #[error("node \"{id}\" is described twice, first in line {first}")]
    IdTwice {
        /// Node id.
        id: String,
        /// The line that describes it first.
        first: u32,
    },
    /// Two nodes with one GUID.
    #[error("GUID {guid} belongs to \"{other}\" of line {first} too")]
    GuidTwice {
        /// The GUID.
        guid: Guid,
        /// Id of the node that has it already.
        other: String,
        /// Its line.
        first: u32,
    },
    /// Warning: two ports with one GUID.
    #[error("port GUID {guid} belongs to \"{other}\" of line {first} too: taken as unknown here")]
    PortGuidTwice {
        /// The GUID.
        guid: Guid,
        /// Id of the node that has it already.
        other: String,
        /// Its line.
        first: u32,
    },
    /// A link to a node that the file does not describe.
    #[error("port {port} of \"{node}\" is linked to \"{peer}\", which the file does not describe")]
    UnknownPeer {
        /// Node id.
        node: String,
        /// Its port.
        port: u8,
        /// Id of the missing node.
        peer: String,
    },
    /// Warning: a link given by one side only.
    #[error(
        "port {port} of \"{node}\" is linked to port {peer_port} of \"{peer}\", \
         which says nothing of it: taken as a link"
    )]
    OneSided {
        /// Node id.
        node: String,
        /// Its port.
        port: u8,
        /// Id of the node at the other end.
        peer: String,
        /// Its port.
        peer_port: u8,
    },
    /// A link whose two sides contradict each other.
    #[error(
        "port {port} of \"{node}\" is linked to port {peer_port} of \"{peer}\", \
         which is linked to port {other_port} of \"{other}\""
    )]
    Contradiction {
        /// Node id.
        node: String,
        /// Its port.
        port: u8,
        /// Id of the node at the other end.
        peer: String,
        /// Its port.
        peer_port: u8,
        /// Id of the node at the other end, by that side.
        other: String,
        /// The port of that node.
        other_port: u8,
    },
    /// Warning: a LID outside the unicast range, LMC counted, or an LMC above 7.
    #[error(
        "LID {lid} with LMC {lmc} is out of range (LIDs are 1 to 49151, LMCs 0 to 7): \
         taken as unknown"
    )]
    LidOutOfRange {
        /// The LID.
        lid: u64,
        /// The LMC.
        lmc: u64,
    },
    /// Warning: a LID that two ports claim.
    #[error("LID {lid} belongs to \"{other}\" of line {first} too: taken as unknown here")]
    LidTwice {
        /// The LID.
        lid: Lid,
        /// Id of the node that has it already.
        other: String,
        /// Its line.
        first: u32,
    },
}
