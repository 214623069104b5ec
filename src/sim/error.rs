//! What can keep a fabric from being simulated.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why there is no simulated fabric, or no client of it.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// A file or folder could not be made or read.
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
    /// There is no place for OpenSM in the fabric.
    #[error("the fabric has no CA port linked to a switch, where OpenSM could sit")]
    NoHost,
    /// ibsim did not come up.
    #[error("ibsim did not load the fabric within {}s:\n{output}", .limit.as_secs())]
    NotReady {
        /// How long it was waited for.
        limit: Duration,
        /// What it said.
        output: String,
    },
}

impl SimError {
    /// For `map_err`: a failure with the file that it is about.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> SimError + use<> {
        let path = path.to_owned();
        move |reason| SimError::File { path, reason }
    }
}
