//! The fabrics that are measured, and a memset to compare routing with.
//!
//! LIDs and GUIDs are shuffled, as on every real fabric. *Degraded* means the same everywhere: 1 %
//! of the links between switches gone, and then 5 % of the switches, none with end nodes among
//! them. All of it comes from fixed seeds, so that every run routes the same fabrics.

#![allow(dead_code, reason = "not every bench takes all")]

use dmodc_core::Engine;
use dmodc_fabric::{Fabric, NO_PATH};
use dmodc_formats::netlist::Netlist;
use dmodc_formats::netlist::generate::{Order, Pgft, build};

const ORDER_SEED: u64 = 1;
const LINKS_SEED: u64 = 2;
const SWITCHES_SEED: u64 = 3;

/// 648 nodes: the largest tree of two levels that 36-port switches make.
pub const SMALL: &str = "PGFT(2;18,36;1,18;1,1)";
/// Fabric A: 8,640 nodes behind 594 switches.
pub const A: &str = "PGFT(3;24,15,24;1,6,15;1,1,1)";
/// Fabric B: 27,648 nodes behind 2,880 switches.
pub const B: &str = "PGFT(3;24,24,48;1,24,24;1,1,1)";
/// Fabric C: 40,960 nodes behind 3,584 switches.
pub const C: &str = "PGFT(3;32,32,40;1,32,32;1,1,1)";

/// The complete fabric of a shape.
pub fn complete(shape: &str) -> Netlist {
    let shape: Pgft = shape.parse().expect("the shape is right");
    let order = Order {
        seed: Some(ORDER_SEED),
        lids: true,
    };
    build(&shape.into(), order)
}

/// The fabric with its faults.
pub fn degraded(whole: &Netlist) -> Netlist {
    let (fabric, _) = whole.to_fabric(None).expect("it has LIDs enough");
    let links = fabric.switch_links() / 100;
    let switches = fabric.switches().len() / 20;
    let less = whole.without_links(links, LINKS_SEED);
    let (less, _) = less.expect("it has more links than that");
    let less = less.without_switches(switches, SWITCHES_SEED, false);
    less.expect("it has more switches than that").0
}

/// The snapshot of a netlist.
pub fn snapshot(netlist: &Netlist) -> Fabric {
    netlist.to_fabric(None).expect("it has LIDs enough").0
}

/// Writes every entry as plainly as can be, on the same threads, to compare routing with.
pub fn memset(engine: &Engine, rows: &mut [&mut [u8]]) {
    let threads = engine.threads(rows.len());
    threads.for_each(rows.chunks_mut(8).collect(), |rows| {
        rows.iter_mut().for_each(|row| row.fill(NO_PATH));
    });
}
