//! The detours, and who is left out.

use super::hubs::{hubs, turn_by_planes, turn_in_cone, widest};
use super::need::{KINDS, Need, Needs};
use super::search::{Search, Target};
use super::turns::Turns;
use crate::dmodc::paths::{HOPS, INFINITE, Paths};
use crate::dmodc::targets::Destinations;
use crate::fabric::{EndPairs, Fabric, Lid};
use std::collections::{BTreeMap, BTreeSet};

/// So many neighbours are looked at, at most: some 0.2 s.
const WORK: u64 = 8_000_000;
/// So many, once all pairs of hosts are connected, for what else is left out.
const OTHERS: u64 = 200_000;
/// So many switches to turn at are tried in a row without a gain.
const TRIES: usize = 8;
/// So many targets side by side go by the same of equally near detours, where all LIDs of a switch have the same.
const ALIKE: usize = 8;

/// What is asked of the routes.
pub struct Entries<'e> {
    /// What is behind each switch.
    pub destinations: &'e Destinations,
    /// The entries of a switch for all that it reaches going up, by position.
    pub row: &'e dyn Fn(u32) -> Vec<u8>,
}

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

/// The detours.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// What they lead to, as a switch and those of its LIDs that have the same detours: those of one switch side by
    /// side, the one with its own LID last.
    pub targets: Vec<(u32, Vec<Lid>)>,
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

    /// All pairs of switch and LID that have one.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, Lid)> {
        let switches = (0..).zip(&self.of_switch);
        let steps = switches.flat_map(|(at, steps)| steps.iter().map(move |step| (at, step.0)));
        steps.flat_map(|(at, target)| {
            let lids = self.targets[target as usize].1.iter();
            lids.map(move |&lid| (at, lid))
        })
    }

    /// The target that a switch's own LID is in.
    pub fn target(&self, to: u32) -> Option<u32> {
        let last = self.targets.iter().rposition(|target| target.0 == to)?;
        Some(last as u32)
    }
}

impl Connections {
    /// Finds detours, if pairs are to be connected: between entries by the first paths. Which turns close a circle is
    /// by the second, over all links. Turns are added to those taken before, and who is left out is left out of all.
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

    /// Turns for multicast: those taken or, if there are none, all in the cone of the leaf that reaches most
    /// others.
    pub fn more_turns(&self, paths: &Paths) -> Turns {
        self.turns.clone().unwrap_or_else(|| {
            let mut turns = Turns::new(paths.costs.switches());
            if let Some(hub) = widest(paths) {
                turn_in_cone(paths, &mut turns, hub, |_| false);
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

/// Detours to some LIDs of a switch, as (switch, next switch).
type Detours = (Vec<Lid>, Vec<(u32, u32)>);

/// LIDs of a switch to which the same turns lead into up-down paths, as (from, at), ascending.
type Class = (Vec<(u32, u32)>, Vec<Lid>);

/// The detours over some turns.
struct Attempt<'a> {
    /// Per need: for all LIDs, those together that have the same detours; the last LID among the last.
    found: Vec<Vec<Detours>>,
    /// Per need: who is left out.
    left: Vec<Need>,
    turns: Turns,
    cut_short: bool,
    /// The work up to the last try that began with pairs of hosts left out.
    for_hosts: u64,
    paths: &'a Paths,
    /// The paths over all links, drained ones too: turns are checked against them.
    all: &'a Paths,
    needs: &'a [Need],
    entries: &'a Entries<'a>,
    /// Per switch that is turned at: to which switch above it goes on, by position.
    rows: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Attempt<'a> {
    /// Turns plane by plane if hosts are in need, and then at one switch after the other while anybody is left out.
    /// Then another switch comes first, and the attempt counts that leaves out fewest of the greatest need.
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

    /// Serves everyone over the turns that are taken and then, while somebody is left out and that helps anybody, over
    /// those in one more cone.
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

    /// Whether anybody is left out, and it is worth more work. Notes the work while these are pairs of hosts.
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

    /// Serves those left out over the turns that are taken. Whether that helped anybody.
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

    /// Serves all in need of a detour to one switch. Returns the columns of those left out, of one class of LIDs or
    /// all: nobody goes on over them.
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

    /// The LIDs of a switch by the turns that lead into up-down paths to them. Empty slots count as well: what becomes
    /// of the others does not depend on who is there.
    fn classes(&mut self, to: u32) -> Vec<Class> {
        let costs = &self.paths.costs;
        let row = costs.row(to);
        let is_reached = |s: u32| row[costs.column(s)] != INFINITE;
        // Turns into whatever entry, and those into some.
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
        // Backward, so that the last class has the last LID. An absent node without a slot goes with others, if any
        // go on as it does.
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

    /// How many are left out, by kind.
    fn counts(&self) -> [usize; KINDS] {
        let mut counts = [0; KINDS];
        for &(_, kind) in self.left.iter().flat_map(|need| &need.from) {
            counts[usize::from(kind)] += 1;
        }
        counts
    }
}

/// For each entry of a switch the switch above that it leads to; no switch where it goes elsewhere.
fn onward(paths: &Paths, switch: u32, row: &[u8]) -> Vec<u32> {
    let mut of_port = [u32::MAX; 256];
    for group in paths.groups.up(switch) {
        for &port in paths.groups.ports(group) {
            of_port[usize::from(port)] = group.remote;
        }
    }
    row.iter().map(|&port| of_port[usize::from(port)]).collect()
}
