//! What can keep a comparison from being made. An engine that refuses a fabric is a result, and
//! none of these.

use crate::input::InputError;
use crate::netlist::TooManyLids;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a run came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A file or folder of the run could not be made or read.
    #[error("{}: {reason}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// A program could not be started.
    #[error("cannot run {program}: {reason}; is package {package} installed?")]
    Start {
        /// The program.
        program: &'static str,
        /// The Debian package that brings it.
        package: &'static str,
        /// The system's reason.
        reason: io::Error,
    },
    /// ibsim's client library is not installed.
    #[error("no libumad2sim.so in /usr/lib; is package ibsim-utils installed?")]
    NoClientLibrary,
    /// No plugin to load.
    #[error("no libdmodc.so in {}", .0.display())]
    NoPlugin(PathBuf),
    /// There is no place for OpenSM in the fabric.
    #[error("the fabric has no CA port linked to a switch, where OpenSM could sit")]
    NoHost,
    /// ibsim did not come up.
    #[error("ibsim did not load the fabric within {}s:\n{output}", .limit.as_secs())]
    IbsimNotReady {
        /// How long it was waited for.
        limit: Duration,
        /// What it said.
        output: String,
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
    /// OpenSM's dumps cannot be read.
    #[error(transparent)]
    Dump(#[from] InputError),
    /// OpenSM's fabric cannot be used.
    #[error(transparent)]
    Lids(#[from] TooManyLids),
    /// The threads that judge the tables could not be had.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl CompareError {
    /// For `map_err`: a failure with the file that it is about.
    pub(super) fn file(path: &std::path::Path) -> impl FnOnce(io::Error) -> CompareError {
        let path = path.to_owned();
        move |reason| CompareError::File { path, reason }
    }
}
