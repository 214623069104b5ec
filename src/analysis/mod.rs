//! Analysis of finished tables: delivery, credit loops, and how routes share the links.
//!
//! The input is a [`Fabric`](crate::fabric::Fabric) and its [`Tables`](crate::lft::Tables), of any
//! routing engine. Missing entries, loops and entries that name a port without a link are findings;
//! the analysis goes on. The caller gives the direction of links ([`UpDown`]), since it depends on
//! the ranking.

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
