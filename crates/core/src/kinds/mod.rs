//! What each port is for: one role table by kind of switch, and what follows from it.
//!
//! ```text
//! reference ─ known ─ kinds (role table) ─ places ─ expected ─ uplinks ─ classes ─ numbers
//! ```

mod classes;
mod digits;
mod expected;
mod known;
mod node_types;
mod numbers;
mod places;
mod reference;
mod roles;
mod table;
mod uplinks;

#[cfg(test)]
pub use classes::cycle;
pub use classes::{Class, Classes, Dividers, divide};
pub use expected::expect;
pub use known::Known;
pub use node_types::{NodeType, NodeTypes};
pub use numbers::{HASHED, Numbers, SINGLE};
pub use places::Places;
pub use reference::Reference;
pub use roles::Roles;
pub use table::Kinds;
pub use uplinks::{LEVEL, Uplink, Uplinks};
