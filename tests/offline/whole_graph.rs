//! All dependencies of channels that tables make, looked for in the obvious way: every LID, from every
//! switch, whether anyone sends there or not.

use crate::routed::Routed;
use dmodc::dmodc::multicast::{Edge, Tree};
use dmodc::fabric::{Fabric, Lid, Peer, lid_range};
use dmodc::lft::{NO_PATH, Tables};
use std::collections::{BTreeMap, BTreeSet};

/// A directed port between switches.
type Channel = (u32, u8);

/// Every LID of a fabric, the switch that it is at and the port, 0 for the switch's own.
pub fn lids(fabric: &Fabric) -> Vec<(Lid, u32, u8)> {
    let nodes = fabric.end_nodes().iter();
    let nodes = nodes.map(|n| (n.lid, n.lmc, n.switch, n.port));
    let switches = (0..).zip(fabric.switches());
    let switches = switches.map(|(i, s)| (s.lid, s.lmc, i, 0));
    let all = nodes.chain(switches).filter(|(lid, ..)| *lid != Lid(0));
    all.flat_map(|(lid, lmc, switch, port)| {
        let range = lid_range(lid, lmc).expect("a unicast LID");
        range.map(move |lid| (Lid(lid), switch, port))
    })
    .collect()
}

/// What the channels of a multicast tree wait for: whatever comes to a switch goes on by all its other
/// links.
fn of_tree(tree: &Tree) -> Vec<(Channel, Channel)> {
    let ends = |&[near, far]: &Edge| [(near, far.0), (far, near.0)];
    let channels: Vec<(Channel, u32)> = tree.edges.iter().flat_map(ends).collect();
    let mut waits = Vec::new();
    for &(channel, to) in &channels {
        let on = channels
            .iter()
            .filter(|&&(next, back)| next.0 == to && back != channel.0);
        waits.extend(on.map(|&(next, _)| (channel, next)));
    }
    waits
}

/// Whether the dependencies of all entries, and of some multicast trees, close a circle.
pub fn has_circle(fabric: &Fabric, tables: &Tables, trees: &[Tree]) -> bool {
    let onward = |(s, port): Channel| match fabric.peer(s, port) {
        Peer::Switch { index, .. } => Some(index),
        _ => None,
    };
    let mut waits_for: BTreeMap<Channel, BTreeSet<Channel>> = BTreeMap::new();
    for (lid, ..) in lids(fabric) {
        for s in 0..fabric.switches().len() as u32 {
            let channel = (s, tables.get(s, lid));
            if let Some(next) = onward(channel)
                && let next = (next, tables.get(next, lid))
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
    // Channels that wait for none go, one after the other; a circle stays.
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

/// Wants tables to pass `check`, to close no circle, and to deliver whatever others deliver and is owed.
pub fn nobody_is_lost(before: &Routed, now: &Routed, is_owed: impl Fn(u32, u32) -> bool) {
    let report = now.report();
    assert!(report.passed(), "{report:#?}");
    assert!(!has_circle(&now.fabric, &now.tables, &[]), "a circle");
    for to in lids(&now.fabric) {
        for from in 0..now.fabric.switches().len() as u32 {
            let arrived = |r: &Routed| arrives(&r.fabric, &r.tables, from, to) == Some(true);
            let is_lost = arrived(before) && !arrived(now) && is_owed(from, to.1);
            assert!(!is_lost, "{from} to {to:?} is lost");
        }
    }
}

/// Where a packet from a switch to a LID ends: whether it arrives, `None` if it is left out at once.
pub fn arrives(fabric: &Fabric, tables: &Tables, from: u32, to: (Lid, u32, u8)) -> Option<bool> {
    let (lid, switch, port) = to;
    let mut at = from;
    for _ in 0..=fabric.switches().len() {
        let entry = tables.get(at, lid);
        if entry == NO_PATH {
            return (at != from).then_some(false);
        }
        if (at, entry) == (switch, port) {
            return Some(true);
        }
        let Peer::Switch { index, .. } = fabric.peer(at, entry) else {
            return Some(false);
        };
        at = index;
    }
    Some(false)
}
