//! Errors and warnings of netlists.

use super::model::Kind;
use dmodc_fabric::{Guid, Lid, PortNumber};
use std::fmt;

const KNOWN: &str = "ibnetdiscover or ibsim netlist ('Switch 36 \"S-…\"'), ibnetdiscover -p ('SW 1 2 0x…'), \
     opensm-subnet.lst and ibdiagnet's .lst ('{ SW Ports:24 …'), ibdiagnet2.db_csv ('START_NODES'), .net_dump \
     ('\"name\", Mellanox, 0x…, LID 1'), iblinkinfo with or without -l ('Switch: 0x…')";

/// A port of a node in a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortOf(pub PortNumber, pub String);

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
    #[error("no switch, CA or router in it")]
    NoNode,
    #[error("no link in it: a fabric has at least one")]
    NoLink,
    /// A fabric that has nothing to route, with what it has: `hosts 2, routers 0, cables 1`.
    #[error("no switch in it: {0}")]
    NoSwitch(String),
    /// A text of no known format: what it seems to be, and its first line.
    #[error("no fabric in a known format: '{line}' {what}. Known are {}", KNOWN)]
    Unknown { what: &'static str, line: String },
    /// Ports of one host that share GUID and LID.
    #[error(
        "a fabric of {planes} planes (XDR): {planes} ports of \"{node}\" share GUID {guid} and LID {lid}. OpenSM takes \
         one port GUID at two places for a fault, and does not route it"
    )]
    Planes {
        planes: usize,
        node: String,
        guid: Guid,
        lid: Lid,
    },
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
    #[error("{0} is linked to \"{1}\", which the file does not describe")]
    UnknownPeer(PortOf, String),
    // The variants below are warnings.
    #[error("{0} has several lines, the first is {1}")]
    PortTwice(PortOf, u32),
    #[error("node \"{id}\" is described twice, first in line {first}: taken as one")]
    IdTwice { id: String, first: u32 },
    #[error(
        "GUID {guid} of \"{id}\" belongs to \"{other}\" of line {first} too: \"{id}\" gets another here"
    )]
    GuidTwice {
        guid: Guid,
        id: String,
        other: String,
        first: u32,
    },
    #[error("{0} is linked to {1}, which is linked to {2}: taken as no link")]
    Contradiction(PortOf, PortOf, PortOf),
    #[error("{0} is linked to {1}, and {2} to it: taken as the latter link")]
    OtherPort(PortOf, PortOf, PortOf),
    #[error("{0} is linked to {1}, a port of the same node")]
    SelfLink(PortOf, PortOf),
    #[error("{0} has {here}, and {1} at the other end {there}: the lesser counts", here = .2[0], there = .2[1])]
    Speeds(PortOf, PortOf, [String; 2]),
    /// A word of a dialect that is not known: the word, and the line.
    #[error("'{0}' is not known, left out: '{1}'")]
    UnknownWord(String, String),
    /// A kind of node that is not known.
    #[error("'{0}' is no kind of node that is known: taken as a {1}")]
    UnknownKind(String, Kind),
    #[error("no GUID of {0} in it: numbered by its LID")]
    NoGuid(String),
    #[error("the other end of {0} is not to be found: '{1}'")]
    NoPeer(PortOf, String),
    #[error("\"{0}\" has LID {1} in one line, {2} in another: the lesser counts")]
    OtherLid(String, Lid, Lid),
    /// A switch that is the other end of lines alone.
    #[error("no line of a port of \"{0}\" itself: its other links are unknown")]
    NotListed(String),
    /// What has no row; in which section, and what comes of it.
    #[error("no row of {0} in {1}")]
    NoRow(String, &'static str),
    #[error("no value for '{0}' in '{1}': taken as unknown")]
    BadValue(&'static str, String),
    #[error("terminal control characters: left out")]
    Terminal,
    /// A line of another program in a list of links.
    #[error("no part of the list, left out: '{0}'")]
    Foreign(String),
    #[error("GUID {given} where \"{id}\" says {used}: the quoted id counts")]
    OtherGuid { given: Guid, id: String, used: Guid },
    #[error("no line with the GUID of \"{0}\" before it: the quoted id counts")]
    NoGuidLine(String),
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
    /// In a file that has some.
    #[error("no LID of {0}: it gets a free one here")]
    NoLid(PortOf),
    #[error("LID {lid} belongs to \"{other}\" of line {first} too: taken as unknown here")]
    LidTwice { lid: Lid, other: String, first: u32 },
}

impl Reason {
    /// Whether the text is read, and its fabric is one that nothing can be done with.
    pub fn is_of_the_fabric(&self) -> bool {
        matches!(self, Reason::NoSwitch(_) | Reason::Planes { .. })
    }
}
