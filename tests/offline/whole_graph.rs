//! All channel dependencies of tables, by brute force: every LID, from every switch, whether a packet can come there or
//! not.

use crate::routed::Routed;
use dmodc_core::Options;
use dmodc_core::multicast::{Edge, Tree};
use dmodc_fabric::{Fabric, Lid, NO_PATH, PortNumber, SwitchId, Tables};
use fabrics::way;
use std::collections::{BTreeMap, BTreeSet};

/// A directed port between switches.
type Channel = (SwitchId, PortNumber);

/// The dependencies of a multicast tree: a packet that comes to a switch leaves by all its other links of the tree.
fn of_tree(tree: &Tree) -> Vec<(Channel, Channel)> {
    let ends = |&[near, far]: &Edge| [(near, far.0), (far, near.0)];
    let channels: Vec<(Channel, SwitchId)> = tree.edges.iter().flat_map(ends).collect();
    let mut waits = Vec::new();
    for &(channel, to) in &channels {
        let on = channels
            .iter()
            .filter(|&&(next, back)| next.0 == to && back != channel.0);
        waits.extend(on.map(|&(next, _)| (channel, next)));
    }
    waits
}

/// Whether the dependencies of all entries, and of some multicast trees, close a cycle.
pub fn has_cycle(fabric: &Fabric, tables: &Tables, trees: &[Tree]) -> bool {
    let entry = |s, lid| PortNumber(tables.get(s, lid));
    let onward = |(s, port): Channel| fabric.far(s, port).map(|(next, _)| next);
    let mut waits_for: BTreeMap<Channel, BTreeSet<Channel>> = BTreeMap::new();
    for (lid, ..) in fabric.lids() {
        for s in fabric.switches().keys() {
            let channel = (s, entry(s, lid));
            if let Some(next) = onward(channel)
                && let next = (next, entry(next, lid))
                && onward(next).is_some()
            {
                waits_for.entry(channel).or_default().insert(next);
                waits_for.entry(next).or_default();
            }
        }
    }
    for (channel, next) in trees.iter().flat_map(of_tree) {
        waits_for.entry(channel).or_default().insert(next);
        waits_for.entry(next).or_default();
    }
    // Removes channels that wait for none, again and again; a cycle stays.
    loop {
        let free: Vec<Channel> = (waits_for.iter())
            .filter(|(_, waits)| waits.is_empty())
            .map(|(&channel, _)| channel)
            .collect();
        if free.is_empty() {
            return !waits_for.is_empty();
        }
        for channel in &free {
            waits_for.remove(channel);
        }
        for waits in waits_for.values_mut() {
            free.iter().for_each(|channel| {
                waits.remove(channel);
            });
        }
    }
}

pub fn has_hosts(fabric: &Fabric, switch: SwitchId) -> bool {
    fabric.hosts_of(switch).next().is_some()
}

/// Whether Dmodc has to connect a pair of switches: one has hosts, or both have end nodes, or `connect_roots` is set.
pub fn is_wanted(fabric: &Fabric, options: &Options, from: SwitchId, to: SwitchId) -> bool {
    let both = [from, to].map(|s| !fabric.end_nodes_of(s).is_empty());
    options.connect_roots || has_hosts(fabric, from) || has_hosts(fabric, to) || both == [true; 2]
}

/// Asserts that tables pass `check`, close no cycle, and deliver each owed pair that the tables before deliver.
pub fn no_pair_is_lost(
    before: &Routed,
    now: &Routed,
    is_owed: impl Fn(SwitchId, SwitchId) -> bool,
) {
    let report = now.report();
    assert!(report.passed(), "{report:#?}");
    assert!(!has_cycle(&now.fabric, &now.tables, &[]), "a cycle");
    for to in now.fabric.lids() {
        for from in now.fabric.switches().keys() {
            let arrived = |r: &Routed| arrives(&r.fabric, &r.tables, from, to) == Some(true);
            let is_lost = arrived(before) && !arrived(now) && is_owed(from, to.1);
            assert!(!is_lost, "{from:?} to {to:?} is lost");
        }
    }
}

/// Whether a packet from a switch arrives at a LID; `None` if that switch has no entry for the LID.
pub fn arrives(
    fabric: &Fabric,
    tables: &Tables,
    from: SwitchId,
    (lid, switch, port): (Lid, SwitchId, PortNumber),
) -> Option<bool> {
    let has_entry = tables.get(from, lid) != NO_PATH;
    has_entry.then(|| {
        let last = way(fabric, tables, from, lid).last().expect("a switch");
        (last, tables.get(last, lid)) == (switch, port.0)
    })
}
