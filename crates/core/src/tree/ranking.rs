//! The levels of a fabric: of each switch its rank, and whether it is a leaf.
//!
//! Of two neighbours of equal rank, the switch with the greater GUID is above. So (rank, GUID) is a total order: every
//! link goes up or down, and no path of links up closes a cycle. Indices of switches are in the order of GUIDs.

use super::links::Links;
use crate::ids::{BySwitch, SwitchId};
use dmodc_fabric::Fabric;
use std::collections::BTreeMap;
use std::fmt;

/// The rule that decides the ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Every switch with end nodes is a leaf: the paper's rule.
    EndNodes,
    /// Some switches with end nodes stand further up, or leaves are not equally deep.
    Shape,
    /// The switches of `root_guid_file` are at the top, or one that connects all hosts.
    Roots,
    /// The switches with nodes of `cn_guid_file` are leaves.
    ComputeNodes,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::EndNodes => "every switch with end nodes is a leaf",
            Rule::Shape => "leaves found by the shape of the fabric",
            Rule::Roots => "counted down from roots",
            Rule::ComputeNodes => "switches with the given compute nodes are leaves",
        })
    }
}

/// The levels of a fabric: of each switch its rank, and whether it is a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    pub(super) rank: BySwitch<u32>,
    pub(super) leaf: BySwitch<bool>,
    pub(super) rule: Rule,
}

impl Ranking {
    /// How many pairs of neighbours are not in adjacent ranks, each pair twice.
    pub(super) fn uneven(&self, links: &Links) -> usize {
        let is_uneven = |&(a, b): &(SwitchId, SwitchId)| self.rank[a].abs_diff(self.rank[b]) != 1;
        let pairs = |s| links.neighbours(s).map(move |other| (s, other));
        links.switches().flat_map(pairs).filter(is_uneven).count()
    }

    /// The rank of a switch; 0 is the lowest.
    #[inline]
    pub fn rank(&self, switch: SwitchId) -> u32 {
        self.rank[switch]
    }

    /// Whether a switch is a leaf.
    #[inline]
    pub fn is_leaf(&self, switch: SwitchId) -> bool {
        self.leaf[switch]
    }

    /// The leaves in ascending index.
    pub fn leaves(&self) -> impl Iterator<Item = SwitchId> {
        self.leaf.keys().filter(|&s| self.is_leaf(s))
    }

    /// The rule that decides the ranks.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Whether a link from switch `from` to its neighbour `to` goes up.
    #[inline]
    pub fn is_up(&self, from: SwitchId, to: SwitchId) -> bool {
        let key = |s: SwitchId| (self.rank(s), s);
        key(to) > key(from)
    }

    /// All switches in ascending (rank, GUID): each after all switches below it.
    pub fn ascending(&self) -> Vec<SwitchId> {
        let mut switches: Vec<SwitchId> = self.rank.keys().collect();
        switches.sort_by_key(|&s| (self.rank(s), s));
        switches
    }

    /// The position of each switch in [`Ranking::ascending`]: a link goes up to the end with the greater one.
    pub fn positions(&self) -> BySwitch<u32> {
        let mut positions: BySwitch<u32> = vec![0; self.rank.len()].into();
        for (position, s) in (0..).zip(self.ascending()) {
            positions[s] = position;
        }
        positions
    }

    /// How many switches there are of each rank.
    pub fn per_rank(&self) -> Vec<usize> {
        let levels = self.rank.iter().max().map_or(0, |&r| r as usize + 1);
        let mut count = vec![0; levels];
        for &r in &self.rank {
            count[r as usize] += 1;
        }
        count
    }
}

/// Maximum number of ranks written out.
const WRITTEN: usize = 16;

impl fmt::Display for Ranking {
    /// The rule, and how many switches each rank has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.per_rank();
        write!(f, "{}; switches by rank:", self.rule)?;
        let mut written = counts.iter().take(WRITTEN);
        written.try_for_each(|count| write!(f, " {count}"))?;
        match counts.len() > WRITTEN {
            true => write!(f, " .. ({} ranks)", counts.len()),
            false => Ok(()),
        }
    }
}

/// The switches for `root_guid_file` of OpenSM's other engines: switches without a neighbour of higher rank, at most one rank below the highest
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
