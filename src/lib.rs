//! Dmodc: fast, deterministic, fault-resilient routing of InfiniBand fat-trees.
pub mod dmodc;
pub mod fabric;
pub mod input;
pub mod lft;
pub mod netlist;
pub mod random;
