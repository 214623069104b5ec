//! Fabrics as files: the content of netlist files, no more and no less.
//!
//! A [`Netlist`] holds names, descriptions, vendor IDs and link speeds: routing does not need them, files and people
//! do. Its sources are files of the formats that `door` knows, or a generator. It can be degraded, and written as a
//! netlist that ibsim loads. [`Netlist::to_fabric`] makes the snapshot that Dmodc routes.
//!
//! Invariants: node GUIDs and ids are unique, every link is known at both ends, no port has two links, ports are in
//! ascending order, no two LID ranges overlap, and all LIDs are unicast. Text that breaks an invariant but has one
//! sensible reading (a LID out of range is unknown; a link that one side has is a link) is a warning with its line, see
//! [`Netlist::parse_leniently`]. Other such text is refused: better no routes than routes of another fabric.

mod claims;
mod components;
mod db_csv;
mod degrade;
mod door;
mod draft;
mod equipment;
mod error;
mod guids;
mod iblinkinfo;
mod ibnetdiscover;
mod links;
mod model;
mod net_dump;
mod plan;
mod port_list;
mod subnet_lst;
mod to_fabric;
mod vports;
mod write;

pub mod generate;

pub(crate) use db_csv::{Row, Section};
pub use degrade::{Degraded, NotEnough, Part, SlowedLink};
pub use equipment::{Equipment, removal};
pub use error::{PortOf, Reason};
pub use guids::{
    GuidReason, GuidsOf, NameMap, none_found, parse_guids_leniently, parse_names_leniently,
    read_guids,
};
pub use model::{Kind, Netlist, Node, Port, PortZero, shown_port};
pub use plan::{Plan, PlanReason, short_name, write_plan};
pub use to_fabric::{Names, PortLabels, TooManyLids};
pub use vports::{VirtualPorts, VirtualReason};

use crate::input::{self, Fault, InputError};
use std::path::Path;

impl Netlist {
    /// Reads a file without oddities, in any known format, recognised by content.
    pub fn read(path: &Path) -> Result<Netlist, InputError> {
        let bytes = input::read(path)?;
        Netlist::parse(&bytes).map_err(|fault| fault.in_file(path))
    }

    /// Parses a text without oddities, in any known format, recognised by content.
    pub fn parse(bytes: &[u8]) -> Result<Netlist, Fault<Reason>> {
        Netlist::parse_leniently(bytes)?.strict()
    }
}
