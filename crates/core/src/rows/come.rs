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
use dmodc_fabric::{EndNode, Fabric};
use std::collections::BTreeMap;

/// A host on a leaf, and its number.
type Host<'n> = (&'n EndNode, u32);

/// The hosts by their nominal ports, those that are away too.
pub struct Coming<'n> {
    ways: &'n Ways,
    counted: &'n Counted,
    /// By switch.
    all: Vec<Host<'n>>,
    /// By Π and the length of a cycle: how many of all have each place in it, by step.
    of_all: BTreeMap<(u32, usize), Vec<[i32; STEPS]>>,
    /// By switch: the hosts that come to it, by the switch to which its nominal port leads.
    onward: BTreeMap<SwitchId, BTreeMap<SwitchId, Vec<Host<'n>>>>,
}

impl<'n> Coming<'n> {
    /// Of no switch so far.
    pub fn new(fabric: &'n Fabric, ways: &'n Ways, roles: &'n Roles, counted: &'n Counted) -> Self {
        let present = fabric.end_nodes().iter().zip(&roles.numbers.node);
        let away = roles.absent.iter().zip(&roles.numbers.absent);
        let all = present.chain(away).map(|(node, &number)| (node, number));
        let mut all: Vec<Host> = all.filter(|(_, number)| *number < SINGLE).collect();
        all.sort_by_key(|(node, _)| node.switch);
        Coming {
            ways,
            counted,
            all,
            of_all: BTreeMap::new(),
            onward: BTreeMap::new(),
        }
    }

    /// The hosts at a switch.
    fn hosts_of(&self, s: SwitchId) -> impl Iterator<Item = &Host<'n>> {
        let first = self.all.partition_point(|host| host.0.switch < s);
        let behind = self.all[first..].iter();
        behind.take_while(move |host| host.0.switch == s)
    }

    /// The nominal uplink of a switch for each number.
    fn uplink(&self, s: SwitchId) -> impl Fn(u32) -> Option<&'n Uplink> + use<'n> {
        let class = self.ways.classes.of_switch(s);
        move |number| nominal(class, number).map(|i| &class.ports[i])
    }

    /// The hosts whose nominal path from the first leaf below a switch comes to it.
    fn come_to(&mut self, s: SwitchId) -> &[Host<'n>] {
        let Some(below) = self.ways.paths.groups.children(s).next() else {
            return &self.all;
        };
        let below = below.remote;
        if !self.onward.contains_key(&below) {
            let uplink = self.uplink(below);
            let mut onward: BTreeMap<SwitchId, Vec<Host>> = BTreeMap::new();
            for &host in self.come_to(below) {
                if let Some(to) = uplink(host.1).and_then(|up| up.to) {
                    onward.entry(to).or_default().push(host);
                }
            }
            self.onward.insert(below, onward);
        }
        self.onward[&below].get(&s).map_or(&[], Vec::as_slice)
    }

    /// By place in the cycle of a switch: how many hosts elsewhere have it, by step.
    pub fn counts(&mut self, s: SwitchId) -> Vec<[i32; STEPS]> {
        let Paths { groups, costs } = &*self.ways.paths;
        let class = self.ways.classes.of_switch(s);
        let (below, n) = (class.dividers.below, class.cycle.len());
        let count = |counts: &mut [[i32; STEPS]], number: u32, by: i32| {
            if let Some(place) = ((number / below) as usize).checked_rem(n) {
                counts[place][step(number)] += by;
            }
        };
        let mut counts = vec![[0; STEPS]; n];
        if groups.children(s).next().is_some() {
            let is_below = |host: &&Host| costs.hops_down(s, host.0.switch).is_some();
            let come = self.come_to(s).iter().filter(|host| !is_below(host));
            come.for_each(|host| count(&mut counts, host.1, 1));
            return counts;
        }
        if !self.counted.is_empty() {
            for &(node, number) in self.all.iter().filter(|host| host.0.switch != s) {
                let port = self.counted.port_to(s, node.guid);
                let is_it = |&i: &u8| Some(class.ports[usize::from(i)].port) == port;
                if let Some(place) = class.cycle.iter().position(is_it) {
                    counts[place][step(number)] += 1;
                }
            }
            return counts;
        }
        // All hosts come to each leaf: counted once, less those at the leaf.
        let all = self.of_all.entry((below, n)).or_insert_with(|| {
            let all = self.all.iter();
            all.for_each(|host| count(&mut counts, host.1, 1));
            counts
        });
        let mut counts = all.clone();
        let columns = costs.columns_below(s).iter();
        let here = columns.map(|&column| costs.switch(column)).chain([s]);
        for host in here.flat_map(|s| self.hosts_of(s)) {
            count(&mut counts, host.1, -1);
        }
        counts
    }
}
