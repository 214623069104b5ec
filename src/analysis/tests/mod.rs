//! The analysis against hand-made tables, and against the naive oracle on random ones.

mod congestion;
mod delivery;
mod random;
