//! The laboratory beside Dmodc: runs the stock OpenSM's engines on simulated fabrics, and measures their tables.
//!
//! ```text
//! netlist ─ sim: ibsim, OpenSM ─┬─ compare: rows ─ report: page, figures
//!            relay, in OpenSM ──┘
//! ```
//!
//! - [`sim`]: ibsim and OpenSM as child processes;
//! - [`compare`]: the figures of all engines, on whole fabrics and on random throws;
//! - [`report`]: the rows as a page;
//! - `relay`: the plugin `libdmodc_lab.so`, the library's plugin with one more engine, which measures other engines
//!   and then ends OpenSM. The library's own plugin has no such option.
//!
//! The tool and the tests use this crate; the library does not depend on it.

#![forbid(unsafe_code)]
#![allow(
    missing_docs,
    reason = "not published: comments stand where names do not say it"
)]

pub mod compare;
mod error;
pub mod report;
pub mod sim;
pub mod xml;

pub use error::LabError;
