//! The destinations: all LIDs behind each switch, with their numbers.
//!
//! The LIDs of a port beyond the first (LMC) have the next numbers, so at a leaf they take different uplinks. Absent nodes
//! are destinations too: their entries wait for their return. Invariant: each LID is behind one column.

use crate::ids::{Column, SwitchId};
use crate::kinds::Numbers;
use crate::paths::Costs;
use dmodc_fabric::{Fabric, Lid};

/// A destination.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its LID.
    pub lid: Lid,
    /// Its number.
    pub number: u32,
    /// Whether it is there: absent nodes wait for their return.
    pub is_there: bool,
}

/// All destinations by the column of their switch.
#[derive(Clone, Debug)]
pub struct Targets {
    all: Vec<Target>,
    start: Vec<u32>,
    /// By LID: its number, and its switch.
    number: Vec<Option<u32>>,
    switch: Vec<Option<SwitchId>>,
}

impl Targets {
    /// Collects the destinations of a fabric.
    pub fn new(fabric: &Fabric, costs: &Costs, numbers: &Numbers) -> Self {
        let mut targets = Targets {
            all: Vec::with_capacity(fabric.max_lid().index() + 1),
            start: vec![0],
            number: vec![None; fabric.max_lid().index() + 1],
            switch: vec![None; fabric.max_lid().index() + 1],
        };
        let absent = fabric.absent();
        for &s in costs.columns() {
            for n in fabric.node_ids_of(s) {
                let node = &fabric.end_nodes()[n];
                targets.add(s, node.lid, node.lmc, numbers.node[n], true);
            }
            let first = absent.partition_point(|node| node.switch < s);
            let behind = absent[first..].iter().zip(&numbers.absent[first..]);
            for (node, &number) in behind.take_while(|(node, _)| node.switch == s) {
                targets.add(s, node.lid, node.lmc, number, false);
            }
            let own = &fabric.switches()[s];
            targets.add(s, own.lid, own.lmc, numbers.switch[s], true);
            targets.start.push(targets.all.len() as u32);
        }
        targets
    }

    /// The destinations whose numbers stay, in the same columns.
    pub fn only(&self, stays: impl Fn(u32) -> bool) -> Self {
        let mut only = self.clone();
        only.all.clear();
        for number in &mut only.number {
            *number = number.filter(|&number| stays(number));
        }
        for (column, end) in (0..).map(Column).zip(&mut only.start[1..]) {
            let behind = self.behind(column).iter();
            let stay = behind.filter(|target| stays(target.number));
            only.all.extend(stay);
            *end = only.all.len() as u32;
        }
        only
    }

    fn add(&mut self, s: SwitchId, base: Lid, lmc: u8, number: u32, is_there: bool) {
        let lids = if base == Lid(0) { 0 } else { 1u16 << lmc };
        for k in 0..lids {
            let target = Target {
                lid: Lid(base.0 + k),
                number: number + u32::from(k),
                is_there,
            };
            self.number[target.lid.index()] = Some(target.number);
            self.switch[target.lid.index()] = Some(s);
            self.all.push(target);
        }
    }

    /// The destinations behind the switch of a column, its own LID last.
    pub fn behind(&self, column: Column) -> &[Target] {
        let at = usize::from(column);
        &self.all[self.start[at] as usize..self.start[at + 1] as usize]
    }

    /// The switch of a LID.
    pub fn switch(&self, lid: Lid) -> Option<SwitchId> {
        self.switch[lid.index()]
    }

    /// By LID: its number.
    pub fn numbers(&self) -> &[Option<u32>] {
        &self.number
    }
}
