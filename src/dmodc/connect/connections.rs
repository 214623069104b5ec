//! The detours, and the pairs of switches without a route.

use super::hubs::{hubs, turn_by_planes, turn_in_cone, widest_hub};
use super::need::{KINDS, Need, Needs};
use super::search::{Search, Target};
use super::turns::Turns;
use crate::dmodc::paths::{HOPS, INFINITE, Paths};
use crate::dmodc::targets::Destinations;
use crate::fabric::{EndPairs, Fabric, Lid};
use std::collections::{BTreeMap, BTreeSet};

/// The most neighbours that the searches of one layer visit: some 0.2 s.
const WORK: u64 = 8_000_000;
/// The most neighbours that they visit for other pairs, once all pairs of hosts are connected.
const OTHERS: u64 = 200_000;
/// The most hubs tried in a row without a gain; and attempts, each with another first hub.
const TRIES: usize = 8;
/// This many neighbouring targets use the same of equally near detours, if all LIDs at a switch have the same detours.
const ALIKE: usize = 8;

/// The routes that the search for detours reads.
pub struct Entries<'e> {
    /// The LIDs and positions behind each switch.
    pub destinations: &'e Destinations,
    /// Computes the entries of a switch for all destinations that it reaches going up, by position.
    pub row: &'e dyn Fn(u32) -> Vec<u8>,
}

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

/// Detours to some LIDs of a switch, as (switch, next switch).
type Detours = (Vec<Lid>, Vec<(u32, u32)>);

/// LIDs at a switch to which the same turns lead into up-down paths; these turns as (from, at), ascending.
type Class = (Vec<(u32, u32)>, Vec<Lid>);

