//! Analysis of finished tables: delivery, credit loops, and how routes share the links.
//!
//! The input is a [`Fabric`](dmodc_fabric::Fabric) and its [`Tables`](dmodc_fabric::Tables), of any
//! routing engine. Missing entries, loops and entries that name a port without a link are findings;
//! the analysis goes on. The caller gives the direction of links ([`UpDown`]), since it depends on
//! the ranking.
//!
//! In reading order:
//! - `walk`: one LID from every switch at once; `trace`: one packet, switch by switch;
//! - `updown`: directions of links, shortest up-down paths; `channels`: directed ports, numbered densely;
//! - `deadlock`: cycles of the channel dependency graph; `check`, `report`: what is wrong, counted, with the first cases;
//! - `traffic`: routes in a layout that is fast to follow; `congestion`: A2A, RP, SP; `bound`: the least that any routes
//!   can have; `exact`: the worst permutation; `rates`, `ebb`: fair rates, bisection bandwidth;
//!   `sets`: from one set of nodes to another;
//! - `loads`: A2A, RP, SP again with some routes changed; `losses`: hosts that a loss cuts off;
//! - `common`: what slow pairs have in common;
//! - [`between`]: packets while new tables replace old ones.
//!
//! The tests, and `oracle`, the same in the obvious way, are in `tests/analysis`.

#![forbid(unsafe_code)]

pub mod between;
mod bound;
mod channels;
mod check;
mod common;
mod congestion;
mod deadlock;
mod ebb;
mod exact;
mod loads;
mod losses;
mod rates;
mod report;
mod sets;
mod trace;
mod traffic;
mod updown;
mod walk;

pub use bound::{bound, bounds};
pub use channels::{Channel, ChannelId, Channels};
pub use check::check;
pub use common::{Common, Measured, Thing, Told};
pub use congestion::{Risk, Tick};
pub use deadlock::{CreditLoops, Dependencies};
pub use ebb::Ebb;
pub use exact::Exact;
pub use loads::{Loads, Risks};
pub use losses::Losses;
pub use rates::{Rates, Workload};
pub use report::{CheckReport, Route, Tally};
pub use sets::Between;
pub use trace::{End, Step, Trace, trace};
pub use traffic::Traffic;
pub use updown::{UNREACHABLE, UpDown};
