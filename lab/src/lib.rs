//! The laboratory beside Dmodc: the stock OpenSM's engines on simulated fabrics, and what their tables are worth.
//!
//! ```text
//! netlist ─ sim: ibsim, OpenSM ─┬─ compare: rows ─ report: page, figures
//!            relay, in OpenSM ──┘
//! ```
//!
//! - [`sim`]: ibsim and OpenSM as child processes;
//! - [`compare`]: all engines on one scale, on whole fabrics and on random throws;
//! - [`report`]: the rows as a page;
//! - [`between`]: what packets meet while one engine's old tables give way to new ones;
//! - `relay`: the plugin `libdmodc_lab.so`, which is the library's and one engine more, for measurements: it ends
//!   OpenSM. The library's own plugin has no such option.
//!
//! The tool and the tests use it; the library does not know it.

pub mod between;
pub mod compare;
#[cfg(feature = "plugin")]
#[allow(unsafe_code)]
mod relay;
pub mod report;
pub mod sim;
pub mod xml;
