//! The detours to one switch: a search back from the turns into up-down paths, over (switch, goes up?). Then each share
//! of its LIDs chooses among neighbours that are equally near.
//!
//! A switch with an up-down path keeps its entries. Any other switch goes on to a neighbour with a path or a detour: up
//! to any; down to a neighbour that goes down in turn; down to a neighbour that goes up only by a taken turn. Detours
//! with few turns come first; of these, detours that go down, since packets may come to them from all neighbours; then
//! short ones. A switch keeps its first detour, and goes on to a switch that had its own before: so no detour loops.

use super::turns::Turns;
use crate::paths::{HOPS, INFINITE, Paths};

/// A turn into up-down paths to the switch to be reached.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Gate {
    /// The switch without a path, from which packets come down.
    pub from: u32,
    /// The switch where they turn.
    pub at: u32,
    /// The switches above by which they may go on from there, if not by each that has a path: each share by one.
    pub by: Vec<u32>,
}

/// The switch to be reached, and what its detours depend on.
pub struct Target<'t> {
    /// The switch.
    pub to: u32,
    /// Turns into up-down paths to it, ascending.
    pub gates: &'t [Gate],
    /// A number that spreads switches to be reached over equally near detours; the shares of its LIDs add theirs.
    pub number: usize,
    /// The number of shares.
    pub shares: usize,
    /// The switches that need a detour, by column, ascending.
    pub need: &'t [u32],
}

/// Hops of a switch without a detour so far.
const FAR: u16 = u16::MAX;

/// The detour of a switch.
#[derive(Clone, Copy)]
struct Detour {
    /// Hops: 0 with an up-down path, [`FAR`] without a detour.
    hops: u16,
    /// Whether it goes up.
    up: bool,
    /// The next switch, once chosen for a share.
    next: Option<u32>,
    /// Whether that holds for all shares: packets turn here, as this next switch allows.
    of_all: bool,
    /// Whether its step is among the steps found.
    is_step: bool,
    /// Whether the switch needs a detour.
    is_needed: bool,
}

/// The detours to one switch.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// By share of its LIDs.
    pub shares: Vec<Chosen>,
    /// The columns of the switches in need without a detour, ascending.
    pub missing: Vec<u32>,
}

/// The detours of one share.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Steps of switches without a path, as (switch, next switch).
    pub steps: Vec<(u32, u32)>,
    /// Where packets turn into up-down paths: a switch, and the switch above to which its entries must lead.
    pub pins: Vec<(u32, u32)>,
}

/// The result of the last search, and all that it depends on except the turns.
struct Last<'s> {
    row: &'s [u8],
    number: usize,
    shares: usize,
    gates: Vec<Gate>,
    /// Hops and switches from which packets turn.
    turned: Vec<(u16, u32)>,
    need: Vec<u32>,
    found: Found,
}

/// Searches for detours, and the memory that they share.
pub struct Search<'s> {
    paths: &'s Paths,
    /// By column: how many switches with links come before.
    before: Vec<usize>,
    /// By switch.
    detours: Vec<Detour>,
    /// The number of switches in need without a detour so far.
    missing: usize,
    /// The neighbours that serve each switch for which one is being chosen.
    serves: Vec<u32>,
    last: Option<Last<'s>>,
    /// Neighbours visited, over all searches: a measure of the work.
    pub work: u64,
}

impl<'s> Search<'s> {
    /// Memory for searches over these paths.
    pub fn new(paths: &'s Paths) -> Self {
        let is_linked = |&s: &u32| paths.groups.neighbours(s).next().is_some();
        let before = paths.costs.columns().iter().scan(0, |linked, s| {
            let before = *linked;
            *linked += usize::from(is_linked(s));
            Some(before)
        });
        Search {
            paths,
            before: before.collect(),
            detours: Vec::new(),
            missing: 0,
            serves: Vec::new(),
            last: None,
            work: 0,
        }
    }

    /// How many switches with links come before one, in the order of columns. An empty place does not count, so a
    /// reference that has its switch changes nothing.
    pub fn before(&self, s: u32) -> usize {
        self.before[self.paths.costs.column(s)]
    }

