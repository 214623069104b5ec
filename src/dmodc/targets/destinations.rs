//! What is routed to, in the order in which it is computed, and back into the order of LIDs.
//!
//! A row is computed by *place*: first the end nodes by NID, then port 0 of every switch by column,
//! then, where ports have an LMC, all of that once more for each further offset. What is next to
//! each other in the tree is thus next to each other in the row however LIDs were given, and a row
//! becomes an LFT in one pass.

use super::nid::{Nids, fixed_number};
use crate::dmodc::paths::Costs;
use crate::fabric::{Fabric, Lid};
use crate::lft::NO_PATH;
use std::ops::Range;

/// The place of each LID, in two bytes where they suffice: every row is put in order by it.
#[derive(Clone, Debug)]
enum PlaceOfLid {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl Default for PlaceOfLid {
    fn default() -> Self {
        PlaceOfLid::Short(Vec::new())
    }
}

/// Something that is routed to by a number of its own: an end node without a slot, a port 0.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// The column of its switch.
    pub column: usize,
    /// Its place.
    pub place: usize,
    /// What it takes for the modulo rule.
    pub number: usize,
}

/// The destinations of a fabric.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    /// Base LID and LMC of each place of the first block; LID 0 where there is nobody.
    lids: Vec<(Lid, u8)>,
    /// The place of each LID; the last place, which holds "no path", for a LID that is not used.
    place: PlaceOfLid,
    /// LIDs per port at most: blocks of places.
    offsets: usize,
    /// Leaves in NID order: column, and the places of its slots, which are their NIDs.
    runs: Vec<(usize, Range<usize>)>,
    /// By column: end nodes without a slot, and port 0 of its switch last.
    singles: Vec<Single>,
    /// Per column: the places of the leaf's slots, and its part of `singles`.
    of_column: Vec<(Vec<Range<usize>>, Range<usize>)>,
    /// All LIDs behind the switch of a column, its own included, and where each column's start.
    lids_behind: Vec<Lid>,
    behind_start: Vec<u32>,
    /// How many slots there are.
    slots: usize,
}

impl Destinations {
    /// Collects the destinations of a fabric.
    pub fn new(fabric: &Fabric, costs: &Costs, nids: &Nids) -> Self {
        let switches = fabric.switches();
        let mut all = Destinations {
            slots: nids.at().len(),
            of_column: vec![(Vec::new(), 0..0); switches.len()],
            ..Destinations::default()
        };
        let lid = |n: u32| {
            let node = &fabric.end_nodes()[n as usize];
            (node.lid, node.lmc)
        };
        let lid_at = |at: &Option<u32>| at.map_or((Lid(0), 0), lid);
        all.lids.extend(nids.at().iter().map(lid_at));
        all.lids.extend(nids.singles().iter().map(|&n| lid(n)));
        let of_column = (0..switches.len()).map(|column| &switches[costs.switch(column) as usize]);
        all.lids.extend(of_column.map(|s| (s.lid, s.lmc)));
        for (leaf, run) in nids.runs() {
            let column = costs.column(*leaf);
            all.of_column[column].0.push(run.clone());
            all.runs.push((column, run.clone()));
        }
        let nodes = (all.slots..).zip(nids.singles()).map(|(place, &n)| Single {
            column: costs.column(fabric.end_nodes()[n as usize].switch),
            place,
            number: nids.nid(n) as usize,
        });
        let first_port_zero = all.slots + nids.singles().len();
        let ports_zero = (0..switches.len()).map(|column| Single {
            column,
            place: first_port_zero + column,
            number: fixed_number(switches[costs.switch(column) as usize].guid, 0) as usize,
        });
        all.singles.extend(nodes.chain(ports_zero));
        all.singles.sort_unstable_by_key(|s| (s.column, s.place));
        let mut start = 0;
        for of_one in all.singles.chunk_by(|a, b| a.column == b.column) {
            all.of_column[of_one[0].column].1 = start..start + of_one.len();
            start += of_one.len();
        }
        all.offsets = all.lids.iter().map(|&(_, lmc)| 1 << lmc).max().unwrap_or(1);
        all.collect_lids_behind();
        let lids = fabric.max_lid().index() + 1;
        all.place = match all.places() <= 1 << 16 {
            true => PlaceOfLid::Short(all.places_of_lids(lids, |place| place as u16)),
            false => PlaceOfLid::Long(all.places_of_lids(lids, |place| place as u32)),
        };
        all
    }

    fn collect_lids_behind(&mut self) {
        let mut behind = Vec::with_capacity(self.block());
        let mut start = Vec::with_capacity(self.of_column.len() + 1);
        for column in 0..self.of_column.len() {
            start.push(behind.len() as u32);
            let (slots, singles) = self.of_column(column);
            let places = slots.iter().flat_map(Range::clone);
            for place in places.chain(singles.iter().map(|single| single.place)) {
                let (lid, lmc) = self.lids[place];
                if lid != Lid(0) {
                    behind.extend((lid.0..lid.0 + (1 << lmc)).map(Lid));
                }
            }
        }
        start.push(behind.len() as u32);
        (self.lids_behind, self.behind_start) = (behind, start);
    }

    fn places_of_lids<T: Copy>(&self, lids: usize, number: impl Fn(usize) -> T) -> Vec<T> {
        let mut of_lid = vec![number(self.places() - 1); lids];
        for (place, &(lid, lmc)) in self.lids.iter().enumerate() {
            if lid != Lid(0) {
                for offset in 0..1usize << lmc {
                    of_lid[lid.index() + offset] = number(offset * self.block() + place);
                }
            }
        }
        of_lid
    }

    /// Places in a block: one for each port that is routed to, and each empty slot.
    pub fn block(&self) -> usize {
        self.lids.len()
    }

    /// Blocks: the greatest number of LIDs of one port.
    pub fn offsets(&self) -> usize {
        self.offsets
    }

    /// All places, the one for "no path" included.
    pub fn places(&self) -> usize {
        self.block() * self.offsets + 1
    }

    /// Leaves in NID order: column, and the places of its slots, which are their NIDs.
    pub fn runs(&self) -> &[(usize, Range<usize>)] {
        &self.runs
    }

    /// How many slots there are: they have the first places.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// By column: end nodes without a slot, and port 0 of its switch last.
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

    /// Base LID and LMC of a place of the first block; LID 0 for a switch that has none.
    pub fn lid(&self, place: usize) -> (Lid, u8) {
        self.lids[place]
    }

    /// A row by place with no path anywhere, in memory that has been used before.
    pub fn clear(&self, places: &mut Vec<u8>) {
        let length = self.places().next_power_of_two().max(1 << 16);
        places.resize(length, NO_PATH);
        places[..self.places()].fill(NO_PATH);
    }

    /// Turns a row by place into a row by LID.
    pub fn by_lid(&self, places: &[u8], row: &mut [u8]) {
        match &self.place {
            PlaceOfLid::Short(of_lid) => {
                let places: &[u8; 1 << 16] = places.first_chunk().expect("it is at least so long");
                gather(row, of_lid, |place| places[usize::from(place)]);
            }
            PlaceOfLid::Long(of_lid) => {
                // The mask changes nothing; it tells the compiler that no index is out of bounds.
                assert!(places.len().is_power_of_two());
                let mask = places.len() - 1;
                gather(row, of_lid, |place| places[place as usize & mask]);
            }
        }
    }
}

/// Fills a row by the place of each entry, eight at a time.
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
