//! The fabric as a drawing, its links coloured by their A2A congestion risk relative to the bound; missing,
//! slow, drained and misplaced cables are marked.
//!
//! [`Scene`] and [`State`] are the input. [`svg()`] draws it for paper: a row of boxes for each level, or
//! matrices of lower switches by upper ones where there are more than [`MOST`] switches. [`page()`] makes a
//! page to explore: the same matrices, and the route of each packet.

mod marks;
mod matrix;
mod page;
mod scene;
mod style;
mod svg;
mod svg_matrix;

pub use page::page;
pub use scene::{Drawn, Link, Scene, State};
pub use svg::svg;

/// The most boxes of a drawing with lines: with more, no reader can follow the lines.
pub const MOST: usize = 20;
