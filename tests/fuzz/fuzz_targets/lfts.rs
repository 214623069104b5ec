//! Dumps of forwarding tables, on their own and for a fabric that they may fit.

#![no_main]

mod common;

use common::SMALL;
use dmodc_formats::lft::{Dump, diff, write_dump};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = Dump::parse_leniently(bytes) else {
        return;
    };
    let dump = read.value;
    assert_eq!(diff(&dump, &dump).entries(), 0);
    let (fabric, names) = &*SMALL;
    // A written dump has a table for every switch: only a dump without gaps reads back equal.
    if let Ok(read) = dump.tables_leniently(fabric)
        && read.value.unknown().is_empty()
    {
        let tables = read.value;
        let mut text = Vec::new();
        write_dump(fabric, names, &tables, false, &mut text).expect("memory takes it");
        let again = Dump::parse(&text).expect("what we write, we read");
        assert!(again.tables(fabric).expect("the same switches") == tables);
    }
});
