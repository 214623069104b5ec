//! Targets: all destinations, and their numbers for the modulo rule.

mod destinations;
mod nid;
mod node_types;
mod positions;
mod slots;
mod usual;

pub use destinations::Destinations;
pub use nid::Nids;
pub use node_types::{NodeType, NodeTypes};
