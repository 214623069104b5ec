//! Generated fabrics: parallel generalized fat-trees (PGFT) and real-life fat-trees (RLFT).
//!
//! [`Pgft`] and [`Rlft`] parse and check a shape; [`build()`] makes a netlist of it. Without a seed
//! GUIDs and LIDs follow the position in the tree, leaves first. No real fabric is in that order, so a seed shuffles
//! both (see [`dmodc_fabric::random`]: the result is the same in every release).

mod build;
mod pgft;
mod rlft;

pub use build::{Order, build, build_with_speeds};
pub use pgft::{Pgft, ShapeError};
pub use rlft::{Rlft, RlftError};
