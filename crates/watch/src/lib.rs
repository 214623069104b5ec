//! What a sweep tells: log lines, metrics and the reference, for the plugin and for `dmodc follow`; and the wiring
//! that differs from the reference or from its siblings.
//!
//! In reading order:
//! - [`sweeps`]: `sweep` has the figures of one, `report` its line, `findings` what changed, `metrics` the file for
//!   Prometheus, `reference` the file that remembers the fabric, `writer` writes files; `places` what a drain file
//!   means, `roots` given roots beside the cables; `planned`: what later calls need;
//! - [`wiring`]: `siblings`, `slow`, `rails` find cables; `memory`, `slow_memory` log each change once;
//! - [`suspects`](mod@suspects): links with errors, ranked by what they hurt;
//! - [`against`](mod@against): the cables of a netlist beside those of a reference.

#![forbid(unsafe_code)]

pub mod against;
pub mod suspects;
pub mod sweeps;
pub mod wiring;