/// One attempt: the turns that it takes, and the detours over them.
struct Attempt<'a> {
    /// Per need: all LIDs, grouped by equal detours; the switch's own LID in the last group.
    found: Vec<Vec<Detours>>,
    /// Per need: the switches that are left out.
    left: Vec<Need>,
    turns: Turns,
    cut_short: bool,
    /// The work so far, when pairs of hosts were last left out.
    for_hosts: u64,
    paths: &'a Paths,
    /// The paths over all links, drained ones too, for the check of turns.
    all: &'a Paths,
    needs: &'a [Need],
    entries: &'a Entries<'a>,
    /// Per switch where packets turn: the switch above to which its entry leads, by position.
    rows: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Attempt<'a> {
    /// The best of several attempts. The first turns plane by plane if hosts are in need, then at one hub after the
    /// other while pairs are left out. The others begin with another hub. The best leaves out the fewest pairs of the
    /// greatest need.
    fn best(
        [paths, all]: [&'a Paths; 2],
        needs: &'a [Need],
        entries: &'a Entries<'a>,
        before: Turns,
    ) -> Self {
        let mut search = Search::new(paths);
        let mut by_planes = before.clone();
        let firsts = match turn_by_planes(all, needs, &mut by_planes) {
            true => vec![by_planes, before],
            false => vec![before],
        };
        let begin = |search: &mut Search, turns: &Turns, skip: usize| {
            let mut attempt = Attempt {
                found: vec![Vec::new(); needs.len()],
                left: needs.to_vec(),
                turns: turns.clone(),
                cut_short: false,
                for_hosts: 0,
                paths,
                all,
                needs,
                entries,
                rows: BTreeMap::new(),
            };
            attempt.run(search, skip);
            attempt
        };
        let mut best = begin(&mut search, &firsts[0], 0);
        let starts = (firsts.iter()).flat_map(|turns| (0..TRIES).map(move |skip| (turns, skip)));
        for (turns, skip) in starts.skip(1) {
            if !best.goes_on(&search) {
                break;
            }
            let other = begin(&mut search, turns, skip);
            if other.counts() < best.counts() {
                best = other;
            }
        }
        best
    }

    /// Finds detours over the turns taken; then, while pairs are left out and that helps any, over one more cone.
    fn run(&mut self, search: &mut Search, skip: usize) {
        if !self.turns.hubs().is_empty() {
            self.serve(search);
        }
        let mut skip = skip;
        while self.goes_on(search) {
            let urgent = self.urgent();
            let hubs = hubs(self.all, &self.left);
            let helped = hubs.into_iter().skip(skip).take(TRIES).any(|hub| {
                let before = self.turns.clone();
                let urgent = |s: u32| urgent[s as usize];
                let helps = self.goes_on(search)
                    && turn_in_cone(self.all, &mut self.turns, hub, urgent)
                    && self.serve(search);
                if !helps {
                    self.turns = before;
                }
                helps
            });
            if !helped {
                break;
            }
            skip = 0;
        }
    }

    /// Whether pairs are left out and the work is below its limit. Notes the work while pairs of hosts are left out.
    fn goes_on(&mut self, search: &Search) -> bool {
        let most = match self.counts() {
            [0, 0, 0, 0, 0] => 0,
            [0, ..] => self.for_hosts + OTHERS,
            _ => {
                self.for_hosts = search.work;
                WORK
            }
        };
        search.work < most
    }

    /// The switches whose hosts have no detour to other hosts, or from them.
    fn urgent(&self) -> Vec<bool> {
        let costs = &self.paths.costs;
        let mut urgent = vec![false; costs.switches()];
        for need in &self.left {
            for (column, _) in need.from.iter().filter(|(_, kind)| *kind == 0) {
                urgent[costs.switch(*column as usize) as usize] = true;
                urgent[need.to as usize] = true;
            }
        }
        urgent
    }

    /// Searches detours for the pairs left out, over the turns taken. Returns whether any pair gains one.
    fn serve(&mut self, search: &mut Search) -> bool {
        search.forget();
        let mut helped = false;
        for (number, need) in self.needs.iter().enumerate() {
            if self.left[number].from.is_empty() {
                continue;
            }
            self.cut_short |= search.work > WORK;
            if self.cut_short {
                break;
            }
            let (found, missing) = self.serve_one(search, need);
            if missing.len() < self.left[number].from.len() {
                let is_missing = |from: &(u32, u8)| missing.binary_search(&from.0).is_ok();
                self.left[number].from = need.from.iter().copied().filter(is_missing).collect();
                self.found[number] = found;
                helped = true;
            }
        }
        helped
    }

    /// Searches detours to one switch for all switches in need. Returns them, and the columns of the switches that have
    /// none to some class of LIDs or to all: no detour leads over these.
    fn serve_one(&mut self, search: &mut Search, need: &Need) -> (Vec<Detours>, Vec<u32>) {
        let columns: Vec<u32> = need.from.iter().map(|&(column, _)| column).collect();
        let classes = self.classes(need.to);
        let mut blocked = Vec::new();
        loop {
            let mut missing: Vec<u32> = Vec::new();
            let mut found = Vec::new();
            for (number, (gates, lids)) in classes.iter().enumerate() {
                let target = Target {
                    to: need.to,
                    gates,
                    number: match classes.len() {
                        1 => search.before(need.to) / ALIKE,
                        _ => search.before(need.to) + number,
                    },
                    need: &columns,
                    blocked: &blocked,
                };
                let (steps, without) = search.run(&self.turns, &target);
                missing.extend(without);
                found.push((lids.clone(), steps));
            }
            missing.sort_unstable();
            missing.dedup();
            if missing == blocked || classes.len() == 1 {
                return (found, missing);
            }
            blocked = missing;
        }
    }

    /// The LIDs at a switch, in classes by the turns that lead into up-down paths to them. Empty slots count too, so
    /// the detours to the other LIDs do not depend on which hosts are present.
    fn classes(&mut self, to: u32) -> Vec<Class> {
        let costs = &self.paths.costs;
        let row = costs.row(to);
        let is_reached = |s: u32| row[costs.column(s)] != INFINITE;
        // Turns that lead into every entry, and turns that lead into some.
        let (mut always, mut some) = (Vec::new(), Vec::new());
        for &at in self.turns.hubs().iter().filter(|&&at| is_reached(at)) {
            let onward = self.all.groups.up(at).iter().map(|g| g.remote);
            let onward: Vec<u32> = onward.filter(|&to| is_reached(to)).collect();
            let has_all = self.turns.has_all(&self.all.groups, at);
            let above = self.paths.groups.up(at).iter().map(|g| g.remote);
            for from in above.filter(|&from| !is_reached(from)) {
                match has_all || onward.iter().all(|&to| self.turns.has(from, at, to)) {
                    true => always.push((from, at)),
                    false => some.push((from, at)),
                }
            }
        }
        for &(_, at) in &some {
            let row = || onward(self.all, at, &(self.entries.row)(at));
            self.rows.entry(at).or_insert_with(row);
        }
        let mut classes: Vec<Class> = Vec::new();
        // Backward, so that the last class has the last LID. An absent node without a slot joins a class with the same
        // turns, but makes none of its own.
        let entries = self.entries.destinations.entries_behind(costs.column(to));
        for (position, lid, stays) in entries.into_iter().rev() {
            let is_open =
                |&&(from, at): &&(u32, u32)| self.turns.has(from, at, self.rows[&at][position]);
            let gates: Vec<(u32, u32)> = some.iter().filter(is_open).copied().collect();
            match classes.iter_mut().find(|class| class.0 == gates) {
                Some(class) => class.1.extend(lid),
                None if stays => classes.push((gates, lid.into_iter().collect())),
                None => {}
            }
        }
        for (gates, _) in &mut classes {
            gates.extend(&always);
            gates.sort_unstable();
        }
        classes.reverse();
        classes
    }

    /// The number of pairs left out, by kind.
    fn counts(&self) -> [usize; KINDS] {
        let mut counts = [0; KINDS];
        for &(_, kind) in self.left.iter().flat_map(|need| &need.from) {
            counts[usize::from(kind)] += 1;
        }
        counts
    }
}

/// For each entry of a switch the switch above that it leads to; `u32::MAX` where it leads elsewhere.
fn onward(paths: &Paths, switch: u32, row: &[u8]) -> Vec<u32> {
    let mut of_port = [u32::MAX; 256];
    for group in paths.groups.up(switch) {
        for &port in paths.groups.ports(group) {
            of_port[usize::from(port)] = group.remote;
        }
    }
    row.iter().map(|&port| of_port[usize::from(port)]).collect()
}
