//! The detours to one target: a search back from the turns into up-down paths, over (switch, goes up?).
//!
//! A switch with an up-down path keeps its entries. Any other switch goes on to a neighbour with a path or a detour: up
//! to any; down to a neighbour that goes down in turn; down to a neighbour that goes up only by a taken turn. Detours
//! with few turns come first; of these, detours that go down, since packets may come to them from all neighbours; then
//! short ones. A switch keeps its first detour, and goes on to a switch that had its own before: so no detour loops.

use super::turns::Turns;
use crate::dmodc::paths::{HOPS, INFINITE, Paths};

/// The target of a search: LIDs at one switch to which the same turns lead.
pub struct Target<'t> {
    /// The switch.
    pub to: u32,
    /// Turns into up-down paths to it, as (from, at), ascending.
    pub gates: &'t [(u32, u32)],
    /// A number that differs between targets and spreads them over equally near detours.
    pub number: usize,
    /// Columns, ascending: the switches that need a detour, and those of them that no detour may use.
    pub need: &'t [u32],
    pub blocked: &'t [u32],
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
    /// The next switch, once chosen.
    next: Option<u32>,
    /// Whether its step is among the steps found.
    is_step: bool,
    /// Whether the switch needs a detour.
    is_needed: bool,
}

/// The steps, as (switch, next switch), and the columns of the switches in need without a detour.
pub type Found = (Vec<(u32, u32)>, Vec<u32>);

/// The result of the last search, and all that it depends on except the turns.
struct Last<'s> {
    row: &'s [u8],
    number: usize,
    gates: Vec<(u32, u32)>,
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
    /// By column.
    detours: Vec<Detour>,
    /// The number of switches in need without a detour so far.
    missing: usize,
    last: Option<Last<'s>>,
    /// Neighbours visited, over all searches: a measure of the work.
    pub work: u64,
}

impl<'s> Search<'s> {
    /// Memory for searches over these paths.
    pub fn new(paths: &'s Paths) -> Self {
        let groups = &paths.groups;
        let is_linked = |&s: &u32| !(groups.up(s).is_empty() && groups.down(s).is_empty());
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
        let mut turned: Vec<(u16, u32)> = gates.map(|&(s, at)| (hops(at), s)).collect();
        turned.sort_unstable();
        if let Some(last) = &self.last
            && (last.number, &last.turned) == (target.number, &turned)
            && (&*last.gates, &*last.need) == (target.gates, target.need)
            && target.blocked.is_empty()
            && same_are_reached(last.row, row)
            && last.found.0.iter().all(|&(at, _)| at != target.to)
        {
            return last.found.clone();
        }
        let found = self.find(turns, target, turned.clone());
        self.last = target.blocked.is_empty().then(|| Last {
            row,
            number: target.number,
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
        let begin = |&byte: &u8| Detour {
            hops: if byte == INFINITE { FAR } else { 0 },
            up: false,
            next: None,
            is_step: false,
            is_needed: false,
        };
        self.detours.clear();
        self.detours.extend(row.iter().map(begin));
        self.work += row.len() as u64 / 8;
        // No detour leads over these switches: they count as served until the end.
        target
            .blocked
            .iter()
            .for_each(|&column| self.detours[column as usize].hops = 0);
        self.missing = 0;
        for &column in target.need {
            let detour = &mut self.detours[column as usize];
            detour.is_needed = detour.hops == FAR;
            self.missing += usize::from(detour.is_needed);
        }
        while !turned.is_empty() {
            // The switches from which packets come down to a turn, and the switches above these.
            let mut open: Vec<u32> = Vec::new();
            turned
                .iter()
                .for_each(|&(hops, s)| self.reach(&mut open, s, hops, false));
            let mut at = 0;
            while let Some(&s) = open.get(at) {
                at += 1;
                let hops = self.at(s).hops + 1;
                groups
                    .up(s)
                    .iter()
                    .for_each(|g| self.reach(&mut open, g.remote, hops, false));
            }
            // Then switches with a link up to a switch that has a detour.
            open.sort_by_key(|&s| self.at(s).hops);
            let goes_down = open.len();
            at = 0;
            while let Some(&s) = open.get(at).filter(|_| self.missing > 0) {
                at += 1;
                let hops = self.at(s).hops + 1;
                groups
                    .down(s)
                    .iter()
                    .for_each(|g| self.reach(&mut open, g.remote, hops, true));
            }
            // At hubs that now go up, packets from above may turn as well.
            turned.clear();
            if self.missing > 0 {
                for &s in open[goes_down..].iter().filter(|&&s| turns.is_hub(s)) {
                    let hops = self.at(s).hops + 1;
                    let next = self.next(turns, target, s);
                    let from = groups.up(s).iter().map(|g| g.remote);
                    let from = from.filter(|&from| next.is_some_and(|to| turns.has(from, s, to)));
                    turned.extend(from.map(|from| (hops, from)));
                }
                turned.retain(|&(_, s)| self.at(s).hops == FAR);
                turned.sort_unstable();
            }
        }
        let (mut steps, mut missing) = (Vec::new(), Vec::new());
        for &column in target.need {
            let is_blocked = target.blocked.binary_search(&column).is_ok();
            if is_blocked || self.detours[column as usize].hops == FAR {
                missing.push(column);
            } else {
                self.follow(turns, target, costs.switch(column as usize), &mut steps);
            }
        }
        (steps, missing)
    }

    fn at(&self, s: u32) -> &Detour {
        &self.detours[self.paths.costs.column(s)]
    }

    fn detour_mut(&mut self, s: u32) -> &mut Detour {
        &mut self.detours[self.paths.costs.column(s)]
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

    /// Chooses the neighbour that a switch goes on to: the first that serves, from a start that depends on the target;
    /// at a leaf the start is the same for all targets.
    fn next(&mut self, turns: &Turns, target: &Target, s: u32) -> Option<u32> {
        let Paths { costs, groups, .. } = self.paths;
        let Detour { hops, up, next, .. } = *self.at(s);
        if next.is_some() {
            return next;
        }
        let all = if up { groups.up(s) } else { groups.down(s) };
        let turn = match costs.column(s) < costs.leaves() {
            true => self.before(s),
            false => self.before(s) + target.number,
        };
        let first = turn % all.len().max(1);
        let mut all = all[first..].iter().chain(&all[..first]).map(|g| g.remote);
        let next = all.find(|&next| {
            self.work += 1;
            match *self.at(next) {
                Detour { hops: 0, .. } => {
                    let byte = costs.byte(target.to, next);
                    u16::from(byte & HOPS) + 1 == hops
                        && target.gates.binary_search(&(s, next)).is_ok()
                }
                Detour { hops: less, .. } if less != hops - 1 => false,
                Detour { up: false, .. } => true,
                _ if up => true,
                _ => {
                    let then = self.next(turns, target, next);
                    then.is_some_and(|then| turns.has(s, next, then))
                }
            }
        });
        self.detour_mut(s).next = next;
        next
    }

    /// Adds the steps of the detour from a switch, up to a step that is already among them.
    fn follow(&mut self, turns: &Turns, target: &Target, from: u32, steps: &mut Vec<(u32, u32)>) {
        let mut at = from;
        while self.at(at).hops != 0 && !std::mem::replace(&mut self.detour_mut(at).is_step, true) {
            let Some(next) = self.next(turns, target, at) else {
                return;
            };
            steps.push((at, next));
            at = next;
        }
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
