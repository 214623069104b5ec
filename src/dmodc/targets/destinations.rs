//! All destinations: their order in the computation, and the way back to the order of LIDs.
//!
//! A row is computed by *position*: first the slots by NID, then end nodes without a slot, then port 0 of every switch
//! by column, then absent nodes without a slot; where ports have an LMC, all of this once more for each further offset.
//! So neighbours in the tree are neighbours in the row whatever their LIDs, and a row becomes an LFT in one pass.

use super::nid::{Nids, fixed_number};
use crate::dmodc::design::Design;
use crate::dmodc::paths::Costs;
use crate::fabric::Lid;
use crate::lft::NO_PATH;
use std::ops::Range;

/// By LID: its position, in two bytes if they suffice, since each row is put in order by it.
#[derive(Clone, Debug)]
enum PositionOfLid {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl Default for PositionOfLid {
    fn default() -> Self {
        PositionOfLid::Short(Vec::new())
    }
}

/// A destination outside the slots, with a number of its own: an end node without a slot, or port 0 of a switch.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// The column of its switch.
    pub column: usize,
    /// Its position.
    pub position: usize,
    /// Its number for the modulo rule.
    pub number: usize,
}

/// The destinations of a fabric, and the maps between positions, columns and LIDs.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    /// Base LID and LMC of each position of the first block; LID 0 for an empty position.
    lids: Vec<(Lid, u8)>,
    /// The position of each LID; the last position, which holds "no path", for an unused LID.
    position: PositionOfLid,
    /// The greatest number of LIDs of one port: the number of blocks.
    offsets: usize,
    /// Leaves in NID order: column, and the positions of its slots, which are their NIDs.
    runs: Vec<(usize, Range<usize>)>,
    /// By column: end nodes without a slot, port 0 of its switch, absent nodes without a slot.
    singles: Vec<Single>,
    /// By column: the positions of the leaf's slots, and its part of `singles`.
    of_column: Vec<(Vec<Range<usize>>, Range<usize>)>,
    /// All LIDs behind the switch of a column, absent LIDs too; and the start of each column.
    lids_behind: Vec<Lid>,
    behind_start: Vec<u32>,
    /// By position of the first block: whether the owner of its LIDs is absent.
    absent: Vec<bool>,
    /// Number of slots.
    slots: usize,
    /// The position of port 0 of the switch of the first column.
    first_port_zero: usize,
}

impl Destinations {
    /// Collects the destinations of a fabric.
    pub fn new(design: &Design, costs: &Costs, nids: &Nids) -> Self {
        let fabric = &design.expected;
        let switches = fabric.switches();
        let mut all = Destinations {
            slots: nids.at.len(),
            of_column: vec![(Vec::new(), 0..0); switches.len()],
            ..Destinations::default()
        };
        let lid = |n: u32| {
            let node = &fabric.end_nodes()[n as usize];
            (node.lid, node.lmc)
        };
        let lid_at = |at: &Option<u32>| at.map_or((Lid(0), 0), lid);
        all.lids.extend(nids.at.iter().map(lid_at));
        all.lids.extend(nids.singles.iter().map(|&n| lid(n)));
        let of_column = (0..switches.len()).map(|column| &switches[costs.switch(column) as usize]);
        all.lids.extend(of_column.map(|s| (s.lid, s.lmc)));
        for (leaf, run) in &nids.runs {
            let column = costs.column(*leaf);
            all.of_column[column].0.push(run.clone());
            all.runs.push((column, run.clone()));
        }
        let nodes = (all.slots..)
            .zip(&nids.singles)
            .map(|(position, &n)| Single {
                column: costs.column(fabric.end_nodes()[n as usize].switch),
                position,
                number: nids.nid[n as usize] as usize,
            });
        let first_port_zero = all.slots + nids.singles.len();
        all.first_port_zero = first_port_zero;
        let ports_zero = (0..switches.len()).map(|column| Single {
            column,
            position: first_port_zero + column,
            number: fixed_number(design.name[costs.switch(column) as usize], 0) as usize,
        });
        all.singles.extend(nodes.chain(ports_zero));
        all.offsets = all.lids.iter().map(|&(_, lmc)| 1 << lmc).max().unwrap_or(1);
        all.add_absent(design, costs, nids);
        all.singles.sort_unstable_by_key(|s| (s.column, s.position));
        let mut start = 0;
        for of_one in all.singles.chunk_by(|a, b| a.column == b.column) {
            all.of_column[of_one[0].column].1 = start..start + of_one.len();
            start += of_one.len();
        }
        let mut behind = Vec::with_capacity(all.block());
        for column in 0..switches.len() {
            all.behind_start.push(behind.len() as u32);
            for position in all.positions_of(column) {
                behind.extend(all.lids_at(position));
            }
        }
        all.behind_start.push(behind.len() as u32);
        all.lids_behind = behind;
        all.position = all.positions_by_lid(fabric.max_lid());
        all
    }