    /// Forgets the last result, before a search with other turns.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// Finds detours for the switches in need. Neighbouring targets mostly differ in nothing but themselves; then the
    /// last result holds again: a tenth of the work on 8,640 nodes with 40 switches gone.
    pub fn run(&mut self, turns: &Turns, target: &Target) -> Found {
        let costs = &self.paths.costs;
        let row = costs.row(target.to);
        let hops = |at: u32| u16::from(row[costs.column(at)] & HOPS) + 1;
        let gates = target.gates.iter();
        let mut turned: Vec<(u16, u32)> = gates.map(|gate| (hops(gate.at), gate.from)).collect();
        turned.sort_unstable();
        turned.dedup();
        let is_step = |chosen: &Chosen| chosen.steps.iter().any(|&(at, _)| at == target.to);
        if let Some(last) = &self.last
            && (last.number, last.shares, &last.turned) == (target.number, target.shares, &turned)
            && (&*last.gates, &*last.need) == (target.gates, target.need)
            && same_are_reached(last.row, row)
            && !last.found.shares.iter().any(is_step)
        {
            return last.found.clone();
        }
        let found = self.find(turns, target, turned.clone());
        self.last = Some(Last {
            row,
            number: target.number,
            shares: target.shares,
            gates: target.gates.to_vec(),
            turned,
            need: target.need.to_vec(),
            found: found.clone(),
        });
        found
    }

    fn find(&mut self, turns: &Turns, target: &Target, mut turned: Vec<(u16, u32)>) -> Found {
        let Paths { costs, groups, .. } = self.paths;
        let row = costs.row(target.to);
        let none = Detour {
            hops: FAR,
            up: false,
            next: None,
            of_all: false,
            is_step: false,
            is_needed: false,
        };
        self.detours.clear();
        self.detours.resize(row.len(), none);
        for (&s, _) in (costs.columns().iter().zip(row)).filter(|(_, byte)| **byte != INFINITE) {
            self.detour_mut(s).hops = 0;
        }
        self.work += row.len() as u64 / 8;
        self.missing = target.need.len();
        for &column in target.need {
            self.detour_mut(costs.switch(column as usize)).is_needed = true;
        }
        while !turned.is_empty() {
            // The switches from which packets come down to a turn, and the switches above these.
            let mut open: Vec<u32> = Vec::new();
            for &(hops, s) in &turned {
                self.reach(&mut open, s, hops, false);
            }
            let mut next = 0;
            while let Some(&s) = open.get(next) {
                next += 1;
                let hops = self.detour(s).hops + 1;
                for above in groups.up(s) {
                    self.reach(&mut open, above.remote, hops, false);
                }
            }
            // Then switches with a link up to a switch that has a detour.
            open.sort_by_key(|&s| self.detour(s).hops);
            let goes_down = open.len();
            next = 0;
            while let Some(&s) = open.get(next).filter(|_| self.missing > 0) {
                next += 1;
                let hops = self.detour(s).hops + 1;
                for below in groups.down(s) {
                    self.reach(&mut open, below.remote, hops, true);
                }
            }
            // At hubs that now go up, packets from above may turn as well.
            turned.clear();
            if self.missing > 0 {
                for &s in open[goes_down..].iter().filter(|&&s| turns.is_hub(s)) {
                    let hops = self.detour(s).hops + 1;
                    let next = self.next(turns, target, 0, s);
                    self.detour_mut(s).of_all = true;
                    let from = groups.up(s).iter().map(|g| g.remote);
                    let from = from.filter(|&from| next.is_some_and(|to| turns.has(from, s, to)));
                    turned.extend(from.map(|from| (hops, from)));
                }
                turned.retain(|&(_, s)| self.detour(s).hops == FAR);
                turned.sort_unstable();
            }
        }
        let is_missing = |column: &u32| self.detour(costs.switch(*column as usize)).hops == FAR;
        let (missing, served): (Vec<u32>, Vec<u32>) =
            target.need.iter().partition(|c| is_missing(c));
        let choose = |share| {
            for detour in self.detours.iter_mut().filter(|_| share > 0) {
                detour.next = detour.next.filter(|_| detour.of_all);
                detour.is_step = false;
            }
            let mut chosen = Chosen::default();
            for &column in &served {
                let from = costs.switch(column as usize);
                self.follow(turns, target, share, from, &mut chosen);
            }
            chosen
        };
        Found {
            shares: (0..target.shares).map(choose).collect(),
            missing,
        }
    }

