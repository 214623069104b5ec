//! What `dmodc compare --degrade` leaves and `dmodc report` reads: rows, and the report that is made of them.

#![no_main]

use dmodc_lab::report::report;
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let dir = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../target/fuzz/results"
    ));
    fs::create_dir_all(dir).expect("a folder");
    fs::write(dir.join("throws-fuzz.csv"), bytes).expect("a file");
    // Whatever it says, it ends.
    let _ = report(&[dir]);
});
