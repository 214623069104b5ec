//! Nobody left out: ways for pairs that have no up-down path between them.
//!
//! Up-down routing leaves pairs out as soon as a link is missing: switches that share no switch above
//! them, though links join them. Here such a pair gets a way that *turns*: at some switch a packet
//! that came down goes up again. Turns are how credit loops come about, so each is taken only if it
//! closes no circle (module `turns`), and they are taken at few switches (module `hubs`).
//!
//! ```text
//! costs ─ need ─ attempt (hubs, turns, search) ─ connections ─ routes
//! ```
//!
//! The entries of up-down paths stay as they are; where to turn, and who gets a way thereby,
//! follows from the costs. It depends on the fabric alone, and is nothing where all have a path.

mod attempt;
mod bits;
mod connections;
mod hubs;
mod need;
mod search;
mod toward;
mod turns;

pub use connections::{Connections, Steps};
pub use need::Needs;
pub use turns::Turns;
