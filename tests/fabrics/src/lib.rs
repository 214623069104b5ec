//! Fabrics for tests, and the number of random cases. It uses fabric and formats alone, so that each crate above
//! them can be tested with it.

#![allow(
    missing_docs,
    reason = "not published: comments stand where names do not say it"
)]

mod cases;
mod net;

pub use cases::cases;
pub use net::{Net, lids, ranked, shortest, with_speeds};

use dmodc_formats::netlist::Netlist;
use dmodc_formats::netlist::generate::{Order, Pgft, build};

/// A complete PGFT, with GUIDs and LIDs in order.
pub fn pgft(shape: &str) -> Netlist {
    let shape: Pgft = shape.parse().expect("a shape");
    build(&shape.into(), Order::default())
}
