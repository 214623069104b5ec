//! Targets: what is routed to, and the numbers on which the modulo rule works.

mod destinations;
mod nid;
mod node_types;
mod slots;

pub use destinations::Destinations;
pub use nid::Nids;
pub use node_types::{NodeType, NodeTypes};
