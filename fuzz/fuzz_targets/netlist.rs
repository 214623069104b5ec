//! Netlists of ibnetdiscover and ibsim: a netlist that is read, oddities included, is written without
//! oddities and reads back equal.

#![no_main]

use dmodc::netlist::Netlist;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = Netlist::parse_leniently(bytes) else {
        return;
    };
    let netlist = read.value;
    let mut text = Vec::new();
    netlist.write(&mut text).expect("memory takes it");
    let again = Netlist::parse(&text).expect("what we write, we read");
    assert!(
        again == netlist,
        "written as:\n{}",
        String::from_utf8_lossy(&text)
    );
    for lmc in [None, Some(0), Some(7)] {
        if let Ok((fabric, names)) = netlist.to_fabric(lmc) {
            assert_eq!(fabric.switches().len(), names.switches.len());
            assert_eq!(fabric.end_nodes().len(), names.end_nodes.len());
        }
    }
});
