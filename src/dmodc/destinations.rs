//! What is routed to, in the order in which it is computed, and back into the order of LIDs.
//!
//! A row is computed by *place*: first the end nodes by NID, then port 0 of every switch, then,
//! where ports have an LMC, all of that once more for each further offset. Consecutive NIDs are
//! thus neighbours however LIDs were given, and a row becomes an LFT in one pass.

use super::cost::Costs;
use super::nid::Nids;
use super::rank::Ranking;
use crate::fabric::{Fabric, Lid};
use std::ops::Range;

/// The destinations of a fabric.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    /// Base LID and LMC of each place of the first block.
    lids: Vec<(Lid, u8)>,
    /// The place of each LID; the last place, which holds "no path", for a LID that is not used.
    place: Vec<u32>,
    /// LIDs per port at most: blocks of places.
    offsets: usize,
    /// Leaves in NID order: column, and the places of its nodes.
    runs: Vec<(usize, Range<usize>)>,
    /// All others: end nodes off the leaves, aggregation nodes, port 0 of switches; by column, those
    /// on leaves first.
    singles: Vec<Single>,
    on_leaves: usize,
    /// Per column: the places of the leaf's nodes, and its part of `singles`.
    of_column: Vec<(Vec<Range<usize>>, Range<usize>)>,
}

/// A destination by itself.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// Column of its switch.
    pub column: usize,
    /// Its NID, or what stands for it.
    pub t: usize,
    /// Its place in the first block.
    pub place: usize,
    /// Whether it is port 0 of the switch.
    pub port_zero: bool,
}

impl Destinations {
    /// Collects the destinations of a fabric. Port 0 of a switch takes in place of a NID its
    /// switch's position among those of its rank.
    pub fn new(fabric: &Fabric, ranking: &Ranking, costs: &Costs, nids: &Nids) -> Self {
        let node = |n: u32| &fabric.end_nodes()[n as usize];
        let mut all = Destinations::default();
        all.lids
            .extend(nids.order().iter().map(|&n| (node(n).lid, node(n).lmc)));
        all.of_column = vec![(Vec::new(), 0..0); fabric.switches().len()];
        for (leaf, run) in nids.runs() {
            let column = costs.column(*leaf);
            all.of_column[column].0.push(run.clone());
            all.runs.push((column, run.clone()));
        }
        let on_leaves = nids.runs().last().map_or(0, |(_, run)| run.end);
        for (t, &n) in nids.order().iter().enumerate().skip(on_leaves) {
            let column = costs.column(node(n).switch);
            all.singles.push(Single {
                column,
                t,
                place: t,
                port_zero: false,
            });
        }
        let mut position = vec![0; ranking.per_rank().len()];
        for (s, switch) in (0u32..).zip(fabric.switches()) {
            let t = &mut position[ranking.rank(s) as usize];
            if switch.lid != Lid(0) {
                let (column, place) = (costs.column(s), all.lids.len());
                all.singles.push(Single {
                    column,
                    t: *t,
                    place,
                    port_zero: true,
                });
                all.lids.push((switch.lid, switch.lmc));
            }
            *t += 1;
        }
        let off_leaves = |single: &Single| all.of_column[single.column].0.is_empty();
        let mut singles = std::mem::take(&mut all.singles);
        singles.sort_by_key(|single| (off_leaves(single), single.column));
        all.on_leaves = singles.partition_point(|single| !off_leaves(single));
        all.singles = singles;
        for (i, single) in all.singles.iter().enumerate() {
            let range = &mut all.of_column[single.column].1;
            let start = if range.end == 0 { i } else { range.start };
            *range = start..i + 1;
        }
        all.offsets = all.lids.iter().map(|&(_, lmc)| 1 << lmc).max().unwrap_or(1);
        all.place = vec![all.places() as u32 - 1; fabric.max_lid().index() + 1];
        for (place, &(lid, lmc)) in all.lids.iter().enumerate() {
            for offset in 0..1usize << lmc {
                all.place[lid.index() + offset] = (offset * all.block() + place) as u32;
            }
        }
        all
    }

    /// Places in a block: one for each port that is routed to.
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

    /// Leaves in NID order: column, and the places of its nodes, which are their NIDs.
    pub fn runs(&self) -> &[(usize, Range<usize>)] {
        &self.runs
    }

    /// All that are not on leaves, by column.
    pub fn singles_off_leaves(&self) -> &[Single] {
        &self.singles[self.on_leaves..]
    }

    /// The places of the nodes on a column's leaf, and the other destinations of the column.
    pub fn of_column(&self, column: usize) -> (&[Range<usize>], &[Single]) {
        let (runs, singles) = &self.of_column[column];
        (runs, &self.singles[singles.clone()])
    }

    /// Base LID and LMC of a place of the first block.
    pub fn lid(&self, place: usize) -> (Lid, u8) {
        self.lids[place]
    }

    /// Turns a row by place into a row by LID.
    pub fn by_lid(&self, places: &[u8], row: &mut [u8]) {
        // The mask changes nothing; it tells the compiler that no index is out of bounds.
        let mask = places.len() - 1;
        assert!(places.len().is_power_of_two() && self.places() <= places.len());
        for (entry, &place) in row.iter_mut().zip(&self.place) {
            *entry = places[place as usize & mask];
        }
    }
}
