//! All tables: computes shared rows once, and writes each switch's own entries over a copy.
//!
//! Work is per (switch, leaf) rather than per node: the candidate groups are the same for all nodes of a leaf, and
//! where all groups up are candidates, for all leaves of a run.

use super::displaced::Below;
use super::inputs::Inputs;
use super::row::RowUp;
use super::scratch::{RouteMemory, Scratch};
use super::switch_view::SwitchView;
use crate::dmodc::connect::Steps;
use crate::dmodc::threads::Threads;
use crate::fabric::{Fabric, Lid};
use crate::lft::NO_PATH;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most rows of one up class that a thread takes at once. Their shared part takes about as long as this many copies.
const ROWS_AT_A_TIME: usize = 32;

/// A place, its switch in the fabric, and the row of this switch.
struct Row<'r> {
    switch: u32,
    of: u32,
    entries: &'r mut [u8],
}

impl Inputs {
    /// Writes the rows of a fabric's switches, all entries up to the highest LID. `switch` maps each switch to its
    /// place. Returns the number of displaced entries.
    pub fn write(
        &self,
        fabric: &Fabric,
        switch: impl Fn(u32) -> u32,
        rows: &mut [&mut [u8]],
        memory: &RouteMemory,
        threads: &Threads,
    ) -> usize {
        let width = fabric.max_lid().index() + 1;
        let mut of_switch: Vec<Option<Row>> = self.nominal.dividers.iter().map(|_| None).collect();
        for (of, entries) in (0u32..).zip(rows) {
            let switch = switch(of);
            of_switch[switch as usize] = Some(Row {
                switch,
                of,
                entries: &mut entries[..width],
            });
        }
        let order = self.classes.order().iter();
        let mut rows: Vec<Row> = order
            .filter_map(|&s| of_switch[s as usize].take())
            .collect();
        let alike = rows.chunk_by_mut(|a, b| self.classes.same_up(a.switch, b.switch));
        let jobs = alike.flat_map(|alike| alike.chunks_mut(ROWS_AT_A_TIME));
        let displaced = AtomicUsize::new(0);
        threads.for_each(jobs.collect(), |rows| {
            memory.with_scratch(|scratch| {
                let of_class = self.write_up_class(fabric, rows, scratch);
                displaced.fetch_add(of_class, Ordering::Relaxed);
            });
        });
        displaced.into_inner()
    }

    /// Writes rows of one up class. Returns how many entries are displaced.
    fn write_up_class(&self, fabric: &Fabric, rows: &mut [Row], scratch: &mut Scratch) -> usize {
        let Some(first) = rows.first() else { return 0 };
        let mut displaced = 0;
        let mut shared = std::mem::take(&mut scratch.shared);
        shared.resize(fabric.max_lid().index() + 1, NO_PATH);
        self.compute_up(first.switch, scratch, &mut shared);
        for rows in rows.chunk_by_mut(|a, b| self.classes.same_down(a.switch, b.switch)) {
            let Some((first, others)) = rows.split_first_mut() else {
                continue;
            };
            first.entries.copy_from_slice(&shared);
            let displaced_below = self.write_below(first.switch, first.entries, scratch);
            for other in others {
                other.entries.copy_from_slice(first.entries);
                displaced += displaced_below + self.finish(fabric, other, scratch);
            }
            displaced += displaced_below + self.finish(fabric, first, scratch);
        }
        scratch.shared = shared;
        displaced
    }

    /// Computes a switch's row, by LID, as if nothing were below it.
    fn compute_up(&self, switch: u32, scratch: &mut Scratch, shared: &mut [u8]) {
        let view = SwitchView::new(&self.nominal, switch);
        scratch.displaced.clear();
        if view.up.is_empty() {
            shared.fill(NO_PATH);
            return;
        }
        scratch.candidates_up.find(&view);
        scratch.choices.clear();
        self.destinations.clear(&mut scratch.row);
        RowUp {
            inputs: self,
            view,
            candidates: &scratch.candidates_up,
            choices: &mut scratch.choices,
            row: &mut scratch.row,
        }
        .write();
        scratch.shares.clear();
        if let Some(standing) = &self.standing {
            let (candidates, row) = (&mut scratch.up_now, &scratch.row);
            (scratch.shares).find(self, standing, switch, candidates, row);
        }
        if let Some(present) = &self.present {
            let candidates = (&scratch.candidates_up, &mut scratch.up_now);
            let (shares, row) = (&scratch.shares, &mut scratch.row);
            (scratch.displaced).repair_up(self, present, switch, candidates, shares, row);
        }
        self.destinations.by_lid(&scratch.row, shared);
    }

