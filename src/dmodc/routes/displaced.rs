//! Moves the entries of one switch whose nominal ports are gone to available ports.
//!
//! A nominal port is available if it is up and its group is still a candidate by equation (1) on the fabric
//! as it is. Only columns with a lost nominal candidate are checked.

use super::candidates::{CandidatesDown, CandidatesUp};
use super::inputs::Inputs;
use super::mirror::Mirror;
use super::port_choice::Choices;
use super::preference::{Digits, Open, Ring};
use super::shares::Shares;
use super::switch_view::SwitchView;
use crate::dmodc::paths::{HOPS, Paths};
use crate::fabric::Lid;
use crate::lft::NO_PATH;

/// Buffers for displaced entries.
#[derive(Default)]
pub struct Displaced {
    /// Not 0 for columns with a lost nominal candidate.
    columns: Vec<u8>,
    open: Open,
    ring: Ring,
    /// Number of displaced LIDs above the switch: by column, and in all.
    above: Vec<u32>,
    above_all: usize,
}

impl Displaced {
    /// Moves upward entries whose port is gone to an available port. `row` is a row of nominal ports by
    /// position, computed as if nothing were below the switch.
    pub fn repair_up(
        &mut self,
        inputs: &Inputs,
        present: &Paths,
        switch: u32,
        (nominal_candidates, candidates): (&CandidatesUp, &mut CandidatesUp),
        shares: &Shares,
        row: &mut [u8],
    ) {
        let destinations = &inputs.destinations;
        let nominal = SwitchView::new(&inputs.nominal, switch);
        let view = SwitchView::new(present, switch);
        self.above.clear();
        self.above.resize(present.costs.switches(), 0);
        self.above_all = 0;
        if !self.find_columns(&nominal, &view) {
            return;
        }
        candidates.find(&view);
        let divider = inputs.divider(switch);
        let digits = Digits::new(&inputs.nominal, switch, divider);
        let (mut opened, mut ringed) = (None, None);
        let mut taken = Vec::new();
        for column in (0..self.columns.len()).filter(|&column| self.columns[column] != 0) {
            let set = candidates.of(column);
            if opened.replace(set) != Some(set) {
                self.open.set(present, view.groups(set));
            }
            let set = nominal_candidates.of(column);
            if ringed.replace(set) != Some(set) {
                self.ring.set(&inputs.nominal, nominal.groups(set));
            }
            let mut displaced = 0;
            let (runs, singles) = destinations.of_column(column);
            let more = runs.iter().filter(|_| destinations.offsets() > 1);
            let extra = more.flat_map(Clone::clone).map(|nid| (nid, nid, 1));
            let numbers = singles.iter().map(|s| (s.position, s.number, 0));
            // These come before base LIDs leave their nominal ports, which the other LIDs of a port avoid.
            for (position, number, first) in extra.chain(numbers) {
                let at = |offset| offset * destinations.block() + position;
                taken.clear();
                taken.extend((0..destinations.offsets()).map(|offset| row[at(offset)]));
                for offset in first..destinations.offsets() {
                    let port = &mut row[at(offset)];
                    if !self.open.has(*port) {
                        *port = self.open.by_hash(number, offset, &taken);
                        let (_, lmc) = destinations.lid(position);
                        let has_lid = destinations.is_there(position) && offset >> lmc == 0;
                        let there = has_lid && *port != NO_PATH;
                        displaced += usize::from(there);
                    }
                }
            }
            for run in runs {
                for (port, nid) in row[run.clone()].iter_mut().zip(run.clone()) {
                    if self.open.has(*port) {
                        continue;
                    }
                    *port = shares.port(nid);
                    if !self.open.has(*port) {
                        let listed =
                            (self.ring).first_open(nid / divider, digits.offset(nid), &self.open);
                        *port = listed.unwrap_or_else(|| self.open.by_hash(nid, 0, &[]));
                    }
                    let there = destinations.is_there(nid) && *port != NO_PATH;
                    displaced += usize::from(there);
                }
            }
            self.above[column] += displaced as u32;
            self.above_all += displaced;
        }
    }

