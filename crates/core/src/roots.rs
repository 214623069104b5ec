//! Finds the root switches for OpenSM's other engines.

use crate::Ranking;
use dmodc_fabric::{Fabric, SwitchId};
use std::collections::BTreeMap;

/// The switches for `root_guid_file`: switches without a neighbour of higher rank, at most one rank below the highest
/// of their part of the fabric. Engines count levels down from the roots. A root two ranks below the top would lift the
/// switches below it above their parents.
pub fn roots(fabric: &Fabric, ranking: &Ranking) -> Vec<SwitchId> {
    let part = fabric.parts(|_| true);
    let mut highest: BTreeMap<Option<SwitchId>, u32> = BTreeMap::new();
    for (switch, part) in part.iter_enumerated() {
        let rank = highest.entry(*part).or_default();
        *rank = ranking.rank(switch).max(*rank);
    }
    let is_root = |&s: &SwitchId| {
        let rank = ranking.rank(s);
        let mut neighbours = fabric.neighbours(s);
        rank + 1 >= highest[&part[s]] && neighbours.all(|other| ranking.rank(other) <= rank)
    };
    fabric.switches().keys().filter(is_root).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use fabrics::Net;

    /// The roots of a tree: three branches of `height` switches each below one top, two hosts at the end of each
    /// branch, and a small spine above the ends of two branches.
    fn roots_of_branches(height: u32) -> Vec<SwitchId> {
        let (top, small) = (0, 1);
        let at = |branch, level| 2 + branch * height + level;
        let mut links = vec![(small, at(0, 0)), (small, at(1, 0))];
        for branch in 0..3 {
            links.extend((1..height).map(|level| (at(branch, level - 1), at(branch, level))));
            links.push((at(branch, height - 1), top));
        }
        let hosts: Vec<u32> = (0..6).map(|host| at(host / 2, 0)).collect();
        let fabric = Net::new(&links, &hosts).build();
        roots(&fabric, &Ranking::new(&fabric, &Options::default()))
    }

    #[test]
    fn a_switch_far_below_the_top_is_no_root() {
        for (height, expected) in [(1, 2), (2, 2), (3, 1)] {
            let roots = roots_of_branches(height);
            assert!(
                roots.len() == expected && roots.contains(&SwitchId(0)),
                "{roots:?}"
            );
        }
    }
}
