//! Fabrics for tests, and the number of random cases. It uses fabric and formats alone, so that each crate above
//! them can be tested with it.

#![allow(
    missing_docs,
    reason = "not published: comments stand where names do not say it"
)]

mod cases;
mod drawn;
mod net;

pub use cases::cases;
pub use drawn::{
    add, add_aggregation_nodes, add_host, link, named, node_at, switches, tree, without,
};
pub use net::{Net, connected, lids, ranked, rebuilt, shortest, way, with_slow, with_speeds};

use dmodc_formats::netlist::Netlist;
use dmodc_formats::netlist::generate::Order;

/// A complete PGFT, with GUIDs and LIDs in order.
pub fn pgft(shape: &str) -> Netlist {
    tree(shape, Order::default())
}
