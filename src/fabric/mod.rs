//! The fabric: identifiers and the owned snapshot that both sources (OpenSM's subnet, a netlist)
//! fill and every phase of Dmodc reads.

mod ids;
mod search;
mod snapshot;

pub use ids::{Guid, Lid};
pub use snapshot::{
    Builder, Defect, EndNode, Fabric, NodeKind, Peer, Placement, Switch, lid_range,
};
