//! The rows that `dmodc compare --degrade` writes, and the report that `dmodc report` makes of them.

#![no_main]

use dmodc_lab::report::report;
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let dir = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../target/fuzz/results"
    ));
    fs::create_dir_all(dir).expect("a folder");
    fs::write(dir.join("throws-fuzz.csv"), bytes).expect("a file");
    // A report or an error: either is right.
    let _ = report(&[dir]);
});
