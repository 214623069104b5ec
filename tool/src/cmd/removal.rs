//! Parts to remove, as the command line names them.

use crate::failure::Failure;
use crate::input;
use dmodc::input::{Fault, lines};
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
                Some(file) => parts.extend(input::read(Path::new(file), |text| {
                    of_file(netlist, &directory, text)
                })?),
            }
        }
        Ok(parts)
    }
}

/// The parts that a file names: one a line, `#` begins a comment.
fn of_file(
    netlist: &Netlist,
    directory: &Directory<u32>,
    text: &[u8],
) -> Result<Vec<Part>, Fault<PartError>> {
    let mut parts = Vec::new();
    for (number, line) in lines(text) {
        let name = line.split(|&b| b == b'#').next().unwrap_or_default();
        let name = String::from_utf8_lossy(name.trim_ascii());
        if !name.is_empty() {
            let named = directory.parts(netlist, &name);
            parts.extend(named.map_err(|reason| Fault::at(number, reason))?);
        }
    }
    Ok(parts)
}
