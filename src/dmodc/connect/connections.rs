//! The detours, and who is left out.

use super::attempt::{Attempt, Entries};
use super::hubs;
use super::need::Needs;
use super::turns::Turns;
use crate::dmodc::paths::{HOPS, INFINITE, Paths};
use crate::fabric::{EndPairs, Fabric, Lid};

/// What becomes of pairs without an up-down path.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    /// Pairs of switch and LID that have a detour.
    pub turned: usize,
    /// Pairs of switch and LID that have none. Switches without end nodes do not count among one
    /// another, unless `connect_roots` asks for them.
    pub left_out: usize,
    /// The pairs of switches that make up `left_out`, as (from, to), the greatest need first.
    pub left: Vec<(u32, u32)>,
    /// Whether the search was ended since it took long: more pairs might have a detour.
    pub cut_short: bool,
    /// The turns taken.
    turns: Option<Turns>,
}

/// What a detour leads to: LIDs of one switch.
#[derive(Clone, Debug)]
pub struct Target {
    /// The switch.
    pub to: u32,
    /// Its LIDs that have the same detours.
    pub lids: Vec<Lid>,
}

/// The detours.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// What they lead to: those of one switch side by side, the one with its own LID last.
    pub targets: Vec<Target>,
    /// Per switch: (number of the target, next switch), ascending. Empty if there are no detours.
    pub of_switch: Vec<Vec<(u32, u32)>>,
}

impl Steps {
    /// The next switch from one to a target.
    pub fn next(&self, at: u32, target: u32) -> Option<u32> {
        let steps = self.of_switch.get(at as usize)?;
        let step = steps.binary_search_by_key(&target, |step| step.0).ok()?;
        Some(steps[step].1)
    }

    /// The target that a switch's own LID is in.
    pub fn target(&self, to: u32) -> Option<u32> {
        let is_of = |target: &Target| target.to == to;
        let last = self.targets.iter().rposition(is_of)?;
        Some(last as u32)
    }
}

impl Connections {
    /// Finds detours, if pairs are to be connected: over links that are not drained, between entries by the first
    /// paths. Needs, and which turns close a circle, are by the second, over all links.
    pub fn find(
        needs: &Needs,
        [paths, all]: [&Paths; 2],
        connect: bool,
        entries: &Entries,
    ) -> (Self, Steps) {
        let mut found = Connections::default();
        let mut steps = Steps::default();
        let left;
        if connect && !needs.joined.is_empty() && go_both_ways(all) {
            let attempt = Attempt::best([paths, all], &needs.joined, entries);
            steps.of_switch = vec![Vec::new(); paths.costs.switches()];
            for (need, found_for) in needs.joined.iter().zip(attempt.found) {
                let absent = (entries.absent)(need.to);
                for (lids, detours) in found_for {
                    let target = steps.targets.len() as u32;
                    let there = lids.iter().filter(|lid| !absent.contains(lid));
                    found.turned += detours.len() * there.count();
                    for (at, next) in detours {
                        steps.of_switch[at as usize].push((target, next));
                    }
                    steps.targets.push(Target { to: need.to, lids });
                }
            }
            found.cut_short = attempt.cut_short;
            found.turns = Some(attempt.turns);
            left = attempt.left;
        } else {
            left = needs.joined.clone();
        }
        let left = left.iter().flat_map(|need| {
            let from = need.from.iter();
            from.map(|&(column, kind)| (kind, paths.costs.switch(column as usize), need.to))
        });
        let mut left: Vec<(u8, u32, u32)> = left.collect();
        left.sort_by_key(|&(kind, ..)| kind);
        let left = left.into_iter().map(|(_, from, to)| (from, to));
        let left = left.chain(needs.apart.iter().copied());
        // What drained links join has a route over them in the end.
        let by_drained =
            |(from, to)| !std::ptr::eq(paths, all) && all.costs.hops(from, to).is_some();
        found.left = left
            .filter(|&pair| needs.has(pair) && !by_drained(pair))
            .collect();
        found.left_out = found
            .left
            .iter()
            .map(|&(_, to)| (entries.lids)(to).len())
            .sum();
        (found, steps)
    }

    /// Turns for multicast: those taken or, if there are none, all in the cone of the leaf that reaches most
    /// others.
    pub fn more_turns(&self, paths: &Paths) -> Turns {
        let costs = &paths.costs;
        self.turns.clone().unwrap_or_else(|| {
            let unreached = |s: u32| {
                let to_leaves = costs.row(s)[..costs.leaves()].iter();
                to_leaves.filter(|&&byte| byte == INFINITE).count()
            };
            let mut turns = Turns::new(costs.switches());
            let switches = costs.columns().iter().copied();
            let below_two = switches.filter(|&s| paths.groups.up(s).len() > 1);
            if let Some(hub) = below_two.min_by_key(|&s| unreached(s)) {
                hubs::turn_in_cone(paths, &mut turns, hub, |_| false);
            }
            turns
        })
    }

