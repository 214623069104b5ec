//! The fabric: identifiers, the owned snapshot that both sources (OpenSM's subnet, a file) fill, and forwarding tables.
//!
//! In reading order:
//! - `ids`: GUID, LID, port; indices that are types;
//! - `speed`: width and rate of a link;
//! - `snapshot`: switches, end nodes, links, and the invariants of all three;
//! - `builder`: a snapshot from parts in any order, with any defect;
//! - `table`: one row of bytes a switch, an entry a LID;
//! - `drained`: links that are to be empty;
//! - `boxes`, `merge`: a snapshot beside a reference;
//! - `end_pairs`: pairs of senders and receivers, counted by kind;
//! - [`random`]: the same numbers on every machine and in every release.

#![forbid(unsafe_code)]

mod boxes;
mod builder;
mod drained;
mod end_pairs;
mod ids;
mod merge;
pub mod random;
mod snapshot;
mod speed;
mod table;

pub use boxes::{known as known_boxes, replaced};
pub use builder::{Builder, Defect, LidOwners, NoLids, Placement};
pub use drained::Drained;
pub use end_pairs::{EndPairs, Endpoint, FIRST, counted, grouped, keep_first};
pub use ids::{Guid, Lid, NodeId, PortNumber, SwitchId, lid_range};
pub use merge::Merged;
pub use snapshot::{EndNode, Fabric, NodeKind, Peer, Switch};
pub use speed::{NoSpeed, Rate, Speed};
pub use table::{BLOCK, NO_PATH, Tables};
