//! Costs: the hops of the shortest up-down path from every switch to every other (paper, section III.A,
//! "Cost", Algorithm 1).
//!
//! The two sweeps, upward and downward, are the paper's, with one difference, which guarantees up-down on any
//! fabric: a switch that reaches the destination going down only keeps that cost, and goes down; any other
//! switch goes up, and its cost is one more than the least cost above it. In complete and degraded PGFTs both
//! rules give the same cost wherever the paper's cost is finite.
//!
//! A cost is one byte, so that the processor compares rows sixteen or more columns at a time:
//!
//! | byte | meaning |
//! |---|---|
//! | `0..=126` | reached going down only, in that many hops |
//! | `0x80 + 1..=126` | reached going up first, in that many hops |
//! | `0xff` | no up-down path (masked: 127, above every cost) |
//!
//! More than 126 hops count as no path: directed routes in InfiniBand end at 64 hops, so a subnet manager in
//! the middle of a fabric cannot discover two switches further apart. All switches have columns, leaves
//! first: the LIDs of a switch's port 0 are destinations too.

use crate::ids::{BySwitch, ClassId, Column, SwitchId};
use crate::threads::Threads;
use crate::tree::{Group, Groups, Ranking, sort_by_small_key};
use typed_index_collections::{TiSlice, TiVec};

/// The byte for "no up-down path".
pub const INFINITE: u8 = 0xff;
/// The bit of a cost byte for a path that goes up first.
pub const UP: u8 = 0x80;
/// The bits of a cost byte for the hops.
pub const HOPS: u8 = 0x7f;
const MAX_HOPS: u8 = 126;
/// In a row of least hops above: no switch above has a path. No cost has these hops.
const NOT_ABOVE: u8 = 0x80;

/// The cost matrix: a byte per pair of switches, so its size is the square of the number of switches.
/// Switches of one up class share the minimum above, which makes the sweeps cheap.
#[derive(Clone, Debug)]
pub struct Costs {
    width: usize,
    bytes: Vec<u8>,
    /// Row of a switch. Rows stand in [`Groups::bottom_up`] order.
    row: BySwitch<u32>,
    /// Column of a switch, and back. Leaves have columns `0..leaves`, siblings side by side.
    column: BySwitch<Column>,
    switch: TiVec<Column, SwitchId>,
    leaves: Column,
    /// By switch its down class, and by down class the columns that it reaches going down.
    down_class: BySwitch<ClassId>,
    below: TiVec<ClassId, Below>,
    /// By up class: for each column the least hops from any switch above, or [`NOT_ABOVE`].
    above: TiVec<ClassId, TiVec<Column, u8>>,
}

/// The columns that a switch reaches going down only, its own left out.
#[derive(Clone, Debug, Default)]
struct Below {
    columns: Vec<Column>,
    hops: Vec<u8>,
}

impl Costs {
    /// Computes all costs. `switch` has the switches in the order of columns ([`columns`]), leaves first.
    pub fn new(
        switch: TiVec<Column, SwitchId>,
        leaves: Column,
        groups: &Groups,
        threads: &Threads,
    ) -> Self {
        let width = groups.switches().len();
        let mut row: BySwitch<u32> = vec![0; width].into();
        (0..)
            .zip(groups.bottom_up())
            .for_each(|(at, &s)| row[s] = at);
        let mut column: BySwitch<Column> = vec![Column(0); width].into();
        switch.iter_enumerated().for_each(|(at, &s)| column[s] = at);
        let mut costs = Costs {
            width,
            bytes: vec![INFINITE; width * width],
            row,
            column,
            leaves,
            switch,
            down_class: groups.switches().map(|s| groups.down_class(s)).collect(),
            below: vec![Below::default(); groups.down_classes().len()].into(),
            above: vec![TiVec::new(); groups.up_classes().len()].into(),
        };
        if width > 0 {
            costs.sweep_upward(groups, threads);
            costs.sweep_downward(groups, threads);
        }
        costs
    }

