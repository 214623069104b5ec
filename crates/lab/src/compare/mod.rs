//! Compares routing engines in the stock OpenSM: the same fabric and the same figures for every engine.
//!
//! ```text
//! Netlist ─ Ibsim ─ opensm -R dmodc_relay,ENGINE,...,no_fallback ─ accepted or refused, seconds, Tables ─ rows
//! ```
//!
//! The engines share an OpenSM ([`MultiEngineRun`]), and their tables are copied from its memory; each starts from the
//! state in which OpenSM calls its first engine, so none depends on another. [`compare_whole`] measures them on a fabric
//! as it is, [`Thrower`] on one throw of a [`Series`] after the other. Rows go to a file, which a later run continues
//! ([`Journal`]). The order of nodes, the permutations and the ranks are the same for all.

mod copied;
mod engine_spec;
mod foreign;
mod journal;
mod lanes;
mod metrics;
mod multi_engine_run;
mod throw_row;
mod throws;
mod whole;

pub use copied::{Callbacks, Changes, Copied, Outcome};
pub use engine_spec::{BadName, EngineSpec, Foreign};
pub use foreign::content_hash;
pub use journal::Journal;
pub use lanes::Levels;
pub use metrics::Scale;
pub use multi_engine_run::{Answer, MultiEngineRun};
pub use throw_row::{Real, ThrowRow, header, read_throws};
pub use throws::{Series, Thrower};
pub use whole::{Row, compare_whole};
