//! The owned snapshot of a fabric: the only input of the phases of Dmodc.
//!
//! Invariants that [`Builder::finish`](super::Builder::finish) establishes and all code relies on:
//! - switches are in ascending GUID order, so comparing two switch indices compares UUIDs;
//! - a link is known at both ends: if port `p` of switch `a` leads to port `q` of switch `b`, then port `q`
//!   of `b` leads to port `p` of `a`; no link joins a switch with itself;
//! - both ends of a link have the same speed, and a port without a link has none;
//! - end nodes are in ascending (switch, port) order, each behind one switch port;
//! - every LID is unicast (or 0 for a switch that has none yet), and no two LID ranges overlap;
//! - absent end nodes are at empty ports, in ascending order, with unused LIDs: they get routes, and have no other
//!   effect;
//! - it contains no pointer, no lock and no name.

use super::ids::{Guid, Lid};
use super::speed::Speed;
use std::ops::Range;

/// The kind of an end node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A channel adapter: a host, storage, a gateway.
    Ca,
    /// A router port.
    Router,
    /// A SHARP aggregation node: a CA inside a switch. It gets routes like any other end node, but
    /// makes no leaf and takes no part in traffic patterns.
    Aggregation,
}

impl NodeKind {
    /// Vendor and device ID of the aggregation nodes (Mellanox, 0xcf09).
    pub const AGGREGATION_DEVICE: (u32, u16) = (0x02c9, 0xcf09);
    /// The node description of aggregation nodes.
    pub const AGGREGATION_DESCRIPTION: &'static str = "Mellanox Technologies Aggregation Node";
}

/// A switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// Node GUID: the UUID.
    pub guid: Guid,
    /// Orders places that cables leave unordered: the GUID, or the key that a reference has for the place.
    pub key: u64,
    /// The growth step of the reference that added the place. It comes before the key: new places follow old ones.
    pub era: u32,
    /// Base LID of port 0; `Lid(0)` if it has none yet.
    pub lid: Lid,
    /// LMC of port 0 (0..=7; above 0 only for an enhanced port 0 with `lmc_esp0`).
    pub lmc: u8,
    /// Number of external ports; port numbers run from 1 to this.
    pub ports: u8,
    pub(super) first_port: u32,
    /// The range of its end nodes.
    pub(super) end_nodes: (u32, u32),
}

impl Switch {
    /// A switch at the place of its GUID, without a LID.
    pub(super) fn new(guid: Guid, ports: u8) -> Switch {
        Switch {
            guid,
            key: guid.0,
            era: 0,
            lid: Lid(0),
            lmc: 0,
            ports,
            first_port: 0,
            end_nodes: (0, 0),
        }
    }
}

/// A CA or router port with a LID, behind a usable link to a switch. Each port of a dual-port HCA
/// is an end node of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndNode {
    /// Port GUID.
    pub guid: Guid,
    /// Base LID.
    pub lid: Lid,
    /// LMC (0..=7): the port has `2^lmc` LIDs, from the base LID on.
    pub lmc: u8,
    /// Its kind.
    pub kind: NodeKind,
    /// Index of its switch: the paper's λ.
    pub switch: u32,
    /// The port of the switch that leads to it.
    pub port: u8,
}

/// The other end of a switch port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// No usable link.
    None,
    /// Another switch.
    Switch {
        /// Index of the other switch.
        index: u32,
        /// The port at its end.
        port: u8,
    },
    /// An end node, by index.
    EndNode(u32),
}

/// The snapshot. The module describes its invariants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fabric {
    pub(super) switches: Vec<Switch>,
    pub(super) end_nodes: Vec<EndNode>,
    pub(super) peers: Vec<Peer>,
    /// The speeds of the links at `peers`; empty if none is known.
    pub(super) speeds: Vec<Speed>,
    pub(super) max_lid: Lid,
    pub(super) absent: Vec<EndNode>,
}

impl Fabric {
    /// The switches in ascending GUID order.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// The node GUID of a switch.
    pub fn guid(&self, switch: u32) -> Guid {
        self.switches[switch as usize].guid
    }

    /// The end nodes in ascending (switch, port) order.
    pub fn end_nodes(&self) -> &[EndNode] {
        &self.end_nodes
    }

    /// Absent end nodes that get routes, in ascending (switch, port) order.
    pub fn absent(&self) -> &[EndNode] {
        &self.absent
    }

    /// The fabric without some links between switches, given by both ends (switch, port), ascending.
    pub fn without(&self, ends: &[(u32, u8)]) -> Fabric {
        let mut fabric = self.clone();
        for &(switch, port) in ends {
            debug_assert!(matches!(fabric.peer(switch, port), Peer::Switch { .. }));
            if let Some(slot) = fabric.slot(switch, port) {
                fabric.peers[slot] = Peer::None;
                fabric.set_speed(slot, Speed::UNKNOWN);
            }
        }
        fabric
    }

