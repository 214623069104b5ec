//! The detours to one target, in two sweeps from the turns, as costs are found.
//!
//! What has an up-down path has its entries. Where such a switch goes up from, one above it may come down
//! and turn. Upward, whoever comes down to one with a detour has one, too; whoever has none then goes up to
//! the nearest that has. A switch that is turned at and has a detour that goes up may be turned at in turn:
//! while somebody is left out, there is another round. What a switch has found stays, and each goes on to
//! one that has found a detour before: so none loops.

use super::bits::Set;
use super::turns::{Turns, position};
use crate::dmodc::paths::{HOPS, INFINITE, Paths, UP};

/// What is to be reached: a switch, or those of its LIDs that go on alike where turns are taken.
pub struct Target<'t> {
    /// The switch.
    pub to: u32,
    /// By which of its groups that lead up a switch goes on to it.
    pub onward: &'t dyn Fn(u32) -> Set,
    /// Another for another target, which spreads them over equally near detours.
    pub number: usize,
    /// The turns that are taken.
    pub turns: &'t Turns,
}

/// No detour so far.
const FAR: u16 = u16::MAX;

/// How a switch goes on.
#[derive(Clone, Copy)]
struct Detour {
    /// Hops: 0 with an up-down path, [`FAR`] without any.
    hops: u16,
    /// To which switch, as soon as that is decided, and whether that is above.
    next: Option<u32>,
    up: bool,
    /// Whether it is among the steps.
    is_step: bool,
    /// The round in which those above were asked.
    asked: u16,
}

/// What was found, and all that it depends on beside the turns.
struct Last<'s> {
    row: &'s [u8],
    number: usize,
    /// Hops, from where, at which switch.
    turned: Vec<(u16, u32, u32)>,
    need: Vec<u32>,
    found: Found,
}

/// The steps, as (switch, next switch), and who has none.
pub type Found = (Vec<(u32, u32)>, Vec<u32>);

/// A search with its memory.
pub struct Search<'s> {
    paths: &'s Paths,
    /// The paths over all links, which turns are checked against.
    all: &'s Paths,
    /// By column.
    detours: Vec<Detour>,
    last: Option<Last<'s>>,
    /// Neighbours looked at, over all searches: a measure of the work.
    pub work: u64,
}

impl<'s> Search<'s> {
    /// Memory for searches.
    pub fn new(paths: &'s Paths, all: &'s Paths) -> Self {
        Search {
            paths,
            all,
            detours: Vec::new(),
            last: None,
            work: 0,
        }
    }

    /// Begins with other turns.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// Finds detours for those in need, by column. Targets side by side mostly differ in nothing but
    /// themselves; then what was found last is found again.
    pub fn run(&mut self, target: &Target, need: &[u32]) -> Found {
        let row = self.paths.costs.row(target.to);
        let turned = self.turned(target, |_, _| None);
        if let Some(last) = &self.last
            && last.number == target.number
            && last.need == need
            && last.turned == turned
            && same_are_reached(last.row, row)
            && last.found.0.iter().all(|&(at, _)| at != target.to)
        {
            return last.found.clone();
        }
        let found = self.find(target, turned.clone(), need);
        self.last = Some(Last {
            row,
            number: target.number,
            turned,
            need: need.to_vec(),
            found: found.clone(),
        });
        found
    }

    fn find(&mut self, target: &Target, mut turned: Vec<(u16, u32, u32)>, need: &[u32]) -> Found {
        let begin = |&byte: &u8| Detour {
            hops: if byte == INFINITE { FAR } else { 0 },
            next: None,
            up: false,
            is_step: false,
            asked: 0,
        };
        let paths = self.paths;
        let row = paths.costs.row(target.to);
        self.detours.clear();
        self.detours.extend(row.iter().map(begin));
        self.work += row.len() as u64 / 8;
        let switch = |column: u32| paths.costs.switch(column as usize);
        let mut missing = need.to_vec();
        for round in 1.. {
            if missing.is_empty() || !self.come_down(turned) {
                break;
            }
            missing.retain(|&column| self.go_up(target, switch(column), round) == FAR);
            turned = self.turned(target, |search, hub| {
                let hops = search.go_up(target, hub, round);
                let Detour { next, up, .. } = *search.at(hub);
                let next = next
                    .filter(|_| up)
                    .and_then(|next| position(search.all, hub, next));
                next.map(|next| (hops, Set::of(next)))
            });
            turned.retain(|&(_, s, _)| self.at(s).hops == FAR);
        }
        let mut steps = Vec::new();
        let mut left = missing.iter().peekable();
        for &column in need {
            if left.next_if_eq(&&column).is_none() {
                self.follow(target, switch(column), &mut steps);
            }
        }
        (steps, missing)
    }

    fn at(&self, s: u32) -> &Detour {
        &self.detours[self.paths.costs.column(s)]
    }

    fn set(&mut self, s: u32) -> &mut Detour {
        &mut self.detours[self.paths.costs.column(s)]
    }

