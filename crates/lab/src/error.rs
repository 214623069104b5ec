//! Errors of the laboratory. An engine that refuses a fabric is a result, not an error.

use dmodc_formats::netlist::{NotEnough, TooManyLids};
use std::io;
use std::path::{Path, PathBuf};

/// Why a simulation, a comparison or a report has no result.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A file or folder could not be made or read.
    #[error("{}: {reason}", .path.display())]
    File { path: PathBuf, reason: io::Error },
    #[error("cannot run {program}: {reason}; is package {package} installed?")]
    Start {
        program: &'static str,
        package: &'static str,
        reason: io::Error,
    },
    #[error(transparent)]
    Lids(#[from] TooManyLids),
    #[error(transparent)]
    NotEnough(#[from] NotEnough),
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("{0}")]
    Other(String),
}

impl LabError {
    /// For `map_err`: adds the file's name.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> LabError + use<> {
        let path = path.to_owned();
        move |reason| LabError::File { path, reason }
    }

    /// A relay of another version than this program.
    pub(crate) fn relay(what: impl std::fmt::Display) -> LabError {
        LabError::Other(format!(
            "libdmodc_lab.so is of another version than this program: {what}"
        ))
    }
}
