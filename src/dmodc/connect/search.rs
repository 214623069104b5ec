//! The ways to one switch, for those that have no up-down path to it.
//!
//! What has an up-down path has its entries. Where such a switch goes up from, one above it may come
//! down and turn: that one is a *gate*, and has a way. Whoever has an up-down path to a gate goes
//! there, until it meets one that has a way already and hands over to it: so no way loops. A switch
//! that is turned at and has found a way like that, going up, may have gates in turn.
//!
//! Switches side by side in the order of columns mostly have the same in need and the same gates. They
//! then get the same ways, found once.

use super::bits::Set;
use super::toward::Toward;
use super::turns::Turns;
use crate::dmodc::paths::{HOPS, INFINITE, Paths, UP};
use crate::dmodc::routes::{GroupSet, SwitchView};
use std::cell::Cell;

/// The step of a switch on its way to the one that is to be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The switch.
    pub at: u32,
    /// The one that it hands over to.
    pub next: u32,
    /// Hops to the one that is to be reached.
    pub hops: u16,
    /// Whether it goes up.
    up: bool,
    /// Whether it is a gate: the next one turns.
    gate: bool,
}

const NONE: u32 = u32::MAX;
/// So many neighbouring columns have the same ways where nothing tells them apart; the next ones have
/// others, so that ways spread over equally near gates.
const ALIKE: usize = 8;

/// What was found for a switch, where one look at the gates was enough.
#[derive(Default)]
struct Found<'s> {
    row: &'s [u8],
    /// The first of the columns that it may be shared with.
    turn: usize,
    need: Vec<u32>,
    /// The steps, and how many of them there were at first: gates.
    steps: Vec<Step>,
    before: usize,
}

