//! Routes: every entry of every forwarding table (paper, section III.B).
//!
//! Work is done per (switch, leaf) rather than per node: the candidate groups are the same for all
//! nodes of a leaf, and where all switches above lead equally well, for all leaves in a row. Runs
//! of consecutive NIDs are then written without a division, and put into LID order at the end.
//!
//! It is done once for all switches that route alike (module `sharing`): first the rows that are
//! shared are computed, in parallel, then the rows of all switches are written, in parallel, each
//! once: as a copy of a shared row and what is the switch's own, or from the ground up.

use super::choice::{Choice, Choices};
use super::cost::{Costs, INFINITE};
use super::destinations::{Destinations, Single};
use super::detour::Detours;
use super::groups::Groups;
use super::sharing::{Part, Sharing};
use super::view::View;
use crate::fabric::{Fabric, Lid};
use crate::lft::NO_PATH;
use rayon::prelude::*;
use std::ops::Range;

/// What all rows are computed from.
pub struct Router<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// Its port groups.
    pub groups: &'a Groups,
    /// Its costs.
    pub costs: &'a Costs,
    /// Ways around the up-down rule, where asked for.
    pub detours: &'a Detours,
    /// Π of every switch.
    pub dividers: &'a [u32],
    /// Different ways below every switch.
    pub path_dividers: &'a [u32],
    /// What is routed to.
    pub destinations: &'a Destinations,
    /// Which switches route alike.
    pub sharing: &'a Sharing,
}

/// What a thread keeps from row to row.
struct Scratch<'a> {
    /// A row by place.
    places: Vec<u8>,
    choices: Choices<'a>,
    /// Candidates by hand: detours.
    detour: Choice<'a>,
    /// Per column below the switch: how many groups lead there, and the last of them.
    down: Vec<(u8, u8)>,
}

impl<'a> Router<'a> {
    /// Writes the rows of all switches, all entries up to the highest LID.
    pub fn write(&self, rows: &mut [&mut [u8]]) {
        let shared: Vec<Vec<u8>> = self
            .sharing
            .rows()
            .par_iter()
            .map_init(
                || self.scratch(),
                |scratch, &(switch, part)| {
                    self.compute(switch, part, scratch);
                    let mut row = vec![NO_PATH; self.fabric.max_lid().index() + 1];
                    self.destinations.by_lid(&scratch.places, &mut row);
                    row
                },
            )
            .collect();
        rows.par_iter_mut().enumerate().for_each_init(
            || self.scratch(),
            |scratch, (s, row)| self.write_row(s as u32, row, scratch, &shared),
        );
    }

