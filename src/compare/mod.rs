//! The stock OpenSM as a measuring bench: one fabric, any of its routing engines, one scale.
//!
//! ```text
//! Netlist ─ Ibsim ─ opensm -o -R ENGINE,no_fallback ─┬─ its log ── accepted or refused, seconds
//!                                                    └─ its dumps ─ Fabric + Tables ─ Row
//! ```
//!
//! What is judged is what OpenSM itself holds: the fabric is its `opensm-subnet.lst`, the tables
//! are its `opensm-lfts.dump`, and an engine that refuses a fabric has no tables (`no_fallback`
//! keeps minhop from standing in for it). Such an OpenSM sweeps for ever, so every run is bounded,
//! and ended as soon as the log says how it went.
//!
//! Random throws ([`Thrower`], [`Series`]) need many runs, so there engines share an OpenSM, one after
//! another, and hand their tables over in binary ([`Relay::route`]); rows go to a file that a later run
//! goes on with ([`Journal`]).
//!
//! Invariants:
//! - every process is owned by a guard that ends it, by its process id, when dropped;
//! - sockets, caches, configuration, logs and dumps are private to one run, in a temporary folder,
//!   so that any number of runs go on side by side, under any user;
//! - every engine is measured on a fresh ibsim, or from the state in which OpenSM calls its first
//!   engine, so that no engine finds what another left;
//! - all engines are judged alike: the same node order (Dmodc's topological NIDs), the same
//!   permutations, the same ranks to say which way is up.

mod bench;
mod contestant;
mod drawing;
mod error;
mod judge;
mod opensm;
mod opensm_log;
mod portrait;
mod relay;
mod row;
mod throw_row;
mod throws;

pub use bench::{Bench, time_callbacks};
pub use contestant::{BadName, Contestant};
pub use error::CompareError;
pub use judge::{Risks, Scale};
pub use portrait::{DrawnLink, DrawnSwitch, Portrait, WorstPort};
pub use relay::{Answer, Callbacks, Copied, Outcome, Relay};
pub use row::{Figures, Row, Verdict, csv_header, markdown};
pub use throw_row::{Journal, Routed, ThrowRow, read_throws};
pub use throws::{Equipment, Series, Thrower};
