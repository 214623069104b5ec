//! Attempts: each takes turns and searches detours over them, until no pair is left out or further turns help none.

use super::hubs::{hubs, turn_by_planes, turn_in_cone};
use super::need::{KINDS, Need};
use super::search::{Search, Target};
use super::turns::Turns;
use crate::dmodc::paths::{INFINITE, Paths};
use crate::dmodc::targets::Destinations;
use crate::fabric::Lid;
use std::collections::BTreeMap;

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

/// Detours to some LIDs of a switch, as (switch, next switch).
pub type Detours = (Vec<Lid>, Vec<(u32, u32)>);

/// LIDs at a switch to which the same turns lead into up-down paths; these turns as (from, at), ascending.
type Class = (Vec<(u32, u32)>, Vec<Lid>);

/// One attempt: the turns that it takes, and the detours over them.
pub struct Attempt<'a> {
    /// Per need: all LIDs, grouped by equal detours; the switch's own LID in the last group.
    pub found: Vec<Vec<Detours>>,
    /// Per need: the switches that are left out.
    pub left: Vec<Need>,
    /// The turns taken.
    pub turns: Turns,
    /// Whether the search ended at its limit of work.
    pub cut_short: bool,
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
    pub fn best(
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
