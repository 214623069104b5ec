//! Tests that need no daemon: the file formats and the command line.

#[cfg(feature = "cli")]
mod bad_input;
mod between;
#[cfg(feature = "cli")]
#[path = "../support/browser.rs"]
mod browser;
mod capacity;
mod checked;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod contract;
mod design;
mod detours;
mod documents;
mod drain;
#[cfg(feature = "cli")]
mod examples;
#[cfg(feature = "cli")]
mod exports;
#[cfg(feature = "cli")]
mod files;
#[cfg(feature = "cli")]
mod follow;
#[cfg(feature = "cli")]
mod forget;
#[cfg(feature = "cli")]
mod golden;
mod ibdiagnet;
mod invariants;
#[cfg(feature = "cli")]
mod judge;
mod left_out;
mod lft;
#[path = "../support/long.rs"]
mod long;
mod netlist;
#[cfg(feature = "cli")]
mod outside;
#[cfg(feature = "cli")]
mod page;
#[cfg(feature = "cli")]
mod pages;
#[cfg(feature = "cli")]
mod production;
#[path = "../support/promtool.rs"]
mod promtool;
#[cfg(feature = "cli")]
mod questions;
#[cfg(feature = "cli")]
mod rails;
mod random_fabrics;
#[cfg(feature = "cli")]
mod reports;
#[cfg(feature = "cli")]
mod research;
#[cfg(feature = "cli")]
mod speeds;
#[cfg(feature = "cli")]
mod spoilt;
mod stable;
mod support;
mod types;
mod whole_graph;
