//! The arguments of subcommands that compare a fabric with what it should be.

use super::guid_files::GuidFiles;
use super::reading::Reading;
use std::path::PathBuf;

/// The arguments beside the fabric itself.
#[derive(clap::Args)]
pub struct Question {
    /// The fabric as designed, or as it was when healthy: gone equipment keeps its place
    #[arg(long, value_name = "NET0")]
    pub reference: Option<PathBuf>,
    #[command(flatten)]
    pub guid_files: GuidFiles,
    #[command(flatten)]
    pub reading: Reading,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

impl Question {
    /// The files that are given.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.reference.iter().chain(self.guid_files.paths())
    }
}
