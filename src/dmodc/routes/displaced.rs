//! The entries of one switch that cannot stay at their nominal ports.
//!
//! A nominal port stands if it is there and equation (1) on the fabric as it is still has it. Empty
//! slots are treated like those with a node, so that a host that goes moves nobody.

use super::candidates::{WaysDown, WaysUp};
use super::inputs::Inputs;
use super::port_choice::Choices;
use super::spread::{Load, Open, Turn};
use super::switch_view::SwitchView;
use crate::dmodc::paths::{HOPS, Paths};
use crate::fabric::Lid;
use crate::lft::NO_PATH;

/// Memory for what is displaced.
#[derive(Default)]
pub struct Displaced {
    /// Not 0 for columns where a nominal candidate does not stand.
    columns: Vec<u8>,
    /// Displaced slots, by NID, and their columns.
    slots: Vec<(u32, u32)>,
    /// Slots below the switch that are not, and their ports.
    kept: Vec<(u32, u8)>,
    open: Open,
    load: Load,
    /// Displaced LIDs above the switch: by column, and all.
    above: Vec<u32>,
    above_all: usize,
}

impl Displaced {
    /// Puts what a row of nominal ports, by place, has above the switch where it can be. The row is
    /// what the switch would route if nothing were below it.
    pub fn repair_up(
        &mut self,
        inputs: &Inputs,
        present: &Paths,
        switch: u32,
        ways: &mut WaysUp,
        places: &mut [u8],
    ) {
        let destinations = &inputs.destinations;
        let view = SwitchView::new(present, switch);
        self.above.clear();
        self.above.resize(present.costs.switches(), 0);
        self.above_all = 0;
        self.slots.clear();
        if !self.find_columns(&SwitchView::new(&inputs.nominal, switch), &view) {
            return;
        }
        ways.find(&view);
        let mut last = None;
        for column in (0..self.columns.len()).filter(|&column| self.columns[column] != 0) {
            let set = ways.candidates(column);
            if last.replace(set) != Some(set) {
                self.open.set(present, &view.groups(set));
            }
            let (runs, singles) = destinations.of_column(column);
            for nid in runs.iter().flat_map(Clone::clone) {
                if !self.open.has(places[nid]) {
                    places[nid] = NO_PATH;
                    if !self.open.is_empty() {
                        self.slots.push((nid as u32, column as u32));
                    }
                }
            }
            let slots = runs.iter().flat_map(Clone::clone);
            let extra = slots.map(|nid| (nid, nid, 1));
            let numbers = singles.iter().map(|s| (s.place, s.number, 0));
            for (place, number, first) in extra.chain(numbers) {
                for offset in first..destinations.offsets() {
                    let port = &mut places[offset * destinations.block() + place];
                    if !self.open.has(*port) {
                        *port = self.open.by_hash(number, offset);
                        let (lid, lmc) = destinations.lid(place);
                        let there = lid != Lid(0) && offset >> lmc == 0 && *port != NO_PATH;
                        self.above[column] += u32::from(there);
                        self.above_all += usize::from(there);
                    }
                }
            }
        }
        if self.slots.is_empty() {
            return;
        }
        self.slots.sort_unstable();
        let divider = inputs.divider(switch);
        self.load.clear(divider, destinations.slots());
        self.load.count_all(&places[..destinations.slots()]);
        let up = inputs.nominal.groups.up(switch).iter();
        let here = divider.saturating_mul(up.map(|g| g.size()).sum());
        let all = divider.saturating_mul(inputs.nominal.ways_up[switch as usize] as usize);
        for &(nid, column) in &self.slots {
            let set = ways.candidates(column as usize);
            if last.replace(set) != Some(set) {
                self.open.set(present, &view.groups(set));
            }
            let turn = Turn::new(nid as usize, here, all);
            places[nid as usize] = self.load.take(nid as usize, &self.open, turn);
            let there = destinations.lid(nid as usize).0 != Lid(0);
            self.above[column as usize] += u32::from(there);
            self.above_all += usize::from(there);
        }
    }

