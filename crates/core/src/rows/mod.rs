//! The tables: the nominal port of each number where it leads nearer, else the next best.
//!
//! ```text
//! ways ─ counted ─ choice (nominal port, deal, circle of lacks, ring) ─ down (the mirror) ─ rows ─ link sets
//! ```

mod bands;
mod choice;
mod come;
mod counted;
mod down;
mod fallback;
mod lack;
mod link_sets;
mod open;
mod shares;
mod targets;
mod ways;
mod write;

pub use counted::{Counted, SMALL};
pub use fallback::Fallback;
pub use link_sets::{AllLinks, LinkSets};