    /// The cost bytes of a switch, by column.
    #[inline]
    pub fn row(&self, switch: SwitchId) -> &TiSlice<Column, u8> {
        self.bytes[self.row[switch] as usize * self.width..][..self.width].as_ref()
    }

    /// The column of a switch.
    #[inline]
    pub fn column(&self, switch: SwitchId) -> Column {
        self.column[switch]
    }

    /// The switch of a column.
    pub fn switch(&self, column: Column) -> SwitchId {
        self.switch[column]
    }

    /// The number of switches, and so of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The switches in the order of columns.
    pub fn columns(&self) -> &TiSlice<Column, SwitchId> {
        &self.switch
    }

    /// The first column that is no leaf's.
    pub fn leaves(&self) -> Column {
        self.leaves
    }

    /// Whether a switch has one of the first columns: those of the leaves.
    pub fn is_leaf(&self, switch: SwitchId) -> bool {
        self.column(switch) < self.leaves()
    }

    /// The cost byte from one switch to another.
    #[inline]
    pub fn byte(&self, from: SwitchId, to: SwitchId) -> u8 {
        self.row(from)[self.column(to)]
    }

    /// Hops from one switch to another, `None` if there is no up-down path.
    pub fn hops(&self, from: SwitchId, to: SwitchId) -> Option<u8> {
        let byte = self.byte(from, to);
        (byte != INFINITE).then_some(byte & HOPS)
    }

    /// Hops from one switch to another going down only, `None` if there is no such path.
    pub fn hops_down(&self, from: SwitchId, to: SwitchId) -> Option<u8> {
        let byte = self.byte(from, to);
        (byte & UP == 0).then_some(byte)
    }

    /// The columns that a switch reaches going down only, its own left out.
    pub fn columns_below(&self, switch: SwitchId) -> &[Column] {
        &self.below(switch).columns
    }

    fn below(&self, switch: SwitchId) -> &Below {
        &self.below[self.down_class[switch]]
    }

    /// By column, the least hops from any switch above an up class; `NOT_ABOVE` without a path.
    pub fn least_above(&self, up_class: ClassId) -> &TiSlice<Column, u8> {
        &self.above[up_class]
    }

    /// Upward: a switch reaches all columns that the switches below it reach going down, one hop further.
    /// Switches of one down class reach the same columns.
    fn sweep_upward(&mut self, groups: &Groups, threads: &Threads) {
        for layer in groups.layer_starts().windows(2) {
            let members = &groups.bottom_up()[layer[0]..layer[1]];
            let is_first = |s: &SwitchId| groups.down_classes()[groups.down_class(*s)] == *s;
            let firsts: Vec<SwitchId> = members.iter().copied().filter(is_first).collect();
            let mut found = vec![Below::default(); firsts.len()];
            threads.for_each(firsts.iter().zip(&mut found).collect(), |(&s, found)| {
                *found = self.reach_down(groups, s);
            });
            for (s, below) in firsts.into_iter().zip(found) {
                self.below[groups.down_class(s)] = below;
            }
        }
    }

    /// Computes the columns that a switch reaches going down only from the columns of the switches below it.
    fn reach_down(&self, groups: &Groups, switch: SwitchId) -> Below {
        let mut hops: TiVec<Column, u8> = vec![INFINITE; self.width].into();
        let mut columns = Vec::new();
        let mut offer = |column: Column, new: u8| {
            let known = &mut hops[column];
            if new < *known && new <= MAX_HOPS {
                if *known == INFINITE {
                    columns.push(column);
                }
                *known = new;
            }
        };
        for group in groups.down(switch) {
            offer(self.column[group.remote], 1);
            let below = self.below(group.remote);
            for (&column, &hops) in below.columns.iter().zip(&below.hops) {
                offer(column, hops + 1);
            }
        }
        let hops = columns.iter().map(|&column| hops[column]);
        Below {
            hops: hops.collect(),
            columns,
        }
    }