    /// Adds the absent end nodes, each at the slot that is its own, if that is empty; else behind all others.
    fn add_absent(&mut self, design: &Design, costs: &Costs, nids: &Nids) {
        self.absent = vec![false; self.lids.len()];
        for (node, &(number, own)) in design.absent.iter().zip(&nids.absent) {
            let number = number as usize;
            let position = match own && self.lids[number].0 == Lid(0) {
                true => number,
                false => {
                    let (column, position) = (costs.column(node.switch), self.lids.len());
                    self.singles.push(Single {
                        column,
                        position,
                        number,
                    });
                    self.lids.push((Lid(0), 0));
                    self.absent.push(true);
                    position
                }
            };
            // More LIDs than any present port has would change how the LIDs of other ports spread.
            let lmc = node.lmc.min(self.offsets.ilog2() as u8);
            (self.lids[position], self.absent[position]) = ((node.lid, lmc), true);
        }
    }

    /// The position of each LID.
    fn positions_by_lid(&self, max_lid: Lid) -> PositionOfLid {
        let mut position_of_lid = vec![self.positions() as u32 - 1; max_lid.index() + 1];
        for position in 0..self.block() {
            for (offset, lid) in (0..).zip(self.lids_at(position)) {
                position_of_lid[lid.index()] = (offset * self.block() + position) as u32;
            }
        }
        match self.positions() <= 1 << 16 {
            true => PositionOfLid::Short(
                position_of_lid
                    .iter()
                    .map(|&position| position as u16)
                    .collect(),
            ),
            false => PositionOfLid::Long(position_of_lid),
        }
    }

    /// The LIDs at a position of the first block; none at an empty position.
    fn lids_at(&self, position: usize) -> impl Iterator<Item = Lid> + use<> {
        let (base, lmc) = self.lids[position];
        let count = if base == Lid(0) { 0 } else { 1 << lmc };
        (base.0..base.0 + count).map(Lid)
    }

    /// Positions in a block: one for each destination port, and each empty slot.
    pub fn block(&self) -> usize {
        self.lids.len()
    }

    /// Blocks: the greatest number of LIDs of one port.
    pub fn offsets(&self) -> usize {
        self.offsets
    }

    /// All positions, the one for "no path" included.
    pub fn positions(&self) -> usize {
        self.block() * self.offsets + 1
    }

    /// Leaves in NID order: column, and the positions of its slots, which are their NIDs.
    pub fn runs(&self) -> &[(usize, Range<usize>)] {
        &self.runs
    }

    /// Number of slots: they have the first positions.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// By column: end nodes without a slot, port 0 of its switch, absent nodes without a slot.
    pub fn singles(&self) -> &[Single] {
        &self.singles
    }

    /// The NIDs of the slots on a column's leaf, and its singles.
    pub fn of_column(&self, column: usize) -> (&[Range<usize>], &[Single]) {
        let (runs, singles) = &self.of_column[column];
        (runs, &self.singles[singles.clone()])
    }

    /// All LIDs behind the switch of a column, its own included.
    pub fn lids_behind(&self, column: usize) -> &[Lid] {
        let (from, to) = (self.behind_start[column], self.behind_start[column + 1]);
        &self.lids_behind[from as usize..to as usize]
    }

    /// The present LIDs behind the switch of a column, its own included.
    pub fn present_behind(&self, column: usize) -> impl Iterator<Item = Lid> {
        let there = self
            .positions_of(column)
            .filter(|&position| self.is_there(position));
        there.flat_map(|position| self.lids_at(position))
    }

    /// The positions of the first block behind the switch of a column.
    fn positions_of(&self, column: usize) -> impl Iterator<Item = usize> {
        let (slots, singles) = self.of_column(column);
        let singles = singles.iter().map(|single| single.position);
        slots.iter().flat_map(Range::clone).chain(singles)
    }

