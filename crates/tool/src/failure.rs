//! Errors of subcommands, and their exit codes.

use dmodc_core::RouteError;
use dmodc_formats::input::InputError;
use dmodc_formats::netlist::{Reason, TooManyLids};
use dmodc_formats::reference::NoReference;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

pub type Outcome = Result<ExitCode, Failure>;

/// Gives up: for input or options that are no use.
pub fn refused<T>(why: impl fmt::Display) -> Result<T, Failure> {
    Err(Failure::other(why))
}

#[derive(Debug)]
pub enum Failure {
    /// The fabric or its tables are not valid.
    Invalid(String),
    Unwritable {
        file: String,
        reason: io::Error,
    },
    /// Input that cannot be read, or options that exclude each other and that clap does not refuse.
    Other(String),
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Failure {
        let error: Box<dyn Error + Send + Sync> = error.into();
        let input = error.downcast_ref::<InputError>();
        let is_of_the_fabric = input.is_some_and(|e| {
            e.is_about(Reason::is_of_the_fabric)
                || e.is_about(|e| matches!(e, NoReference::Netlist(e) if e.is_of_the_fabric()))
        });
        match is_of_the_fabric || error.is::<RouteError>() {
            true => Failure::Invalid(error.to_string()),
            false => Failure::other(error),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Invalid(text) | Failure::Other(text) => f.write_str(text),
            Failure::Unwritable { file, reason } => write!(f, "{file}: {reason}"),
        }
    }
}

impl Failure {
    pub fn other(reason: impl fmt::Display) -> Failure {
        Failure::Other(reason.to_string())
    }

    /// For `map_err`: names the netlist that needs more LIDs than there are.
    pub fn lids(path: &Path) -> impl Fn(TooManyLids) -> Failure {
        let file = shown(path).display().to_string();
        move |reason| Failure::other(format!("{file}: {reason}"))
    }

    /// For a fabric without a switch: OpenSM would accept its empty tables as tables without any route.
    pub fn no_tables(fabric: impl fmt::Display) -> Failure {
        Failure::Invalid(format!(
            "{fabric}: no switch in it; tables without an entry are not written"
        ))
    }

    pub fn discovery(reason: impl fmt::Display) -> Failure {
        Failure::other(format!("discovery: {reason}"))
    }

    /// For `map_err`: names the output that cannot be written.
    pub fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Failure + use<> {
        let file = path.display().to_string();
        move |reason| Failure::Unwritable { file, reason }
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(2 - u8::from(matches!(self, Failure::Invalid(_))))
    }
}

/// Whether a path stands for standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// A path as messages name it.
pub fn shown(path: &Path) -> &Path {
    match is_dash(path) {
        true => Path::new("<stdin>"),
        false => path,
    }
}
