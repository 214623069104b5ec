//! Tests that need no daemon: the file formats and the command line.

mod cli;
mod lft;
mod netlist;
mod support;
