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

use super::ids::{Guid, Lid, NodeId, PortNumber, SwitchId, lid_range};
use super::speed::Speed;
use typed_index_collections::{TiSlice, TiVec};

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
    pub(super) first_port: usize,
    /// The range of its end nodes.
    pub(super) end_nodes: (NodeId, NodeId),
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
            end_nodes: (NodeId(0), NodeId(0)),
        }
    }

    /// The numbers of its external ports, in order.
    pub fn port_numbers(&self) -> impl DoubleEndedIterator<Item = PortNumber> + Clone + use<> {
        PortNumber::external(self.ports)
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
    /// Its switch: the paper's λ.
    pub switch: SwitchId,
    /// The port of the switch that leads to it.
    pub port: PortNumber,
}

/// The other end of a switch port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// No usable link.
    None,
    /// Another switch.
    Switch {
        /// The other switch.
        index: SwitchId,
        /// The port at its end.
        port: PortNumber,
    },
    /// An end node.
    EndNode(NodeId),
}

/// The snapshot. The module describes its invariants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fabric {
    pub(super) switches: TiVec<SwitchId, Switch>,
    pub(super) end_nodes: TiVec<NodeId, EndNode>,
    pub(super) peers: Vec<Peer>,
    /// The speeds of the links at `peers`.
    pub(super) speeds: Vec<Speed>,
    pub(super) max_lid: Lid,
    pub(super) absent: Vec<EndNode>,
}

impl Fabric {
    /// The switches in ascending GUID order.
    pub fn switches(&self) -> &TiSlice<SwitchId, Switch> {
        &self.switches
    }

    /// The node GUID of a switch.
    pub fn guid(&self, switch: SwitchId) -> Guid {
        self.switches[switch].guid
    }

    /// The end nodes in ascending (switch, port) order.
    pub fn end_nodes(&self) -> &TiSlice<NodeId, EndNode> {
        &self.end_nodes
    }

    /// Absent end nodes that get routes, in ascending (switch, port) order.
    pub fn absent(&self) -> &[EndNode] {
        &self.absent
    }

    /// The fabric without some links between switches, given by both ends (switch, port), ascending.
    pub fn without(&self, ends: &[(SwitchId, PortNumber)]) -> Fabric {
        let mut fabric = self.clone();
        for &(switch, port) in ends {
            debug_assert!(matches!(fabric.peer(switch, port), Peer::Switch { .. }));
            if let Some(slot) = fabric.slot(switch, port) {
                (fabric.peers[slot], fabric.speeds[slot]) = (Peer::None, Speed::UNKNOWN);
            }
        }
        fabric
    }

    /// The absent end nodes of one switch.
    pub fn absent_of(&self, switch: SwitchId) -> &[EndNode] {
        let first = self.absent.partition_point(|node| node.switch < switch);
        let end = self.absent.partition_point(|node| node.switch <= switch);
        &self.absent[first..end]
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

    /// The other end of an external port of a switch.
    #[inline]
    pub fn peer(&self, switch: SwitchId, port: PortNumber) -> Peer {
        self.slot(switch, port)
            .map_or(Peer::None, |slot| self.peers[slot])
    }

    /// The switch and port at the other end of a switch port, if it leads to a switch.
    pub fn far(&self, switch: SwitchId, port: PortNumber) -> Option<(SwitchId, PortNumber)> {
        match self.peer(switch, port) {
            Peer::Switch { index, port } => Some((index, port)),
            _ => None,
        }
    }

    /// The index of a switch's port among all ports, if it has that port.
    #[inline]
    pub(super) fn slot(&self, switch: SwitchId, port: PortNumber) -> Option<usize> {
        let s = &self.switches[switch];
        let has_port = (1..=s.ports).contains(&port.0);
        has_port.then(|| s.first_port + port.offset())
    }

    /// Adds a switch without links or end nodes.
    pub(super) fn push_switch(&mut self, switch: Switch) {
        let first_port = self.peers.len();
        let end = first_port + usize::from(switch.ports);
        self.peers.resize(end, Peer::None);
        self.speeds.resize(end, Speed::UNKNOWN);
        self.switches.push(Switch {
            first_port,
            end_nodes: (NodeId(0), NodeId(0)),
            ..switch
        });
    }

    /// Joins two ports (switch, port) by a link.
    pub(super) fn connect(&mut self, a: (SwitchId, PortNumber), b: (SwitchId, PortNumber)) {
        for ((switch, port), (index, far)) in [(a, b), (b, a)] {
            if let Some(slot) = self.slot(switch, port) {
                self.peers[slot] = Peer::Switch { index, port: far };
            }
        }
    }

    /// The peers of a switch's ports 1, 2, … in order.
    #[inline]
    pub fn peers_of(&self, switch: SwitchId) -> &[Peer] {
        let s = &self.switches[switch];
        &self.peers[s.first_port..][..usize::from(s.ports)]
    }

    /// The ports of a switch, each with its other end.
    #[inline]
    pub fn ports_of(
        &self,
        switch: SwitchId,
    ) -> impl Iterator<Item = (PortNumber, Peer)> + Clone + '_ {
        let peers = self.peers_of(switch).iter().zip(1..);
        peers.map(|(peer, port)| (PortNumber(port), *peer))
    }

