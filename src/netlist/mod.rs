//! The described fabric: what netlist files say, nothing more and nothing less.
//!
//! A [`Netlist`] holds names, descriptions, vendor IDs and link speeds, which routing has no use
//! for and files and people do. It is read from an ibnetdiscover/ibsim netlist or from OpenSM's
//! `opensm-subnet.lst`, generated, degraded, and written back as a netlist that ibsim loads;
//! [`Netlist::to_fabric`] makes of it the snapshot that Dmodc routes.
//!
//! Invariants of a netlist that was read or generated: node GUIDs and ids are unique, every link
//! is known at both ends, no port has two links, ports stand in ascending order, no two LID ranges
//! overlap and all are unicast. A file that breaks one of them is refused with the line that does:
//! routing a fabric that differs from the one meant is worse than not routing it.

mod degrade;
mod draft;
mod error;
mod guids;
mod ibnetdiscover;
mod model;
mod scan;
mod subnet_lst;
mod to_fabric;
mod write;

pub mod generate;

pub use degrade::{NamedLink, NamedSwitch, NotEnough};
pub use error::Reason;
pub use guids::{NoGuid, parse_guids, read_guids};
pub use model::{Kind, Netlist, Node, Port, PortZero};
pub use to_fabric::{Names, TooManyLids};

use crate::input::{self, Fault, InputError};
use std::path::Path;

impl Netlist {
    /// Reads a file in any format known, recognised by content; `-` is standard input.
    pub fn read(path: &Path) -> Result<Netlist, InputError> {
        let bytes = input::read(path)?;
        Netlist::parse(&bytes).map_err(|fault| fault.in_file(path))
    }

    /// Parses the text of a file in any format known, recognised by content.
    pub fn parse(bytes: &[u8]) -> Result<Netlist, Fault<Reason>> {
        if bytes.is_empty() {
            return Err(Fault::whole(Reason::Empty));
        }
        if subnet_lst::recognise(bytes) {
            subnet_lst::parse(bytes)
        } else {
            ibnetdiscover::parse(bytes)
        }
    }
}
