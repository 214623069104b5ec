//! What can be said of finished tables: whether they deliver, and how they share the links.
//!
//! Everything in here reads a [`Fabric`](crate::fabric::Fabric) and its
//! [`Tables`](crate::lft::Tables) and knows nothing of how they were made, so that the tables of
//! any routing engine are judged by the same measure; holes, loops and entries that name a port
//! with no link are findings and never a reason to stop. The one thing that is asked of the caller
//! is which way links go ([`UpDown`]), since up and down lie in the eye of the ranking.
//!
//! - [`check()`]: delivery, minimality, down-up turns, credit loops;
//! - [`Traffic`]: the congestion risk of the traffic patterns A2A, RP and SP.

mod channels;
mod check;
mod congestion;
mod deadlock;
#[cfg(test)]
mod oracle;
mod report;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod traffic;
mod updown;
mod walk;

pub use channels::{Channel, Channels, Hop};
pub use check::check;
pub use congestion::{Risk, Tick};
pub use deadlock::CreditLoops;
pub use report::{CheckReport, FIRST, Route, Tally};
pub use traffic::Traffic;
pub use updown::{UNREACHABLE, UpDown};
