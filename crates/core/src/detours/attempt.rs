//! Attempts: each takes turns and searches detours over them, until no pair is left out or further turns help none.

use super::hubs::{hubs, turn_by_planes, turn_in_cone, turns_between};
use super::need::{KINDS, Need};
use super::search::{Chosen, Class, Gate, Search};
use super::turns::Turns;
use crate::ids::{BySwitch, SwitchId};
use crate::paths::{HOPS, INFINITE, Paths};
use crate::tree::Groups;
use std::collections::BTreeMap;

/// The most neighbours that the searches of one set of links visit before they try further turns: some 0.2 s.
const WORK: u64 = 8_000_000;
/// The most that they visit for other pairs, once all pairs of hosts are connected.
const OTHERS: u64 = 200_000;
/// The most hubs tried in a row without a gain.
const TRIES: usize = 8;
/// This many neighbouring switches use the same of equally near detours.
const ALIKE: usize = 4;
/// The LIDs at a switch use this many of equally near detours.
const SHARES: usize = 4;

/// One attempt: the turns that it takes, and the detours over them.
pub struct Attempt<'a> {
    /// Per need: the number of its detours.
    pub found: Vec<Option<usize>>,
    /// Detours, by share of the LIDs; some are of many needs, some of none.
    pub detours: Vec<Vec<Chosen>>,
    /// Per need: the switches that are left out.
    pub left: Vec<Need>,
    /// The turns taken.
    pub turns: Turns,
    /// Whether the search ended at its limit of work.
    pub cut_short: bool,
    /// Entries may be pinned for needs below this kind.
    pins: u8,
    /// Whether they may at any switch for pairs without hosts, too, not at leaves alone.
    anywhere: bool,
    /// Whether turns were left aside for that.
    refused: bool,
    /// The work so far, when pairs of hosts were last left out.
    for_hosts: u64,
    paths: &'a Paths,
    /// The paths over all links, drained ones too, for the check of turns.
    all: &'a Paths,
    needs: &'a [Need],
}

