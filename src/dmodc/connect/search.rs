//! The ways to one switch, for those that have no up-down path to it.
//!
//! What has an up-down path has its entries. Where such a switch goes up from, one above it may come
//! down and turn: that one is a *gate*, and has a way. Whoever has an up-down path to a gate goes
//! there, until it meets one that has a way already and hands over to it: so no way loops. A switch
//! that is turned at and has found a way like that, going up, may have gates in turn.

use super::bits::Set;
use super::toward::Toward;
use super::turns::Turns;
use crate::dmodc::paths::{HOPS, INFINITE, Paths, UP};
use crate::dmodc::routes::{GroupSet, SwitchView};

/// The step of a switch on its way to the one that is to be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The switch.
    pub at: u32,
    /// The one that it hands over to.
    pub next: u32,
    /// Hops to the one that is to be reached.
    pub hops: u16,
}

const NONE: u32 = u32::MAX;

/// The ways to one switch.
pub struct Search<'s> {
    paths: &'s Paths,
    column: usize,
    /// Per switch: its place among the steps, or [`NONE`].
    place: Vec<u32>,
    steps: Vec<Step>,
    gates: Vec<Step>,
    toward: Toward<'s>,
    /// Memory for a way.
    way: Vec<u32>,
    /// Per column: hops from the nearest of those in need.
    near: Vec<u8>,
    /// Neighbours looked at, over all searches: a measure of the work.
    pub work: u64,
}

impl<'s> Search<'s> {
    /// Memory for searches.
    pub fn new(paths: &'s Paths) -> Self {
        let switches = paths.costs.switches();
        Search {
            paths,
            column: 0,
            place: vec![NONE; switches],
            steps: Vec::new(),
            gates: Vec::new(),
            toward: Toward::new(paths),
            way: Vec::new(),
            near: vec![INFINITE; switches],
            work: 0,
        }
    }

    /// Begins anew, for the switch `to`, with what was found for it before.
    pub fn begin(&mut self, to: u32, known: &[Step]) {
        for step in self.steps.drain(..) {
            self.place[step.at as usize] = NONE;
        }
        self.column = self.paths.costs.column(to);
        known.iter().for_each(|&step| self.put(step));
        let is_gate = |step: &Step| {
            let is_below = self.position(step.next, step.at).is_some();
            is_below && self.goes_up(step.next).is_some()
        };
        self.gates = known.iter().copied().filter(is_gate).collect();
    }

    /// The steps found.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The steps that some switches take, and those that they hand over to.
    pub fn taken_by(&self, switches: impl Iterator<Item = u32>) -> Vec<Step> {
        let mut taken = vec![false; self.steps.len()];
        for mut s in switches {
            while let place = self.place[s as usize]
                && place != NONE
                && !std::mem::replace(&mut taken[place as usize], true)
            {
                s = self.steps[place as usize].next;
            }
        }
        let steps = self.steps.iter().zip(taken);
        steps
            .filter_map(|(&step, taken)| taken.then_some(step))
            .collect()
    }

    /// Finds ways for those in need over the turns that are taken and, as long as any has none, over
    /// more of them at some switches. Leaves in `need` those that still have none.
    pub fn run(&mut self, turns: &mut Turns, hubs: &[u32], need: &mut Vec<u32>) {
        self.use_turns(turns, need);
        if hubs.is_empty() || need.is_empty() {
            return;
        }
        self.find_near(need);
        for &hub in hubs {
            if self.take_turns(turns, hub, need) {
                self.use_turns(turns, need);
                if need.is_empty() {
                    return;
                }
                self.find_near(need);
            }
        }
    }

    /// Leaves in `need` those that have no way.
    pub fn leave_unreached(&self, need: &mut Vec<u32>) {
        need.retain(|&s| !self.is_reached(s));
    }

    /// Finds ways over the turns that are taken.
    fn use_turns(&mut self, turns: &Turns, need: &mut Vec<u32>) {
        if turns.hubs().is_empty() {
            return;
        }
        loop {
            let before = self.steps.len();
            for &hub in turns.hubs() {
                self.open_gates(turns, hub);
            }
            need.retain(|&s| !self.walk(turns, s));
            if need.is_empty() {
                return;
            }
            // A switch that is turned at and finds a way may open further gates.
            for &hub in turns.hubs() {
                self.walk(turns, hub);
            }
            if self.steps.len() == before {
                return;
            }
        }
    }

    /// Takes turns at a switch where they help somebody, the nearest first. Whether any was taken.
    fn take_turns(&mut self, turns: &mut Turns, hub: u32, need: &mut Vec<u32>) -> bool {
        self.walk(turns, hub);
        let Some((set, hops)) = self.goes_up(hub) else {
            return false;
        };
        let paths = self.paths;
        let up = paths.groups.up(hub);
        self.work += up.len() as u64;
        let near = |g: usize| self.near[paths.costs.column(up[g].remote)];
        let mut gates: Vec<(u8, usize)> = (0..up.len()).map(|i| (near(i), i)).collect();
        gates.sort_unstable();
        let mut last = None;
        for (near, i) in gates {
            // A gate in need wants no other; the rest may choose among all.
            if near == INFINITE || (need.is_empty() && last == Some(0)) {
                break;
            }
            let above = up[i].remote;
            if !self.is_reached(above) && turns.take(paths, hub, i, &set) {
                self.open_gate(above, hub, hops);
                need.retain(|&s| !self.walk(turns, s));
                last = Some(near);
            }
        }
        last.is_some()
    }

