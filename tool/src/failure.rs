//! Errors of subcommands, and their exit codes.

use crate::input::shown;
use dmodc::dmodc::RouteError;
use dmodc::input::InputError;
use dmodc::netlist::generate::{RlftError, ShapeError};
use dmodc::netlist::{NotEnough, TooManyLids};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The result of a subcommand.
pub type Outcome = Result<ExitCode, Failure>;

/// Why a subcommand failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Options that exclude each other, and that clap does not refuse.
    #[error("{0}")]
    Usage(&'static str),
    /// An unreadable input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A file with oddities, under `--strict`.
    #[error("{file}: {count} warnings, and --strict refuses them")]
    Odd {
        /// The file.
        file: String,
        /// How many.
        count: u64,
    },
    /// A name without a match, or with several.
    #[error(transparent)]
    Name(#[from] dmodc::names::NameError),
    /// A part to take away that is not there.
    #[error(transparent)]
    Part(#[from] dmodc::names::PartError),
    /// A fabric that cannot be compared before and after planned work.
    #[error("{file}: {reason}")]
    WhatIf {
        /// The netlist.
        file: String,
        /// Why.
        reason: crate::whatif::WhatIfError,
    },
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
    /// A removal of more than there is.
    #[error(transparent)]
    NotEnough(#[from] NotEnough),
    /// A job of too few ranks.
    #[error(transparent)]
    Ranks(#[from] dmodc::analysis::TooFewRanks),
    /// A fabric that Dmodc refuses to route.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// A comparison failed.
    #[error(transparent)]
    Compare(#[from] dmodc_lab::compare::CompareError),
    /// A report failed.
    #[error(transparent)]
    Report(#[from] dmodc_lab::report::ReportError),
    /// A fabric without a switch, whose tables an OpenSM would take for tables without any route.
    #[error("{0}: no switch in it; tables without an entry are not written")]
    NoTables(String),
    /// A failed discovery of the fabric.
    #[error("discovery: {0}")]
    Discovery(String),
    /// Tables that the check does not pass.
    #[error("the check of the tables failed: {0}")]
    Unsound(String),
    /// An error of a program or a file of the tool's own.
    #[error(transparent)]
    Child(#[from] dmodc_lab::sim::SimError),
    /// A reference that cannot be one.
    #[error("{0}: of another fabric: most switches and links are not in it")]
    AnotherFabric(String),
    /// The system gives no threads.
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
    /// Names the netlist that cannot be given LIDs.
    pub fn lids(path: &Path) -> impl Fn(TooManyLids) -> Failure {
        let file = shown(path).display().to_string();
        move |reason| Failure::Lids {
            file: file.clone(),
            reason,
        }
    }

    /// The exit code of this failure.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Route(_)
            | Failure::WhatIf { .. }
            | Failure::NoTables(_)
            | Failure::Unsound(_) => ExitCode::from(1),
            _ => ExitCode::from(2),
        }
    }

    /// Whether the reader of our output has ended.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Unwritable { reason, .. }
            if reason.kind() == io::ErrorKind::BrokenPipe)
    }
}