/// The ways to one switch.
pub struct Search<'s> {
    paths: &'s Paths,
    /// The column of the switch to be reached, and its row: who has no path from it has none to it.
    column: usize,
    row: &'s [u8],
    /// Per switch: its place among the steps, or [`NONE`].
    place: Vec<u32>,
    steps: Vec<Step>,
    gates: Vec<Step>,
    toward: Toward<'s>,
    last: Found<'s>,
    /// Whether any way depends on where an entry of an up-down path goes.
    is_special: Cell<bool>,
    /// Memory for a way: the steps of it without their hops.
    way: Vec<Step>,
    /// Memory: per one in need, hops by the nearest gate and which one it is.
    nearest: Vec<u32>,
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
            row: &[],
            place: vec![NONE; switches],
            steps: Vec::new(),
            gates: Vec::new(),
            toward: Toward::new(paths),
            last: Found::default(),
            is_special: Cell::new(false),
            way: Vec::new(),
            nearest: Vec::new(),
            near: vec![HOPS; switches],
            work: 0,
        }
    }

    /// Begins anew, for the switch `to`, with what was found for it before.
    pub fn begin(&mut self, to: u32, known: &[Step]) {
        for step in self.steps.drain(..) {
            self.place[step.at as usize] = NONE;
        }
        self.gates.clear();
        self.column = self.paths.costs.column(to);
        self.row = self.paths.costs.row(to);
        known.iter().for_each(|&step| self.put(step));
        self.work += known.len() as u64 / 4;
    }

    /// The steps found.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Finds ways for those in need, by column, over the turns that are taken and, as long as any has
    /// none, over more of them at some switches. Leaves in `need` those that still have none.
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
        need.retain(|&c| !self.is_reached(self.paths.costs.switch(c as usize)));
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
            if before == 0 && self.is_as_last(need) {
                return;
            }
            self.walk_all(turns, need);
            if need.is_empty() {
                if before == 0 {
                    self.keep_last();
                }
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

    /// Takes the ways of the switch before, if they are the same.
    fn is_as_last(&mut self, need: &mut Vec<u32>) -> bool {
        let to = self.paths.costs.switch(self.column);
        let last = &mut self.last;
        if last.turn == self.column / ALIKE
            && last.need == *need
            && last.steps[..last.before] == self.steps
            && last.steps.iter().all(|step| step.at != to)
            && same_are_reached(last.row, self.row)
        {
            need.clear();
            let steps = std::mem::take(&mut last.steps);
            self.work += steps.len() as u64;
            for &step in &steps[last.before..] {
                self.put(step);
            }
            self.last.steps = steps;
            return true;
        }
        last.turn = usize::MAX;
        last.need.clone_from(need);
        last.before = self.steps.len();
        self.is_special.set(false);
        false
    }

    /// Keeps what was found, for the next ones that are alike.
    fn keep_last(&mut self) {
        if !self.is_special.get() {
            self.last.turn = self.column / ALIKE;
            self.last.row = self.row;
            self.last.steps.clone_from(&self.steps);
        }
    }

    /// Takes turns at a switch where they help somebody, the nearest first. Whether any was taken.
    fn take_turns(&mut self, turns: &mut Turns, hub: u32, need: &mut Vec<u32>) -> bool {
        self.walk(turns, hub);
        if !self.may_open(hub) {
            return false;
        }
        let Some((set, hops)) = self.goes_up(hub) else {
            return false;
        };
        let paths = self.paths;
        let up = paths.groups.up(hub);
        let near = |g: usize| self.near[paths.costs.column(up[g].remote)];
        let mut gates: Vec<(u8, usize)> = (0..up.len()).map(|i| (near(i), i)).collect();
        gates.sort_unstable();
        let mut last = None;
        for (near, i) in gates {
            // A gate in need wants no other; the rest may choose among all.
            if near == HOPS || (need.is_empty() && last == Some(0)) {
                break;
            }
            let above = up[i].remote;
            if !self.is_reached(above) && turns.take(paths, hub, i, &set) {
                self.open_gate(above, hub, hops);
                self.walk_all(turns, need);
                last = Some(near);
            }
        }
        last.is_some()
    }

    /// Finds how near anyone in need is to each switch.
    fn find_near(&mut self, need: &[u32]) {
        let costs = &self.paths.costs;
        self.near.fill(HOPS);
        for &column in need {
            let row = costs.row(costs.switch(column as usize));
            for (near, &byte) in self.near.iter_mut().zip(row) {
                *near = (*near).min(byte & HOPS);
            }
        }
        self.work += (need.len() * self.near.len() / 16) as u64;
    }

    /// Opens the gates at a switch, over the turns that are taken.
    fn open_gates(&mut self, turns: &Turns, hub: u32) {
        if !self.may_open(hub) {
            return;
        }
        let Some((set, hops)) = self.goes_up(hub) else {
            return;
        };
        for (i, group) in self.paths.groups.up(hub).iter().enumerate() {
            if !self.is_reached(group.remote) && turns.has(hub, i, &set) {
                self.open_gate(group.remote, hub, hops);
            }
        }
    }

    /// Whether there may be gates at a switch: it has a way, and one above it has none.
    fn may_open(&mut self, hub: u32) -> bool {
        let up = self.paths.groups.up(hub);
        self.work += 1 + up.len() as u64;
        self.is_reached(hub) && up.iter().any(|group| !self.is_reached(group.remote))
    }

    fn open_gate(&mut self, at: u32, hub: u32, hops: u16) {
        self.put(Step {
            at,
            next: hub,
            hops: hops + 1,
            up: false,
            gate: true,
        });
    }

    /// Finds a way for a switch.
    fn walk(&mut self, turns: &Turns, from: u32) {
        if !self.is_reached(from) && !self.gates.is_empty() {
            let column = self.paths.costs.column(from) as u32;
            self.walk_all(turns, &mut vec![column]);
        }
    }

    /// Finds ways for some, by column, each by a gate that is near. Leaves those that have none. The
    /// gates begin with another for another switch to be reached, so that ways spread over equally near
    /// ones.
    fn walk_all(&mut self, turns: &Turns, from: &mut Vec<u32>) {
        let costs = &self.paths.costs;
        let gates = self.gates.len();
        let first = self.column / ALIKE % gates.max(1);
        let mut nearest = std::mem::take(&mut self.nearest);
        nearest.clear();
        nearest.resize(from.len(), NONE);
        self.work += (from.len() * (4 + gates) / 4) as u64;
        for i in 0..gates {
            let gate = &self.gates[(first + i) % gates];
            let row = costs.row(gate.at);
            for (nearest, &column) in nearest.iter_mut().zip(from.iter()) {
                let byte = row[column as usize];
                if byte != INFINITE {
                    let hops = u32::from(gate.hops) + u32::from(byte & HOPS);
                    *nearest = (*nearest).min(hops << 16 | i as u32);
                }
            }
        }
        let mut next = nearest.iter();
        from.retain(|&column| {
            let from = costs.switch(column as usize);
            let gate = match next.next() {
                Some(&gate) if gate != NONE => (first + (gate & 0xffff) as usize) % gates,
                _ => return !self.is_reached(from),
            };
            let gate = self.gates[gate].at;
            !self.is_reached(from)
                && !self.walk_to(turns, from, gate)
                && !self.walk_to_another(turns, from)
        });
        self.nearest = nearest;
    }

    /// Goes towards any gate that a switch has an up-down path to, the nearest first, until some switch
    /// has a way.
    fn walk_to_another(&mut self, turns: &Turns, from: u32) -> bool {
        let row = self.paths.costs.row(from);
        let hops = |gate: &Step| match row[self.paths.costs.column(gate.at)] {
            INFINITE => None,
            byte => Some((gate.hops + u16::from(byte & HOPS), gate.at)),
        };
        let mut gates: Vec<(u16, u32)> = self.gates.iter().filter_map(hops).collect();
        gates.sort_by_key(|&(hops, _)| hops);
        let mut gates = gates.into_iter();
        gates.any(|(_, gate)| self.walk_to(turns, from, gate))
    }

    /// Goes towards a gate until some switch has a way.
    fn walk_to(&mut self, turns: &Turns, from: u32, gate: u32) -> bool {
        let mut way = std::mem::take(&mut self.way);
        way.clear();
        let mut at = from;
        while !self.is_reached(at) {
            self.work += 1;
            let (mut next, mut up) = self.toward.next(at, gate);
            if !self.may_hand_over(turns, at, next, up) {
                let all = self.toward.all(at, gate);
                self.work += all.len() as u64;
                let may = |&(other, up): &(u32, bool)| self.may_hand_over(turns, at, other, up);
                let Some(other) = all.into_iter().find(may) else {
                    self.way = way;
                    return false;
                };
                (next, up) = other;
            }
            way.push(Step {
                at,
                next,
                hops: 0,
                up,
                gate: false,
            });
            at = next;
        }
        let last = match self.step(at) {
            Some(step) => step.hops,
            None => u16::from(self.byte(at) & HOPS),
        };
        for (hops, step) in (last + 1..).zip(way.iter().rev()) {
            self.put(Step { hops, ..*step });
        }
        self.way = way;
        true
    }

    /// Whether the way of a neighbour, if it has one, goes on from `at`: anywhere if it is above, else
    /// down, or by turns that are taken.
    fn may_hand_over(&self, turns: &Turns, at: u32, neighbour: u32, up: bool) -> bool {
        if up || !self.is_reached(neighbour) {
            return true;
        }
        if self.step(neighbour).is_none() {
            self.is_special.set(true);
        }
        match (self.goes_up(neighbour), self.position(neighbour, at)) {
            (Some((set, _)), Some(from)) => turns.has(neighbour, from, &set),
            _ => true,
        }
    }

    /// The switches above that a switch goes up to, and its hops. `None` if it goes down or has no way.
    fn goes_up(&self, s: u32) -> Option<(Set, u16)> {
        if let Some(step) = self.step(s) {
            let to = step.up.then(|| self.position(s, step.next))?;
            return Some((Set::of(to?), step.hops));
        }
        let byte = self.byte(s);
        if byte == INFINITE || byte & UP == 0 {
            return None;
        }
        let GroupSet { bits, .. } = SwitchView::new(self.paths, s).candidates(self.column);
        Some((Set(bits), u16::from(byte & HOPS)))
    }

    fn is_reached(&self, s: u32) -> bool {
        self.row[self.paths.costs.column(s)] != INFINITE || self.place[s as usize] != NONE
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
        if step.gate {
            self.gates.push(step);
        }
    }

    /// The position of a switch above another among the groups of that one that lead up.
    fn position(&self, switch: u32, above: u32) -> Option<usize> {
        let up = self.paths.groups.up(switch);
        up.binary_search_by_key(&above, |g| g.remote).ok()
    }
}

/// Whether two switches are reached by the same others, as their rows say: but for the two themselves.
fn same_are_reached(one: &[u8], other: &[u8]) -> bool {
    one.chunks(64).zip(other.chunks(64)).all(|(one, other)| {
        let pairs = one.iter().zip(other);
        pairs.fold(true, |same, (&a, &b)| {
            same & (((a == INFINITE) == (b == INFINITE)) | (a == 0) | (b == 0))
        })
    })
}