    /// Marks the columns above the switch with a lost nominal candidate. Returns whether there are any.
    fn find_columns(&mut self, nominal: &SwitchView, now: &SwitchView) -> bool {
        self.columns.clear();
        self.columns.resize(nominal.least.len(), 0);
        for group in nominal.up {
            let there = now.up.iter().find(|g| g.remote == group.remote);
            let is_whole = |g| now.groups.ports(g) == nominal.groups.ports(group);
            let columns = self.columns.iter_mut();
            let was = nominal.behind(group).iter().zip(nominal.least);
            let is = now.behind(group).iter().zip(now.least);
            if there.is_some_and(is_whole) {
                for ((bad, (was, least)), (is, least_now)) in columns.zip(was).zip(is) {
                    *bad |= u8::from(was & HOPS == *least) & u8::from(is & HOPS != *least_now);
                }
            } else {
                for (bad, (was, least)) in columns.zip(was) {
                    *bad |= u8::from(was & HOPS == *least);
                }
            }
        }
        self.columns.iter().any(|&bad| bad != 0)
    }

    /// The number of displaced LIDs that a switch sends upward: of its shared row, without LIDs at or below it.
    pub fn count_above(&self, present: &Paths, switch: u32) -> usize {
        if self.above_all == 0 {
            return 0;
        }
        let below = present.costs.columns_below(switch).iter();
        let own = present.costs.column(switch) as u32;
        let of_column = |&column: &u32| self.above[column as usize] as usize;
        self.above_all - below.chain([&own]).map(of_column).sum::<usize>()
    }

    /// Forgets the displaced entries of the last switch.
    pub fn clear(&mut self) {
        self.above_all = 0;
    }
}

/// The columns below one switch with several candidate ports, or with a nominal port that is gone.
pub struct Below<'b> {
    /// The inputs of all rows.
    pub inputs: &'b Inputs,
    /// The switch.
    pub switch: u32,
    /// The columns.
    pub columns: &'b [usize],
    /// The switch's view of the design.
    pub nominal: (SwitchView<'b>, &'b CandidatesDown),
    /// Its view of the fabric as it is.
    pub now: (SwitchView<'b>, &'b CandidatesDown),
}

impl Below<'_> {
    /// Writes the entries, at their nominal ports where these are available. Returns how many LIDs are displaced.
    pub fn write(&self, memory: &mut Displaced, choices: &mut Choices, row: &mut [u8]) -> usize {
        let inputs = self.inputs;
        let destinations = &inputs.destinations;
        let (nominal, nominal_candidates) = &self.nominal;
        let (now, now_candidates) = &self.now;
        let present = inputs.present();
        let divider = inputs.divider(self.switch);
        let paths = inputs.nominal.path_dividers[self.switch as usize];
        let Displaced { open, ring, .. } = memory;
        let mut displaced = 0;
        let mut taken: Vec<u8> = Vec::new();
        for &column in self.columns {
            open.set(present, now.groups(now_candidates.of(now, column)));
            let set = nominal_candidates.of(nominal, column);
            ring.set(&inputs.nominal, nominal.groups(set));
            let choice = choices.of(set, paths, || nominal.groups(set).copied().collect());
            let mut mirror = (inputs.mirrored && set.is_several())
                .then(|| Mirror::new(inputs, self.switch, nominal.all.switch(column)));
            let mut port = |number, offset| match &mut mirror {
                Some(mirror) => mirror.port(number, offset),
                None => choice.port(nominal.groups, set.quotient(number, divider), offset),
            };
            let (runs, singles) = destinations.of_column(column);
            let nids = runs.iter().flat_map(Clone::clone);
            let slots = nids.map(|nid| (nid, nid, true));
            let singles = singles.iter().map(|s| (s.position, s.number, false));
            for (position, number, is_slot) in slots.chain(singles) {
                let (lid, lmc) = destinations.lid(position);
                let last = if lid == Lid(0) { 0 } else { 1 << lmc };
                taken.clear();
                taken.extend((0..last).map(|offset| port(number, offset)));
                for (offset, &nominal) in taken.iter().enumerate() {
                    let mut port = nominal;
                    if !open.has(port) {
                        let q = set.quotient(number, divider);
                        let listed = (is_slot && offset == 0)
                            .then(|| ring.first_open(q, q / ring.len().max(1), open));
                        port = (listed.flatten())
                            .unwrap_or_else(|| open.by_hash(number, offset, &taken));
                        displaced += usize::from(destinations.is_there(position));
                    }
                    row[lid.index() + offset] = port;
                }
            }
        }
        displaced
    }
}
