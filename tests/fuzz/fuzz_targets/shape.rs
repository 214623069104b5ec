//! The text of a PGFT: a shape that is accepted reads back equal and, if small, can be built.

#![no_main]

use dmodc_formats::netlist::generate::{Order, Pgft, build};
use libfuzzer_sys::fuzz_target;

/// The most nodes and switches of a fabric that is built; larger fabrics would take all the time.
const SMALL: usize = 500;

fuzz_target!(|text: &str| {
    let Ok(shape) = text.parse::<Pgft>() else {
        return;
    };
    assert_eq!(shape.to_string().parse::<Pgft>().as_ref(), Ok(&shape));
    let nodes = shape.elements(0);
    if nodes + shape.switches() > SMALL {
        return;
    }
    let order = Order {
        seed: Some(1),
        lids: true,
    };
    let netlist = build(&shape.clone().into(), order);
    let (fabric, _) = netlist.to_fabric(None).expect("a shape has LIDs for all");
    assert_eq!(fabric.switches().len(), shape.switches());
    // A node may have several parents: each of its ports is an end node.
    assert_eq!(fabric.end_nodes().len(), nodes * shape.up_ports(0));
});