    /// The data rate in Mb/s, one direction, of the link at a port of a switch. 0 if it is unknown, or
    /// without a link.
    pub fn speed(&self, switch: SwitchId, port: PortNumber) -> u32 {
        self.link_speed(switch, port).mbps()
    }

    /// The width and the speed of the link at a port of a switch.
    pub fn link_speed(&self, switch: SwitchId, port: PortNumber) -> Speed {
        self.slot(switch, port)
            .map_or(Speed::UNKNOWN, |slot| self.speeds[slot])
    }

    /// The speed that this fabric, a reference, has for the link at a port of another fabric; unknown if the reference
    /// does not have the same link.
    pub fn speed_in(&self, other: &Fabric, switch: SwitchId, port: PortNumber) -> Speed {
        let host = |of: &Fabric, node: NodeId| of.end_nodes[node].guid;
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
    pub fn faster_in(&self, other: &Fabric) -> Vec<(SwitchId, PortNumber)> {
        let mut faster = Vec::new();
        for (s, switch) in other.switches.iter_enumerated() {
            let known = self.switch_by_guid(switch.guid);
            let known = known.map_or(&[][..], |known| self.speeds_of(known));
            let now = other.speeds_of(s);
            if now != known {
                let ports = switch
                    .port_numbers()
                    .zip(now)
                    .map(|(port, now)| (s, port, *now));
                let ports = ports.filter(|&(s, port, now)| now > self.speed_in(other, s, port));
                faster.extend(ports.map(|(s, port, _)| (s, port)));
            }
        }
        faster
    }

    /// The same fabric with other speeds. `speed` gives the speed of a port with a link; both ends must get the same.
    pub fn with_speeds(mut self, speed: impl Fn(&Fabric, SwitchId, PortNumber) -> Speed) -> Fabric {
        let mut speeds = Vec::with_capacity(self.peers.len());
        for s in self.switches.keys() {
            for (port, peer) in self.ports_of(s) {
                speeds.push(match peer {
                    Peer::None => Speed::UNKNOWN,
                    _ => speed(&self, s, port),
                });
            }
        }
        self.speeds = speeds;
        self
    }

    /// A reference with the greatest LMCs of a fabric now, and the speeds of its links. LIDs are in order, as far as there
    /// is room: a reference may have none.
    pub fn as_now(&self, now: &Fabric) -> Fabric {
        let of_nodes = now.end_nodes.iter().map(|node| node.lmc).max();
        let of_switches = now.switches.iter().map(|switch| switch.lmc).max();
        let mut fabric =
            self.clone()
                .with_speeds(|known, s, port| match now.speed_in(known, s, port) {
                    Speed::UNKNOWN => known.link_speed(s, port),
                    speed => speed,
                });
        let mut next = 1u32;
        let mut number = |lid: &mut Lid, lmc: &mut u8, now: Option<u8>| {
            let lids = 1 << now.unwrap_or(0);
            let first = next.next_multiple_of(lids);
            let has_room = first + lids - 1 <= Lid::UNICAST_MAX.0.into();
            next = first + lids;
            (*lid, *lmc) = (
                Lid(if has_room { first as u16 } else { 0 }),
                now.unwrap_or(0),
            );
        };
        for node in &mut fabric.end_nodes {
            number(&mut node.lid, &mut node.lmc, of_nodes);
        }
        for switch in &mut fabric.switches {
            number(&mut switch.lid, &mut switch.lmc, of_switches);
        }
        (fabric.absent, fabric.max_lid) =
            (Vec::new(), Lid(next.min(Lid::UNICAST_MAX.0.into()) as u16));
        fabric
    }

    /// Whether links (also of hosts) differ in speed, as far as speeds are known.
    pub fn speeds_differ(&self) -> bool {
        let mut known = self.speeds.iter().filter(|speed| speed.is_known());
        let first = known.next();
        known.any(|speed| Some(speed) != first)
    }

    /// The speeds of a switch's ports 1, 2, … in order.
    pub fn speeds_of(&self, switch: SwitchId) -> &[Speed] {
        let s = &self.switches[switch];
        &self.speeds[s.first_port..][..usize::from(s.ports)]
    }

    /// The switches linked to a switch, in port order, once per link.
    pub fn neighbours(&self, switch: SwitchId) -> impl Iterator<Item = SwitchId> {
        self.links_of(switch).map(|(_, other, _)| other)
    }

    /// The links of a switch to other switches in port order: its own port, the other switch, the port there.
    pub fn links_of(
        &self,
        switch: SwitchId,
    ) -> impl Iterator<Item = (PortNumber, SwitchId, PortNumber)> + '_ {
        self.ports_of(switch).filter_map(|(port, peer)| match peer {
            Peer::Switch { index, port: far } => Some((port, index, far)),
            _ => None,
        })
    }

