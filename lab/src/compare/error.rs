//! Errors of a comparison. An engine that refuses a fabric is a result, not an error.

use crate::sim::{NoTables, SimError};
use dmodc::input::InputError;
use dmodc::netlist::{NotEnough, TooManyLids};
use std::io;
use std::path::PathBuf;

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The simulated fabric, or a file or process of the run.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// OpenSM ended, or ran out of time, before it called the relay; with its log.
    #[error(
        "opensm with engine dmodc_relay never came to routing: {0}; the last lines of its log:\n{1}"
    )]
    NotRouting(NoTables, String),
    /// The plugin's relay is of another version than this program.
    #[error("libdmodc_lab.so is of another version than this program: {0}")]
    Relay(String),
    /// OpenSM's dumps cannot be read.
    #[error(transparent)]
    Dump(#[from] InputError),
    /// OpenSM's fabric cannot be used.
    #[error(transparent)]
    Lids(#[from] TooManyLids),
    /// A throw would remove more than there is.
    #[error(transparent)]
    NotEnough(#[from] NotEnough),
    /// A file of rows has a wrong line.
    #[error("{}:{line}: {reason}", .path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
        /// The reason.
        reason: String,
    },
    /// Another run appends to a file of rows.
    #[error("{}: another comparison writes it; let that end, or give another folder", .0.display())]
    Busy(PathBuf),
    /// The system gives no threads.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl CompareError {
    /// For `map_err`: adds the file's name.
    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(io::Error) -> CompareError {
        let file = SimError::file(path);
        move |reason| file(reason).into()
    }
}