    /// The destinations behind the switch of a column, its own LID last: position, LID (`None` if empty), and whether
    /// the position exists without absent nodes, too.
    pub fn entries_behind(&self, column: usize) -> Vec<(usize, Option<Lid>, bool)> {
        let own = self.first_port_zero + column;
        let others = self
            .positions_of(column)
            .filter(|&position| position != own);
        let entries = others.chain([own]).flat_map(|position| {
            let stays = position < self.slots || !self.absent[position];
            let (lid, lmc) = self.lids[position];
            let count = if lid == Lid(0) { 1 } else { 1 << lmc };
            (0..count).map(move |offset| {
                let lid = (lid != Lid(0)).then_some(Lid(lid.0 + offset));
                (usize::from(offset) * self.block() + position, lid, stays)
            })
        });
        entries.collect()
    }

    /// By position: `value` of the destination's number and of the offset of the LID; 0 at port 0 of a switch.
    pub fn by_number(&self, value: impl Fn(usize, usize) -> u8) -> Vec<u8> {
        let mut values = vec![0; self.positions().next_power_of_two().max(1 << 16)];
        let slots = (0..self.slots).map(|position| (position, position));
        let is_node = |single: &&Single| {
            !(self.first_port_zero..self.first_port_zero + self.of_column.len())
                .contains(&single.position)
        };
        let singles = self.singles.iter().filter(is_node);
        let all = slots.chain(singles.map(|single| (single.position, single.number)));
        for (position, number) in all {
            for offset in 0..self.offsets {
                values[offset * self.block() + position] = value(number, offset);
            }
        }
        values
    }

    /// All positions of destinations behind the switch of a column.
    pub fn positions_behind(&self, column: usize) -> impl Iterator<Item = usize> {
        let (block, offsets) = (self.block(), self.offsets);
        let of_block = self.positions_of(column);
        of_block.flat_map(move |position| (0..offsets).map(move |k| k * block + position))
    }

    /// Whether a position of the first block has a present destination.
    pub fn is_there(&self, position: usize) -> bool {
        self.lids[position].0 != Lid(0) && !self.absent[position]
    }

    /// Base LID and LMC of a position of the first block; LID 0 for an empty slot, or a switch without a LID.
    pub fn lid(&self, position: usize) -> (Lid, u8) {
        self.lids[position]
    }

    /// Sets all of a row by position to "no path"; reuses the buffer.
    pub fn clear(&self, positions: &mut Vec<u8>) {
        let length = self.positions().next_power_of_two().max(1 << 16);
        positions.resize(length, NO_PATH);
        positions[..self.positions()].fill(NO_PATH);
    }

    /// The highest LID.
    pub fn max_lid(&self) -> Lid {
        let lids = match &self.position {
            PositionOfLid::Short(positions) => positions.len(),
            PositionOfLid::Long(positions) => positions.len(),
        };
        Lid(lids.saturating_sub(1) as u16)
    }

    /// Turns a row by position into a row by LID.
    pub fn by_lid(&self, positions: &[u8], row: &mut [u8]) {
        match &self.position {
            PositionOfLid::Short(of_lid) => {
                let positions: &[u8; 1 << 16] =
                    positions.first_chunk().expect("it is at least so long");
                gather(row, of_lid, |position| positions[usize::from(position)]);
            }
            PositionOfLid::Long(of_lid) => {
                // The mask changes no index; with it the compiler needs no check of bounds.
                assert!(positions.len().is_power_of_two());
                let mask = positions.len() - 1;
                gather(row, of_lid, |position| positions[position as usize & mask]);
            }
        }
    }
}

/// Fills a row by the position of each entry, eight at a time.
fn gather<T: Copy>(row: &mut [u8], of_lid: &[T], port: impl Fn(T) -> u8) {
    let (entries, entries_left) = row[..of_lid.len()].as_chunks_mut::<8>();
    let (at, at_left) = of_lid.as_chunks::<8>();
    for (entries, at) in entries.iter_mut().zip(at) {
        for i in 0..8 {
            entries[i] = port(at[i]);
        }
    }
    for (entry, &at) in entries_left.iter_mut().zip(at_left) {
        *entry = port(at);
    }
}
