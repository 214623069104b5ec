//! The subcommands.

pub mod analyze;
pub mod check;
pub mod compare;
pub mod completions;
pub mod degrade;
pub mod diff;
mod drained;
pub mod draw;
pub mod export;
pub mod follow;
pub mod forget;
pub mod generate;
pub mod guid_files;
mod left_out;
pub mod man;
mod patterns;
pub mod question;
mod reading;
pub mod removal;
pub mod report;
pub mod route;
mod routed_as;
mod routing;
pub mod tables;
pub mod trace;
pub mod whatif;
pub mod wiring;
