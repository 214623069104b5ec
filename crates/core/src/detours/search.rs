//! The detours to switches into whose up-down paths the same turns lead, a *class*: one search back from the turns, over
//! (switch, goes up?). Then each share of the LIDs chooses among neighbours that are equally near.
//!
//! A switch with an up-down path keeps its entries. Any other switch goes on to a neighbour with a path or a detour: up
//! to any; down to a neighbour that goes down in turn; down to a neighbour that goes up only by a taken turn. Detours
//! with few turns come first; of these, those that go down, since packets may come to these from all neighbours; then
//! short ones. A switch keeps its first detour, and goes on to a switch that had its own before: so no detour loops.
//!
//! *Why one search is enough.* Members of a class have the same gates, so the same hubs reach them. Let a switch have no
//! path to one member. Then no switch above it has one, or it had one, too. So its detour to this member never depends
//! on what the search finds at switches with a path, and that may differ: links are missing here and there.

use super::turns::Turns;
use crate::ids::{BySwitch, Column, SwitchId};
use crate::paths::{INFINITE, Paths};
use typed_index_collections::{TiSlice, TiVec};

/// A hub with an up-down path to the switch to be reached, and the turns there that lead into it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Gate {
    /// The switch where packets turn.
    pub at: SwitchId,
    /// Its hops to the switch to be reached; 0 if no turn leads into the path.
    pub hops: u16,
    /// The switches from which packets come down to it, whichever way they go on.
    pub from: Vec<SwitchId>,
    /// Others from which they come down, if they go on by one of `by`.
    pub pinned: Vec<SwitchId>,
    /// The switches above by which they go on if entries are pinned: each share by one.
    pub by: Vec<SwitchId>,
}

/// What switches to be reached have in common if their detours are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Class {
    /// All hubs with up-down paths to them, ascending.
    pub gates: Vec<Gate>,
    /// A number that spreads switches to be reached over equally near detours; the shares of the LIDs add theirs.
    pub number: usize,
    /// The number of shares.
    pub shares: usize,
}

/// Hops of a switch without a detour so far; hops of one with a path that is no gate.
const FAR: u16 = u16::MAX;
const PATH: u16 = FAR - 1;

/// The detour of a switch.
#[derive(Clone, Copy)]
struct Detour {
    /// Hops: 0 at a gate, [`PATH`] with any other up-down path to all of the class, [`FAR`] without a detour.
    hops: u16,
    /// Whether it goes up first.
    goes_up: bool,
    /// Whether it counts if it goes up: the switch, or one below it, is in need or a hub.
    counts: bool,
    /// Whether the next switch holds for all shares: packets turn here, as it allows.
    of_all: bool,
    /// The next switch, once chosen for a share.
    next: Option<SwitchId>,
    /// The list of steps, by number, that has its step.
    listed: usize,
}

/// The detours to one switch.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// By share of its LIDs.
    pub shares: Vec<Chosen>,
    /// The columns of the switches in need without a detour, ascending.
    pub missing: Vec<Column>,
}

/// The detours of one share.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Steps of switches without a path, as (switch, next switch).
    pub steps: Vec<(SwitchId, SwitchId)>,
    /// Where packets turn into up-down paths: a switch, and the switch above to which its entries must lead.
    pub pins: Vec<(SwitchId, SwitchId)>,
}

/// Searches for detours, and the memory that they share.
pub struct Search<'s> {
    paths: &'s Paths,
    /// By column: how many switches with links come before.
    before: TiVec<Column, usize>,
    /// By switch.
    detours: BySwitch<Detour>,
    /// The number of lists of steps so far.
    lists: usize,
    /// The neighbours that serve each switch for which one is being chosen.
    serves: Vec<SwitchId>,
    /// Neighbours visited, over all searches: a measure of the work.
    pub work: u64,
}

impl<'s> Search<'s> {
    /// Memory for searches over these paths.
    pub fn new(paths: &'s Paths) -> Self {
        let is_linked = |&s: &SwitchId| paths.groups.neighbours(s).next().is_some();
        let before = paths.costs.columns().iter().scan(0, |linked, s| {
            let before = *linked;
            *linked += usize::from(is_linked(s));
            Some(before)
        });
        Search {
            paths,
            before: before.collect(),
            detours: BySwitch::default(),
            lists: 0,
            serves: Vec::new(),
            work: 0,
        }
    }

