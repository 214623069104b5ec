//! The options that name GUID files.

use super::reading::Reading;
use crate::dash::shown;
use crate::failure::Failure;
use crate::output::complain;
use dmodc::dmodc::Options;
use dmodc::fabric::Fabric;
use dmodc::netlist::{GuidsOf, none_found};
use std::path::PathBuf;

/// GUID files, one GUID a line.
#[derive(clap::Args)]
pub struct GuidFiles {
    /// Node GUIDs of the switches at the top of the tree
    #[arg(long, value_name = "F")]
    root_guids: Option<PathBuf>,
    /// Port GUIDs of the compute nodes
    #[arg(long, value_name = "F")]
    cn_guids: Option<PathBuf>,
    /// Port GUIDs of the I/O nodes
    #[arg(long, value_name = "F")]
    io_guids: Option<PathBuf>,
}

impl GuidFiles {
    /// The files that are given.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.root_guids, &self.cn_guids, &self.io_guids];
        files.into_iter().flatten()
    }

    /// Reads the files into these options. Names on standard error a file without any GUID of the fabric.
    pub fn options(
        &self,
        reading: Reading,
        fabric: &Fabric,
        rest: Options,
    ) -> Result<Options, Failure> {
        let read = |file: &Option<PathBuf>, of| {
            let guids = reading.guids(file.as_deref())?;
            if let (Some(path), Some(none)) = (file, none_found(fabric, &guids, of)) {
                complain(&format!("dmodc: {}: {none}\n", shown(path).display()));
            }
            Ok::<_, Failure>(guids)
        };
        Ok(Options {
            root_guids: read(&self.root_guids, GuidsOf::Switches)?,
            cn_guids: read(&self.cn_guids, GuidsOf::Ports)?,
            io_guids: read(&self.io_guids, GuidsOf::Ports)?,
            ..rest
        })
    }
}
