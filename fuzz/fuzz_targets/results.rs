//! What `dmodc compare --degrade` leaves and `dmodc report` reads: rows, a fabric drawn, and the report
//! that is made of them.

#![no_main]

use dmodc_lab::compare::ThrowDrawing;
use dmodc_lab::report::report;
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let dir = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../target/fuzz/results"
    ));
    let [rows, drawn] = ["throws-fuzz.csv", "drawn.csv"].map(|name| dir.join(name));
    fs::create_dir_all(dir).expect("a folder");
    fs::write(&rows, bytes).expect("a file");
    // Whatever it says, it ends.
    let _ = report(&[dir]);
    if let Ok(drawing) = ThrowDrawing::read(&rows) {
        drawing.write(&drawn).expect("a file");
        let again = ThrowDrawing::read(&drawn).expect("what we write, we read");
        assert!(again == drawing);
    }
});
