//! Node order files, for a fabric whose LIDs they may name.

#![no_main]

use dmodc::fabric::{Fabric, NodeKind};
use dmodc::lft::{parse_order, parse_order_leniently, write_order};
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
    let Ok(read) = parse_order_leniently(fabric, bytes) else {
        return;
    };
    let order = read.value;
    let mut text = Vec::new();
    let name = |node| &names.end_nodes[node as usize];
    write_order(fabric, &order, name, &mut text).expect("memory takes it");
    // Routers and aggregation nodes run no MPI ranks: the file leaves them out.
    let is_ca = |&node: &u32| fabric.end_nodes()[node as usize].kind == NodeKind::Ca;
    let hosts: Vec<u32> = order.into_iter().filter(is_ca).collect();
    assert_eq!(
        parse_order(fabric, &text).expect("what we write, we read"),
        hosts
    );
});
