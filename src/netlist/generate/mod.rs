//! Generated fabrics: parallel generalized fat-trees (PGFT) and real-life fat-trees (RLFT).
//!
//! The shapes are parsed and checked first ([`Pgft`], [`Rlft`]), then built into a netlist. In
//! order, GUIDs and LIDs follow the position in the tree, leaves first; real fabrics are never in
//! order, so a seed shuffles both (see [`crate::random`] for what that promises).

mod build;
mod pgft;
mod rlft;

pub use build::{Order, build};
pub use pgft::{Pgft, ShapeError};
pub use rlft::{Rlft, RlftError};