    /// Downward: a switch that cannot go down takes the least cost above it, plus one. Switches of one up
    /// class share that minimum.
    fn sweep_downward(&mut self, groups: &Groups, threads: &Threads) {
        let width = self.width;
        let mut bytes = std::mem::take(&mut self.bytes);
        for layer in groups.layer_starts().windows(2).rev() {
            let (here, above) =
                bytes[layer[0] * width..].split_at_mut((layer[1] - layer[0]) * width);
            let row_above = |s: SwitchId| {
                let row = self.row[s] as usize - layer[1];
                &above[row * width..][..width]
            };
            let mut rest = here;
            let members = &groups.bottom_up()[layer[0]..layer[1]];
            let alike: Vec<(&[SwitchId], &mut [u8])> = members
                .chunk_by(|&a, &b| groups.up_class(a) == groups.up_class(b))
                .map(|alike| {
                    let (rows, others) =
                        std::mem::take(&mut rest).split_at_mut(alike.len() * width);
                    rest = others;
                    (alike, rows)
                })
                .collect();
            let mut done = vec![(ClassId(0), Vec::new()); alike.len()];
            let jobs = alike.into_iter().zip(&mut done).collect();
            threads.for_each(jobs, |((alike, rows), done)| {
                let up = groups.up(alike[0]);
                let least = least(up.iter().map(|g| row_above(g.remote)), width);
                let over: Vec<u8> = least.iter().map(|&hops| one_more(hops)).collect();
                for (row, &s) in rows.chunks_mut(width).zip(alike) {
                    row.copy_from_slice(&over);
                    let row: &mut TiSlice<Column, u8> = row.as_mut();
                    let below = self.below(s);
                    for (&column, &hops) in below.columns.iter().zip(&below.hops) {
                        row[column] = hops;
                    }
                    row[self.column(s)] = 0;
                }
                *done = (groups.up_class(alike[0]), least);
            });
            for (class, least) in done {
                self.above[class] = least.into();
            }
        }
        self.bytes = bytes;
    }
}

/// The cost byte of going up to a switch with this many hops to the destination.
fn one_more(hops: u8) -> u8 {
    if hops < MAX_HOPS {
        UP | (hops + 1)
    } else {
        INFINITE
    }
}

/// By column, the least hops in any of the rows; [`NOT_ABOVE`] without a path that can be a hop longer.
fn least<'a>(rows: impl Iterator<Item = &'a [u8]>, width: usize) -> Vec<u8> {
    let mut least = vec![HOPS; width];
    for costs in rows {
        for (l, &c) in least.iter_mut().zip(costs) {
            *l = (*l).min(c & HOPS);
        }
    }
    for l in least.iter_mut().filter(|l| **l >= MAX_HOPS) {
        *l = NOT_ABOVE;
    }
    least
}

/// The switches in the order of columns. Leaves come first, leaves with a common switch above side by side,
/// so that neighbouring columns are alike; in a complete tree this is the order of the topological NIDs. Then
/// come the other switches by rank, likewise by their first switch above (below, at the top).
pub fn columns(ranking: &Ranking, groups: &Groups) -> TiVec<Column, SwitchId> {
    let switches: Vec<SwitchId> = groups.switches().collect();
    // The first leaf, in ascending UUID, under each switch.
    let mut first_under: BySwitch<SwitchId> = vec![SwitchId(u32::MAX); switches.len()].into();
    let mut kin: BySwitch<SwitchId> = switches.clone().into();
    for &s in &switches {
        let relatives = groups.up(s).first().or(groups.down(s).first());
        if !ranking.is_leaf(s) {
            kin[s] = relatives.map_or(s, |g| g.remote);
            continue;
        }
        let under = |g: &Group| first_under[g.remote];
        let first = groups.up(s).iter().map(under).min().unwrap_or(s).min(s);
        for group in groups.up(s) {
            let under = &mut first_under[group.remote];
            *under = first.min(*under);
        }
        kin[s] = first;
    }
    let by_kin = sort_by_small_key(&switches, |s| kin[s].0);
    let by_rank = sort_by_small_key(&by_kin, |s| match ranking.is_leaf(s) {
        true => 0,
        false => 1 + ranking.rank(s),
    });
    by_rank.into()
}
