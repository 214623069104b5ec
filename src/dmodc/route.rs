//! Routes: every entry of every forwarding table (paper, section III.B).
//!
//! Work is done per (switch, leaf) rather than per node: the candidate groups are the same for all
//! nodes of a leaf, and where all switches above lead equally well, for all leaves in a row. Runs
//! of consecutive NIDs are then written without a division.
//!
//! Rows are independent of each other and each is written by one thread, once.

use super::choice::Choice;
use super::cost::{Costs, HOPS, INFINITE, UP};
use super::detour::Detours;
use super::groups::{Group, Groups};
use super::nid::Nids;
use super::rank::Ranking;
use crate::fabric::{EndNode, Fabric, Lid, NodeKind};
use std::ops::Range;

/// All that is routed to, laid out for writing rows.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    /// Base LID and LMC by NID.
    lids: Vec<(u16, u8)>,
    /// Leaves in NID order: column and NIDs.
    leaves: Vec<(usize, Range<usize>)>,
    /// All others: end nodes off the leaves, aggregation nodes, port 0 of switches.
    single: Vec<Single>,
    /// Some LMC is above 0.
    extra_lids: bool,
}

#[derive(Clone, Debug)]
struct Single {
    column: usize,
    t: usize,
    lid: (u16, u8),
}

impl Destinations {
    /// Collects the destinations of a fabric. Port 0 of a switch takes the place of a NID from the
    /// switch's position among those of its rank.
    pub fn new(fabric: &Fabric, ranking: &Ranking, costs: &Costs, nids: &Nids) -> Self {
        let node = |n: u32| &fabric.end_nodes()[n as usize];
        let lid = |n: &EndNode| (n.lid.0, n.lmc);
        let mut all = Destinations {
            lids: nids.order().iter().map(|&n| lid(node(n))).collect(),
            ..Destinations::default()
        };
        let mut start = 0;
        for &leaf in nids.leaves() {
            let len = nids.order()[start..]
                .iter()
                .take_while(|&&n| node(n).switch == leaf && node(n).kind != NodeKind::Aggregation)
                .count();
            all.leaves.push((costs.column(leaf), start..start + len));
            start += len;
        }
        for (t, &n) in nids.order().iter().enumerate().skip(start) {
            let column = costs.column(node(n).switch);
            all.single.push(Single {
                column,
                t,
                lid: lid(node(n)),
            });
        }
        let mut place = vec![0; ranking.per_rank().len()];
        for (s, switch) in fabric.switches().iter().enumerate() {
            let t = &mut place[ranking.rank(s as u32) as usize];
            if switch.lid != Lid(0) {
                let column = costs.column(s as u32);
                all.single.push(Single {
                    column,
                    t: *t,
                    lid: (switch.lid.0, switch.lmc),
                });
            }
            *t += 1;
        }
        let singles = all.single.iter().map(|single| single.lid);
        all.extra_lids = all
            .lids
            .iter()
            .copied()
            .chain(singles)
            .any(|(_, lmc)| lmc > 0);
        all
    }
}

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
}

/// What a thread keeps from row to row.
pub struct Scratch<'a> {
    /// All groups that lead up.
    over_the_top: Choice<'a>,
    /// Some other set of candidates.
    other: Choice<'a>,
    /// Per column: how many groups lead down there, and the last of them.
    down: Vec<(u8, u8)>,
}

