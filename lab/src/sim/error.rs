//! Errors of a simulation.

use std::io;
use std::path::{Path, PathBuf};

/// Why a simulated fabric, or a program on it, does not run.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// A file or folder could not be made or read.
    #[error("{}: {reason}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// The system does not let us handle signals.
    #[error("cannot take signals: {0}")]
    Signals(io::Error),
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
    /// OpenSM has not loaded a plugin of Dmodc's.
    #[error(
        "OpenSM does not load lib{name}.so, from the folder of this program, from --plugin-dir or where \
         the loader finds it: {reason}"
    )]
    Plugin {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// OpenSM does not know an option of its configuration.
    #[error("OpenSM has no option '{0}'")]
    Option(String),
    /// OpenSM does not take the value of an option; its words.
    #[error("OpenSM: {0}")]
    Value(String),
    /// The fabric has no host for OpenSM.
    #[error("the fabric has no CA port linked to a switch, where OpenSM could sit")]
    NoHost,
    /// ibsim did not become ready; with its output.
    #[error("ibsim did not load the fabric within 300s:\n{0}")]
    NotReady(String),
}

impl SimError {
    /// For `map_err`: adds the file's name.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> SimError + use<> {
        let path = path.to_owned();
        move |reason| SimError::File { path, reason }
    }
}