    /// Who is left out.
    pub fn left_out_ends(&self, fabric: &Fabric) -> EndPairs {
        let mut pairs = EndPairs::default();
        for &(from, to) in &self.left {
            pairs.add_all(fabric, from, to);
        }
        pairs
    }
}

/// Whether who has a path has one back: no up-down path is too long for a cost. There are no detours in a
/// fabric of more layers than directed routes have hops.
fn go_both_ways(paths: &Paths) -> bool {
    let layers = paths.groups.layer_starts().len().saturating_sub(1);
    2 * layers.saturating_sub(1) < usize::from(HOPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dmodc::threads::ALONE;
    use crate::dmodc::tree::{Groups, Ranking};
    use crate::dmodc::{Engine, Options};
    use crate::fabric::{Builder, EndNode, Guid, NodeKind, Peer};
    use crate::lft::Tables;
    use std::collections::BTreeSet;

    /// Hosts on leaves, in pods of one leaf, below planes of one switch: who is below which. The planes are the
    /// switches from 10 on; a switch that is expected but not there has nothing.
    fn pods(planes_of_leaf: &[&[u32]]) -> Fabric {
        let mut b = Builder::default();
        for s in 0..16u32 {
            let planes = planes_of_leaf.get(s as usize);
            let used = |planes: &&[u32]| planes.iter().any(|plane| 10 + plane == s);
            let is_there =
                planes_of_leaf.iter().any(used) || planes.is_some_and(|planes| !planes.is_empty());
            let lid = if is_there { s as u16 + 1 } else { 0 };
            b.switch(Guid(u64::from(s) + 1), Lid(lid), 0, 24);
        }
        for (leaf, planes) in (0..).zip(planes_of_leaf) {
            for &plane in *planes {
                b.link((leaf, 1 + plane as u8), (10 + plane, 1 + leaf as u8));
            }
            for host in (0..6).filter(|_| !planes.is_empty()) {
                b.end_node(EndNode {
                    guid: Guid(u64::from(0x100 * (leaf + 1) + host)),
                    lid: Lid((100 + 6 * leaf + host) as u16),
                    lmc: 0,
                    kind: NodeKind::Ca,
                    switch: leaf,
                    port: 10 + host as u8,
                });
            }
        }
        b.finish().0
    }

    fn options() -> Options {
        Options {
            root_guids: (11..=16).map(Guid).collect(),
            ..Options::default()
        }
    }

    #[test]
    fn pods_without_a_common_plane_turn_at_several_leaves() {
        let all: &[u32] = &[0, 1, 2, 3, 4, 5];
        let fabric = pods(&[&[0, 1, 2], &[3, 4, 5], all, all, all, all, all, all]);
        let engine = Engine::new(1).expect("a thread");
        let plan = engine.plan(&fabric, &options()).expect("a tree");
        let found = plan.connections();
        assert_eq!((found.left_out, found.cut_short), (0, false));
        let turns = found.turns.as_ref().expect("turns");
        let leaves: Vec<u32> = turns.hubs().filter(|&s| s < 10).collect();
        assert_eq!(leaves.len(), 6, "one for each plane: {leaves:?}");
        let mut tables = Tables::for_fabric(&fabric);
        let rows = &mut tables.rows_mut();
        engine.fill(&fabric, &plan, rows).expect("tables fit");
        // The leaf at which what goes from a leaf to a host on another turns.
        let turned_at = |(from, to, host): (u32, u32, u16)| {
            let next = |at: u32| match fabric.peer(at, tables.get(at, Lid(host))) {
                Peer::Switch { index, .. } => index,
                _ => panic!("{host} is lost at {at}"),
            };
            let turn = next(next(from));
            assert_eq!(next(next(turn)), to);
            turn
        };
        let there = (106..112).map(|host| (0, 1, host));
        let back = (100..106).map(|host| (1, 0, host));
        let used: BTreeSet<u32> = there.chain(back).map(turned_at).collect();
        assert!(used.len() >= 3, "three planes each: {used:?}");
        let report = crate::analysis::check(&fabric, &tables, |a, b| plan.ranking().is_up(a, b));
        assert!(
            report.passed() && report.credit_loops.count == 0,
            "{report:#?}"
        );
    }

    #[test]
    fn a_leaf_that_is_only_expected_needs_nothing() {
        let fabric = pods(&[&[0, 1], &[0, 1], &[]]);
        let options = Options {
            reference: Some(std::sync::Arc::new(pods(&[&[0, 1], &[0, 1], &[0, 1]]))),
            ..options()
        };
        let engine = Engine::new(1).expect("a thread");
        let plan = engine.plan(&fabric, &options).expect("a tree");
        assert_eq!(plan.connections().left, []);
        let ranking = Ranking::new(&fabric, &options);
        let groups = Groups::of(&fabric, &ranking);
        let paths = Paths::new(groups, &ranking, Vec::new(), ALONE);
        let needs = Needs::new(&fabric, &ranking, &paths, None, true);
        assert!(!needs.joined.iter().any(|need| need.to == 2));
        let is_of = |&(from, to): &(u32, u32)| from == 2 || to == 2;
        assert!(!needs.apart.iter().any(is_of), "{:?}", needs.apart);
    }
}
