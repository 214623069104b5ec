//! Finds links that are slower than they should be.
//!
//! A link should have its speed in the reference. Without a reference, siblings decide: the other links of a switch on
//! the same side (up, down, to its own rank), and for a host the links of the hosts of its leaf and of the fabric. Two
//! generations of switches or hosts in one fabric are no fault. So a link between switches is slow if it is slower than
//! at least a quarter of its siblings at *both* ends: a switch with links of one speed has no slow link. A host is slow
//! if few hosts are as slow. One lane where siblings have more is always slow: no design has that.

use super::{Difference, End, Kind};
use crate::fabric::{Fabric, NodeKind, Speed, counted};
use crate::netlist::Names;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// Hosts are slow by comparison only if at most one host of this many is as slow, or only one host is.
const HOSTS_PER_SLOW: usize = 16;

/// The source of a link's expected speed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Witness {
    /// The siblings of the link.
    Siblings,
    /// The reference.
    Reference,
    /// The link itself, at an earlier time.
    Before,
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Witness::Siblings => "siblings",
            Witness::Reference => "reference",
            Witness::Before => "before",
        })
    }
}

/// The speed of a slow link, and its expected speed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slowness {
    /// Its speed.
    pub now: Speed,
    /// Its expected speed.
    pub expected: Speed,
    /// The source of the expected speed.
    pub witness: Witness,
}

impl fmt::Display for Slowness {
    /// As in `1xHDR, siblings 4xHDR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} {}", self.now, self.witness, self.expected)
    }
}

/// The other end of a link. `I` names switches and hosts: their index in a fabric, or their GUID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Far<I = u32> {
    /// A switch, with its port.
    Switch(I, u8),
    /// An end node.
    Host(I),
}

/// A slow link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slow<I = u32> {
    /// The switch at the lower end, or the host's switch, and its port.
    pub near: (I, u8),
    /// The other end.
    pub far: Far<I>,
    /// Its speed and expected speed.
    pub slowness: Slowness,
}

impl Slow {
    /// The slow link as a difference, with names.
    pub fn difference(&self, fabric: &Fabric, names: &Names) -> Difference {
        let end = |switch, port| End::of_switch(fabric, names, switch, Some(port));
        let far = match self.far {
            Far::Switch(switch, port) => end(switch, port),
            Far::Host(host) => End::of_host(names, host),
        };
        Difference {
            kind: Kind::Slow,
            ends: vec![end(self.near.0, self.near.1), far],
            found: Vec::new(),
            reason: self.slowness.to_string(),
        }
    }
}

/// All slow links: links between switches in the order of their lower ends, then links of hosts. `rank` gives the rank
/// of a switch.
pub fn slow_links(
    fabric: &Fabric,
    rank: impl Fn(u32) -> u32,
    reference: Option<&Fabric>,
) -> Vec<Slow> {
    if !fabric.has_speeds() {
        return Vec::new();
    }
    let designed = |switch, port| {
        let speed = reference.map(|of| of.speed_in(fabric, switch, port));
        speed.filter(|speed| speed.is_known())
    };
    let speed = |(switch, port)| fabric.link_speed(switch, port);
    // `among` is the expected speed by the siblings.
    let judge = |near: (u32, u8), far, among: Option<Speed>| {
        let now = speed(near);
        let (expected, witness) = match designed(near.0, near.1) {
            Some(expected) => (expected, Witness::Reference),
            None => (among?, Witness::Siblings),
        };
        let slowness = Slowness {
            now,
            expected,
            witness,
        };
        let slow = Slow {
            near,
            far,
            slowness,
        };
        (now.is_known() && now < expected).then_some(slow)
    };
    let switches = 0..fabric.switches().len() as u32;
    let usual: Vec<Sides> = switches.clone().map(|s| sides(fabric, s, &rank)).collect();
    let mut slow = Vec::new();
    for s in switches.clone() {
        for (port, index, far) in fabric.links_of(s) {
            if (rank(s), s) < (rank(index), index) {
                let side = rank(index).cmp(&rank(s));
                let ends = [
                    &usual[s as usize][of(side)],
                    &usual[index as usize][of(side.reverse())],
                ];
                let expected = of_ends(speed((s, port)), ends);
                slow.extend(judge((s, port), Far::Switch(index, far), expected));
            }
        }
    }
    let all = counted(switches.clone().flat_map(|s| host_speeds(fabric, s)));
    for s in switches {
        let leaf = counted(host_speeds(fabric, s));
        for host in fabric.end_nodes_of(s).map(|host| host as u32) {
            let node = &fabric.end_nodes()[host as usize];
            if node.kind != NodeKind::Aggregation {
                let near = (s, node.port);
                let expected = of_hosts(speed(near), &leaf, &all);
                slow.extend(judge(near, Far::Host(host), expected));
            }
        }
    }
    slow
}

/// The number of links of each speed.
type Counts = BTreeMap<Speed, usize>;

/// The links of a switch to switches below it, beside it and above it.
type Sides = [Counts; 3];

fn of(side: Ordering) -> usize {
    (side as i8 + 1) as usize
}

fn sides(fabric: &Fabric, switch: u32, rank: impl Fn(u32) -> u32) -> Sides {
    [Ordering::Less, Ordering::Equal, Ordering::Greater].map(|side| {
        let links = fabric.links_of(switch);
        let links = links.filter(|&(_, index, _)| rank(index).cmp(&rank(switch)) == side);
        let speeds = links.map(|(port, ..)| fabric.link_speed(switch, port));
        counted(speeds.filter(|speed| speed.is_known()))
    })
}

fn host_speeds(fabric: &Fabric, switch: u32) -> impl Iterator<Item = Speed> {
    let hosts = fabric.hosts_of(switch);
    let speeds = hosts.map(|host| fabric.link_speed(host.switch, host.port));
    speeds.filter(|speed| speed.is_known())
}

/// The highest speed that at least a quarter of some links reach.
fn usual(counts: &Counts) -> Speed {
    let all: usize = counts.values().sum();
    let mut faster = 0;
    let usual = counts.iter().rev().find(|&(_, count)| {
        faster += count;
        4 * faster >= all
    });
    usual.map_or(Speed::UNKNOWN, |(speed, _)| *speed)
}

/// The expected speed of a link between switches, by the links of both switches.
fn of_ends(now: Speed, ends: [&Counts; 2]) -> Option<Speed> {
    let [a, b] = ends.map(usual);
    one_lane(now, a, b).or(Some(a.min(b)))
}

/// The expected speed of a host's link, by the hosts of its leaf and of the fabric.
fn of_hosts(now: Speed, leaf: &Counts, all: &Counts) -> Option<Speed> {
    let hosts: usize = all.values().sum();
    let as_slow = all.get(&now).copied().unwrap_or(0);
    let few = as_slow == 1 || as_slow * HOSTS_PER_SLOW <= hosts;
    let (leaf, all) = (usual(leaf), usual(all));
    one_lane(now, leaf, all).or_else(|| few.then_some(leaf.min(all)))
}

/// The expected speed of a link of one lane, where others have more.
fn one_lane(now: Speed, a: Speed, b: Speed) -> Option<Speed> {
    let lesser_first = [a.min(b), a.max(b)];
    let wider = lesser_first.into_iter().find(|s| s.lanes() > 1 && *s > now);
    wider.filter(|_| now.lanes() == 1)
}
