//! Dmodc: fast, deterministic, fault-resilient routing of InfiniBand fat-trees.
//!
//! Fabrics come from OpenSM's subnet or from netlists; tables go to OpenSM or into dumps. All code between is shared
//! and safe. Only the plugin handles C structures: `docs/architecture.md` has the map.

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
