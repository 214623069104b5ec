//! Files beside a fabric: virtual ports, cabling plans, error counters, pairs, logs. No panic, and a plan keeps all nodes of
//! the fabric.

#![no_main]

use dmodc_formats::counters::{Reading, counted};
use dmodc_formats::log::Line;
use dmodc_formats::netlist::{Netlist, Plan, VirtualPorts};
use dmodc_formats::pairs::parse_pairs_leniently;
use libfuzzer_sys::fuzz_target;

const NET: &[u8] = b"Switch 4 \"s\"\n[1] \"h\"[1]\nCa 1 \"h\"\n[1] \"s\"[1]\n";

fuzz_target!(|bytes: &[u8]| {
    let netlist = Netlist::parse(NET).expect("a netlist");
    if let Ok(read) = VirtualPorts::parse_leniently(bytes) {
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        read.value.lids(&fabric);
    }
    if let Ok(read) = Plan::parse_leniently(bytes, None) {
        let planned = read.value.reference(&netlist).value;
        assert!(planned.nodes.len() >= netlist.nodes.len());
    }
    if let Ok(read) = Reading::parse_leniently(bytes) {
        let (fabric, names) = netlist.to_fabric(None).expect("LIDs");
        let ports = read.value.ports(&fabric, &names).value;
        counted(&[ports.clone(), ports]);
    }
    let _ = parse_pairs_leniently(bytes);
    Line::parse(bytes);
});