    /// The absent end nodes of one switch.
    pub fn absent_of(&self, switch: u32) -> &[EndNode] {
        &self.absent[range_of(&self.absent, switch)]
    }

    /// Sets the absent end nodes, in any order. Their ports must be dark, and their LIDs unused.
    pub fn set_absent(&mut self, mut absent: Vec<EndNode>) {
        absent.sort_unstable_by_key(|node| (node.switch, node.port));
        for node in &absent {
            debug_assert_eq!(self.peer(node.switch, node.port), Peer::None);
            self.max_lid = self.max_lid.max(Lid(node.lid.0 + ((1 << node.lmc) - 1)));
        }
        self.absent = absent;
    }

    /// The highest LID with routes (LMC counted), `Lid(0)` if there is none.
    pub fn max_lid(&self) -> Lid {
        self.max_lid
    }

    /// The other end of port `port` (from 1 on) of switch `switch`.
    #[inline]
    pub fn peer(&self, switch: u32, port: u8) -> Peer {
        self.slot(switch, port)
            .map_or(Peer::None, |slot| self.peers[slot])
    }

    /// The switch and port at the other end of a switch port, if it leads to a switch.
    pub fn far(&self, switch: u32, port: u8) -> Option<(u32, u8)> {
        match self.peer(switch, port) {
            Peer::Switch { index, port } => Some((index, port)),
            _ => None,
        }
    }

    /// The index of a switch's port among all ports, if it has that port.
    #[inline]
    pub(super) fn slot(&self, switch: u32, port: u8) -> Option<usize> {
        let s = &self.switches[switch as usize];
        let has_port = (1..=s.ports).contains(&port);
        has_port.then(|| s.first_port as usize + usize::from(port) - 1)
    }

    /// Adds a switch without links or end nodes.
    pub(super) fn push_switch(&mut self, switch: Switch) {
        let first_port = self.peers.len();
        let end = first_port + usize::from(switch.ports);
        self.peers.resize(end, Peer::None);
        self.switches.push(Switch {
            first_port: first_port as u32,
            end_nodes: (0, 0),
            ..switch
        });
    }

    /// Joins two ports (switch, port) by a link.
    pub(super) fn connect(&mut self, a: (u32, u8), b: (u32, u8)) {
        for ((switch, port), (index, far)) in [(a, b), (b, a)] {
            if let Some(slot) = self.slot(switch, port) {
                self.peers[slot] = Peer::Switch { index, port: far };
            }
        }
    }

    /// The peers of a switch's ports 1, 2, … in order.
    #[inline]
    pub fn peers_of(&self, switch: u32) -> &[Peer] {
        let s = &self.switches[switch as usize];
        &self.peers[s.first_port as usize..][..usize::from(s.ports)]
    }

    /// The data rate in Mb/s, one direction, of the link at a port of a switch. 0 if it is unknown, or
    /// without a link.
    pub fn speed(&self, switch: u32, port: u8) -> u32 {
        self.link_speed(switch, port).mbps()
    }

    /// The width and the speed of the link at a port of a switch.
    pub fn link_speed(&self, switch: u32, port: u8) -> Speed {
        let slot = self.slot(switch, port);
        let speed = slot.and_then(|slot| self.speeds.get(slot).copied());
        speed.unwrap_or_default()
    }

    /// The speed that this fabric, a reference, has for the link at a port of another fabric; unknown if the reference
    /// does not have the same link.
    pub fn speed_in(&self, other: &Fabric, switch: u32, port: u8) -> Speed {
        let host = |of: &Fabric, node: u32| of.end_nodes[node as usize].guid;
        let Some(known) = self.switch_by_guid(other.guid(switch)) else {
            return Speed::UNKNOWN;
        };
        let is_same = match (self.peer(known, port), other.peer(switch, port)) {
            (Peer::Switch { index: a, port: p }, Peer::Switch { index: b, port: q }) => {
                p == q && self.guid(a) == other.guid(b)
            }
            (Peer::EndNode(a), Peer::EndNode(b)) => host(self, a) == host(other, b),
            _ => false,
        };
        match is_same {
            true => self.link_speed(known, port),
            false => Speed::UNKNOWN,
        }
    }

    /// The ports of another fabric whose links are faster than in this fabric, the reference.
    pub fn faster_in(&self, other: &Fabric) -> Vec<(u32, u8)> {
        let mut faster = Vec::new();
        for (s, switch) in (0u32..).zip(&other.switches) {
            let known = self.switch_by_guid(switch.guid);
            let known = known.map_or(&[][..], |known| self.speeds_of(known));
            let now = other.speeds_of(s);
            if now != known {
                let ports = (1u8..).zip(now).map(|(port, now)| (s, port, *now));
                let ports = ports.filter(|&(s, port, now)| now > self.speed_in(other, s, port));
                faster.extend(ports.map(|(s, port, _)| (s, port)));
            }
        }
        faster
    }