    fn scratch(&self) -> Scratch<'a> {
        Scratch {
            places: vec![NO_PATH; self.destinations.places().next_power_of_two()],
            choices: Choices::new(self.groups, self.destinations.offsets()),
            detour: Choice::new(self.groups, self.destinations.offsets()),
            down: vec![(0, 0); self.groups.bottom_up().len()],
        }
    }

    /// Computes a row by place. Its own LIDs get what another switch in its place would have.
    fn compute(&self, switch: u32, part: Part, scratch: &mut Scratch<'a>) {
        let Scratch {
            places,
            choices,
            down,
            ..
        } = scratch;
        let view = View::new(self.groups, self.costs, switch, part);
        let ways = self.path_dividers[switch as usize];
        places.fill(NO_PATH);
        choices.clear();
        if part == Part::Whole {
            view.find_ways_down(down);
        }
        let choose = |choices: &mut Choices, column: usize| {
            let set = view.candidates(column, down);
            choices.slot(set, ways, || view.groups(set))
        };
        // Neighbouring columns with the same candidates make one run.
        let mut run = 0..0;
        let (mut last, mut slot) = (None, 0);
        for (column, nids) in self.destinations.runs() {
            let alike = last.is_some_and(|last| view.alike(last, *column, down));
            if !alike || run.end != nids.start {
                // Written before another choice may take its slot.
                self.write_run(switch, places, choices.at(slot), run);
                run = nids.start..nids.start;
                slot = choose(choices, *column);
            }
            run.end = nids.end;
            last = Some(*column);
            let (_, singles) = self.destinations.of_column(*column);
            for single in singles {
                self.write_single(switch, places, choices.at(slot), single);
            }
        }
        self.write_run(switch, places, choices.at(slot), run);
        let mut last = None;
        for single in self.destinations.singles_off_leaves() {
            if !last.is_some_and(|last| view.alike(last, single.column, down)) {
                slot = choose(choices, single.column);
            }
            self.write_single(switch, places, choices.at(slot), single);
            last = Some(single.column);
        }
    }

    /// Writes the places of consecutive NIDs.
    fn write_run(&self, switch: u32, places: &mut [u8], choice: &mut Choice, nids: Range<usize>) {
        if nids.is_empty() || choice.candidates().is_empty() {
            return;
        }
        let divider = self.dividers[switch as usize] as usize;
        for offset in 0..self.destinations.offsets() {
            let block = offset * self.destinations.block();
            let out = &mut places[block + nids.start..block + nids.end];
            match choice.table(offset) {
                Some(table) => fill(out, table, nids.start, divider),
                None => {
                    for (entry, t) in out.iter_mut().zip(nids.clone()) {
                        *entry = choice.port(t / divider, offset);
                    }
                }
            }
        }
    }

    fn write_single(&self, switch: u32, places: &mut [u8], choice: &Choice, single: &Single) {
        let q = single.t / self.dividers[switch as usize] as usize;
        for offset in 0..self.destinations.offsets() {
            let place = offset * self.destinations.block() + single.place;
            places[place] = choice.port(q, offset);
        }
    }

    /// Writes one switch's row.
    fn write_row(
        &self,
        switch: u32,
        row: &mut [u8],
        scratch: &mut Scratch<'a>,
        shared: &[Vec<u8>],
    ) {
        let row = &mut row[..=self.fabric.max_lid().index()];
        let view = View::new(self.groups, self.costs, switch, Part::Whole);
        let ways = self.path_dividers[switch as usize];
        match self.sharing.source(switch) {
            None => {
                self.compute(switch, Part::Whole, scratch);
                self.destinations.by_lid(&scratch.places, row);
            }
            Some((source, Part::Whole)) => row.copy_from_slice(&shared[source]),
            Some((source, Part::Upward)) => {
                row.copy_from_slice(&shared[source]);
                let down = &mut scratch.down;
                view.find_ways_down(down);
                scratch.choices.clear();
                for column in self.costs.columns_below(switch).iter().map(|&c| c as usize) {
                    let set = view.candidates(column, down);
                    let slot = scratch.choices.slot(set, ways, || view.groups(set));
                    self.patch_column(switch, column, scratch.choices.at(slot), row);
                }
            }
        }
        for column in self.detours.columns() {
            if self.costs.row(switch)[column] == INFINITE {
                let groups = self.detours.candidates(self.groups, switch, column);
                scratch.detour.set(ways, groups);
                let (_, singles) = self.destinations.of_column(column);
                for single in singles.iter().filter(|single| single.port_zero) {
                    self.patch(switch, single.t, single.place, &scratch.detour, row);
                }
            }
        }
        self.patch_own(switch, row);
    }

    /// Writes the entries of all that is on one switch.
    fn patch_column(&self, switch: u32, column: usize, choice: &Choice, row: &mut [u8]) {
        let (runs, singles) = self.destinations.of_column(column);
        for nid in runs.iter().flat_map(|run| run.clone()) {
            self.patch(switch, nid, nid, choice, row);
        }
        for single in singles {
            self.patch(switch, single.t, single.place, choice, row);
        }
    }

    /// Writes the entries of one port.
    fn patch(&self, switch: u32, t: usize, place: usize, choice: &Choice, row: &mut [u8]) {
        let (lid, lmc) = self.destinations.lid(place);
        for offset in 0..1 << lmc {
            row[lid.index() + offset] = match choice.only_port() {
                Some(port) => port,
                None => choice.port(t / self.dividers[switch as usize] as usize, offset),
            };
        }
    }

    /// The end nodes on the switch itself, and its own port 0.
    fn patch_own(&self, switch: u32, row: &mut [u8]) {
        for node in &self.fabric.end_nodes()[self.fabric.end_nodes_of(switch)] {
            row[node.lid.index()..][..1 << node.lmc].fill(node.port);
        }
        let own = &self.fabric.switches()[switch as usize];
        if own.lid != Lid(0) {
            row[own.lid.index()..][..1 << own.lmc].fill(0);
        }
    }
}

/// Writes the ports of consecutive NIDs from `first` on: `table[⌊t/Π⌋ mod period]`.
fn fill(out: &mut [u8], table: &[u8], first: usize, divider: usize) {
    let mut at = first / divider % table.len();
    if table.len() == 1 {
        out.fill(table[0]);
    } else if divider == 1 {
        let (head, rest) = out.split_at_mut((table.len() - at).min(out.len()));
        head.copy_from_slice(&table[at..at + head.len()]);
        for part in rest.chunks_mut(table.len()) {
            part.copy_from_slice(&table[..part.len()]);
        }
    } else {
        let (head, rest) = out.split_at_mut((divider - first % divider).min(out.len()));
        head.fill(table[at]);
        for part in rest.chunks_mut(divider) {
            at = if at + 1 == table.len() { 0 } else { at + 1 };
            part.fill(table[at]);
        }
    }
}
