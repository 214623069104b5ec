//! Paths: the cost of the up-down path from every switch to every other, dividers and path counts.

mod cost;
mod dividers;

use super::threads::Threads;
use super::tree::{Groups, Ranking};

use cost::columns;
pub use cost::{Costs, HOPS, INFINITE, UP};
use dividers::{dividers, path_counts, path_dividers};

/// Port groups of one set of links, and all that depends on them alone.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The port groups.
    pub groups: Groups,
    /// The costs.
    pub costs: Costs,
    /// By switch, its divider Π.
    pub dividers: Vec<u32>,
    /// By switch, the number of different paths up to it.
    pub path_dividers: Vec<u32>,
    /// By switch, its path count to the top.
    pub path_counts: Vec<u32>,
}

impl Paths {
    /// Computes the paths over port groups.
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
            dividers: dividers(&groups),
            path_dividers: path_dividers(&groups),
            path_counts: path_counts(&groups),
            groups,
        }
    }
}
