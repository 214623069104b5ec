//! Node order files, for a fabric whose LIDs they may name.

#![no_main]

use dmodc::fabric::Fabric;
use dmodc::lft::{parse_order, write_order};
use dmodc::netlist::{Names, Netlist};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SMALL: LazyLock<(Fabric, Names)> = LazyLock::new(|| {
    let text = include_bytes!("../../tests/data/crlf.ibnetdiscover");
    let netlist = Netlist::parse(text).expect("a good netlist");
    netlist.to_fabric(None).expect("LIDs for all")
});

fuzz_target!(|bytes: &[u8]| {
    let (fabric, names) = &*SMALL;
    let Ok(order) = parse_order(fabric, bytes) else {
        return;
    };
    let mut text = Vec::new();
    write_order(fabric, names, &order, &mut text).expect("memory takes it");
    assert_eq!(
        parse_order(fabric, &text).expect("what we write, we read"),
        order
    );
});
