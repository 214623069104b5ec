//! Dmodc: fast, deterministic, fault-resilient routing of InfiniBand fat-trees.
pub mod dmodc;
pub mod fabric;
pub mod lft;
#[cfg(feature = "plugin")]
#[allow(unsafe_code)]
mod plugin;
