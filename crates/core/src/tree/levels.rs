//! Ranks by distance from the leaves, and the number of hosts of each switch.
//!
//! Tails and shallow leaves (module `rank`) do not count there, and get the rank below their lowest neighbour.

use super::links::Links;
use super::partition::components;
use crate::ids::{BySwitch, SwitchId};
use dmodc_fabric::Fabric;
use std::collections::BTreeSet;

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

/// At most this many times the search takes shallow leaves out, and it tries at most this many sets each time.
const MAX_SHALLOW: usize = 64;

/// Ranks by distance from the leaves.
pub(super) fn by_leaves(links: &Links, leaf: &BySwitch<bool>) -> BySwitch<u32> {
    let leaves: Vec<SwitchId> = leaf.keys().filter(|&s| leaf[s]).collect();
    // A tail has neighbours, and all of them are leaves.
    let is_tail = |&&s: &&SwitchId| {
        let mut near = links.neighbours(s);
        near.len() > 0 && near.all(|other| leaf[other])
    };
    let (mut tails, mut bottom): (Vec<SwitchId>, Vec<SwitchId>) = leaves.iter().partition(is_tail);
    if !tails.is_empty() {
        // In a part where each leaf has only leaves as neighbours no leaf is a tail.
        let part = components(leaf.len(), |s| links.neighbours(s));
        let with_bottom: BTreeSet<SwitchId> = bottom.iter().map(|&s| part[s]).collect();
        let is_below = |s: &SwitchId| with_bottom.contains(&part[*s]);
        let (below, others): (Vec<_>, Vec<_>) = tails.into_iter().partition(is_below);
        tails = below;
        bottom.extend(others);
        bottom.sort_unstable();
    }
    let mut rank = links.distances(bottom.iter().copied());
    let shallow = find_shallow(links, &mut bottom, &mut rank);
    links.extend_to_the_rest(&mut rank);
    lower(links, rank, &bottom, &shallow, &tails)
}

/// Takes out of `bottom` the leaves that make neighbours further up equal in rank: all leaves below one switch at
/// once, first the leaves without which the fewest links join equal ranks; of several sets the smallest.
fn find_shallow(
    links: &Links,
    bottom: &mut Vec<SwitchId>,
    rank: &mut BySwitch<u32>,
) -> Vec<SwitchId> {
    let mut shallow = Vec::new();
    let mut level = level_links(links, rank);
    for _ in 0..MAX_SHALLOW {
        let mut ends: Vec<SwitchId> = level.iter().flat_map(|&(a, b)| [a, b]).collect();
        ends.sort_unstable();
        ends.dedup();
        let hanging = |&s: &SwitchId| -> Vec<SwitchId> {
            let is_bottom = |n: &SwitchId| bottom.binary_search(n).is_ok();
            links.neighbours(s).filter(is_bottom).collect()
        };
        let mut hang: Vec<Vec<SwitchId>> = ends.iter().map(hanging).collect();
        hang.retain(|leaves| !leaves.is_empty());
        hang.sort_by_key(|leaves| leaves.len());
        hang.dedup();
        hang.truncate(MAX_SHALLOW);
        let without = hang.into_iter().filter_map(|leaves| {
            let stays = |leaf: &SwitchId| leaves.binary_search(leaf).is_err();
            let rest: Vec<SwitchId> = bottom.iter().copied().filter(stays).collect();
            let rank = links.distances(rest.iter().copied());
            let level_then = level_links(links, &rank);
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
fn level_links(links: &Links, rank: &BySwitch<u32>) -> Vec<(SwitchId, SwitchId)> {
    let further = rank
        .keys()
        .filter(|&s| rank[s] != 0 && rank[s] != Links::FAR);
    let pairs = further.flat_map(|s| links.neighbours(s).map(move |other| (s, other)));
    pairs
        .filter(|&(s, other)| other > s && rank[other] == rank[s])
        .collect()
}

/// Ranks shallow leaves and tails one below their lowest neighbour, then shifts all ranks so that the lowest is 0.
fn lower(
    links: &Links,
    rank: BySwitch<u32>,
    bottom: &[SwitchId],
    shallow: &[SwitchId],
    tails: &[SwitchId],
) -> BySwitch<u32> {
    if shallow.is_empty() && tails.is_empty() {
        return rank;
    }
    let mut rank: BySwitch<i64> = rank.into_iter().map(i64::from).collect();
    let mut lower = |s: SwitchId, but: &[SwitchId]| {
        let others = links.neighbours(s).filter(|other| !but.contains(other));
        if let Some(lowest) = others.map(|other| rank[other]).min() {
            rank[s] = lowest - 1;
        }
    };
    for &s in shallow {
        lower(s, shallow);
    }
    // A tail of a tail is lower still: tails nearest to the bottom come first.
    let mut rest: Vec<SwitchId> = tails.to_vec();
    let from_bottom = links.distances(bottom.iter().copied());
    rest.sort_by_key(|&s| from_bottom[s]);
    for (i, &s) in rest.iter().enumerate() {
        lower(s, &rest[i..]);
    }
    let lowest = rank.iter().copied().min().unwrap_or(0);
    rank.into_iter().map(|r| (r - lowest) as u32).collect()
}
