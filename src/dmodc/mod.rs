//! Dmodc, the algorithm: from a fabric to its forwarding tables (paper, section III).
//!
//! ```text
//! Fabric ─ rank ─ groups ─ cost ─┬─ validity
//!                                ├─ nid ─┐
//!                                └───────┴─ route (survey, choice, writer) ─ LFT rows
//! ```
//!
//! [`Engine::plan`] does everything up to the routes, [`Engine::fill`] writes them.

mod choice;
mod cost;
mod crew;
mod destinations;
mod detour;
mod engine;
mod groups;
mod leaves;
mod links;
mod memory;
pub mod multicast;
mod nid;
mod options;
#[cfg(test)]
mod oracle;
mod partition;
mod rank;
mod route;
mod sharing;
mod survey;
#[cfg(test)]
mod tests;
mod types;
mod validity;
mod view;
mod wiring;
mod writer;

pub use crew::Muster;
pub use engine::{Engine, Plan};
pub use groups::{Group, Groups};
pub use options::{OnUnreachable, Options, RouteError, Timings};
pub use rank::{Ranking, Rule};
pub use types::{NodeType, NodeTypes};
pub use validity::Unreachable;
pub use wiring::{Oddity, oddities};
