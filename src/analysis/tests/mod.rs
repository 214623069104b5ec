//! The analysis against hand-made tables, and against the naive oracle on random ones.

mod congestion;
mod credit_loops;
mod delivery;
mod forced;
mod random;
