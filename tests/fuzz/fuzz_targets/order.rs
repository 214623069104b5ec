//! Node order files, for a fabric whose LIDs they may name.

#![no_main]

mod common;

use common::SMALL;
use dmodc_fabric::{NodeId, NodeKind};
use dmodc_formats::lft::{parse_order, parse_order_leniently, write_order};
use libfuzzer_sys::fuzz_target;

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
