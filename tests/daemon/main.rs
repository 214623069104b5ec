//! Integration tests with the real OpenSM on fabrics that ibsim plays.
//!
//! `no_fallback` throughout: a plugin that fails would otherwise pass as minhop.

#[cfg(feature = "cli")]
mod cli;
mod errors;
mod faults;
mod harness;
mod lifecycle;
mod management;
mod memory;
mod options;
mod plugin;
mod refusals;
#[cfg(feature = "cli")]
mod relay;
mod storm;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod tools;
