//! Dmodc, the algorithm: from a fabric to its forwarding tables (paper, section III).
//!
//! ```text
//! Fabric ─ tree ─ paths ─ targets ─ connect ─ routes ─ LFT rows
//! ```
//!
//! [`Engine::plan`] computes everything up to the routes, [`Engine::fill`] writes them:
//! - `tree`: links, leaves, ranks, port groups; `design`: places, missing equipment;
//! - `paths`: costs, dividers;
//! - `targets`: topological NIDs, and the order of all LIDs;
//! - `capacity`: which destinations use which slow or drained links;
//! - `connect`: detours for pairs without an up-down path, searched while routes are written;
//! - `routes`: candidates, the choice of a port, rows, tables.

mod capacity;
mod connect;
mod design;
mod engine;
mod hops;
pub mod multicast;
mod numbers;
mod options;
#[cfg(test)]
mod oracle;
mod paths;
mod plan;
mod routes;
mod targets;
#[cfg(test)]
mod tests;
mod threads;
mod tree;

pub use connect::{Connections, Unreachable};
pub(crate) use design::{most_common, siblings};
pub use engine::{Engine, Filled};
pub use hops::hop_row;
pub use options::{Capacity, Drained, Faults, OnUnreachable, Options, PHASES, RouteError, Timings};
pub use plan::Plan;
pub use targets::{NodeType, NodeTypes};
pub use threads::Threads;
pub use tree::{Group, Groups, Ranking, Rule};
