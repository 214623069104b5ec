//! The subcommands, how they get at fabrics and tables, and how they fail.

pub mod analyze;
pub mod check;
pub mod compare;
pub mod completions;
pub mod degrade;
pub mod diff;
pub mod generate;
pub mod man;
pub mod report;
pub mod route;
pub mod tables;

use crate::output::is_dash;
use dmodc::dmodc::RouteError;
use dmodc::fabric::Fabric;
use dmodc::input::InputError;
use dmodc::netlist::generate::{RlftError, ShapeError};
use dmodc::netlist::{Names, Netlist, NotEnough, TooManyLids};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a subcommand ends with.
pub type Outcome = Result<ExitCode, Failure>;

/// Why a subcommand could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Options that do not go together, beyond what the parser of the command line sees.
    #[error("{0}")]
    Usage(&'static str),
    /// An input that cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A netlist that cannot be given LIDs.
    #[error("{file}: {reason}")]
    Lids {
        /// The netlist.
        file: String,
        /// Why.
        reason: TooManyLids,
    },
    /// A shape that cannot be built.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A real-life fat-tree that cannot be built.
    #[error(transparent)]
    Rlft(#[from] RlftError),
    /// More to remove than there is.
    #[error(transparent)]
    NotEnough(#[from] NotEnough),
    /// A fabric that Dmodc refuses to route.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// A comparison that could not be made.
    #[error(transparent)]
    Compare(#[from] dmodc::compare::CompareError),
    /// A report that could not be made.
    #[error(transparent)]
    Report(#[from] dmodc::report::ReportError),
    /// Threads that the system would not give.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// An output that cannot be written.
    #[error("{file}: {reason}")]
    Unwritable {
        /// The file.
        file: String,
        /// The system's reason.
        reason: io::Error,
    },
}

impl Failure {
    /// The exit code that stands for this failure.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Route(_) => ExitCode::from(1),
            _ => ExitCode::from(2),
        }
    }

    /// Whether the reader of our output went away.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Unwritable { reason, .. }
            if reason.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Refuses to read standard input more than once: the second reader would find it empty.
pub fn one_stdin<'a>(inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    match inputs.into_iter().filter(|path| is_dash(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::Usage("only one input can be standard input")),
    }
}

/// Reads a fabric and its names from a netlist; `lmc` replaces the file's LMCs.
pub fn load_fabric(path: &Path, lmc: Option<u8>) -> Result<(Fabric, Names), Failure> {
    let netlist = Netlist::read(path)?;
    let file = path.display().to_string();
    netlist
        .to_fabric(lmc)
        .map_err(|reason| Failure::Lids { file, reason })
}
