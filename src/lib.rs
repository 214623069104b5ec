//! Dmodc: fast, deterministic, fault-resilient routing of InfiniBand fat-trees.
//!
//! A fabric comes from OpenSM's subnet or from a netlist; tables go to OpenSM or into a dump. All between is shared and
//! safe, and the plugin alone knows C: `docs/architecture.md` has the map.

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
