//! The detours, and the pairs of switches without a route.

use super::attempt::Attempt;
use super::hubs::{turn_in_cone, widest_hub, widest_top};
use super::need::{Ends, Needs};
use super::search::Chosen;
use super::turns::Turns;
use crate::ids::{BySwitch, SwitchId, TargetId};
use crate::paths::{HOPS, Paths};
use dmodc_fabric::{EndPairs, Fabric, Lid};
use std::sync::Arc;
use typed_index_collections::TiVec;

/// The pairs without an up-down path: how many have detours, which have none.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    /// Number of pairs of switch and LID that have a detour.
    pub turned: usize,
    /// Number of pairs of switch and LID that have none. Pairs without hosts count only if both switches have
    /// aggregation nodes, or with `connect_roots`.
    pub left_out: usize,
    /// The pairs of switches in `left_out` that links join, as (from, to): the greatest need first.
    pub left: Vec<(SwitchId, SwitchId)>,
    /// The same pairs, and those that have a detour over another set of links alone.
    pub(crate) left_over_all: Vec<(SwitchId, SwitchId)>,
    /// Whether the search ended at its limit of work: more pairs might have a detour.
    pub cut_short: bool,
    /// If pairs of hosts that links join are left out: a switch that connects all pairs if it is above all others.
    pub top: Option<SwitchId>,
    /// The turns taken.
    turns: Option<Turns>,
    /// Has the pairs that no links join.
    ends: Option<Arc<Ends>>,
}

/// The detours over one set of links.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// What the detours lead to: shares with the same detours are one target. Of a switch, the share with the own LID is
    /// in the last target.
    pub targets: TiVec<TargetId, Vec<Share>>,
    /// Per switch without a path: (target, next switch), ascending. Empty if there are no detours.
    pub of_switch: BySwitch<Vec<(TargetId, SwitchId)>>,
    /// Per switch where packets turn into paths that only some turns allow: (target, next switch), ascending. The next switch is one of the nearest; entries that lead to another must move to it.
    pub pinned: BySwitch<Vec<(TargetId, SwitchId)>>,
}

/// The LIDs at a switch that use the same detours: those whose numbers are `rest` modulo `count`.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The switch.
    pub to: SwitchId,
    rest: usize,
    count: usize,
}

/// The present LIDs at a switch, its own last, each with a number that no other LID changes: such as its NID.
pub type Lids<'l> = &'l dyn Fn(SwitchId) -> Vec<(Lid, usize)>;

impl Steps {
    /// The next switch from switch `at` to a target.
    pub fn next(&self, at: SwitchId, target: TargetId) -> Option<SwitchId> {
        let steps = self.of_switch.get(at)?;
        let step = steps.binary_search_by_key(&target, |step| step.0).ok()?;
        Some(steps[step].1)
    }

    /// The steps, as (to, at, next).
    pub fn all(&self) -> impl Iterator<Item = (SwitchId, SwitchId, SwitchId)> {
        self.of_switch
            .iter_enumerated()
            .flat_map(move |(at, steps)| {
                steps.iter().flat_map(move |&(target, next)| {
                    let shares = self.targets[target].iter();
                    shares.map(move |share| (share.to, at, next))
                })
            })
    }

    /// By target: the LIDs of its shares.
    pub fn lids(&self, lids: Lids) -> TiVec<TargetId, Vec<Lid>> {
        let of_share = |share: &Share| {
            let all = lids(share.to).into_iter();
            let (rest, count) = (share.rest, share.count);
            let of_share = all.filter(move |(_, number)| number % count == rest);
            of_share.map(|(lid, _)| lid)
        };
        let of_target = |shares: &Vec<Share>| shares.iter().flat_map(of_share).collect();
        self.targets.iter().map(of_target).collect()
    }

    /// Adds detours, by share. Returns their targets.
    fn add(&mut self, shares: &[Chosen]) -> Vec<TargetId> {
        let add = |detours: &Chosen| {
            let target = self.targets.push_and_get_key(Vec::new());
            for &(at, next) in &detours.steps {
                self.of_switch[at].push((target, next));
            }
            for &(at, next) in &detours.pins {
                self.pinned[at].push((target, next));
            }
            target
        };
        shares.iter().map(add).collect()
    }

