//! The tree: links between switches, leaves, ranks.

mod groups;
mod idle;
mod leaves;
mod links;
mod partition;
mod rank;
mod wiring;

pub use groups::{Groups, Sides};
pub use leaves::Judges;
pub use links::{Group, Links};
pub use partition::{Partition, mix, sort_by_small_key};
pub use rank::{Ranking, Rule};
pub use wiring::{WiringWarning, level_cycle, root, wiring_warnings};
