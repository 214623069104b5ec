//! Where to turn: each plane at a leaf of its own, then all pairs in need at one hub after the other; and on a walk of
//! its own for one pair.

use super::need::Need;
use super::turns::{Turn, Turns};
use crate::ids::{BySwitch, Column, SwitchId};
use crate::paths::{HOPS, INFINITE, Paths};
use crate::tree::{Groups, components};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use typed_index_collections::TiVec;

/// The most pairs of each kind of need by which hubs are compared.
const SAMPLE: usize = 255;

/// Takes the turns at a switch that `turn` selects and that close no cycle, and all such turns at the `wanted` switches
/// above it, its *cone*; turns to `urgent` switches come before others. Returns whether any turn is new, and adds the
/// neighbours visited to `work`. `links` as in [`Turns::take`].
pub fn turn_in_cone(
    links: [&Groups; 2],
    turns: &mut Turns,
    hub: SwitchId,
    urgent: impl Fn(SwitchId) -> bool,
    turn: impl Fn(SwitchId, SwitchId) -> bool,
    wanted: impl Fn(SwitchId) -> bool,
    work: &mut u64,
) -> bool {
    let [groups, _] = links;
    let mut is_new = turns.take(links, hub, &urgent, turn, work);
    let mut cone = vec![hub];
    let mut next = 0;
    while let Some(&s) = cone.get(next) {
        next += 1;
        for above in groups.up(s).iter().map(|g| g.remote) {
            let below_two = groups.up(above).len() > 1;
            if below_two && wanted(above) && !cone.contains(&above) {
                cone.push(above);
                is_new |= turns.take(links, above, &urgent, |_, _| true, work);
            }
        }
    }
    is_new
}

/// Lets each two planes turn into each other at the leaf of the lower one. The planes that the fewest pairs
/// must enter by turns come first. None turns if no hosts are in need, or there is but one plane.
pub fn turn_by_planes(
    paths: &Paths,
    all: &Groups,
    needs: &[Need],
    turns: &mut Turns,
    work: &mut u64,
) {
    let (costs, groups) = (&paths.costs, &paths.groups);
    let is_leaf = |s| costs.is_leaf(s);
    // A plane has the number of its first switch.
    let plane = components(costs.width(), |s| {
        groups
            .neighbours(s)
            .filter(move |&other| !is_leaf(s) && !is_leaf(other))
    });
    // By switch, if it is a leaf: the planes above it.
    let planes_above = |leaf: SwitchId| {
        let above = groups.up(leaf).iter().filter(|_| is_leaf(leaf));
        let mut planes: Vec<SwitchId> = above.map(|g| plane[g.remote]).collect();
        planes.sort_unstable();
        planes.dedup();
        planes
    };
    let above: BySwitch<Vec<SwitchId>> = groups.switches().map(planes_above).collect();
    let mut entered: BySwitch<f64> = vec![0.0; costs.width()].into();
    for need in needs {
        let planes = &above[need.to];
        let from = need.from.iter().filter(|&&(_, kind)| kind == 0).count();
        for &plane in planes {
            entered[plane] += from as f64 / planes.len() as f64;
        }
    }
    let mut planes: Vec<SwitchId> = above.iter().flatten().copied().collect();
    planes.sort_unstable();
    planes.dedup();
    if planes.len() < 2 || entered.iter().all(|&entered| entered == 0.0) {
        return;
    }
    planes.sort_by(|&a, &b| entered[a].total_cmp(&entered[b]));
    let rank_of = |s: SwitchId| planes.iter().position(|&p| p == plane[s]);
    let mut owned: BySwitch<bool> = vec![false; costs.width()].into();
    for (at, own) in planes.iter().enumerate() {
        let leaves = costs.columns()[..costs.leaves()].iter();
        let owns = leaves.filter(|&&leaf| above[leaf].contains(own));
        let owner = owns.min_by_key(|&&leaf| {
            let row = &costs.row(leaf)[..costs.leaves()];
            let unreached = row.iter().filter(|&&byte| byte == INFINITE).count();
            (Reverse(above[leaf].len()), unreached, owned[leaf])
        });
        let Some(&owner) = owner else { continue };
        owned[owner] = true;
        let turn = |from, to| {
            let [from, to] = [rank_of(from), rank_of(to)];
            from != to && from.min(to) == Some(at)
        };
        let is_own = |s| rank_of(s) == Some(at);
        let links = [groups, all];
        turn_in_cone(links, turns, owner, |_| false, turn, is_own, work);
    }
}