    /// The switches from which packets may turn, with their hops, and where they turn. `detour` says how a switch that is turned at
    /// goes on if it has no up-down path.
    fn turned(
        &mut self,
        target: &Target,
        detour: impl Fn(&mut Self, u32) -> Option<(u16, Set)>,
    ) -> Vec<(u16, u32, u32)> {
        let mut turned = Vec::new();
        for hub in target.turns.hubs() {
            let goes_on = match self.paths.costs.byte(target.to, hub) {
                INFINITE => detour(self, hub),
                _ => self.goes_up(target, hub),
            };
            self.work += 1;
            let Some((hops, onward)) = goes_on else {
                continue;
            };
            let up = self.paths.groups.up(hub);
            self.work += up.len() as u64;
            let is_all = std::ptr::eq(self.paths, self.all);
            for (i, group) in up.iter().enumerate() {
                let byte = self.paths.costs.byte(target.to, group.remote);
                let may = |i: usize| target.turns.has(hub, i, &onward);
                let may_turn = || match is_all {
                    true => may(i),
                    false => position(self.all, hub, group.remote).is_some_and(may),
                };
                if byte == INFINITE && may_turn() {
                    turned.push((hops + 1, group.remote, hub));
                }
            }
        }
        turned.sort_by_key(|&(hops, ..)| hops);
        turned
    }

    /// The hops of a switch that has an up-down path and goes up, and where.
    fn goes_up(&self, target: &Target, s: u32) -> Option<(u16, Set)> {
        let byte = self.paths.costs.byte(s, target.to);
        let goes_up = byte != INFINITE && byte & UP != 0;
        goes_up.then(|| (u16::from(byte & HOPS), (target.onward)(s)))
    }

    /// Finds detours that come down to some switches. Whether there are any new ones.
    fn come_down(&mut self, mut open: Vec<(u16, u32, u32)>) -> bool {
        let mut at = 0;
        while let Some(&(hops, s, _)) = open.get(at) {
            at += 1;
            if self.at(s).hops == FAR {
                self.set(s).hops = hops;
                let above = self.paths.groups.up(s).iter().map(|g| g.remote);
                self.work += 1 + above.len() as u64;
                let above = above.filter(|&above| self.at(above).hops == FAR);
                open.extend(above.map(|above| (hops + 1, above, s)));
            }
        }
        at > 0
    }

    /// Finds a detour that goes up from a switch, if it has none. Returns its hops.
    fn go_up(&mut self, target: &Target, s: u32, round: u16) -> u16 {
        let detour = self.set(s);
        if detour.hops != FAR || std::mem::replace(&mut detour.asked, round) == round {
            return detour.hops;
        }
        let above = self.paths.groups.up(s).iter().map(|g| g.remote);
        self.work += 1 + above.len() as u64;
        let hops = above.clone().map(|above| match self.at(above).hops {
            FAR => self.go_up(target, above, round),
            hops => hops,
        });
        let least = hops.min().unwrap_or(FAR);
        if least != FAR {
            let next = self.choose(target, s, above, |above| self.at(above).hops == least);
            let detour = self.set(s);
            (detour.hops, detour.next, detour.up) = (least + 1, next, true);
        }
        self.at(s).hops
    }

    /// One of some switches that will do: the first from another on for another target, but always from the
    /// same on for a leaf.
    fn choose(
        &self,
        target: &Target,
        s: u32,
        all: impl ExactSizeIterator<Item = u32> + Clone,
        will_do: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let column = self.paths.costs.column(s);
        let turn = match column < self.paths.costs.leaves() {
            true => column,
            false => column + target.number,
        };
        let first = turn % all.len().max(1);
        let mut all = all.clone().skip(first).chain(all.take(first));
        all.find(|&next| will_do(next))
    }

    /// Whether what comes down from a switch so many hops away goes on from the next one.
    fn goes_on(&self, target: &Target, from: u32, at: u32, hops: u16) -> bool {
        let detour = self.at(at);
        let goes_up = match (detour.hops, detour.next) {
            (0, _) if !target.turns.is_hub(at) => return false,
            (0, _) => self.goes_up(target, at),
            (less, _) if less != hops - 1 => return false,
            (_, Some(next)) if detour.up => {
                position(self.all, at, next).map(|next| (detour.hops, Set::of(next)))
            }
            _ => return true,
        };
        let goes_up = goes_up.filter(|&(less, _)| less == hops - 1);
        let from = goes_up.and_then(|_| position(self.all, at, from));
        let turn = goes_up.zip(from);
        turn.is_some_and(|((_, onward), from)| target.turns.has(at, from, &onward))
    }

    /// Adds the steps of the detour from a switch that are not among them.
    fn follow(&mut self, target: &Target, from: u32, steps: &mut Vec<(u32, u32)>) {
        let mut at = from;
        while self.at(at).hops != 0 && !std::mem::replace(&mut self.set(at).is_step, true) {
            let Detour { hops, mut next, .. } = *self.at(at);
            if next.is_none() {
                let below = self.paths.groups.down(at).iter().map(|g| g.remote);
                self.work += below.len() as u64;
                let will_do = |next| self.goes_on(target, at, next, hops);
                next = self.choose(target, at, below, will_do);
                self.set(at).next = next;
            }
            let Some(next) = next else { return };
            steps.push((at, next));
            at = next;
        }
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
