//! GUID files.

#![no_main]

use dmodc_formats::netlist::parse_guids_leniently;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = parse_guids_leniently(bytes) {
        let guids = read.value;
        let text: String = guids.iter().map(|guid| format!("{guid}\n")).collect();
        let again = parse_guids_leniently(text.as_bytes()).and_then(|read| read.strict());
        assert_eq!(again.expect("GUIDs, one a line"), guids);
    }
});
