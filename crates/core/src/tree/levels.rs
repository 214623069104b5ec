//! Ranks by distance from the leaves, and the number of hosts of each switch.
//!
//! Tails and shallow leaves (module `rank`) do not count there, and get the rank below their lowest neighbour.

use super::links::Links;
use crate::ids::{BySwitch, SwitchId};
use dmodc_fabric::Fabric;

/// End nodes per switch, aggregation nodes not counted.
pub fn host_counts(fabric: &Fabric) -> BySwitch<u32> {
    let switches = fabric.switches().keys();
    switches
        .map(|s| fabric.hosts_of(s).count() as u32)
        .collect()
}

/// By switch: whether it has end nodes.
pub(super) fn carriers(hosts: &BySwitch<u32>) -> BySwitch<bool> {
    hosts.iter().map(|&count| count > 0).collect()
}

/// Ranks by distance from the leaves.
pub(super) struct Levels<'a> {
    pub links: &'a Links,
    pub leaf: &'a BySwitch<bool>,
}

/// At most this many times the search takes shallow leaves out, and it tries at most this many sets each time.
const MAX_SHALLOW: usize = 64;

impl Levels<'_> {
    pub fn rank(&self) -> BySwitch<u32> {
        let leaves: Vec<SwitchId> = self.leaf.keys().filter(|&s| self.leaf[s]).collect();
        let (mut tails, mut bottom): (Vec<SwitchId>, Vec<SwitchId>) =
            leaves.iter().partition(|&&s| self.is_tail(s));
        if bottom.is_empty() {
            // Each leaf has only leaves as neighbours: then no leaf is a tail.
            (tails, bottom) = (bottom, tails);
        }
        let mut rank = self.links.distances(bottom.iter().copied());
        let shallow = self.find_shallow(&mut bottom, &mut rank);
        self.links.extend_to_the_rest(&mut rank);
        self.lower(rank, &bottom, &shallow, &tails)
    }

    /// Whether a leaf has neighbours, and all of them are leaves.
    fn is_tail(&self, s: SwitchId) -> bool {
        let mut linked = false;
        self.links.neighbours(s).all(|other| {
            linked = true;
            self.leaf[other]
        }) && linked
    }

    /// Takes out of `bottom` the leaves that make neighbours further up equal in rank: all leaves below one switch at
    /// once, first the leaves without which the fewest links join equal ranks; of several sets the smallest.
    fn find_shallow(&self, bottom: &mut Vec<SwitchId>, rank: &mut BySwitch<u32>) -> Vec<SwitchId> {
        let mut shallow = Vec::new();
        let mut level = self.level_links(rank);
        for _ in 0..MAX_SHALLOW {
            let mut ends: Vec<SwitchId> = level.iter().flat_map(|&(a, b)| [a, b]).collect();
            ends.sort_unstable();
            ends.dedup();
            let hanging = |&s: &SwitchId| -> Vec<SwitchId> {
                let is_bottom = |n: &SwitchId| bottom.binary_search(n).is_ok();
                self.links.neighbours(s).filter(is_bottom).collect()
            };
            let mut hang: Vec<Vec<SwitchId>> = ends.iter().map(hanging).collect();
            hang.retain(|leaves| !leaves.is_empty());
            hang.sort_by_key(|leaves| leaves.len());
            hang.dedup();
            hang.truncate(MAX_SHALLOW);
            let without = hang.into_iter().filter_map(|leaves| {
                let stays = |leaf: &SwitchId| leaves.binary_search(leaf).is_err();
                let rest: Vec<SwitchId> = bottom.iter().copied().filter(stays).collect();
                let rank = self.links.distances(rest.iter().copied());
                let level_then = self.level_links(&rank);
                (!rest.is_empty() && level_then.len() < level.len())
                    .then_some((leaves, rest, rank, level_then))
            });
            let better = without.min_by_key(|(.., level)| level.len());
            let Some((leaves, rest, new_rank, level_then)) = better else {
                break;
            };
            shallow.extend(leaves);
            (*bottom, *rank, level) = (rest, new_rank, level_then);
        }
        shallow
    }

    /// Links between switches further up that have equal rank.
    fn level_links(&self, rank: &BySwitch<u32>) -> Vec<(SwitchId, SwitchId)> {
        let mut found = Vec::new();
        for s in rank.keys() {
            if rank[s] == 0 || rank[s] == Links::FAR {
                continue;
            }
            let equal = self
                .links
                .neighbours(s)
                .filter(|&other| other > s && rank[other] == rank[s]);
            found.extend(equal.map(|other| (s, other)));
        }
        found
    }

    /// Ranks shallow leaves and tails one below their lowest neighbour, then shifts all ranks so that the lowest is 0.
    fn lower(
        &self,
        rank: BySwitch<u32>,
        bottom: &[SwitchId],
        shallow: &[SwitchId],
        tails: &[SwitchId],
    ) -> BySwitch<u32> {
        if shallow.is_empty() && tails.is_empty() {
            return rank;
        }
        let mut rank: BySwitch<i64> = rank.into_iter().map(i64::from).collect();
        let below = |rank: &BySwitch<i64>, s: SwitchId, but: &[SwitchId]| {
            let others = self
                .links
                .neighbours(s)
                .filter(|other| !but.contains(other));
            others
                .map(|other| rank[other])
                .min()
                .map(|lowest| lowest - 1)
        };
        for &s in shallow {
            if let Some(lower) = below(&rank, s, shallow) {
                rank[s] = lower;
            }
        }
        // A tail of a tail is lower still: tails nearest to the bottom come first.
        let mut rest: Vec<SwitchId> = tails.to_vec();
        let from_bottom = self.links.distances(bottom.iter().copied());
        rest.sort_by_key(|&s| from_bottom[s]);
        for (i, &s) in rest.iter().enumerate() {
            if let Some(lower) = below(&rank, s, &rest[i..]) {
                rank[s] = lower;
            }
        }
        let lowest = rank.iter().copied().min().unwrap_or(0);
        rank.into_iter().map(|r| (r - lowest) as u32).collect()
    }
}