impl<'a> Attempt<'a> {
    /// Takes turns plane by plane if hosts are in need, then at one hub after the other while pairs are left out. If
    /// pairs of hosts are left out then, starts again with the turns that these pairs need, one by one. No entry is pinned
    /// unless `may_pin` is set.
    pub fn best(
        [paths, all]: [&'a Paths; 2],
        needs: &'a [Need],
        before: Turns,
        may_pin: bool,
    ) -> Self {
        // Entries are pinned only where nothing else serves a pair: pins move entries of others, and above the leaves
        // those of many hosts.
        let rounds: &[(u8, bool)] = match may_pin {
            true => &[
                (0, false),
                (1, false),
                (KINDS as u8, false),
                (KINDS as u8, true),
            ],
            false => &[(0, false)],
        };
        let (pins, anywhere) = rounds[rounds.len() - 1];
        let begin = |turns: Turns| Attempt {
            found: vec![None; needs.len()],
            detours: Vec::new(),
            left: needs.to_vec(),
            turns,
            cut_short: false,
            pins,
            anywhere,
            refused: false,
            for_hosts: 0,
            paths,
            all,
            needs,
        };
        let mut search = Search::new(paths);
        let mut best = begin(before.clone());
        turn_by_planes(paths, &all.groups, needs, &mut best.turns, &mut search.work);
        for &(pins, anywhere) in rounds {
            (best.pins, best.anywhere, best.refused) = (pins, anywhere, false);
            best.serve(&mut search);
            best.turn_at_hubs(&mut search);
            if !best.refused {
                break;
            }
        }
        if best.counts()[0] > 0 && best.goes_on(&search) {
            let mut other = begin(before);
            other.serve(&mut search);
            other.turn_for_pairs(&mut search);
            other.turn_at_hubs(&mut search);
            if other.counts() < best.counts() {
                best = other;
            }
        }
        best.cut_short = !best.goes_on(&search) && best.counts() != [0; KINDS];
        best
    }

    /// While pairs are left out and that helps any, takes turns in one more cone.
    fn turn_at_hubs(&mut self, search: &mut Search) {
        let mut helps = true;
        while helps && self.goes_on(search) {
            let urgent = self.urgent();
            let links = self.links();
            let hubs = hubs(self.paths, &self.left).into_iter().take(TRIES);
            helps = hubs.into_iter().any(|hub| {
                if !self.goes_on(search) {
                    return false;
                }
                let before = self.turns.clone();
                let urgent = |s: SwitchId| urgent[s];
                let (turns, work) = (&mut self.turns, &mut search.work);
                let takes = turn_in_cone(links, turns, hub, urgent, |_, _| true, |_| true, work);
                let helps = takes && self.serve(search);
                if !helps {
                    self.turns = before;
                }
                helps
            });
        }
    }

    /// Takes the turns that pairs of hosts need that are left out, one pair after the other.
    fn turn_for_pairs(&mut self, search: &mut Search) {
        for number in 0..self.needs.len() {
            let to = self.needs[number].to;
            let mut tried = None;
            while let Some(&(column, _)) = (self.left[number].from.iter())
                .filter(|&&(column, kind)| kind == 0 && tried < Some(column))
                .min()
            {
                if !self.goes_on(search) {
                    return;
                }
                let from = self.paths.costs.switch(column);
                tried = Some(column);
                if let Some(way) = turns_between(self.paths, (from, to), &mut search.work) {
                    for (from, at, to) in way {
                        let wanted = |a, c| (a, c) == (from, to);
                        let links = self.links();
                        self.turns
                            .take(links, at, |_| false, wanted, &mut search.work);
                    }
                    self.serve(search);
                }
            }
        }
    }

    /// The links that detours use, and all links, for the check of turns.
    fn links(&self) -> [&'a Groups; 2] {
        [&self.paths.groups, &self.all.groups]
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
    fn urgent(&self) -> BySwitch<bool> {
        let costs = &self.paths.costs;
        let mut urgent: BySwitch<bool> = vec![false; costs.width()].into();
        for need in &self.left {
            for (column, _) in need.from.iter().filter(|(_, kind)| *kind == 0) {
                urgent[costs.switch(*column)] = true;
                urgent[need.to] = true;
            }
        }
        urgent
    }

    /// Searches detours for the pairs left out, over the turns taken. Returns whether any pair gains one.
    fn serve(&mut self, search: &mut Search) -> bool {
        let mut helped = false;
        let needs = self.needs;
        for (class, mut numbers) in self.classes(search) {
            // Few lists of switches in need differ; each is followed once. With the rounds without pins left out this
            // saves a quarter of the plan of 27,648 nodes with faults.
            numbers.sort_by(|&a, &b| needs[a].from.cmp(&needs[b].from));
            let alike = numbers.chunk_by(|&a, &b| needs[a].from == needs[b].from);
            let to = numbers.iter().map(|&number| needs[number].to);
            let from = alike.clone().map(|alike| &*needs[alike[0]].from);
            let found = search.run(&self.turns, &class, to, from);
            for (alike, found) in alike.zip(found) {
                for &number in alike {
                    let left = &mut self.left[number].from;
                    if found.missing.len() < left.len() {
                        let from = needs[number].from.iter().copied();
                        let is_missing = |(c, _): &_| found.missing.binary_search(c).is_ok();
                        *left = from.filter(is_missing).collect();
                        self.found[number] = Some(self.detours.len());
                        helped = true;
                    }
                }
                self.detours.push(found.shares);
            }
        }
        helped
    }

    /// The needs with pairs left out that taken turns may serve, by class.
    fn classes(&mut self, search: &Search) -> BTreeMap<Class, Vec<usize>> {
        let mut classes: BTreeMap<Class, Vec<usize>> = BTreeMap::new();
        if self.turns.hubs().is_empty() {
            return classes;
        }
        let mut hubs = self.turns.hubs().to_vec();
        hubs.sort_unstable();
        let has_all = |&at: &SwitchId| (at, self.turns.has_all(&self.all.groups, at));
        let hubs: Vec<(SwitchId, bool)> = hubs.iter().map(has_all).collect();
        for (number, need) in self.needs.iter().enumerate() {
            let mut left = self.left[number].from.iter();
            if left.len() == 0 {
                continue;
            }
            let pins = left.any(|&(_, kind)| kind < self.pins);
            // Only hosts send enough to share out; pins move entries of hosts.
            let of_hosts = need.from.iter().any(|&(_, kind)| kind == 0);
            let is_leaf = |at| self.paths.costs.is_leaf(at);
            let may_pin = |at| pins && (of_hosts || self.anywhere || is_leaf(at));
            let mut gates = self.gates(&hubs, need.to);
            for gate in &mut gates {
                if !may_pin(gate.at) {
                    self.refused |= !gate.pinned.is_empty();
                    (gate.pinned, gate.by) = (Vec::new(), Vec::new());
                }
                if gate.from.is_empty() && gate.pinned.is_empty() {
                    gate.hops = 0;
                }
            }
            let (spread, shares) = match of_hosts || gates.iter().any(|gate| !gate.by.is_empty()) {
                true => (search.before(need.to) / ALIKE, SHARES),
                false => (0, 1),
            };
            let class = Class {
                gates,
                number: spread,
                shares,
            };
            classes.entry(class).or_default().push(number);
        }
        classes
    }

    /// The hubs with up-down paths to a switch, ascending. Where a turn is taken to some switches above that have a path,
    /// but not to all, packets go on by one of the nearest into which the most switches turn.
    fn gates(&self, hubs: &[(SwitchId, bool)], to: SwitchId) -> Vec<Gate> {
        // Not the row of the switch itself: over links that skip levels, the way back can be longer.
        let byte = |s: SwitchId| self.paths.costs.byte(s, to);
        let is_reached = |s: &SwitchId| byte(*s) != INFINITE;
        let gate = |&(at, has_all): &(SwitchId, bool)| {
            let above = || self.paths.groups.up(at).iter().map(|g| g.remote);
            // Entries lead to the nearest alone.
            let is_nearest = |next: &SwitchId| (byte(*next) & HOPS) + 1 == byte(at) & HOPS;
            let nearest: Vec<SwitchId> = match has_all {
                true => Vec::new(),
                false => above().filter(is_nearest).collect(),
            };
            let turns_to = |from: SwitchId, to: &SwitchId| self.turns.has(from, at, *to);
            let is_open = |from: &SwitchId| nearest.iter().all(|to| turns_to(*from, to));
            // The switch itself is no such switch, but makes no difference: no detour leads to it. So it is of one class
            // with others of its plane.
            let from = above().filter(|from| !is_reached(from) || *from == to);
            let (from, others): (Vec<SwitchId>, Vec<SwitchId>) = from.partition(is_open);
            let into = |to: &SwitchId| -> Vec<SwitchId> {
                let others = others.iter().copied();
                others.filter(|&from| turns_to(from, to)).collect()
            };
            let pinned = nearest.iter().map(into);
            let pinned = pinned.max_by_key(Vec::len).unwrap_or_default();
            let by = nearest.iter().filter(|_| !pinned.is_empty()).copied();
            let by = by.filter(|to| pinned.iter().all(|&from| turns_to(from, to)));
            Gate {
                at,
                hops: u16::from(byte(at) & HOPS),
                by: by.collect(),
                from,
                pinned,
            }
        };
        let reached = hubs.iter().filter(|(at, _)| is_reached(at));
        reached.map(gate).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::route;
    use crate::threads::ALONE;
    use crate::tree::Ranking;
    use crate::{Options, Plan, Rule};
    use dmodc_fabric::SwitchId;
    use fabrics::Net;

    /// The plan of a fabric with two hosts on each of these switches.
    fn plan(links: &[(u32, u32)], with_hosts: &[u32]) -> Plan {
        let hosts: Vec<u32> = with_hosts.iter().flat_map(|&s| [s, s]).collect();
        route(&Net::new(links, &hosts).build(), &Options::default(), 1).0
    }

    /// With a limit on the search, 800 switches left out 418,154 pairs.
    #[test]
    fn no_pair_is_left_out_in_a_tree_of_switches() {
        let count = if cfg!(miri) { 15 } else { 60 };
        for arity in 1..4 {
            let links: Vec<(u32, u32)> = (1..count).map(|s| ((s - 1) / arity, s)).collect();
            let all: Vec<u32> = (0..count).collect();
            let plan = plan(&links, &all);
            assert_eq!(plan.connections().left, []);
            assert!(arity == 1 || plan.connections().turned > 0);
        }
    }

    /// All turns at a hub exclude one that these hosts need: two pairs were left out.
    #[test]
    fn pairs_of_hosts_get_their_own_turns() {
        let links = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 4), (2, 3), (3, 5)];
        let with_hosts = [0, 1, 2, 5];
        let plan = plan(&links, &with_hosts);
        let is_left =
            |&(a, b): &(SwitchId, SwitchId)| with_hosts.contains(&a.0) && with_hosts.contains(&b.0);
        assert!(!plan.connections().left.iter().any(is_left));
        assert_ne!(plan.ranking().rule(), Rule::Roots);
    }

    /// Leaf 0 has planes 1, 2 and 3 above it, leaf 4 has 2 and 3. Packets from 1 turn at 0, but only to 2: without the
    /// pin, those LIDs at 4 that 0 sends to 3 would have no detour from there.
    #[test]
    fn entries_are_pinned_where_only_some_turns_are_taken() {
        let links = [
            (0, 1),
            (0, 2),
            (0, 3),
            (4, 2),
            (4, 3),
            (5, 1),
            (6, 1),
            (6, 2),
        ];
        let fabric = Net::new(&links, &[0, 0, 4, 4, 5, 5, 6, 6]).build();
        let ranking = Ranking::new(&fabric, &Options::default());
        let paths = Paths::new(Groups::of_fabric(&fabric, &ranking), &ranking, ALONE);
        let mut turns = Turns::new(&paths.groups);
        let wanted = |from, to| (from, to) == (SwitchId(1), SwitchId(2));
        turns.take([&paths.groups; 2], SwitchId(0), |_| false, wanted, &mut 0);
        let attempt = Attempt {
            found: Vec::new(),
            detours: Vec::new(),
            left: Vec::new(),
            turns,
            cut_short: false,
            pins: 1,
            anywhere: false,
            refused: false,
            for_hosts: 0,
            paths: &paths,
            all: &paths,
            needs: &[],
        };
        let pinned = Gate {
            at: SwitchId(0),
            hops: 2,
            from: vec![],
            pinned: vec![SwitchId(1)],
            by: vec![SwitchId(2)],
        };
        assert_eq!(
            attempt.gates(&[(SwitchId(0), false)], SwitchId(4)),
            [pinned]
        );
    }
}
