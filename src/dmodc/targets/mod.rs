//! Targets: all destinations, and their numbers for the modulo rule.

mod destinations;
mod nid;
mod node_types;
mod slots;

pub use destinations::Destinations;
pub use nid::Nids;
pub use node_types::{NodeType, NodeTypes};