    /// How many switches with links come before one, in the order of columns. An empty place does not count, so a
    /// reference that has its switch changes nothing.
    pub fn before(&self, s: SwitchId) -> usize {
        self.before[self.paths.costs.column(s)]
    }

    /// Finds detours to the switches `to` of a class: for each list of columns in need, which some of them have.
    pub fn run<'n>(
        &mut self,
        turns: &Turns,
        class: &Class,
        to: impl Iterator<Item = SwitchId>,
        needs: impl Iterator<Item = &'n [(Column, u8)]> + Clone,
    ) -> Vec<Found> {
        let costs = &self.paths.costs;
        let mut without: TiVec<Column, u8> = vec![0; costs.width()].into();
        for to in to {
            for (without, &byte) in without.iter_mut().zip(costs.row(to)) {
                *without |= u8::from(byte == INFINITE);
            }
            self.work += costs.width() as u64 / 8;
        }
        let in_need = needs.clone().flatten();
        let in_need = in_need.map(|&(column, _)| costs.switch(column));
        let in_need: Vec<SwitchId> = in_need.collect();
        self.spread(turns, class, &without, &in_need);
        let mut found: Vec<Found> = needs.clone().map(|_| Found::default()).collect();
        for share in 0..class.shares {
            for detour in self.detours.iter_mut().filter(|d| share > 0 && !d.of_all) {
                detour.next = None;
            }
            for (need, found) in needs.clone().zip(&mut found) {
                self.lists += 1;
                let mut chosen = Chosen::default();
                chosen.steps.reserve(need.len());
                for &(column, _) in need {
                    let from = costs.switch(column);
                    match self.detours[from].hops {
                        FAR if share == 0 => found.missing.push(column),
                        FAR => {}
                        _ => self.follow(turns, class, share, from, &mut chosen),
                    }
                }
                found.shares.push(chosen);
            }
        }
        found
    }

    /// Finds out which switches have detours, and how long these are. Some columns are `without` a path; of these
    /// switches, some are in need.
    fn spread(
        &mut self,
        turns: &Turns,
        class: &Class,
        without: &TiSlice<Column, u8>,
        in_need: &[SwitchId],
    ) {
        let Paths { costs, groups, .. } = self.paths;
        let none = Detour {
            hops: FAR,
            goes_up: false,
            counts: false,
            of_all: false,
            next: None,
            listed: self.lists,
        };
        self.detours.clear();
        self.detours.resize(costs.width(), none);
        for (&s, _) in costs.columns().iter().zip(without).filter(|at| *at.1 == 0) {
            self.detours[s].hops = PATH;
        }
        for gate in &class.gates {
            self.detours[gate.at].hops = 0;
        }
        let gates = class.gates.iter();
        let mut turned: Vec<(u16, SwitchId)> = gates
            .flat_map(|gate| {
                let from = gate.from.iter().chain(&gate.pinned);
                from.map(|&from| (gate.hops + 1, from))
            })
            .collect();
        turned.sort_unstable();
        // The switches whose detours count, and all switches above them: a detour up depends on no others.
        let mut open = [in_need, turns.hubs()].concat();
        while let Some(s) = open.pop() {
            if !std::mem::replace(&mut self.detours[s].counts, true) {
                let above = groups.up(s).iter().map(|g| g.remote);
                open.extend(above.filter(|&s| !self.detours[s].counts));
            }
        }
        while !turned.is_empty() {
            // The switches from which packets come down to a turn, and the switches above these.
            for (hops, s) in turned.drain(..) {
                self.reach(&mut open, s, hops);
            }
            let mut next = 0;
            while let Some(&s) = open.get(next) {
                next += 1;
                let hops = self.detours[s].hops + 1;
                for above in groups.up(s) {
                    self.reach(&mut open, above.remote, hops);
                }
            }
            open.clear();
            // Then switches with a link up to a switch that has a detour.
            for &s in groups.bottom_up().iter().rev() {
                if self.detours[s].counts && self.detours[s].hops == FAR {
                    let up = groups.up(s);
                    self.work += up.len() as u64;
                    let above = up.iter().map(|above| self.detours[above.remote].hops);
                    if let Some(least) = above.min().filter(|&least| least != FAR) {
                        let detour = &mut self.detours[s];
                        (detour.goes_up, detour.hops) = (true, least + 1);
                    }
                }
            }
            if in_need.iter().all(|&s| self.detours[s].hops != FAR) {
                break;
            }
            // At hubs that now go up, packets from above may turn as well.
            for &s in turns.hubs() {
                let own = self.detours[s];
                if own.goes_up && !own.of_all {
                    let next = self.next(turns, class, 0, s);
                    self.detours[s].of_all = true;
                    let from = groups.up(s).iter().map(|g| g.remote);
                    let from = from.filter(|&from| next.is_some_and(|to| turns.has(from, s, to)));
                    turned.extend(from.map(|from| (own.hops + 1, from)));
                }
            }
            turned.retain(|&(_, s)| self.detours[s].hops == FAR);
            turned.sort_unstable();
        }
    }

    /// Gives a switch a detour that goes down, if it has none.
    fn reach(&mut self, open: &mut Vec<SwitchId>, s: SwitchId, hops: u16) {
        self.work += 1;
        let detour = &mut self.detours[s];
        if detour.hops == FAR {
            detour.hops = hops;
            open.push(s);
        }
    }

    /// Chooses the neighbour that a switch goes on to: one of those that serve, by the numbers of class and share;
    /// at a leaf the same for all.
    fn next(
        &mut self,
        turns: &Turns,
        class: &Class,
        share: usize,
        s: SwitchId,
    ) -> Option<SwitchId> {
        let Paths { costs, groups, .. } = self.paths;
        let own = self.detours[s];
        if own.next.is_some() {
            return own.next;
        }
        let all = match own.goes_up {
            true => groups.up(s),
            false => groups.down(s),
        };
        let number = match costs.is_leaf(s) {
            true => self.before(s),
            false => self.before(s) + class.number + share,
        };
        let first = self.serves.len();
        for next in all.iter().map(|g| g.remote) {
            self.work += 1;
            let serves_it = match self.detours[next] {
                Detour { hops: 0, .. } => {
                    let gate = class.gate(s, next);
                    gate.is_some_and(|gate| gate.hops + 1 == own.hops)
                }
                Detour { hops, .. } if hops != own.hops - 1 => false,
                onward if own.goes_up || !onward.goes_up => true,
                _ => {
                    let then = self.next(turns, class, share, next);
                    then.is_some_and(|then| turns.has(s, next, then))
                }
            };
            if serves_it {
                self.serves.push(next);
            }
        }
        let serves = &self.serves[first..];
        let next = serves.get(number % serves.len().max(1)).copied();
        self.serves.truncate(first);
        self.detours[s].next = next;
        next
    }

    /// Whether a switch is new to the list of steps; then it is no longer.
    fn is_new(&mut self, s: SwitchId) -> bool {
        std::mem::replace(&mut self.detours[s].listed, self.lists) != self.lists
    }

    /// Adds the steps of the detour from a switch, up to a step that is already among them.
    fn follow(
        &mut self,
        turns: &Turns,
        class: &Class,
        share: usize,
        from: SwitchId,
        chosen: &mut Chosen,
    ) {
        let mut s = from;
        while self.is_new(s)
            && let Some(next) = self.next(turns, class, share, s)
        {
            chosen.steps.push((s, next));
            if self.detours[next].hops == 0 {
                let gate = class.gate(s, next).filter(|gate| !gate.from.contains(&s));
                let by = gate.map_or(&[][..], |gate| &gate.by);
                if let Some(&by) = by.get((class.number + share) % by.len().max(1))
                    && self.is_new(next)
                {
                    chosen.pins.push((next, by));
                }
                return;
            }
            s = next;
        }
    }
}

impl Class {
    /// The gate at a switch for packets from another.
    fn gate(&self, from: SwitchId, at: SwitchId) -> Option<&Gate> {
        let gate = self.gates.binary_search_by_key(&at, |gate| gate.at).ok()?;
        let gate = &self.gates[gate];
        let leads = gate.from.contains(&from) || gate.pinned.contains(&from);
        leads.then_some(gate)
    }
}
