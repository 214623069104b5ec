//! The fabric: identifiers, and the owned snapshot. Both sources (OpenSM's subnet, a netlist) fill it,
//! and every phase of Dmodc reads it.

mod boxes;
mod builder;
mod end_pairs;
mod ids;
mod merge;
mod snapshot;
mod speed;

pub use builder::{Builder, Defect, LidOwners, NoLids, Placement, lid_range};
pub use end_pairs::{EndPairs, Endpoint, FIRST, counted, keep_first};
pub use ids::{Guid, Lid};
pub use merge::Merged;
pub use snapshot::{EndNode, Fabric, NodeKind, Peer, Switch, range_of};
pub use speed::{NoSpeed, Rate, Speed};
