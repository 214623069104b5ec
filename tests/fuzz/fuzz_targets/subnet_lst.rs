//! OpenSM's `opensm-subnet.lst`: no panic, and a name for each switch and end node of the fabric.
//!
//! The target adds the opening brace of the first line, so that no run is wasted on netlists.

#![no_main]

use dmodc_formats::netlist::Netlist;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = [b"{ ", bytes].concat();
    let Ok(read) = Netlist::parse_leniently(&text) else {
        return;
    };
    let netlist = read.value;
    if let Ok((fabric, names)) = netlist.to_fabric(None) {
        assert_eq!(fabric.switches().len(), names.switches.len());
        assert_eq!(fabric.end_nodes().len(), names.end_nodes.len());
    }
});
