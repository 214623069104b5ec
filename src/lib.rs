//! Dmodc: fast, deterministic, fault-resilient routing of InfiniBand fat-trees.
//!
//! Two sources meet at one snapshot of the fabric, two sinks leave from one set of tables:
//!
//! ```text
//! OpenSM's subnet (plugin) ─┐                              ┌─ OpenSM's new_lft (plugin)
//!                           ├─ fabric ── dmodc ── tables ──┤
//! netlist file (netlist) ───┘                   (lft)      └─ opensm-lfts.dump (lft)
//!                                                  └─ analysis: check, congestion
//! ```
//!
//! Everything between is shared and safe: the same fabric, routed offline and by a live OpenSM,
//! gives the same bytes. The plugin alone knows C. The laboratory (`lab/`) and the tool (`tool/`) are packages of
//! their own, which use this one.

pub mod analysis;
pub mod dmodc;
pub mod drain;
pub mod export;
pub mod fabric;
pub mod files;
pub mod input;
pub mod lft;
pub mod names;
pub mod netlist;
#[cfg(feature = "plugin")]
mod plugin;
pub mod random;
pub mod reference;
mod scan;
pub mod sweeps;
#[cfg(test)]
mod testing;
pub mod wiring;

#[cfg(feature = "plugin")]
pub use plugin::extension;
