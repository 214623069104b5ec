//! What can be wrong with a netlist.

use crate::fabric::{Guid, Lid};

/// Why a netlist was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// Nothing in it.
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
    /// The last line ends in the middle, or more was to follow.
    #[error("the file ends in the middle of a node: it is truncated")]
    Truncated,
    /// A line of ibsim's that makes no sense in a single netlist.
    #[error("'{0}' lines of ibsim are not supported")]
    Unsupported(&'static str),
    /// A node line that cannot be parsed.
    #[error("bad node line: {0}")]
    BadNode(&'static str),
    /// A port line that cannot be parsed.
    #[error("bad port line: {0}")]
    BadPort(&'static str),
    /// An assignment that cannot be parsed.
    #[error("bad value for '{0}'")]
    BadValue(&'static str),
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
        /// The port asked for.
        port: u64,
    },
    /// A port with two lines.
    #[error("port {port} of \"{node}\" is used twice")]
    PortTwice {
        /// Node id.
        node: String,
        /// The port.
        port: u8,
    },
    /// A node id that appears twice.
    #[error("node \"{0}\" is described twice")]
    IdTwice(String),
    /// Two nodes, or two ports, with one GUID.
    #[error("GUID {guid} belongs to \"{other}\" too")]
    GuidTwice {
        /// The GUID.
        guid: Guid,
        /// Id of the node that has it already.
        other: String,
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
    /// A link given by one side only.
    #[error(
        "port {port} of \"{node}\" is linked to port {peer_port} of \"{peer}\", \
         which says nothing of it"
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
        /// Id of the node that it says it is linked to.
        other: String,
        /// And that one's port.
        other_port: u8,
    },
    /// A LID outside the unicast range, LMC counted, or an LMC above 7.
    #[error("LID {lid} with LMC {lmc} is out of range (LIDs are 1 to 49151, LMCs 0 to 7)")]
    LidOutOfRange {
        /// The LID.
        lid: u64,
        /// The LMC.
        lmc: u64,
    },
    /// A LID that two ports claim.
    #[error("LID {lid} belongs to \"{other}\" too")]
    LidTwice {
        /// The LID.
        lid: Lid,
        /// Id of the node that has it already.
        other: String,
    },
}
