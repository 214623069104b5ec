//! Validity: routing is complete if and only if every leaf has an up-down path to every other
//! (paper, section IV, "Validity"). Paths go both ways, so a pair is counted once.

use super::cost::{Costs, INFINITE};
use super::rank::Ranking;

/// How many pairs are kept by name.
const NAMED: usize = 10;

/// Pairs of leaves without an up-down path.
#[derive(Clone, Debug, Default)]
pub struct Unreachable {
    /// How many there are.
    pub count: usize,
    /// The first few, as switch indices, the lower UUID first.
    pub first: Vec<(u32, u32)>,
}

impl Unreachable {
    /// Passes over all pairs of leaves.
    pub fn new(ranking: &Ranking, costs: &Costs) -> Self {
        let mut found = Unreachable::default();
        for (i, leaf) in ranking.leaves().enumerate() {
            let later = &costs.row(leaf)[i + 1..costs.leaves()];
            let missing = later.iter().filter(|&&byte| byte == INFINITE).count();
            if missing > 0 && found.first.len() < NAMED {
                let pairs = (i + 1..costs.leaves())
                    .filter(|&c| costs.row(leaf)[c] == INFINITE)
                    .map(|c| (leaf, costs.switch(c)));
                found.first.extend(pairs.take(NAMED - found.first.len()));
            }
            found.count += missing;
        }
        found
    }
}
