//! Finds links that are slower than they should be.
//!
//! A link should have its speed in the reference. Without a reference, siblings decide: the other links of a switch on
//! the same side (up, down, to its own rank), and for a host the links of the hosts of its leaf and of the fabric. Two
//! generations of switches or hosts in one fabric are no fault. So a link between switches is slow if it is slower than
//! at least a quarter of its siblings at *both* ends: a switch with links of one speed has no slow link, unless it is
//! the only slow one among the switches of its rank and number of ports, at least four. A host is slow if few hosts are
//! as slow. One lane where siblings have more is always slow: no design has that.

use super::{Difference, End, Kind, is_majority};
use dmodc_fabric::{
    Fabric, NodeId, NodeKind, Peer, PortNumber, Speed, SwitchId, counted, grouped, replaced,
};
use dmodc_formats::netlist::Names;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use typed_index_collections::TiVec;

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

/// The other end of a link. `S` and `H` name switches and hosts: their index in a fabric, or their GUID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Far<S = SwitchId, H = NodeId> {
    /// A switch, with its port.
    Switch(S, PortNumber),
    /// An end node.
    Host(H),
}

/// A slow link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slow<S = SwitchId, H = NodeId> {
    /// The switch at the lower end, or the host's switch, and its port.
    pub near: (S, PortNumber),
    /// The other end.
    pub far: Far<S, H>,
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
        let ends = vec![end(self.near.0, self.near.1), far];
        let reason = self.slowness.to_string();
        Difference {
            slowness: Some(self.slowness),
            ..Difference::link(Kind::Slow, ends, Vec::new(), reason)
        }
    }
}

