//! Traffic within groups of nodes, such as the rails of a fabric: a node sends only to nodes of its own group.

use super::{Risk, Traffic};
use dmodc_fabric::{Fabric, NodeId, Tables};

/// The risks of all to all and of shifts within groups: of each group alone, and of all groups at once.
#[derive(Clone, PartialEq, Debug)]
pub struct Grouped {
    /// By group: the risk of all to all among its nodes, and of all shifts of its nodes.
    pub alone: Vec<(Risk, Risk)>,
    /// The risk of all to all in all groups at once: a port's sources and destinations are the sums over the groups.
    pub at_once: Risk,
}

/// Measures groups of end nodes, each in the order of its shifts. No node is in two groups.
pub fn within(fabric: &Fabric, tables: &Tables, groups: &[Vec<NodeId>]) -> Grouped {
    let no_tick = |_| ();
    let traffic = |nodes: &[NodeId]| Traffic::new(fabric, tables, nodes);
    let no_traffic = traffic(&[]);
    let mut ends = no_traffic.channels().each((0, 0));
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
        at_once: Risk::of_ends(ends, no_traffic.channels()),
    }
}