    /// Writes the entries of destinations below the switch. Returns how many are displaced.
    fn write_below(&self, switch: u32, row: &mut [u8], scratch: &mut Scratch) -> usize {
        let nominal = SwitchView::new(&self.nominal, switch);
        let now = SwitchView::new(self.present(), switch);
        scratch.down_now.find(&now);
        let candidates = match self.present.is_some() {
            true => {
                scratch.candidates_down.find(&nominal);
                &scratch.candidates_down
            }
            false => &scratch.down_now,
        };
        let mut with_choice = Vec::new();
        for column in now.all.columns_below(switch).iter().map(|&c| c as usize) {
            match scratch.down_now.only_port(&now, column) {
                Some(port) if candidates.only_port(&nominal, column) == Some(port) => {
                    for lid in self.destinations.lids_behind(column) {
                        row[lid.index()] = port;
                    }
                }
                _ => with_choice.push(column),
            }
        }
        if with_choice.is_empty() {
            return 0;
        }
        scratch.choices.clear();
        Below {
            inputs: self,
            switch,
            columns: &with_choice,
            nominal: (nominal, candidates),
            now: (now, &scratch.down_now),
        }
        .write(&mut scratch.displaced, &mut scratch.choices, row)
    }

    /// Writes the switch's own entries. Returns how many of its upward entries are displaced.
    fn finish(&self, fabric: &Fabric, row: &mut Row, scratch: &mut Scratch) -> usize {
        write_own(fabric, row.of, row.entries);
        scratch.displaced.count_above(self.present(), row.switch)
    }

    /// Computes the entries of a switch for all destinations that it reaches going up, by position.
    pub fn row_up(&self, switch: u32) -> Vec<u8> {
        let mut scratch = Scratch::default();
        let mut row = vec![NO_PATH; self.destinations.max_lid().index() + 1];
        self.destinations.clear(&mut scratch.row);
        self.compute_up(switch, &mut scratch, &mut row);
        scratch.row.truncate(self.destinations.positions());
        scratch.row
    }

    /// Writes the entries of detours. LIDs alternate over the links of one group.
    pub fn write_detours(
        &self,
        detours: &Steps,
        switch: impl Fn(u32) -> u32,
        rows: &mut [&mut [u8]],
        threads: &Threads,
    ) {
        if detours.of_switch.is_empty() {
            return;
        }
        let groups = &self.present().groups;
        let rows = (0..).zip(rows).map(|(of, row)| (switch(of), row));
        threads.for_each(rows.collect(), |(switch, row)| {
            for &(target, next) in &detours.of_switch[switch as usize] {
                let Some(group) = groups.to(switch, next) else {
                    continue;
                };
                let lids = detours.targets[target as usize].1.iter();
                match groups.ports(group) {
                    [port] => lids.for_each(|lid| row[lid.index()] = *port),
                    ports => lids.for_each(|lid| {
                        row[lid.index()] = ports[lid.index() % ports.len()];
                    }),
                }
            }
        });
    }
}

/// Writes the entries of the end nodes on the switch itself, and of its own port 0.
fn write_own(fabric: &Fabric, switch: u32, row: &mut [u8]) {
    let there = &fabric.end_nodes()[fabric.end_nodes_of(switch)];
    for node in there.iter().chain(fabric.absent_of(switch)) {
        row[node.lid.index()..][..1 << node.lmc].fill(node.port);
    }
    let own = &fabric.switches()[switch as usize];
    if own.lid != Lid(0) {
        row[own.lid.index()..][..1 << own.lmc].fill(0);
    }
}
