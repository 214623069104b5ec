//! Integration tests with the real OpenSM on fabrics that ibsim plays.

mod harness;
#[path = "../support/mod.rs"]
mod support;
