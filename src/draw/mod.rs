//! The fabric as a drawing, its links coloured by how their A2A congestion risk compares with the bound; missing
//! cables, slow, drained and wrong ones are marked.
//!
//! [`Scene`] and [`State`] are what is to be seen. [`svg()`] draws it for paper: a row of boxes for each level, or
//! matrices of lower switches by upper ones where there are more than [`MOST`] switches. [`page()`] makes a page to
//! look around in: the same matrices, and the way of each packet.

mod layout;
mod marks;
mod matrix;
#[cfg(feature = "cli")]
mod page;
mod scene;
mod style;
mod svg;
mod svg_matrix;

#[cfg(feature = "cli")]
pub use page::page;
pub use scene::{Link, Scene, State};
pub use svg::svg;

/// How many boxes with lines between them a drawing has at most: with more, the lines tell nothing.
pub const MOST: usize = 20;
