//! Paths: the cost of the up-down path from every switch to every other, and path counts.

mod cost;
mod dividers;

use super::threads::Threads;
use super::tree::{Groups, Ranking};

use cost::columns;
pub use cost::{Costs, HOPS, INFINITE, UP};
use dividers::path_counts;
pub use dividers::{dividers, path_dividers};

/// Port groups, costs and path counts of one set of links.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The port groups.
    pub groups: Groups,
    /// The costs.
    pub costs: Costs,
    /// By switch, its path count to the top.
    pub path_counts: Vec<u32>,
}

impl Paths {
    /// Computes costs and path counts of port groups.
    pub fn new(groups: Groups, ranking: &Ranking, threads: &Threads) -> Self {
        let leaves = ranking.leaves().count();
        Self::by_columns(columns(ranking, &groups), leaves, groups, threads)
    }

    /// The paths of other groups of the same switches, with the same columns.
    pub fn with(&self, groups: Groups, threads: &Threads) -> Self {
        let columns = self.costs.columns().to_vec();
        Self::by_columns(columns, self.costs.leaves(), groups, threads)
    }

    fn by_columns(columns: Vec<u32>, leaves: usize, groups: Groups, threads: &Threads) -> Self {
        Paths {
            costs: Costs::new(columns, leaves, &groups, threads),
            path_counts: path_counts(&groups),
            groups,
        }
    }
}
