//! The cut bound: the least A2A of routes balanced by destination.
//!
//! All traffic that leaves a subtree crosses its links up. With `h` of the `N` connected end nodes inside and `u` links
//! up, some link takes at least `(N - h) / u` of the destinations outside, and all `h` sources send to each. So the
//! risk of this link is at least `min(h, (N - h) / u)`, rounded up. For a leaf that holds for any routes. For a larger
//! subtree it holds if all routes from the subtree to a destination take the same link up, as routes balanced by
//! destination do; routes that give each leaf its own links up can have less there.
//!
//! Hosts on an upper switch send to all other nodes over the links of that switch alone, and other sources use each of
//! these links for a share of the destinations. With `h` end nodes at or below the switch and `u` links up, a link up
//! takes `(N - h) / u` of the other destinations, and all `h` send over it: `min(h, (N - h) / u)`. Likewise downwards:
//! a subtree below with `t` end nodes and `d` links to it has `t / d` on each link, and all others send over it. A
//! handful of hosts on a spine thus costs as much as if all traffic went by that spine; again for routes balanced by
//! destination.
//!
//! Over capacity (where links differ in speed), destinations are at best shared in proportion to the
//! [capacity](super::Channels::capacity) c of a link, and a load of `h` sources is `h/c`: `min(h / c', (N - h) / C)`,
//! with `c'` the greatest capacity of the links up and `C` their sum.

use super::Channels;
use dmodc_fabric::{Fabric, NodeId, NodeKind, PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};
use typed_index_collections::{TiSlice, TiVec};

/// The greatest bound of all subtrees, and the same over capacity, for the traffic among some end nodes,
/// without aggregation nodes. A subtree is a connected part of the fabric without the switches above some rank. `rank`
/// gives the rank of a switch, 0 for the lowest. The fabric may lack links that the channels have.
///
/// Both are `None` where no subtree has a link up. The bound over capacity is in flows over a link of the greatest
/// capacity, never below the first one, and `None` also where all capacities are alike.
pub fn bounds(
    fabric: &Fabric,
    nodes: &[NodeId],
    rank: impl Fn(SwitchId) -> u32,
    channels: &Channels,
) -> (Option<u32>, Option<f64>) {
    let capacity = |s, port| (channels.by_port(s, port)).map_or(1.0, |c| channels.capacity(c));
    let bound = greatest(fabric, nodes, &rank, |_, _| 1.0).map(f64::ceil);
    let over = bound.filter(|_| channels.differ()).and_then(|bound| {
        let over = greatest(fabric, nodes, rank, capacity)?;
        Some(over.max(bound))
    });
    (bound.map(|bound| bound as u32), over)
}

/// The greatest bound of the traffic among all end nodes.
pub fn bound(fabric: &Fabric, rank: impl Fn(SwitchId) -> u32) -> Option<u32> {
    let all: Vec<NodeId> = fabric.end_nodes().keys().collect();
    bounds(fabric, &all, rank, &Channels::new(fabric)).0
}

/// Links that share the traffic of one direction.
#[derive(Clone, Copy, Default)]
struct Links {
    /// The sum of their capacities.
    sum: f64,
    /// The greatest capacity.
    best: f64,
}

impl Links {
    fn add(&mut self, capacity: f64) {
        self.sum += capacity;
        self.best = self.best.max(capacity);
    }

    /// The least possible load of the worst link if each of some sources sends to each of some destinations.
    fn least(self, sources: u32, destinations: u32) -> f64 {
        (f64::from(sources) / self.best).min(f64::from(destinations) / self.sum)
    }
}

/// The bound, not rounded up; `capacity` gives the capacity of the link at a switch port.
fn greatest(
    fabric: &Fabric,
    nodes: &[NodeId],
    rank: impl Fn(SwitchId) -> u32,
    capacity: impl Fn(SwitchId, PortNumber) -> f64,
) -> Option<f64> {
    // The links of a switch to other switches: the other switch, and the capacity.
    let links = |s: SwitchId| {
        let links = fabric.links_of(s);
        let links = links.map(|(port, index, _)| (index, capacity(s, port)));
        links.collect::<Vec<_>>()
    };
    let switches = || fabric.switches().keys();
    let count = fabric.switches().len();
    let mut hosts: TiVec<SwitchId, u32> = vec![0; count].into();
    for &node in nodes {
        let node = &fabric.end_nodes()[node];
        hosts[node.switch] += u32::from(node.kind != NodeKind::Aggregation);
    }
    let hosts = |s: SwitchId| hosts[s];
    // The number of hosts of each part, by its lowest switch.
    let sums = |part: &TiSlice<SwitchId, Option<SwitchId>>| {
        let mut sums: TiVec<SwitchId, u32> = vec![0; count].into();
        for (s, part) in part.iter_enumerated() {
            if let Some(part) = part {
                sums[*part] += hosts(s);
            }
        }
        sums
    };
    let whole = fabric.parts(|_| true);
    let joined = sums(&whole);
    let top = switches().map(&rank).max()?;
    let mut greatest: Option<f64> = None;
    let mut note = |least: f64| greatest = Some(greatest.map_or(least, |most| most.max(least)));
    for level in 0..top {
        let subtrees = fabric.parts(|s| rank(s) <= level);
        let inside = sums(&subtrees);
        let mut up: TiVec<SwitchId, _> = vec![Links::default(); count].into();
        for (s, part) in subtrees.iter_enumerated() {
            if let Some(part) = part {
                let above = links(s).into_iter().filter(|&(next, _)| rank(next) > level);
                above.for_each(|(_, capacity)| up[*part].add(capacity));
            }
        }
        for (first, whole) in whole.iter_enumerated().filter(|&(s, _)| up[s].sum > 0.0) {
            let outside = whole.map_or(0, |whole| joined[whole]) - inside[first];
            note(up[first].least(inside[first], outside));
        }
        // Switches just above with hosts of their own: their links to each subtree, and their links up.
        for s in switches().filter(|&s| rank(s) == level + 1 && hosts(s) > 0) {
            let all = whole[s].map_or(0, |whole| joined[whole]);
            let mut below: BTreeMap<SwitchId, Links> = BTreeMap::new();
            let mut up = Links::default();
            for (next, capacity) in links(s) {
                match subtrees[next] {
                    Some(subtree) => below.entry(subtree).or_default().add(capacity),
                    None if rank(next) > rank(s) => up.add(capacity),
                    None => {}
                }
            }
            let mut here = hosts(s);
            for (subtree, links) in below {
                let there = inside[subtree];
                here += there;
                note(links.least(all - there, there));
            }
            if up.sum > 0.0 {
                let there = over(fabric, &rank, s).into_iter().map(hosts).sum::<u32>();
                note(up.least(here, there.saturating_sub(here)));
            }
        }
    }
    greatest
}

/// The switches that a switch reaches by up-down paths, itself included.
fn over(fabric: &Fabric, rank: &impl Fn(SwitchId) -> u32, switch: SwitchId) -> BTreeSet<SwitchId> {
    let mut reached = BTreeSet::new();
    let mut open = vec![(switch, true)];
    let mut climbed = BTreeSet::new();
    while let Some((at, climbs)) = open.pop() {
        let is_new = reached.insert(at) | (climbs && climbed.insert(at));
        for next in fabric.neighbours(at).filter(|_| is_new) {
            if rank(next) < rank(at) {
                open.push((next, false));
            } else if climbs && rank(next) > rank(at) {
                open.push((next, true));
            }
        }
    }
    reached
}
