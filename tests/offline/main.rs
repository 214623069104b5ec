//! Tests that need no daemon: the file formats and the command line.

mod cli;
#[cfg(feature = "cli")]
mod judge;
mod lft;
mod netlist;
mod support;
mod types;
