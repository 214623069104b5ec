//! Integration tests with the real OpenSM on fabrics that ibsim plays.
//!
//! `no_fallback` throughout: a plugin that fails would otherwise pass as minhop.

mod faults;
mod harness;
mod plugin;
mod refusals;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod tools;