/// All slow links: links between switches in the order of their lower ends, then links of hosts. `rank` gives the rank
/// of a switch.
pub fn slow_links(
    fabric: &Fabric,
    rank: impl Fn(SwitchId) -> u32,
    reference: Option<&Fabric>,
) -> Vec<Slow> {
    let designed = Designed::new(fabric, reference);
    let speed = |(switch, port)| fabric.link_speed(switch, port);
    // `among` is the expected speed by the siblings.
    let judge = |near: (SwitchId, PortNumber), far, among: Option<Speed>| {
        let now = speed(near);
        let (expected, witness) = match designed.speed(near.0, near.1) {
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
    let switches = || fabric.switches().keys();
    let usual: TiVec<_, Sides> = switches().map(|s| sides(fabric, s, &rank)).collect();
    let boxes = slow_boxes(fabric, &usual, &rank);
    let mut slow = Vec::new();
    for s in switches() {
        for (port, index, far) in fabric.links_of(s) {
            if (rank(s), s) < (rank(index), index) {
                let side = rank(index).cmp(&rank(s));
                let ends = [
                    &usual[s][side_index(side)],
                    &usual[index][side_index(side.reverse())],
                ];
                let of_box = |s, far| Some(fastest(&usual[far]).min(*boxes.get(&s)?));
                let of_box = of_box(s, index).or_else(|| of_box(index, s));
                let now = speed((s, port));
                let [a, b] = ends.map(self::usual);
                let expected = one_lane(now, a, b).or(Some(a.min(b))).max(of_box);
                slow.extend(judge((s, port), Far::Switch(index, far), expected));
            }
        }
    }
    let all = counted(switches().flat_map(|s| host_speeds(fabric, s)));
    for s in switches() {
        let leaf = counted(host_speeds(fabric, s));
        for host in fabric.node_ids_of(s) {
            let node = &fabric.end_nodes()[host];
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

fn side_index(side: Ordering) -> usize {
    (side as i8 + 1) as usize
}

fn sides(fabric: &Fabric, switch: SwitchId, rank: impl Fn(SwitchId) -> u32) -> Sides {
    [Ordering::Less, Ordering::Equal, Ordering::Greater].map(|side| {
        let links = fabric.links_of(switch);
        let links = links.filter(|&(_, index, _)| rank(index).cmp(&rank(switch)) == side);
        let speeds = links.map(|(port, ..)| fabric.link_speed(switch, port));
        counted(speeds.filter(|speed| speed.is_known()))
    })
}

/// The highest speed of a switch's links to switches.
fn fastest(sides: &Sides) -> Speed {
    let speeds = sides.iter().filter_map(|counts| counts.keys().next_back());
    speeds.copied().max().unwrap_or(Speed::UNKNOWN)
}

/// The switches that are slower than all others of their rank and number of ports, with the speed of the others: a box
/// that was replaced by an older one. Where two are as slow, they are an older generation.
fn slow_boxes(
    fabric: &Fabric,
    usual: &TiVec<SwitchId, Sides>,
    rank: impl Fn(SwitchId) -> u32,
) -> BTreeMap<SwitchId, Speed> {
    let known = usual.iter_enumerated();
    let known = known.map(|(s, sides)| (fastest(sides), s));
    let known = known.filter(|(speed, _)| speed.is_known());
    let kind = |s: SwitchId| (rank(s), fabric.switches()[s].ports);
    let kinds = grouped(known.map(|(speed, s)| (kind(s), (speed, s))));
    let alone = |mut kind: Vec<(Speed, SwitchId)>| {
        kind.sort_unstable();
        let [(slow, s), (usual, _), ..] = kind[..] else {
            return None;
        };
        let is_alone = slow < usual && is_majority(kind.len() - 1, kind.len());
        is_alone.then_some((s, usual))
    };
    kinds.into_values().filter_map(alone).collect()
}

fn host_speeds(fabric: &Fabric, switch: SwitchId) -> impl Iterator<Item = Speed> {
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

/// The speeds of links by a reference, with boxes in the places of others.
pub struct Designed<'f> {
    fabric: &'f Fabric,
    reference: Option<&'f Fabric>,
    /// By box in the place of another one, that place.
    places: HashMap<SwitchId, SwitchId>,
}

impl<'f> Designed<'f> {
    pub fn new(fabric: &'f Fabric, reference: Option<&'f Fabric>) -> Self {
        let replaced = reference.map_or_else(Vec::new, |of| replaced(fabric, of));
        Designed {
            fabric,
            reference,
            places: replaced.into_iter().collect(),
        }
    }

    /// The speed of the link at a port, if the reference has the link.
    pub fn speed(&self, switch: SwitchId, port: PortNumber) -> Option<Speed> {
        let reference = self.reference?;
        let speed = Some(reference.speed_in(self.fabric, switch, port));
        let speed = speed.filter(|speed| speed.is_known());
        let speed = speed.or_else(|| self.in_place(reference, switch, port));
        speed.filter(|speed| speed.is_known())
    }

    /// The speed of a link of a replaced box, or of one with a moved end. The port at the far end identifies it, for
    /// another model may number its own ports differently.
    fn in_place(&self, reference: &Fabric, switch: SwitchId, port: PortNumber) -> Option<Speed> {
        let fabric = self.fabric;
        let place = |s: SwitchId| {
            let place = self.places.get(&s).copied();
            place.or_else(|| reference.switch_by_guid(fabric.guid(s)))
        };
        match fabric.peer(switch, port) {
            Peer::None => None,
            Peer::Switch { index, port: far } => {
                let sides = [((switch, port), index), ((index, far), switch)];
                let mut speeds = sides.into_iter().filter_map(|((near, port), far)| {
                    let near = place(near)?;
                    let is_same = reference.far(near, port)?.0 == place(far)?;
                    is_same.then(|| reference.link_speed(near, port))
                });
                speeds.next()
            }
            Peer::EndNode(node) => {
                let guid = fabric.end_nodes()[node].guid;
                let mut hosts = reference.hosts_of(place(switch)?);
                let host = hosts.find(|host| host.guid == guid)?;
                Some(reference.link_speed(host.switch, host.port))
            }
        }
    }
}