    /// The links between switches, each once: (switch, port) at both ends, the lower first.
    pub fn links(&self) -> impl Iterator<Item = [(SwitchId, PortNumber); 2]> + '_ {
        let ends = self.switches.keys().flat_map(|s| {
            let links = self.links_of(s);
            links.map(move |(port, other, far)| [(s, port), (other, far)])
        });
        ends.filter(|[near, far]| near < far)
    }

    /// Splits the switches selected by `is_there` into connected parts: for each switch the lowest switch of its part,
    /// or `None` if it is not selected.
    pub fn parts(&self, is_there: impl Fn(SwitchId) -> bool) -> TiVec<SwitchId, Option<SwitchId>> {
        let mut part: TiVec<SwitchId, _> = vec![None; self.switches.len()].into();
        for start in self.switches.keys().filter(|&s| is_there(s)) {
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                if part[at].is_none() {
                    part[at] = Some(start);
                    open.extend(self.neighbours(at).filter(|&s| is_there(s)));
                }
            }
        }
        part
    }

    /// The switch with this node GUID. Not for merged fabrics: their switches may have another order.
    pub fn switch_by_guid(&self, guid: Guid) -> Option<SwitchId> {
        debug_assert!(self.switches.is_sorted_by_key(|s| s.guid));
        self.switches.binary_search_by_key(&guid, |s| s.guid).ok()
    }

    /// The end nodes of one switch, in port order.
    pub fn end_nodes_of(&self, switch: SwitchId) -> &[EndNode] {
        let (from, to) = self.switches[switch].end_nodes;
        &self.end_nodes[from..to].raw
    }

    /// The indices of the end nodes of one switch, in port order.
    pub fn node_ids_of(
        &self,
        switch: SwitchId,
    ) -> impl ExactSizeIterator<Item = NodeId> + DoubleEndedIterator + Clone + use<> {
        let (from, to) = self.switches[switch].end_nodes;
        (usize::from(from)..usize::from(to)).map(NodeId::from)
    }

    /// The end nodes of one switch that are no aggregation nodes, in port order.
    pub fn hosts_of(&self, switch: SwitchId) -> impl Iterator<Item = &EndNode> {
        let nodes = self.end_nodes_of(switch).iter();
        nodes.filter(|n| n.kind != NodeKind::Aggregation)
    }

    /// Number of links between switches.
    pub fn switch_links(&self) -> usize {
        self.links().count()
    }

    /// The LIDs to route, of end nodes and then of switches, each with its switch and the port there: 0 for the switch
    /// itself.
    pub fn lids(&self) -> impl Iterator<Item = (Lid, SwitchId, PortNumber)> {
        let nodes = self.end_nodes.iter();
        let nodes = nodes.map(|n| (n.lid, n.lmc, n.switch, n.port));
        let switches = self.switches.iter_enumerated();
        let all = nodes.chain(switches.map(|(i, s)| (s.lid, s.lmc, i, PortNumber::ZERO)));
        all.flat_map(|(lid, lmc, switch, port)| {
            let lids = lid_range(lid, lmc).into_iter().flatten();
            lids.map(move |lid| (Lid(lid), switch, port))
        })
    }

    /// Number of LIDs to route.
    pub fn lid_count(&self) -> usize {
        self.lids().count()
    }
}
