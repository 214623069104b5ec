//! The fabric as a page to explore: matrices of lower switches by upper ones, the links coloured by their A2A
//! congestion risk relative to the bound and to others; missing, planned, slow, suspect, drained and misplaced cables
//! are marked; and the route of each packet. [`Scene`] and [`State`] are the input of [`page()`].

mod matrix;
mod page;
mod scene;

pub use page::page;
pub use scene::{Drawn, Routes, Scene, State};
