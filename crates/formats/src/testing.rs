//! A tree by its name, for unit tests.

use crate::netlist::Netlist;
use crate::netlist::generate::{Order, Pgft, build};

/// A complete PGFT, with GUIDs and LIDs in order.
pub fn pgft(shape: &str) -> Netlist {
    let shape: Pgft = shape.parse().expect("a shape");
    build(&shape.into(), Order::default())
}
