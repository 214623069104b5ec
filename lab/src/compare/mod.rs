//! The stock OpenSM as a measuring bench: one fabric, any of its routing engines, one scale.
//!
//! ```text
//! Netlist ─ Ibsim ─ opensm -o -R ENGINE,no_fallback ─┬─ its log ── accepted or refused, seconds
//!                                                    └─ its dumps ─ Fabric + Tables ─ Row
//! ```
//!
//! Measured is what OpenSM itself holds ([`SingleRuns`]). Random throws ([`Thrower`], [`Series`]) need many runs, so
//! there the engines share an OpenSM ([`MultiEngineRun`]). Rows go to a file, which a later run continues
//! ([`Journal`]).
//!
//! Every engine is measured on a fresh ibsim, or from the state in which OpenSM calls its first engine, so that no
//! engine finds what another left; and all alike: the same order of nodes, permutations and ranks.

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
