//! The fabric as a drawing: a row for each rank, links coloured by how their A2A congestion risk compares
//! with the bound, missing ones dashed, slow ones thin and dotted.
//!
//! `layout` decides what is drawn and where, `svg` how it looks. Where there are more than
//! [`MOST`] switches, subtrees are folded into one box each, and all links between two boxes are one
//! line, coloured by the worst of them.

mod layout;
mod style;
mod svg;

pub use svg::draw;

/// How many boxes a drawing has at most, where folding helps.
pub const MOST: usize = 300;
