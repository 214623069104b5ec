//! Analysis of finished tables: do they deliver, and how do they share the links?
//!
//! All of it reads a [`Fabric`](crate::fabric::Fabric) and its [`Tables`](crate::lft::Tables), and
//! does not know how they were made. So the tables of all routing engines have the same measure.
//! Holes, loops and entries that name a port without a link are findings, never a reason to stop.
//! Only the caller knows which way links go ([`UpDown`]), since that depends on its ranking.

mod bound;
mod channels;
mod check;
mod congestion;
mod deadlock;
mod ebb;
mod exact;
mod groups;
#[cfg(test)]
mod oracle;
mod rates;
mod report;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod trace;
mod traffic;
mod updown;
mod walk;
mod workload;

pub use bound::{bound, bounds};
pub use channels::{Channel, Channels, Hop};
pub use check::check;
pub use congestion::{Risk, Tick};
pub use deadlock::{CreditLoops, Dependencies};
pub use ebb::Ebb;
pub use exact::Exact;
pub use groups::{Grouped, within};
pub use rates::Rates;
pub use report::{CheckReport, Route, Tally};
pub use trace::{End, Step, Trace, trace};
pub use traffic::Traffic;
pub use updown::{UNREACHABLE, UpDown};
pub use workload::{NoWorkload, TooFewRanks, Worked, Workload};
