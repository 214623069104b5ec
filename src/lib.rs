//! Dmodc: fast, deterministic, fault-resilient routing of InfiniBand fat-trees.
pub mod dmodc;
pub mod fabric;
pub mod input;
pub mod lft;
pub mod netlist;
#[cfg(feature = "plugin")]
#[allow(unsafe_code)]
mod plugin;
pub mod random;
