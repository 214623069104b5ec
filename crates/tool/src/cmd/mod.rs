//! The subcommands.

pub mod analyze;
pub mod args;
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
mod left_out;
pub mod man;
mod patterns;
mod reading;
pub mod report;
pub mod route;
pub mod setup;
mod several;
pub mod status;
pub mod tables;
pub mod trace;
pub mod whatif;
pub mod wiring;
