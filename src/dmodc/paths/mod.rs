//! Paths: how far every switch is from every other going up and then down, and how many ways there
//! are.

mod cost;
mod dividers;
mod validity;

use super::threads::Threads;
use super::tree::{Groups, Ranking};

use cost::columns;
pub use cost::{Costs, HOPS, INFINITE, UP};
use dividers::ways_up;
pub use dividers::{dividers, path_dividers};
pub use validity::Unreachable;

/// The ways through a fabric.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The port groups.
    pub groups: Groups,
    /// The costs.
    pub costs: Costs,
    /// Per switch: in how many ways it reaches the top.
    pub ways_up: Vec<u32>,
}

impl Paths {
    /// Finds the ways through port groups, in memory that other costs have left.
    pub fn new(groups: Groups, ranking: &Ranking, memory: Vec<u8>, threads: &Threads) -> Self {
        let leaves = ranking.leaves().count();
        let columns = columns(ranking, &groups);
        Paths {
            costs: Costs::new(columns, leaves, &groups, memory, threads),
            ways_up: ways_up(&groups),
            groups,
        }
    }

    /// The ways that are left through other groups of the same switches, with the same columns.
    pub fn with(&self, groups: Groups, memory: Vec<u8>, threads: &Threads) -> Self {
        let (columns, leaves) = (self.costs.columns().to_vec(), self.costs.leaves());
        Paths {
            costs: Costs::new(columns, leaves, &groups, memory, threads),
            ways_up: ways_up(&groups),
            groups,
        }
    }
}
