//! Parts to remove, as the command line names them.

use crate::failure::Failure;
use crate::input::each_line;
use dmodc::names::{Directory, PartError};
use dmodc::netlist::{Netlist, Part};
use std::path::{Path, PathBuf};

/// The parts to remove.
#[derive(clap::Args)]
pub struct Removal {
    /// Remove a switch, a host, a server with all its ports, the link at SWITCH:PORT, or all parts in FILE,
    /// one a line
    #[arg(long, value_name = "THING|@FILE")]
    remove: Vec<String>,
}

impl Removal {
    /// The files that name parts.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = self.remove.iter().filter_map(|name| name.strip_prefix('@'));
        files.map(PathBuf::from).collect()
    }

    /// All parts named.
    pub fn parts(&self, netlist: &Netlist) -> Result<Vec<Part>, Failure> {
        let directory = Directory::of_netlist(netlist);
        let mut parts = Vec::new();
        for name in &self.remove {
            match name.strip_prefix('@') {
                None => parts.extend(directory.parts(netlist, name)?),
                Some(file) => each_line::<PartError>(Path::new(file), |name| {
                    parts.extend(directory.parts(netlist, name)?);
                    Ok(())
                })?,
            }
        }
        Ok(parts)
    }
}
