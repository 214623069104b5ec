//! The report of a test that does not run.

use std::{
    fmt::Display,
    io::{Write, stderr},
};

/// Prints why a test, or a part of it, does not run. Bypasses the harness, which hides the output of tests that pass.
pub fn skipped(why: impl Display) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(stderr(), "skipped: {test}: {why}");
}
