//! Node order files, for a fabric whose LIDs they may name.

#![no_main]

use dmodc_fabric::{Fabric, NodeId, NodeKind};
use dmodc_formats::lft::{parse_order, parse_order_leniently, write_order};
use dmodc_formats::netlist::{Names, Netlist};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SMALL: LazyLock<(Fabric, Names)> = LazyLock::new(|| {
    let text = include_bytes!("../../data/crlf.ibnetdiscover");
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
    let name = |node| &names.end_nodes[node];
    write_order(fabric, &order, name, &mut text).expect("memory takes it");
    // Routers and aggregation nodes run no MPI ranks: the file leaves them out.
    let is_ca = |&node: &NodeId| fabric.end_nodes()[node].kind == NodeKind::Ca;
    let hosts: Vec<NodeId> = order.into_iter().filter(is_ca).collect();
    assert_eq!(
        parse_order(fabric, &text).expect("what we write, we read"),
        hosts
    );
});
