//! How many hosts come to each port of a switch by their nominal ports, by step: what the shares of slow links are parts of.
//!
//! Cost: the hosts, for each divider and length of a cycle of leaves; and those that come to each switch above with a slow
//! uplink.

use super::bands::{STEPS, step};
use super::choice::nominal;
use super::counted::Counted;
use super::ways::Ways;
use crate::ids::SwitchId;
use crate::kinds::{Roles, SINGLE, Uplink};
use crate::paths::Paths;
use dmodc_fabric::{Fabric, NodeId};
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// The hosts by their nominal ports.
pub struct Coming<'n> {
    fabric: &'n Fabric,
    ways: &'n Ways,
    numbers: &'n TiVec<NodeId, u32>,
    counted: &'n Counted,
    /// All hosts on leaves.
    all: Vec<NodeId>,
    /// By Π and the length of a cycle: how many of all have each place in it, by step.
    of_all: BTreeMap<(u32, usize), Vec<[i32; STEPS]>>,
    /// By switch: the hosts that come to it, by the switch to which its nominal port leads.
    onward: BTreeMap<SwitchId, BTreeMap<SwitchId, Vec<NodeId>>>,
}

impl<'n> Coming<'n> {
    /// Of no switch so far.
    pub fn new(fabric: &'n Fabric, ways: &'n Ways, roles: &'n Roles, counted: &'n Counted) -> Self {
        let numbers = &roles.numbers.node;
        let all = numbers.iter_enumerated().filter(|(_, n)| **n < SINGLE);
        Coming {
            fabric,
            ways,
            numbers,
            counted,
            all: all.map(|(node, _)| node).collect(),
            of_all: BTreeMap::new(),
            onward: BTreeMap::new(),
        }
    }

    /// The nominal uplink of a switch for each host.
    fn uplink(&self, s: SwitchId) -> impl Fn(NodeId) -> Option<&'n Uplink> + use<'n> {
        let (ways, numbers) = (self.ways, self.numbers);
        let class = ways.classes.of_switch(s);
        move |node| nominal(class, numbers[node]).map(|i| &class.ports[i])
    }

    /// The hosts whose nominal path from the first leaf below a switch comes to it.
    fn come_to(&mut self, s: SwitchId) -> &[NodeId] {
        let Some(below) = self.ways.paths.groups.children(s).next() else {
            return &self.all;
        };
        let below = below.remote;
        if !self.onward.contains_key(&below) {
            let uplink = self.uplink(below);
            let mut onward: BTreeMap<SwitchId, Vec<NodeId>> = BTreeMap::new();
            for &node in self.come_to(below) {
                if let Some(to) = uplink(node).and_then(|up| up.to) {
                    onward.entry(to).or_default().push(node);
                }
            }
            self.onward.insert(below, onward);
        }
        self.onward[&below].get(&s).map_or(&[], Vec::as_slice)
    }

    /// By place in the cycle of a switch: how many hosts elsewhere have it, by step.
    pub fn counts(&mut self, s: SwitchId) -> Vec<[i32; STEPS]> {
        let (fabric, numbers, Paths { groups, costs }) =
            (self.fabric, self.numbers, &*self.ways.paths);
        let class = self.ways.classes.of_switch(s);
        let (below, n) = (class.dividers.below, class.cycle.len());
        let count = |counts: &mut [[i32; STEPS]], node: NodeId, by: i32| {
            let number = numbers[node];
            if let Some(place) = ((number / below) as usize).checked_rem(n) {
                counts[place][step(number)] += by;
            }
        };
        let mut counts = vec![[0; STEPS]; n];
        if groups.children(s).next().is_some() {
            let is_below = |node: NodeId| {
                costs
                    .hops_down(s, fabric.end_nodes()[node].switch)
                    .is_some()
            };
            let come = self.come_to(s).iter().filter(|&&node| !is_below(node));
            come.for_each(|&node| count(&mut counts, node, 1));
            return counts;
        }
        if !self.counted.is_empty() {
            let nodes = fabric.end_nodes().iter_enumerated();
            let others = nodes.filter(|(n, node)| numbers[*n] < SINGLE && node.switch != s);
            for (n, node) in others {
                let port = self.counted.port(s, node.lid);
                let is_it = |&i: &u8| Some(class.ports[usize::from(i)].port) == port;
                if let Some(place) = class.cycle.iter().position(is_it) {
                    counts[place][step(numbers[n])] += 1;
                }
            }
            return counts;
        }
        // All hosts come to each leaf: counted once, less those at the leaf.
        let all = self.of_all.entry((below, n)).or_insert_with(|| {
            self.all
                .iter()
                .for_each(|&node| count(&mut counts, node, 1));
            counts
        });
        let mut counts = all.clone();
        let columns = costs.columns_below(s).iter();
        let below = columns.map(|&column| costs.switch(column));
        let here = below.chain([s]).flat_map(|s| fabric.node_ids_of(s));
        for node in here.filter(|&node| numbers[node] < SINGLE) {
            count(&mut counts, node, -1);
        }
        counts
    }
}
