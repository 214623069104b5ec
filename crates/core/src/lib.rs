//! Dmodc, the algorithm: from a fabric to its forwarding tables.
//!
//! ```text
//! Fabric ─ tree ─ paths ─ kinds ─ rows ─ tables
//!                   └──── detours ──┘
//! ```
//!
//! Reading order:
//! - `plan`: the pipeline on one screen; `options`; `engine`: the two calls from outside;
//! - `tree`: links, leaves, ranks, port groups; `paths`: costs;
//! - `kinds`: what each port is for, by kind of switch: expected uplinks, classes, dividers, numbers;
//! - `rows`: the nominal port, the ports of displaced entries, ways down, sets of links;
//! - `detours`: pairs without an up-down path, and turns that close no cycle;
//! - `paper`: the paper's letter; `multicast`; `hops`.

#![forbid(unsafe_code)]

mod detours;
mod engine;
mod hops;
mod ids;
mod kinds;
pub mod multicast;
mod options;
#[cfg(test)]
mod oracle;
mod paper;
mod paths;
mod plan;
mod rows;
mod spread;
#[cfg(test)]
mod tests;
mod threads;
mod tree;

pub use detours::{Connections, Unreachable};
pub use engine::{Engine, Filled};
pub use hops::hop_row;
pub use ids::ClassId;
pub use kinds::{NodeType, NodeTypes};
pub use options::{Capacity, Faults, OnUnreachable, Options, PHASES, RouteError, Timings};
pub use plan::Plan;
pub use spread::most_common;
pub use threads::Threads;
pub use tree::{Group, Groups, Ranking, Rule, join, root, roots};
