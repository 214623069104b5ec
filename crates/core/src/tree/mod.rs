//! The tree: links between switches, leaves, ranks.

mod cycle;
mod groups;
mod idle;
mod leaves;
mod levels;
mod links;
mod partition;
mod rank;
mod ranking;

pub use groups::Groups;
pub use links::{Group, Links};
pub use partition::{Partition, components, join, mix, peel, root, sort_by_small_key};
pub use ranking::{Ranking, Rule, roots};