    fn detour(&self, s: u32) -> &Detour {
        &self.detours[s as usize]
    }

    fn detour_mut(&mut self, s: u32) -> &mut Detour {
        &mut self.detours[s as usize]
    }

    /// Gives a switch a detour, if it has none.
    fn reach(&mut self, open: &mut Vec<u32>, s: u32, hops: u16, up: bool) {
        self.work += 1;
        let detour = self.detour_mut(s);
        if detour.hops == FAR {
            (detour.hops, detour.up) = (hops, up);
            let is_needed = detour.is_needed;
            self.missing -= usize::from(is_needed);
            open.push(s);
        }
    }

    /// Chooses the neighbour that a switch goes on to: one of those that serve, by the numbers of target and share;
    /// at a leaf the same for all.
    fn next(&mut self, turns: &Turns, target: &Target, share: usize, s: u32) -> Option<u32> {
        let Paths { costs, groups, .. } = self.paths;
        let Detour { hops, up, next, .. } = *self.detour(s);
        if next.is_some() {
            return next;
        }
        let all = if up { groups.up(s) } else { groups.down(s) };
        let number = match costs.column(s) < costs.leaves() {
            true => self.before(s),
            false => self.before(s) + target.number + share,
        };
        let first = self.serves.len();
        for next in all.iter().map(|g| g.remote) {
            self.work += 1;
            let serves_it = match *self.detour(next) {
                Detour { hops: 0, .. } => {
                    let byte = costs.byte(target.to, next);
                    u16::from(byte & HOPS) + 1 == hops && target.gate(s, next).is_some()
                }
                Detour { hops: less, .. } if less != hops - 1 => false,
                Detour { up: false, .. } => true,
                _ if up => true,
                _ => {
                    let then = self.next(turns, target, share, next);
                    then.is_some_and(|then| turns.has(s, next, then))
                }
            };
            self.serves.extend(serves_it.then_some(next));
        }
        let serves = &self.serves[first..];
        let next = serves.get(number % serves.len().max(1)).copied();
        self.serves.truncate(first);
        self.detour_mut(s).next = next;
        next
    }

    /// Adds the steps of the detour from a switch, up to a step that is already among them.
    fn follow(
        &mut self,
        turns: &Turns,
        target: &Target,
        share: usize,
        from: u32,
        chosen: &mut Chosen,
    ) {
        let mut s = from;
        while !std::mem::replace(&mut self.detour_mut(s).is_step, true)
            && let Some(next) = self.next(turns, target, share, s)
        {
            chosen.steps.push((s, next));
            if self.detour(next).hops == 0 {
                let by = target.gate(s, next).map_or(&[][..], |gate| &gate.by);
                if let Some(&by) = by.get((target.number + share) % by.len().max(1))
                    && !std::mem::replace(&mut self.detour_mut(next).is_step, true)
                {
                    chosen.pins.push((next, by));
                }
                return;
            }
            s = next;
        }
    }
}

impl Target<'_> {
    /// The gate from one switch to another.
    fn gate(&self, from: u32, at: u32) -> Option<&Gate> {
        let gate = (self.gates).binary_search_by_key(&(from, at), |gate| (gate.from, gate.at));
        gate.ok().map(|gate| &self.gates[gate])
    }
}

/// Whether the same other switches reach two switches, by the rows of these two.
fn same_are_reached(one: &[u8], other: &[u8]) -> bool {
    one.chunks(64).zip(other.chunks(64)).all(|(one, other)| {
        let pairs = one.iter().zip(other);
        pairs.fold(true, |same, (&a, &b)| {
            same & (((a == INFINITE) == (b == INFINITE)) | (a == 0) | (b == 0))
        })
    })
}
