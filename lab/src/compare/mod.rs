//! Compares routing engines in the stock OpenSM: the same fabric and the same figures for every engine.
//!
//! ```text
//! Netlist ─ Ibsim ─ opensm -o -R ENGINE,no_fallback ─┬─ its log ── accepted or refused, seconds
//!                                                    └─ its dumps ─ Fabric + Tables ─ Row
//! ```
//!
//! [`SingleRuns`] measures the tables that OpenSM itself dumps. Random throws ([`Thrower`], [`Series`]) need many runs,
//! so there the engines share an OpenSM ([`MultiEngineRun`]), and the tables are copied from its memory. Rows go to a
//! file, which a later run continues ([`Journal`]).
//!
//! Every engine starts on a fresh ibsim, or from the state in which OpenSM calls its first engine: no engine depends
//! on another. The order of nodes, the permutations and the ranks are the same for all.

mod copied;
mod engine_spec;
mod foreign;
mod journal;
mod keep;
mod lanes;
mod levels;
mod metrics;
mod multi_engine_run;
mod origin;
mod row;
mod single_run;
mod throw_row;
mod throws;

use dmodc::netlist::Netlist;

pub use copied::{Changes, Copied};
pub use engine_spec::{BadName, EngineSpec, Foreign};
pub use journal::Journal;
pub use keep::engine_file;
pub use levels::Levels;
pub use metrics::Scale;
pub use multi_engine_run::{Answer, Callbacks, MultiEngineRun, Outcome, time_callbacks};
pub use origin::Origin;
pub use row::{Row, markdown};
pub use single_run::SingleRuns;
pub use throw_row::{HEADER, Real, ThrowRow, read_throws};
pub use throws::{Repeated, Series, Thrower};

fn text_of(netlist: &Netlist) -> Vec<u8> {
    let mut text = Vec::new();
    netlist.write(&mut text).expect("memory can be written");
    text
}