    /// Marks the columns where a nominal candidate above the switch does not stand. Returns whether
    /// there are any.
    fn find_columns(&mut self, nominal: &SwitchView, now: &SwitchView) -> bool {
        self.columns.clear();
        self.columns.resize(nominal.least.len(), 0);
        for group in nominal.up {
            let whole = !nominal.groups.ports(group).contains(&NO_PATH);
            let there = now.up.iter().any(|g| g.remote == group.remote);
            let columns = self.columns.iter_mut();
            let was = nominal.behind(group).iter().zip(nominal.least);
            let is = now.behind(group).iter().zip(now.least);
            if whole && there {
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

    /// How many LIDs that a switch sends upwards are displaced, out of those of the row that it shares.
    pub fn count_above(&self, present: &Paths, switch: u32) -> usize {
        if self.above_all == 0 {
            return 0;
        }
        let below = present.costs.columns_below(switch).iter();
        let own = present.costs.column(switch) as u32;
        let of_column = |&column: &u32| self.above[column as usize] as usize;
        self.above_all - below.chain([&own]).map(of_column).sum::<usize>()
    }

    /// Nothing is displaced above the switch, for all that is known.
    pub fn clear(&mut self) {
        self.above_all = 0;
    }
}

/// What is below one switch, where there is a choice.
pub struct Below<'b> {
    /// What all rows are computed from.
    pub inputs: &'b Inputs,
    /// The switch.
    pub switch: u32,
    /// The columns.
    pub columns: &'b [usize],
    /// What the switch should see.
    pub nominal: (SwitchView<'b>, &'b WaysDown),
    /// What it sees.
    pub now: (SwitchView<'b>, &'b WaysDown),
}

impl Below<'_> {
    /// Writes the entries, at their nominal ports where these stand. Returns how many LIDs are
    /// displaced.
    pub fn write(&self, memory: &mut Displaced, choices: &mut Choices, row: &mut [u8]) -> usize {
        let inputs = self.inputs;
        let destinations = &inputs.destinations;
        let (nominal, nominal_ways) = &self.nominal;
        let (now, now_ways) = &self.now;
        let present = inputs.present();
        let divider = inputs.divider(self.switch);
        let ways = inputs.path_dividers[self.switch as usize];
        let Displaced {
            slots,
            kept,
            open,
            load,
            ..
        } = memory;
        slots.clear();
        kept.clear();
        let mut displaced = 0;
        for &column in self.columns {
            open.set(present, &now.groups(now_ways.candidates(now, column)));
            let set = nominal_ways.candidates(nominal, column);
            let choice = choices.of(set, ways, || nominal.groups(set));
            let port =
                |number, offset| choice.port(nominal.groups, set.quotient(number, divider), offset);
            let (runs, singles) = destinations.of_column(column);
            let nids = runs.iter().flat_map(Clone::clone);
            for nid in nids.clone() {
                match port(nid, 0) {
                    port if open.has(port) => kept.push((nid as u32, port)),
                    _ => slots.push((nid as u32, column as u32)),
                }
            }
            let extra = nids.map(|nid| (nid, nid, 1));
            let numbers = singles.iter().map(|s| (s.place, s.number, 0));
            for (place, number, first) in extra.chain(numbers) {
                let (lid, lmc) = destinations.lid(place);
                let last = if lid == Lid(0) { 0 } else { 1 << lmc };
                for offset in first..last {
                    let mut port = port(number, offset);
                    if !open.has(port) {
                        port = open.by_hash(number, offset);
                        displaced += 1;
                    }
                    row[lid.index() + offset] = port;
                }
            }
        }
        let mut write = |nid: u32, port: u8| {
            let (lid, _) = destinations.lid(nid as usize);
            if lid != Lid(0) {
                row[lid.index()] = port;
            }
            usize::from(lid != Lid(0))
        };
        for &(nid, port) in &*kept {
            write(nid, port);
        }
        if slots.is_empty() {
            return displaced;
        }
        load.clear(divider, destinations.slots());
        for &(nid, port) in &*kept {
            load.count(nid as usize, port);
        }
        slots.sort_unstable();
        for &(nid, column) in &*slots {
            let set = now_ways.candidates(now, column as usize);
            open.set(present, &now.groups(set));
            let turn = Turn::new(nid as usize, divider, divider);
            displaced += write(nid, load.take(nid as usize, open, turn));
        }
        displaced
    }
}
