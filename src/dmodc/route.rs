//! Routes: every entry of every forwarding table (paper, section III.B).
//!
//! Work is done per (switch, leaf) rather than per node: the candidate groups are the same for all
//! nodes of a leaf, and where all switches above lead equally well, for all leaves in a row. Runs
//! of consecutive NIDs are then written without a division, and put into LID order at the end.
//!
//! It is done once for all switches that route alike (module `sharing`): first the rows that are
//! shared are computed, in parallel, then the rows of all switches are written, in parallel, each
//! once: as a copy of a shared row and what is the switch's own, or from the ground up.

use super::choice::Choice;
use super::cost::{Costs, HOPS, INFINITE, UP};
use super::destinations::{Destinations, Single};
use super::detour::Detours;
use super::groups::{Group, Groups};
use super::sharing::{Part, Sharing};
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
    /// All groups that lead up.
    over_the_top: Choice<'a>,
    /// Some other set of candidates.
    other: Choice<'a>,
    /// Per column: how many groups lead down there, and the last of them.
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
            places: Vec::new(),
            over_the_top: Choice::new(self.groups, self.destinations.offsets()),
            other: Choice::new(self.groups, self.destinations.offsets()),
            down: Vec::new(),
        }
    }

    /// The candidate groups C of equation (1) at `switch` for the switch of `column`: below where
    /// one leads there going down only, else above, where that is nearer. Ascending UUID.
    pub fn candidates(&self, switch: u32, column: usize) -> Vec<Group> {
        self.view(switch, Part::Whole).candidates(column).collect()
    }

    fn view(&self, switch: u32, part: Part) -> View<'_> {
        let class = self.groups.up_class(switch);
        View {
            router: self,
            switch,
            part,
            costs: self.costs.row(switch),
            least: self.costs.least_above(class),
            uniform: self.costs.uniform_above(class),
        }
    }

    /// Computes a row by place. Its own LIDs get what another switch in its place would have.
    fn compute(&self, switch: u32, part: Part, scratch: &mut Scratch<'a>) {
        let Scratch {
            places,
            over_the_top,
            other,
            down,
        } = scratch;
        let view = self.view(switch, part);
        places.clear();
        places.resize(self.destinations.places(), NO_PATH);
        if part == Part::Whole {
            view.find_ways_down(down);
        }
        let ways = self.path_dividers[switch as usize];
        over_the_top.set(ways, self.groups.up(switch).iter().copied());
        let mut run = 0..0;
        for (column, nids) in self.destinations.runs() {
            if view.goes_over_the_top(*column) {
                if run.end != nids.start {
                    self.write_run(switch, places, over_the_top, run);
                    run = nids.start..nids.start;
                }
                run.end = nids.end;
            } else {
                view.choose(*column, down, other);
                self.write_run(switch, places, other, nids.clone());
            }
        }
        self.write_run(switch, places, over_the_top, run);
        for single in self.destinations.singles() {
            if view.goes_over_the_top(single.column) {
                self.write_single(switch, places, over_the_top, single);
            } else {
                view.choose(single.column, down, other);
                self.write_single(switch, places, other, single);
            }
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
        let view = self.view(switch, Part::Whole);
        let ways = self.path_dividers[switch as usize];
        match self.sharing.source(switch) {
            None => {
                self.compute(switch, Part::Whole, scratch);
                self.destinations.by_lid(&scratch.places, row);
            }
            Some((source, Part::Whole)) => row.copy_from_slice(&shared[source]),
            Some((source, Part::Upward)) => {
                row.copy_from_slice(&shared[source]);
                for column in self.costs.columns_below(switch) {
                    scratch.other.set(ways, view.candidates(column));
                    self.patch_column(switch, column, &scratch.other, row);
                }
            }
        }
        let other = &mut scratch.other;
        for column in self
            .detours
            .columns()
            .filter(|&column| view.costs[column] == INFINITE)
        {
            other.set(ways, self.detours.candidates(self.groups, switch, column));
            self.patch_column(switch, column, other, row);
        }
        self.patch_own(switch, row);
    }

    /// Writes the entries of all that is on one switch.
    fn patch_column(&self, switch: u32, column: usize, choice: &Choice, row: &mut [u8]) {
        let divider = self.dividers[switch as usize] as usize;
        for (t, place) in self.destinations.of_column(column) {
            let (lid, lmc) = self.destinations.lid(place);
            for offset in 0..1 << lmc {
                row[lid.index() + offset] = choice.port(t / divider, offset);
            }
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

/// What one switch sees of the costs.
struct View<'r> {
    router: &'r Router<'r>,
    switch: u32,
    part: Part,
    costs: &'r [u8],
    least: &'r [u8],
    uniform: &'r [u8],
}

impl<'r> View<'r> {
    fn goes_down(&self, column: usize) -> bool {
        self.part == Part::Whole && self.costs[column] & UP == 0 && self.costs[column] != 0
    }

    /// Whether all groups that lead up are candidates.
    fn goes_over_the_top(&self, column: usize) -> bool {
        !self.goes_down(column) && self.uniform[column] != 0 && self.least[column] != HOPS
    }

    fn candidates(&self, column: usize) -> impl Iterator<Item = Group> + 'r {
        let Router { groups, costs, .. } = self.router;
        let (down, cost, least) = (
            self.goes_down(column),
            self.costs[column],
            self.least[column],
        );
        let groups = match down {
            true => groups.down(self.switch),
            false if least == HOPS => &[],
            false => groups.up(self.switch),
        };
        let nearer = move |g: &&Group| match (down, costs.row(g.remote)[column]) {
            (true, byte) => byte == cost - 1,
            (false, byte) => byte & HOPS == least,
        };
        groups.iter().filter(nearer).copied()
    }

    /// Sets the candidates for a column that does not go over the top.
    fn choose(&self, column: usize, down: &[(u8, u8)], choice: &mut Choice) {
        let ways = self.router.path_dividers[self.switch as usize];
        if self.goes_down(column) && down[column].0 == 1 {
            let only = usize::from(down[column].1);
            choice.set(
                ways,
                self.router.groups.down(self.switch)[only..=only]
                    .iter()
                    .copied(),
            );
        } else {
            choice.set(ways, self.candidates(column));
        }
    }

    /// For every column, how many groups lead down there and which is the last of them.
    fn find_ways_down(&self, down: &mut Vec<(u8, u8)>) {
        down.clear();
        down.resize(self.costs.len(), (0, 0));
        for (i, group) in (0u8..).zip(self.router.groups.down(self.switch)) {
            let below = self.router.costs.row(group.remote);
            for ((way, &cost), &byte) in down.iter_mut().zip(self.costs).zip(below) {
                let leads = cost & UP == 0 && byte.wrapping_add(1) == cost;
                *way = if leads { (way.0 + 1, i) } else { *way };
            }
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