    /// The target with the own LID of a switch.
    pub fn target(&self, to: SwitchId) -> Option<TargetId> {
        let is_of_it = |shares: &Vec<Share>| shares.iter().any(|share| share.to == to);
        let target = self.targets.raw.iter().rposition(is_of_it)?;
        Some(TargetId::from(target))
    }
}

/// The number of pairs of switch and LID that have a detour over any of these sets of links.
pub fn turned(sets: &[Steps], lids: Lids) -> usize {
    let switches = sets.iter().map(|steps| steps.of_switch.len()).max();
    let switches = || (0..switches.unwrap_or(0)).map(SwitchId::from);
    let sets: Vec<_> = sets.iter().map(|steps| (steps, steps.lids(lids))).collect();
    let lids_of = |at: SwitchId| {
        sets.iter().flat_map(move |(steps, lids)| {
            let own = steps.of_switch.get(at).into_iter().flatten();
            own.map(move |step| &lids[step.0])
        })
    };
    // Over one set of links each pair is there once.
    if sets.len() == 1 {
        return switches().flat_map(lids_of).map(Vec::len).sum();
    }
    // By LID: the last switch that has a detour to it.
    let mut last = vec![None; usize::from(u16::MAX) + 1];
    let all = switches().flat_map(|at| lids_of(at).flatten().map(move |lid| (at, lid)));
    all.filter(|&(at, lid)| last[lid.index()].replace(at) != Some(at))
        .count()
}

/// What detours may do.
#[derive(Clone, Copy)]
pub struct MayConnect {
    /// Turn, without which there are none.
    pub turn: bool,
    /// Pin entries of up-down paths.
    pub pin: bool,
}

impl Connections {
    /// Finds detours for `needs` over the links of `paths`. The check of turns uses `all`, the
    /// paths over all links. Turns add to those of `before`; a pair is left out only if it is also left out there.
    pub fn find(
        ends: &Ends,
        needs: &Needs,
        [paths, all]: [&Paths; 2],
        may: MayConnect,
        lids: Lids,
        before: Option<Self>,
    ) -> (Self, Steps) {
        let mut found = Connections::default();
        if let Some(before) = &before {
            found.cut_short = before.cut_short;
            found.turns.clone_from(&before.turns);
        }
        let mut steps = Steps::default();
        let mut left = needs.joined.clone();
        if may.turn && !needs.joined.is_empty() && go_both_ways(all) {
            let turns = found
                .turns
                .take()
                .unwrap_or_else(|| Turns::new(&all.groups));
            let attempt = Attempt::best([paths, all], &needs.joined, turns, may.pin);
            steps.of_switch = vec![Vec::new(); paths.costs.width()].into();
            steps.pinned = steps.of_switch.clone();
            let mut targets: Vec<Option<Vec<TargetId>>> = vec![None; attempt.detours.len()];
            for (need, found) in needs.joined.iter().zip(attempt.found) {
                let Some(found) = found else { continue };
                let shares = &attempt.detours[found];
                let targets = targets[found].get_or_insert_with(|| steps.add(shares));
                let (to, count) = (need.to, shares.len());
                // The share with the own LID comes last.
                let own = (count > 1).then(|| lids(to).last().copied()).flatten();
                let first = own.map_or(0, |(_, number)| number + 1);
                for (share, &target) in targets.iter().enumerate() {
                    let rest = (first + share) % count;
                    steps.targets[target].push(Share { to, rest, count });
                }
            }
            found.cut_short |= attempt.cut_short;
            found.turns = Some(attempt.turns);
            left = attempt.left;
        }
        let left = left.iter().flat_map(|need| {
            let from = need.from.iter();
            from.map(|&(column, kind)| (kind, paths.costs.switch(column), need.to))
        });
        let was_left = before.map(|before| before.is_left(paths.costs.width()));
        let is_left = |pair| was_left.as_ref().is_none_or(|was_left| was_left(pair));
        let mut left: Vec<(u8, SwitchId, SwitchId)> = left.collect();
        left.sort_by_key(|&(kind, ..)| kind);
        let joined = left.into_iter().map(|(_, from, to)| (from, to));
        let left = joined.chain(needs.by_others.iter().copied());
        found.left_over_all = left.filter(|&pair| ends.counts(pair)).collect();
        found.left.clone_from(&found.left_over_all);
        found.left.retain(|&pair| is_left(pair));
        (found, steps)
    }

