//! The fabric: identifiers and the owned snapshot that both sources (OpenSM's subnet, a netlist)
//! fill and every phase of Dmodc reads.

mod builder;
mod ids;
mod snapshot;

pub use builder::{Builder, Defect, Placement, lid_range};
pub use ids::{Guid, Lid};
pub use snapshot::{EndNode, Fabric, NodeKind, Peer, Switch};
