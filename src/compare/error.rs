//! What can keep a comparison from being made. An engine that refuses a fabric is a result, and
//! none of these.

use crate::input::InputError;
use crate::netlist::{NotEnough, TooManyLids};
use crate::sim::SimError;
use std::io;
use std::path::PathBuf;

/// Why a run came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The simulated fabric, or a file or process of the run.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// No plugin to load.
    #[error("no {name} in {}; is it built (cargo build --examples)?", .dir.display())]
    NoPlugin {
        /// The file.
        name: &'static str,
        /// Where it was looked for.
        dir: PathBuf,
    },
    /// OpenSM ended, or ran out of time, with neither tables nor a refusal.
    #[error("opensm with engine {engine} {what}; the last lines of its log:\n{log}")]
    NoOutcome {
        /// The engine.
        engine: String,
        /// What happened.
        what: String,
        /// The last lines of its log.
        log: String,
    },
    /// libengine_relay.so wrote what this program does not understand.
    #[error("libengine_relay.so is of another version: {0}")]
    Relay(String),
    /// OpenSM's dumps cannot be read.
    #[error(transparent)]
    Dump(#[from] InputError),
    /// OpenSM's fabric cannot be used.
    #[error(transparent)]
    Lids(#[from] TooManyLids),
    /// A throw cannot remove so much.
    #[error(transparent)]
    NotEnough(#[from] NotEnough),
    /// A file of rows has a line that is none.
    #[error("{}:{line}: {reason}", .path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// The threads that judge the tables could not be had.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl CompareError {
    /// For `map_err`: a failure with the file that it is about.
    pub(super) fn file(path: &std::path::Path) -> impl FnOnce(io::Error) -> CompareError {
        let file = SimError::file(path);
        move |reason| file(reason).into()
    }
}