    /// The same fabric with other speeds. `speed` gives the speed of a port with a link; both ends must get the same.
    pub fn with_speeds(mut self, speed: impl Fn(&Fabric, u32, u8) -> Speed) -> Fabric {
        let mut speeds = Vec::with_capacity(self.peers.len());
        for s in 0..self.switches.len() as u32 {
            for (port, peer) in (1u8..).zip(self.peers_of(s)) {
                speeds.push(match peer {
                    Peer::None => Speed::UNKNOWN,
                    _ => speed(&self, s, port),
                });
            }
        }
        self.set_all_speeds(speeds);
        self
    }

    /// Sets the speeds of all ports.
    pub(super) fn set_all_speeds(&mut self, speeds: Vec<Speed>) {
        let is_known = speeds.iter().any(|speed| speed.is_known());
        self.speeds = if is_known { speeds } else { Vec::new() };
    }

    /// Whether the speed of any link is known.
    pub fn has_speeds(&self) -> bool {
        !self.speeds.is_empty()
    }

    /// Whether links (also of hosts) differ in speed, as far as speeds are known.
    pub fn speeds_differ(&self) -> bool {
        let mut known = self.speeds.iter().filter(|speed| speed.is_known());
        let first = known.next();
        known.any(|speed| Some(speed) != first)
    }

    /// The speeds of a switch's ports 1, 2, … in order; empty if no speed in the fabric is known.
    pub fn speeds_of(&self, switch: u32) -> &[Speed] {
        let s = &self.switches[switch as usize];
        let ports = self.speeds.get(s.first_port as usize..);
        ports.map_or(&[], |all| &all[..usize::from(s.ports).min(all.len())])
    }

    /// The switches linked to a switch, in port order, once per link.
    pub fn neighbours(&self, switch: u32) -> impl Iterator<Item = u32> {
        self.links_of(switch).map(|(_, other, _)| other)
    }

    /// The links of a switch to other switches in port order: its own port, the other switch, the port there.
    pub fn links_of(&self, switch: u32) -> impl Iterator<Item = (u8, u32, u8)> + '_ {
        let peers = (1..).zip(self.peers_of(switch));
        peers.filter_map(|(port, peer)| match *peer {
            Peer::Switch { index, port: far } => Some((port, index, far)),
            _ => None,
        })
    }

    /// The links between switches, each once: (switch, port) at both ends, the lower first.
    pub fn links(&self) -> impl Iterator<Item = [(u32, u8); 2]> + '_ {
        let switches = 0..self.switches.len() as u32;
        let ends = switches.flat_map(|s| {
            let links = self.links_of(s);
            links.map(move |(port, other, far)| [(s, port), (other, far)])
        });
        ends.filter(|[near, far]| near < far)
    }

    /// Splits the switches selected by `is_there` into connected parts: for each switch the lowest switch of its part,
    /// or `None` if it is not selected.
    pub fn parts(&self, is_there: impl Fn(u32) -> bool) -> Vec<Option<u32>> {
        let switches = 0..self.switches().len() as u32;
        let mut part = vec![None; switches.len()];
        for start in switches.filter(|&s| is_there(s)) {
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                if part[at as usize].is_none() {
                    part[at as usize] = Some(start);
                    open.extend(self.neighbours(at).filter(|&s| is_there(s)));
                }
            }
        }
        part
    }

    /// The switch with this node GUID. Not for merged fabrics: their switches may have another order.
    pub fn switch_by_guid(&self, guid: Guid) -> Option<u32> {
        debug_assert!(self.switches.is_sorted_by_key(|s| s.guid));
        let found = self.switches.binary_search_by_key(&guid, |s| s.guid);
        found.ok().map(|at| at as u32)
    }

    /// The end nodes of one switch, in port order, as a range of indices.
    pub fn end_nodes_of(&self, switch: u32) -> Range<usize> {
        let (from, to) = self.switches[switch as usize].end_nodes;
        from as usize..to as usize
    }

    /// The end nodes of one switch that are no aggregation nodes, in port order.
    pub fn hosts_of(&self, switch: u32) -> impl Iterator<Item = &EndNode> {
        let nodes = &self.end_nodes()[self.end_nodes_of(switch)];
        nodes.iter().filter(|n| n.kind != NodeKind::Aggregation)
    }

    /// Number of links between switches.
    pub fn switch_links(&self) -> usize {
        self.links().count()
    }

    /// Number of LIDs to route, of end nodes and of switches, LMC counted.
    pub fn lid_count(&self) -> usize {
        let nodes = self.end_nodes.iter().map(|n| n.lmc);
        let switches = self.switches.iter().filter(|s| s.lid != Lid(0));
        let all = nodes.chain(switches.map(|s| s.lmc));
        all.map(|lmc| 1 << lmc).sum()
    }
}

/// The range of the nodes that are at a switch, by index in `nodes`, which are in ascending order.
pub fn range_of(nodes: &[EndNode], switch: u32) -> Range<usize> {
    let first = nodes.partition_point(|node| node.switch < switch);
    first..nodes.partition_point(|node| node.switch <= switch)
}
