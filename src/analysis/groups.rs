//! A pattern within each of several groups of nodes, such as the rails of a fabric, whose ports talk among themselves.

use super::{Risk, Traffic};
use crate::fabric::Fabric;
use crate::lft::Tables;

/// What all to all and shifts do within each group, and within all at once.
#[derive(Clone, PartialEq, Debug)]
pub struct Grouped {
    /// By group: all to all among its nodes, and all shifts of them.
    pub alone: Vec<(Risk, Risk)>,
    /// All to all within all groups at once: a port has the sources and the destinations of each.
    pub at_once: Risk,
}

/// Measures groups, each in the order of its shifts. No node is in two of them.
pub fn within(fabric: &Fabric, tables: &Tables, groups: &[Vec<u32>]) -> Grouped {
    let no_tick = |_| ();
    let traffic = |nodes: &[u32]| Traffic::new(fabric, tables, nodes);
    let nobody = traffic(&[]);
    let mut ends = vec![(0, 0); nobody.channels().len()];
    let mut alone = Vec::with_capacity(groups.len());
    for group in groups {
        let traffic = traffic(group);
        let of_group = traffic.ends_by_channel(&no_tick);
        for ((sources, destinations), more) in ends.iter_mut().zip(&of_group) {
            *sources += more.0;
            *destinations += more.1;
        }
        let all_to_all = Risk::of_ends(of_group, traffic.channels());
        alone.push((all_to_all, traffic.shifts(&no_tick)));
    }
    Grouped {
        alone,
        at_once: Risk::of_ends(ends, nobody.channels()),
    }
}
