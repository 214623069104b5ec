//! The detours, and the pairs of switches without a route.

use super::attempt::{Attempt, Entries};
use super::hubs::{turn_in_cone, widest_hub};
use super::need::Needs;
use super::turns::Turns;
use crate::dmodc::paths::{HOPS, Paths};
use crate::fabric::{EndPairs, Fabric, Lid};
use std::collections::{BTreeMap, BTreeSet};

/// The pairs without an up-down path: how many have detours, which have none.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    /// Number of pairs of switch and LID that have a detour.
    pub turned: usize,
    /// Number of pairs of switch and LID that have none. Pairs without hosts count only if both switches have
    /// aggregation nodes, or with `connect_roots`.
    pub left_out: usize,
    /// The pairs of switches in `left_out`, as (from, to): the greatest need first, pairs that no links join last.
    pub left: Vec<(u32, u32)>,
    /// Whether the search ended at its limit of work: more pairs might have a detour.
    pub cut_short: bool,
    /// The turns taken.
    turns: Option<Turns>,
}

/// The detours to all targets, as steps from switch to switch.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Each target is a switch and LIDs at it that have the same detours. Targets at one switch stand side by side, the
    /// target with the switch's own LID last.
    pub targets: Vec<(u32, Vec<Lid>)>,
    /// Per switch: (number of the target, next switch), ascending. Empty if there are no detours.
    pub of_switch: Vec<Vec<(u32, u32)>>,
}

impl Steps {
    /// The next switch from switch `at` to a target.
    pub fn next(&self, at: u32, target: u32) -> Option<u32> {
        let steps = self.of_switch.get(at as usize)?;
        let step = steps.binary_search_by_key(&target, |step| step.0).ok()?;
        Some(steps[step].1)
    }

    /// All pairs of switch and LID that have a detour.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, Lid)> {
        let switches = (0..).zip(&self.of_switch);
        let steps = switches.flat_map(|(at, steps)| steps.iter().map(move |step| (at, step.0)));
        steps.flat_map(|(at, target)| {
            let lids = self.targets[target as usize].1.iter();
            lids.map(move |&lid| (at, lid))
        })
    }

    /// The target with the own LID of a switch.
    pub fn target(&self, to: u32) -> Option<u32> {
        let last = self.targets.iter().rposition(|target| target.0 == to)?;
        Some(last as u32)
    }
}

impl Connections {
    /// Finds detours for `needs` over the links of `paths`, if `connect` is set. The check of turns uses `all`, the
    /// paths over all links. Turns add to those of `before`; a pair is left out only if it is also left out there.
    pub fn find(
        needs: &Needs,
        [paths, all]: [&Paths; 2],
        connect: bool,
        entries: &Entries,
        before: Option<Self>,
    ) -> (Self, Steps) {
        let mut found = Connections::default();
        if let Some(before) = &before {
            found.cut_short = before.cut_short;
            found.turns.clone_from(&before.turns);
        }
        let mut steps = Steps::default();
        let mut left = needs.joined.clone();
        let there = |s| entries.destinations.present_behind(paths.costs.column(s));
        if connect && !needs.joined.is_empty() && go_both_ways(all) {
            let turns = found.turns.take();
            let turns = turns.unwrap_or_else(|| Turns::new(paths.costs.switches()));
            let attempt = Attempt::best([paths, all], &needs.joined, entries, turns);
            steps.of_switch = vec![Vec::new(); paths.costs.switches()];
            for (need, detours) in needs.joined.iter().zip(attempt.found) {
                let there: Vec<Lid> = there(need.to).collect();
                for (lids, detours) in detours.into_iter().filter(|(lids, _)| !lids.is_empty()) {
                    let target = steps.targets.len() as u32;
                    found.turned +=
                        detours.len() * lids.iter().filter(|lid| there.contains(lid)).count();
                    for (at, next) in detours {
                        steps.of_switch[at as usize].push((target, next));
                    }
                    steps.targets.push((need.to, lids));
                }
            }
            found.cut_short |= attempt.cut_short;
            found.turns = Some(attempt.turns);
            left = attempt.left;
        }
        let left = left.iter().flat_map(|need| {
            let from = need.from.iter();
            from.map(|&(column, kind)| (kind, paths.costs.switch(column as usize), need.to))
        });
        let mut left: Vec<(u8, u32, u32)> = left.collect();
        left.sort_by_key(|&(kind, ..)| kind);
        let left = left.into_iter().map(|(_, from, to)| (from, to));
        let left = left.chain(needs.apart.iter().copied());
        let was_left = before.map(|before| before.left.into_iter().collect::<BTreeSet<_>>());
        let is_left = |pair| was_left.as_ref().is_none_or(|left| left.contains(&pair));
        found.left = left
            .filter(|&pair| needs.has(pair) && is_left(pair))
            .collect();
        let mut lids: BTreeMap<u32, usize> = BTreeMap::new();
        let lids_of = |&(_, to): &(u32, u32)| *lids.entry(to).or_insert_with(|| there(to).count());
        found.left_out = found.left.iter().map(lids_of).sum();
        (found, steps)
    }

    /// Turns for multicast: the turns taken for detours; without any, all in the cone of the switch that reaches most
    /// leaves.
    pub fn more_turns(&self, paths: &Paths) -> Turns {
        self.turns.clone().unwrap_or_else(|| {
            let mut turns = Turns::new(paths.costs.switches());
            if let Some(hub) = widest_hub(paths) {
                turn_in_cone(paths, &mut turns, hub, |_| false);
            }
            turns
        })
    }

    /// The pairs of senders and receivers without a route.
    pub fn left_out_ends(&self, fabric: &Fabric) -> EndPairs {
        let mut pairs = EndPairs::default();
        for &(from, to) in &self.left {
            pairs.add_all(fabric, from, to);
        }
        pairs
    }
}

/// Whether each path has a path back: no up-down path is too long for a cost. A fabric of more layers than directed
/// routes have hops gets no detours.
fn go_both_ways(paths: &Paths) -> bool {
    let layers = paths.groups.layer_starts().len().saturating_sub(1);
    2 * layers.saturating_sub(1) < usize::from(HOPS)
}