/// All switches with two or more switches above, the best first. The best has up-down paths to both ends of
/// the most pairs in need: pairs of the greatest need decide, then the other pairs, then the fewest hops to
/// pairs of hosts. Hops to other pairs do not count: for their traffic it is better to keep the same hub
/// whatever link is gone.
pub fn hubs(paths: &Paths, needs: &[Need]) -> Vec<SwitchId> {
    let costs = &paths.costs;
    let pairs = needs.iter().flat_map(|need| {
        let from = need.from.iter();
        from.map(|&(column, kind)| (kind, column, need.to))
    });
    let mut pairs: Vec<(u8, Column, SwitchId)> = pairs.collect();
    pairs.sort_by_key(|&(kind, ..)| kind);
    let mut score: TiVec<Column, [u32; 3]> = vec![[0; 3]; costs.width()].into();
    for (nth, alike) in pairs.chunk_by(|a, b| a.0 == b.0).enumerate() {
        for &(kind, from, to) in alike.iter().step_by(alike.len().div_ceil(SAMPLE)) {
            let from = costs.row(costs.switch(from));
            for ((score, &a), &b) in score.iter_mut().zip(from).zip(costs.row(to)) {
                score[nth.min(1)] += u32::from(a == INFINITE || b == INFINITE);
                let hops = u32::from(a & HOPS) + u32::from(b & HOPS);
                score[2] += if kind == 0 { hops } else { 0 };
            }
        }
    }
    let is_below_two = |&s: &SwitchId| paths.groups.up(s).len() > 1;
    let mut hubs: Vec<SwitchId> = paths.groups.switches().filter(is_below_two).collect();
    hubs.sort_by_key(|&s| score[costs.column(s)]);
    hubs
}

/// The switch that reaches most leaves, of those with two or more switches above; leaves come first.
pub fn widest_hub(paths: &Paths) -> Option<SwitchId> {
    let costs = &paths.costs;
    let unreached = |s: SwitchId| {
        let to_leaves = costs.row(s)[..costs.leaves()].iter();
        to_leaves.filter(|&&byte| byte == INFINITE).count()
    };
    let below_two = costs.columns().iter().copied();
    let below_two = below_two.filter(|&s| paths.groups.up(s).len() > 1);
    below_two.min_by_key(|&s| unreached(s))
}

/// The switch with the most switches below it, of those that links join to a switch.
pub fn widest_top(paths: &Paths, joined_to: SwitchId) -> Option<SwitchId> {
    let part = components(paths.costs.width(), |s| paths.groups.neighbours(s));
    let joined = part.keys().filter(|&s| part[s] == part[joined_to]);
    // Of equals the first.
    joined
        .rev()
        .max_by_key(|&s| paths.costs.columns_below(s).len())
}

/// A channel, as (from, to).
type Channel = (SwitchId, SwitchId);

/// The turns on a shortest walk from one switch into the up-down paths to another; `None` if none serves. They show which
/// turns one pair still needs. Whether they close a cycle is not asked here: that would spare 4 of 116,146 small fabrics
/// the switch above all others that 175 need. Adds the number of links looked at to `work`.
pub fn turns_between(
    paths: &Paths,
    (from, to): (SwitchId, SwitchId),
    work: &mut u64,
) -> Option<Vec<Turn>> {
    let Paths { costs, groups, .. } = paths;
    let is_turn = |(before, s, next): Turn| {
        let up = groups.up(s);
        [before, next]
            .iter()
            .all(|&n| up.iter().any(|g| g.remote == n))
    };
    let first = groups.neighbours(from).map(|next| (from, next));
    let mut open: VecDeque<Channel> = first.collect();
    let mut came: BTreeMap<Channel, Option<Channel>> = BTreeMap::new();
    came.extend(open.iter().map(|&channel| (channel, None)));
    while let Some(channel) = open.pop_front() {
        let (before, s) = channel;
        // Where a path begins, packets go on by its first link.
        let hops = costs.hops(s, to);
        let goes_on =
            |next: SwitchId| hops.is_none() || hops == costs.hops(next, to).map(|h| h + 1);
        for next in groups
            .neighbours(s)
            .filter(|&next| next != before && goes_on(next))
        {
            *work += 1;
            let mut way = Some(channel);
            if hops.is_some() {
                let mut found = vec![(before, s, next)];
                while let Some((at, to)) = way {
                    way = came[&(at, to)];
                    found.extend(way.map(|(from, _)| (from, at, to)));
                }
                found.retain(|&turn| is_turn(turn));
                return Some(found);
            }
            came.entry((s, next)).or_insert_with(|| {
                open.push_back((s, next));
                way
            });
        }
    }
    None
}
