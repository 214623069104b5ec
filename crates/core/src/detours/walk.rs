//! A walk between two switches over any turns: it shows which turns one pair still needs. Whether they close a cycle is not
//! asked here. That would spare 4 of 116,146 small fabrics the switch above all others that 175 need.

use super::turns::Turn;
use crate::ids::SwitchId;
use crate::paths::Paths;
use std::collections::{BTreeMap, VecDeque};

/// A channel, as (from, to).
type Channel = (SwitchId, SwitchId);

/// The turns on a shortest walk from one switch into the up-down paths to another; `None` if none serves. Adds the
/// number of links looked at to `work`.
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
