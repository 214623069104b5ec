//! Integration tests with the real OpenSM on fabrics that ibsim simulates.
//!
//! All of them set `no_fallback`: otherwise minhop would hide a plugin that fails.

mod alerts;
mod between;
mod changes;
mod cli;
mod compare;
mod drain;
mod events;
mod exports;
mod figures;
mod file_engine;
mod files;
mod follow;
#[path = "../support/forced.rs"]
mod forced;
mod killed;
mod lifecycle;
#[path = "../support/long.rs"]
mod long;
mod memory;
mod metrics;
mod multi_engine_run;
mod options;
mod plugin;
#[path = "../support/promtool.rs"]
mod promtool;
mod reference;
mod refusals;
mod rehearsal;
mod scarce;
#[path = "../support/skip.rs"]
mod skip;
mod slow;
mod slow_disk;
mod storm;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod tools;
mod trace;
mod upgrades;