    /// See [`Connections::top`].
    pub fn find_top(&self, ends: &Ends) -> Option<SwitchId> {
        let of_hosts = |&&(from, to): &&(SwitchId, SwitchId)| ends.kind(from, to) == Some(0);
        let of_hosts = self.left.iter().find(of_hosts);
        let of_hosts = of_hosts.filter(|_| go_both_ways(&ends.widest));
        of_hosts.and_then(|&(_, to)| widest_top(&ends.widest, to))
    }

    /// Sets which pairs no links join, and counts the pairs left out.
    pub fn close(&mut self, ends: Arc<Ends>, lids: Lids) {
        self.top = self.find_top(&ends);
        let mut known: BySwitch<Option<usize>> = vec![None; ends.nodes.len()].into();
        let mut lids = |to: SwitchId| *known[to].get_or_insert_with(|| lids(to).len());
        let joined = self.left.iter().map(|&(_, to)| lids(to));
        self.left_out = joined.sum();
        let apart = ends.apart().map(|(to, from)| (to, from.count()));
        let apart = apart.filter(|&(_, from)| from > 0);
        self.left_out += apart.map(|(to, from)| lids(to) * from).sum::<usize>();
        self.ends = Some(ends);
    }

    /// Leaves out those of `all` pairs that lead to some switches, ascending, too.
    pub fn leave_out(&mut self, all: &[(SwitchId, SwitchId)], to: &[SwitchId], lids: Lids) {
        let Some(ends) = self.ends.clone() else {
            return;
        };
        let is_left = self.is_left(ends.nodes.len());
        let more = all.iter().copied();
        let more = more.filter(|pair| to.binary_search(&pair.1).is_ok() && !is_left(*pair));
        self.left.extend(more);
        self.close(ends, lids);
    }

    /// The pairs of switches in `left_out`, as (from, to), those that no links join last.
    pub fn all_left(&self) -> impl Iterator<Item = (SwitchId, SwitchId)> + '_ {
        let apart = self.ends.iter().flat_map(|ends| ends.apart());
        let apart = apart.flat_map(|(to, from)| from.map(move |from| (from, to)));
        self.left.iter().copied().chain(apart)
    }

    /// Whether a pair is one of `left`, by a table of bits: with two parts of 2,700 switches a search of the list takes
    /// minutes, a set of pairs 11 s.
    pub fn is_left(&self, switches: usize) -> impl Fn((SwitchId, SwitchId)) -> bool + use<> {
        let place = move |(from, to): (SwitchId, SwitchId)| {
            let at = usize::from(from) * switches + usize::from(to);
            (at / 64, 1 << (at % 64))
        };
        let mut bits = vec![0u64; (switches * switches).div_ceil(64)];
        for &pair in &self.left {
            let (word, bit) = place(pair);
            bits[word] |= bit;
        }
        move |pair| {
            let (word, bit) = place(pair);
            bits[word] & bit != 0
        }
    }

    /// Turns for multicast: the turns taken for detours; without any, all in the cone of the switch that reaches most
    /// leaves.
    pub fn more_turns(&self, paths: &Paths) -> Turns {
        self.turns.clone().unwrap_or_else(|| {
            let mut turns = Turns::new(&paths.groups);
            if let Some(hub) = widest_hub(paths) {
                let links = [&paths.groups; 2];
                let turns = &mut turns;
                turn_in_cone(links, turns, hub, |_| false, |_, _| true, |_| true, &mut 0);
            }
            turns
        })
    }

    /// The pairs of senders and receivers without a route.
    pub fn left_out_ends(&self, fabric: &Fabric) -> EndPairs {
        let mut pairs = EndPairs::default();
        for (from, to) in self.all_left() {
            pairs.add_all(fabric, from, to);
        }
        pairs
    }
}

/// Whether each path has a path back: no up-down path is too long for a cost. A fabric of more layers than directed
/// routes have hops gets no detours: their search relies on it that no switch above one without a path has a path.
fn go_both_ways(paths: &Paths) -> bool {
    let layers = paths.groups.layer_starts().len().saturating_sub(1);
    2 * layers.saturating_sub(1) < usize::from(HOPS)
}
