//! The analysis against the naive oracle, on random fabrics with random tables.

mod congestion;
mod random;
