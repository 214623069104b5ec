//! Validity: routing is complete if and only if every switch that carries end nodes has an up-down path to
//! every other (paper, section IV, "Validity"). The paper's pass is over pairs of leaves; this one includes
//! switches further up that carry end nodes. Paths go both ways, so each pair counts once.

use super::cost::{Costs, INFINITE};
use crate::dmodc::tree::{Ranking, host_counts};
use crate::fabric::Fabric;

/// How many pairs are kept by name.
const NAMED: usize = 10;

/// Pairs of switches with end nodes that have no up-down path.
#[derive(Clone, Debug, Default)]
pub struct Unreachable {
    /// Their number.
    pub count: usize,
    /// The first ten, as switch indices.
    pub first: Vec<(u32, u32)>,
}

impl Unreachable {
    /// Checks all pairs.
    pub fn new(fabric: &Fabric, ranking: &Ranking, costs: &Costs) -> Self {
        let mut found = Unreachable::default();
        let hosts = host_counts(fabric);
        let carries = |&s: &u32| hosts[s as usize] > 0;
        let switches = 0..hosts.len() as u32;
        let further_up: Vec<u32> = switches
            .filter(|s| carries(s) && !ranking.is_leaf(*s))
            .collect();
        let leaves = costs.leaves();
        for column in 0..leaves {
            let leaf = costs.switch(column);
            // Leaves without nodes have nobody to reach.
            if !carries(&leaf) {
                continue;
            }
            let row = costs.row(leaf);
            if row[column + 1..leaves].contains(&INFINITE) {
                let columns = (column + 1..leaves).filter(|&c| row[c] == INFINITE);
                found.add(leaf, columns.map(|c| costs.switch(c)).filter(carries));
            }
            let missing = further_up.iter().copied();
            found.add(leaf, missing.filter(|&s| costs.byte(leaf, s) == INFINITE));
        }
        for (i, &from) in further_up.iter().enumerate() {
            let missing = further_up[i + 1..].iter().copied();
            found.add(from, missing.filter(|&s| costs.byte(from, s) == INFINITE));
        }
        found
    }

    fn add(&mut self, from: u32, missing: impl Iterator<Item = u32>) {
        for to in missing {
            self.count += 1;
            if self.first.len() < NAMED {
                self.first.push((from, to));
            }
        }
    }
}
