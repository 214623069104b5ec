//! Costs: the hops of the shortest up-down path from every switch to every other (paper, section
//! III.A, "Cost", Algorithm 1).
//!
//! The algorithm is the paper's with its two sweeps, upward and downward, and one difference, which
//! makes up-down a guarantee rather than a consequence of the tree being a PGFT: a switch that
//! reaches the destination going down only keeps that cost, and goes down; any other goes up, and
//! its cost is one more than the least cost above it. In complete and degraded PGFTs the two agree
//! wherever the paper's cost is finite.
//!
//! A cost is one byte, so that rows are compared sixteen or more columns at a time:
//!
//! | byte | meaning |
//! |---|---|
//! | `0..=126` | reached going down only, in that many hops |
//! | `0x80 + 1..=126` | reached going up first, in that many hops |
//! | `0xff` | no up-down path (masked: 127, above every cost) |
//!
//! More than 126 hops count as no path: directed routes in InfiniBand end at 64 hops, so the subnet
//! manager in the middle of a fabric cannot know of two switches further apart.
//!
//! The columns are all switches, leaves first: the LIDs of a switch's port 0 are routed too.

use super::groups::Groups;
use super::rank::Ranking;
use rayon::prelude::*;

/// The byte for "no up-down path".
pub const INFINITE: u8 = 0xff;
/// Set in the byte of a cost over a switch above.
pub const UP: u8 = 0x80;
/// Takes the hops out of a byte.
pub const HOPS: u8 = 0x7f;
const MAX_HOPS: u8 = 126;
/// What no hops are equal to.
const NOT_ABOVE: u8 = 0x80;

/// The cost matrix.
#[derive(Clone, Debug)]
pub struct Costs {
    width: usize,
    bytes: Vec<u8>,
    /// Row of a switch. Rows stand in [`Groups::bottom_up`] order.
    row: Vec<u32>,
    /// Column of a switch, and back. Leaves have columns `0..leaves`, siblings side by side.
    column: Vec<u32>,
    switch: Vec<u32>,
    leaves: usize,
    /// Per row: the columns reached going down only, the switch's own left out.
    below: Vec<Vec<u32>>,
    /// Per up class: for each column the least hops from any switch above, or [`NOT_ABOVE`].
    above: Vec<Vec<u8>>,
}

impl Costs {
    /// Computes all costs, in the memory of others that are done with.
    pub fn new(ranking: &Ranking, groups: &Groups, spare: Option<Costs>) -> Self {
        let width = groups.bottom_up().len();
        let switch = columns(ranking, groups);
        let inverse = |of: &[u32]| {
            let mut at = vec![0u32; width];
            for (i, &s) in of.iter().enumerate() {
                at[s as usize] = i as u32;
            }
            at
        };
        let mut bytes = spare.map_or_else(Vec::new, |costs| costs.bytes);
        bytes.clear();
        bytes.resize(width * width, INFINITE);
        let mut costs = Costs {
            width,
            bytes,
            row: inverse(groups.bottom_up()),
            column: inverse(&switch),
            leaves: ranking.leaves().count(),
            switch,
            below: Vec::with_capacity(width),
            above: vec![Vec::new(); groups.up_classes().len()],
        };
        if width > 0 {
            costs.sweep_upward(groups);
            costs.sweep_downward(groups);
        }
        costs
    }

    /// The cost bytes of a switch, by column.
    pub fn row(&self, switch: u32) -> &[u8] {
        &self.bytes[self.row[switch as usize] as usize * self.width..][..self.width]
    }

    /// The column of a switch.
    pub fn column(&self, switch: u32) -> usize {
        self.column[switch as usize] as usize
    }

    /// The switch of a column.
    pub fn switch(&self, column: usize) -> u32 {
        self.switch[column]
    }

    /// Number of leaves: they have the first columns.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The cost byte from one switch to another.
    pub fn byte(&self, from: u32, to: u32) -> u8 {
        self.row(from)[self.column(to)]
    }

    /// Hops from one switch to another, `None` if there is no up-down path.
    pub fn hops(&self, from: u32, to: u32) -> Option<u8> {
        let byte = self.byte(from, to);
        (byte != INFINITE).then_some(byte & HOPS)
    }

    /// The columns that a switch reaches going down only, its own left out.
    pub fn columns_below(&self, switch: u32) -> &[u32] {
        &self.below[self.row[switch as usize] as usize]
    }

    /// The least hops from any switch above those of an up class, by column: what no hops are equal
    /// to where none leads there.
    pub fn least_above(&self, up_class: u32) -> &[u8] {
        &self.above[up_class as usize]
    }

