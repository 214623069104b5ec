//! Tests that need no daemon: routes, file formats and the command line.

mod between;
#[path = "../support/browser.rs"]
mod browser;
mod capacity;
mod design;
mod documents;
mod doors;
mod drain;
mod exports;
mod follow;
#[path = "../support/forced.rs"]
mod forced;
mod golden;
mod invariants;
#[path = "../support/long.rs"]
mod long;
mod outside;
mod page;
#[path = "../support/promtool.rs"]
mod promtool;
mod random_fabrics;
mod routed;
#[path = "../support/skip.rs"]
mod skip;
mod spoilt;
mod stable;
mod support;
mod suspects;
mod whole_graph;