    /// Finds how near anyone in need is to each switch.
    fn find_near(&mut self, need: &[u32]) {
        self.near.fill(INFINITE);
        for &s in need {
            for (near, &byte) in self.near.iter_mut().zip(self.paths.costs.row(s)) {
                let hops = if byte == INFINITE {
                    INFINITE
                } else {
                    byte & HOPS
                };
                *near = (*near).min(hops);
            }
        }
        self.work += (need.len() * self.near.len() / 64) as u64;
    }

    /// Opens the gates at a switch, over the turns that are taken.
    fn open_gates(&mut self, turns: &Turns, hub: u32) {
        let Some((set, hops)) = self.goes_up(hub) else {
            return;
        };
        let up = self.paths.groups.up(hub);
        self.work += up.len() as u64;
        for (i, group) in up.iter().enumerate() {
            if turns.has(hub, i, &set) && !self.is_reached(group.remote) {
                self.open_gate(group.remote, hub, hops);
            }
        }
    }

    fn open_gate(&mut self, at: u32, hub: u32, hops: u16) {
        let gate = Step {
            at,
            next: hub,
            hops: hops + 1,
        };
        self.put(gate);
        self.gates.push(gate);
    }

    /// Finds a way for a switch, by a gate that is near. Whether it has one now.
    fn walk(&mut self, turns: &Turns, from: u32) -> bool {
        if self.is_reached(from) {
            return true;
        }
        self.work += 1 + self.gates.len() as u64 / 4;
        let Some((_, nearest)) = self.gates_from(from).min_by_key(|&(hops, _)| hops) else {
            return false;
        };
        if self.walk_to(turns, from, nearest) {
            return true;
        }
        let mut gates: Vec<(u16, u32)> = self.gates_from(from).collect();
        gates.sort_by_key(|&(hops, _)| hops);
        let mut others = gates.into_iter().skip(1);
        others.any(|(_, gate)| self.walk_to(turns, from, gate))
    }

    /// The gates that a switch has an up-down path to, and the hops by them. They begin with another for
    /// another switch to be reached, so that ways spread over equally near ones.
    fn gates_from(&self, from: u32) -> impl Iterator<Item = (u16, u32)> + '_ {
        let (first, rest) = self.gates.split_at(self.column % self.gates.len().max(1));
        let row = self.paths.costs.row(from);
        let gates = rest.iter().chain(first);
        gates.filter_map(|gate| match row[self.paths.costs.column(gate.at)] {
            INFINITE => None,
            byte => Some((gate.hops + u16::from(byte & HOPS), gate.at)),
        })
    }

    /// Goes towards a gate until some switch has a way.
    fn walk_to(&mut self, turns: &Turns, from: u32, gate: u32) -> bool {
        let mut way = std::mem::take(&mut self.way);
        way.clear();
        way.push(from);
        let mut at = from;
        while !self.is_reached(at) {
            self.work += 1;
            let mut next = self.toward.next(at, gate);
            if !self.may_hand_over(turns, at, next) {
                let groups = self.toward.all(at, gate);
                self.work += groups.len() as u64;
                let mut others = groups.iter().map(|g| g.remote);
                let Some(other) = others.find(|&other| self.may_hand_over(turns, at, other)) else {
                    self.way = way;
                    return false;
                };
                next = other;
            }
            way.push(next);
            at = next;
        }
        let last = match self.step(at) {
            Some(step) => step.hops,
            None => u16::from(self.byte(at) & HOPS),
        };
        for (hops, pair) in (last + 1..).zip(way.windows(2).rev()) {
            let (at, next) = (pair[0], pair[1]);
            self.put(Step { at, next, hops });
        }
        self.way = way;
        true
    }

    /// Whether the way of a neighbour, if it has one, goes on from `at`: anywhere if it is above, else
    /// down, or by turns that are taken.
    fn may_hand_over(&self, turns: &Turns, at: u32, neighbour: u32) -> bool {
        if !self.is_reached(neighbour) {
            return true;
        }
        match (self.position(neighbour, at), self.goes_up(neighbour)) {
            (Some(from), Some((set, _))) => turns.has(neighbour, from, &set),
            _ => true,
        }
    }

    /// The switches above that a switch goes up to, and its hops. `None` if it goes down or has no way.
    fn goes_up(&self, s: u32) -> Option<(Set, u16)> {
        if let Some(step) = self.step(s) {
            return Some((Set::of(self.position(s, step.next)?), step.hops));
        }
        let byte = self.byte(s);
        if byte == INFINITE || byte & UP == 0 {
            return None;
        }
        let GroupSet { bits, .. } = SwitchView::new(self.paths, s).candidates(self.column);
        Some((Set(bits), u16::from(byte & HOPS)))
    }

    fn is_reached(&self, s: u32) -> bool {
        self.place[s as usize] != NONE || self.byte(s) != INFINITE
    }

    fn byte(&self, s: u32) -> u8 {
        self.paths.costs.row(s)[self.column]
    }

    fn step(&self, s: u32) -> Option<&Step> {
        self.steps.get(self.place[s as usize] as usize)
    }

    fn put(&mut self, step: Step) {
        self.place[step.at as usize] = self.steps.len() as u32;
        self.steps.push(step);
    }

    /// The position of a switch above another among the groups of that one that lead up.
    fn position(&self, switch: u32, above: u32) -> Option<usize> {
        let up = self.paths.groups.up(switch);
        up.binary_search_by_key(&above, |g| g.remote).ok()
    }
}