    /// Upward: a switch reaches all that the switches below it reach going down, one hop further.
    fn sweep_upward(&mut self, groups: &Groups) {
        let (width, row, column) = (self.width, &self.row, &self.column);
        for layer in groups.layer_starts().windows(2) {
            let (below, here) = self.bytes.split_at_mut(layer[0] * width);
            let columns_below = &self.below;
            let members = &groups.bottom_up()[layer[0]..layer[1]];
            let reach = |(out, &s): (&mut [u8], &u32)| {
                let mut reached = Vec::new();
                let mut offer = |column: u32, hops: u8| {
                    let cost = &mut out[column as usize];
                    if hops < *cost && hops <= MAX_HOPS {
                        if *cost == INFINITE {
                            reached.push(column);
                        }
                        *cost = hops;
                    }
                };
                for group in groups.down(s) {
                    let from = row[group.remote as usize] as usize;
                    let costs = &below[from * width..][..width];
                    offer(column[group.remote as usize], 1);
                    for &column in &columns_below[from] {
                        offer(column, costs[column as usize] + 1);
                    }
                }
                out[column[s as usize] as usize] = 0;
                reached
            };
            let reached: Vec<_> = here.par_chunks_mut(width).zip(members).map(reach).collect();
            self.below.extend(reached);
        }
    }

    /// Downward: where a switch cannot go down, it goes by the least cost above it. Switches of one
    /// up class share that minimum.
    fn sweep_downward(&mut self, groups: &Groups) {
        let width = self.width;
        for layer in groups.layer_starts().windows(2).rev() {
            let (here, above) =
                self.bytes[layer[0] * width..].split_at_mut((layer[1] - layer[0]) * width);
            let above_start = layer[1];
            let members = &groups.bottom_up()[layer[0]..layer[1]];
            let row = &self.row;
            let costs_of =
                |s: u32| &above[(row[s as usize] as usize - above_start) * width..][..width];
            let mut by_class: Vec<(u32, &mut [u8])> = members
                .iter()
                .map(|&s| groups.up_class(s))
                .zip(here.chunks_mut(width))
                .collect();
            by_class.sort_by_key(|&(class, _)| class);
            let done: Vec<(u32, Vec<u8>)> = by_class
                .chunk_by_mut(|a, b| a.0 == b.0)
                .collect::<Vec<_>>()
                .into_par_iter()
                .map(|alike| {
                    let class = alike[0].0;
                    let up = groups.up(groups.up_classes()[class as usize]);
                    let least = least(up.iter().map(|g| costs_of(g.remote)), width);
                    for (_, out) in alike.iter_mut().filter(|_| !up.is_empty()) {
                        for (o, &l) in out.iter_mut().zip(&least) {
                            let over = if l < MAX_HOPS { UP | (l + 1) } else { INFINITE };
                            *o = if *o == INFINITE { over } else { *o };
                        }
                    }
                    (class, least)
                })
                .collect();
            for (class, above) in done {
                self.above[class as usize] = above;
            }
        }
    }
}

/// The least hops in any of some rows, by column.
fn least<'a>(rows: impl Iterator<Item = &'a [u8]>, width: usize) -> Vec<u8> {
    let mut least = vec![HOPS; width];
    for costs in rows {
        for (l, &c) in least.iter_mut().zip(costs) {
            *l = (*l).min(c & HOPS);
        }
    }
    for l in least.iter_mut().filter(|l| **l == HOPS) {
        *l = NOT_ABOVE;
    }
    least
}

/// The switches in the order of columns: leaves first, those that share their first switch above
/// side by side, so that neighbouring columns are alike; in a complete tree this is the order of the
/// topological NIDs. Then the others, by rank, likewise (at the top by the first switch below).
fn columns(ranking: &Ranking, groups: &Groups) -> Vec<u32> {
    let switches = groups.bottom_up().len();
    // The first leaf, in ascending UUID, under each switch.
    let mut first_under: Vec<Option<u32>> = vec![None; switches];
    let mut key = vec![(0, 0, 0); switches];
    for s in 0..switches as u32 {
        let relative = groups
            .up(s)
            .first()
            .or(groups.down(s).first())
            .map(|g| g.remote);
        key[s as usize] = match (ranking.is_leaf(s), relative) {
            (true, Some(up)) => (0, *first_under[up as usize].get_or_insert(s), s),
            (true, None) => (0, s, s),
            (false, relative) => (1 + ranking.rank(s), relative.unwrap_or(s), s),
        };
    }
    let mut order: Vec<u32> = (0..switches as u32).collect();
    order.sort_unstable_by_key(|&s| key[s as usize]);
    order
}

/// The divider Π of every switch (Algorithm 1, max reduction): the product of the numbers of
/// switches above, taken along the way up from the leaves. Links between equal ranks do not count.
/// It saturates: beyond the number of nodes a divider makes every quotient 0 anyway.
pub fn dividers(groups: &Groups) -> Vec<u32> {
    product_going_up(groups, |_| 1)
}

/// As [`dividers`], but counting links rather than switches: how many different ways up there are
/// below a switch. The extra LIDs of a port (LMC) are spread by it.
pub fn path_dividers(groups: &Groups) -> Vec<u32> {
    product_going_up(groups, |links| links as u32)
}

fn product_going_up(groups: &Groups, weight: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut divider = vec![1u32; groups.bottom_up().len()];
    for &s in groups.bottom_up() {
        let up = || groups.up(s).iter().filter(|g| !g.level);
        let arity = up().map(|g| weight(g.size())).fold(0, u32::saturating_add);
        let product = divider[s as usize].saturating_mul(arity);
        for group in up() {
            let above = &mut divider[group.remote as usize];
            *above = product.max(*above);
        }
    }
    divider
}