impl<'a> Router<'a> {
    /// A thread's working memory.
    pub fn scratch(&self) -> Scratch<'a> {
        Scratch {
            over_the_top: Choice::new(self.groups),
            other: Choice::new(self.groups),
            down: Vec::new(),
        }
    }

    /// The candidate groups C of equation (1) at `switch` for the switch of `column`: below where
    /// one leads there going down only, else above, where that is nearer. Ascending UUID.
    pub fn candidates(&self, switch: u32, column: usize) -> impl Iterator<Item = Group> {
        let byte = self.costs.row(switch)[column];
        let over = byte != INFINITE && byte & UP != 0;
        let from = match byte {
            0 | INFINITE => &[],
            _ if over => self.groups.up(switch),
            _ => self.groups.down(switch),
        };
        let mask = if over { HOPS } else { 0xff };
        from.iter()
            .filter(move |g| self.costs.row(g.remote)[column] & mask == (byte & HOPS) - 1)
            .copied()
    }

    /// Writes the row of one switch.
    pub fn write_row(&self, switch: u32, row: &mut [u8], scratch: &mut Scratch<'a>) {
        let Scratch {
            over_the_top,
            other,
            down,
        } = scratch;
        let costs = self.costs.row(switch);
        let uniform = self.costs.uniform(self.groups.up_class(switch));
        let own = self.costs.column(switch);
        self.find_ways_down(switch, down);
        over_the_top.set(self.groups.up(switch).iter().copied());

        let goes_over_the_top =
            |c: usize| costs[c] != INFINITE && costs[c] & UP != 0 && uniform[c] != 0;
        let mut run = 0..0;
        for (column, nids) in &self.destinations.leaves {
            if goes_over_the_top(*column) {
                if run.end != nids.start {
                    self.write_nids(switch, row, over_the_top, run);
                    run = nids.start..nids.start;
                }
                run.end = nids.end;
            } else if *column != own {
                self.choose(switch, *column, down, other);
                self.write_nids(switch, row, other, nids.clone());
            }
        }
        self.write_nids(switch, row, over_the_top, run);
        for single in &self.destinations.single {
            if goes_over_the_top(single.column) {
                self.write_single(switch, row, over_the_top, single);
            } else if single.column != own {
                self.choose(switch, single.column, down, other);
                self.write_single(switch, row, other, single);
            }
        }
        self.write_own(switch, row);
    }

    /// For every column, how many groups lead down there and which is the last of them.
    fn find_ways_down(&self, switch: u32, down: &mut Vec<(u8, u8)>) {
        let costs = self.costs.row(switch);
        down.clear();
        down.resize(costs.len(), (0, 0));
        for (i, group) in self.groups.down(switch).iter().enumerate() {
            let below = self.costs.row(group.remote);
            for ((way, &c), &b) in down.iter_mut().zip(costs).zip(below) {
                let leads = c & UP == 0 && b.wrapping_add(1) == c;
                *way = if leads { (way.0 + 1, i as u8) } else { *way };
            }
        }
    }

    /// Sets the candidates for a column.
    fn choose(&self, switch: u32, column: usize, down: &[(u8, u8)], choice: &mut Choice<'a>) {
        match (self.costs.row(switch)[column], down[column]) {
            (INFINITE, _) => {
                choice.set(self.detours.candidates(self.groups, switch, column));
            }
            (_, (1, only)) => {
                choice.set(
                    self.groups
                        .down(switch)
                        .get(usize::from(only))
                        .copied()
                        .into_iter(),
                );
            }
            _ => {
                choice.set(self.candidates(switch, column));
            }
        }
    }

    /// Writes the entries of consecutive NIDs.
    fn write_nids(&self, switch: u32, row: &mut [u8], choice: &mut Choice, nids: Range<usize>) {
        if nids.is_empty() || choice.candidates().is_empty() {
            return;
        }
        let lids = &self.destinations.lids[nids.clone()];
        let divider = self.dividers[switch as usize] as usize;
        let first = nids.start / divider;
        match choice.table() {
            Some(&[only]) => lids.iter().for_each(|lid| row[usize::from(lid.0)] = only),
            Some(table) => {
                let mut lids = lids.iter();
                let mut at = first % table.len();
                let mut left = divider - nids.start % divider;
                while !lids.as_slice().is_empty() {
                    lids.by_ref()
                        .take(left)
                        .for_each(|lid| row[usize::from(lid.0)] = table[at]);
                    at = if at + 1 == table.len() { 0 } else { at + 1 };
                    left = divider;
                }
            }
            None => {
                for (t, lid) in nids.clone().zip(lids) {
                    if let Some(port) = choice.port(t / divider) {
                        row[usize::from(lid.0)] = port;
                    }
                }
            }
        }
        if self.destinations.extra_lids {
            for (t, &lid) in nids.zip(lids) {
                self.write_extra_lids(switch, row, choice, t, lid);
            }
        }
    }

    fn write_single(&self, switch: u32, row: &mut [u8], choice: &Choice, single: &Single) {
        let q = single.t / self.dividers[switch as usize] as usize;
        if let Some(port) = choice.port(q) {
            row[usize::from(single.lid.0)] = port;
        }
        self.write_extra_lids(switch, row, choice, single.t, single.lid);
    }

    fn write_extra_lids(
        &self,
        switch: u32,
        row: &mut [u8],
        choice: &Choice,
        t: usize,
        (lid, lmc): (u16, u8),
    ) {
        let q = t / self.dividers[switch as usize] as usize;
        let ways = self.path_dividers[switch as usize];
        for offset in 1..1usize << lmc {
            if let Some(port) = choice.port_of_extra_lid(q, offset, ways) {
                row[usize::from(lid) + offset] = port;
            }
        }
    }

    /// The end nodes on the switch itself, and its own port 0.
    fn write_own(&self, switch: u32, row: &mut [u8]) {
        for node in &self.fabric.end_nodes()[self.fabric.end_nodes_of(switch)] {
            row[node.lid.index()..][..1 << node.lmc].fill(node.port);
        }
        let own = &self.fabric.switches()[switch as usize];
        if own.lid != Lid(0) {
            row[own.lid.index()..][..1 << own.lmc].fill(0);
        }
    }
}
