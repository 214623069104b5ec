//! The rule of `faults=stable` read naively: each step as it is said, switch by switch and LID by LID, with
//! nothing shared with the real code but the snapshot. For ports with one LID, and trees in which all switches
//! with end nodes are leaves.

mod graph;
mod nids;
mod nominal;
mod spread;

use dmodc::fabric::{Fabric, Guid, Lid, Peer};
use dmodc::lft::NO_PATH;
use graph::Graph;
use nids::Nids;
use spread::{Load, Port, Turn};

/// What the rule says.
pub struct Naive<'f> {
    fabric: &'f Fabric,
    /// The fabric as it should be, and as it is.
    nominal: Graph,
    present: Graph,
    nids: Nids,
}

/// A destination: its switch, the number that the modulo rule takes, and its LID.
struct Destination {
    at: u32,
    number: usize,
    lid: Lid,
}

impl<'f> Naive<'f> {
    pub fn new(fabric: &'f Fabric) -> Self {
        let present = Graph::of(fabric);
        let nominal = nominal::complete(&present);
        Naive {
            nids: Nids::new(fabric, &nominal),
            fabric,
            nominal,
            present,
        }
    }

    /// Whether a switch is connected with any leaf. Others route to nobody.
    pub fn is_connected(&self, switch: u32) -> bool {
        self.present.rank[switch as usize] != graph::FAR
    }

    /// The row of a switch, by LID.
    pub fn row(&self, s: u32) -> Vec<u8> {
        let mut row = vec![NO_PATH; self.fabric.max_lid().index() + 1];
        let singles = self.singles();
        self.route_up(s, &singles, &mut row);
        self.route_down(s, &singles, &mut row);
        for n in self.fabric.end_nodes_of(s) {
            let node = &self.fabric.end_nodes()[n];
            row[node.lid.index()] = node.port;
        }
        row[self.fabric.switches()[s as usize].lid.index()] = 0;
        row
    }

    /// What has no slot of its own.
    fn singles(&self) -> Vec<Destination> {
        let nodes = self
            .nids
            .without_slot
            .iter()
            .map(|&(n, number)| Destination {
                at: self.fabric.end_nodes()[n].switch,
                number,
                lid: self.fabric.end_nodes()[n].lid,
            });
        let switches = (0..)
            .zip(self.fabric.switches())
            .map(|(at, s)| Destination {
                at,
                number: hash_of(s.guid),
                lid: s.lid,
            });
        nodes.chain(switches).collect()
    }

    /// The nominal port for a number, of these groups.
    fn nominal_port(&self, s: u32, groups: &[u32], number: usize, several_down: bool) -> u8 {
        let divider = self.nominal.divider[s as usize];
        let q = if several_down {
            number
        } else {
            number / divider
        };
        let Some(&group) = groups.get(q % groups.len().max(1)) else {
            return NO_PATH;
        };
        let ports = &self.nominal.ports[s as usize][&group];
        ports[q / groups.len() % ports.len()]
    }

    /// The ports that lead to these neighbours, and the ways up behind each.
    fn open(&self, s: u32, groups: &[u32]) -> Vec<Port> {
        let ports = |group: &u32| {
            let ways = self.present.ways_up[*group as usize] as u64;
            let ports = self.present.ports[s as usize][group].iter();
            ports.map(|&port| (port, ways)).collect::<Vec<_>>()
        };
        groups.iter().flat_map(ports).collect()
    }

    /// All entries as if nothing were below the switch.
    fn route_up(&self, s: u32, singles: &[Destination], row: &mut [u8]) {
        let divider = self.nominal.divider[s as usize];
        let up_ports = self
            .nominal
            .up(s)
            .map(|r| self.nominal.ports[s as usize][&r].len());
        let here = divider * up_ports.sum::<usize>();
        let all = divider * self.nominal.ways_up[s as usize];
        let mut load = Load::new(divider, self.nids.leaf_of_slot.len());
        let mut displaced = Vec::new();
        for (nid, &leaf) in self.nids.leaf_of_slot.iter().enumerate() {
            let port = self.nominal_port(s, &self.nominal.nearer_above(s, leaf), nid, false);
            let open = self.open(s, &self.present.nearer_above(s, leaf));
            if open.iter().any(|&(p, _)| p == port) {
                load.count(nid, port);
                self.put(row, nid, port);
            } else if !open.is_empty() {
                displaced.push((nid, open));
            }
        }
        for (nid, open) in displaced {
            let port = load.take(nid, &open, Turn::new(nid, here, all));
            self.put(row, nid, port);
        }
        for single in singles.iter().filter(|single| single.at != s) {
            let groups = self.nominal.nearer_above(s, single.at);
            let port = self.nominal_port(s, &groups, single.number, false);
            let open = self.open(s, &self.present.nearer_above(s, single.at));
            row[single.lid.index()] = spread::stands_or_by_hash(port, &open, single.number);
        }
    }

    /// The entries of what is below the switch.
    fn route_down(&self, s: u32, singles: &[Destination], row: &mut [u8]) {
        let divider = self.nominal.divider[s as usize];
        let mut load = Load::new(divider, self.nids.leaf_of_slot.len());
        let mut displaced = Vec::new();
        let is_below = |t: u32| t != s && self.present.down[s as usize][t as usize] != graph::FAR;
        for (nid, &leaf) in self.nids.leaf_of_slot.iter().enumerate() {
            if !is_below(leaf) {
                continue;
            }
            let groups = self.nominal.nearer_below(s, leaf);
            let port = self.nominal_port(s, &groups, nid, groups.len() > 1);
            let now = self.present.nearer_below(s, leaf);
            let open = self.open(s, &now);
            if !open.iter().any(|&(p, _)| p == port) {
                displaced.push((nid, open));
                continue;
            }
            // A port without an alternative has no load to share.
            let is_only = |graph: &Graph, groups: &[u32]| match groups {
                [only] => graph.ports[s as usize][only].len() == 1,
                _ => false,
            };
            if !(is_only(&self.nominal, &groups) && is_only(&self.present, &now)) {
                load.count(nid, port);
            }
            self.put(row, nid, port);
        }
        for (nid, open) in displaced {
            let port = load.take(nid, &open, Turn::new(nid, divider, divider));
            self.put(row, nid, port);
        }
        for single in singles.iter().filter(|single| is_below(single.at)) {
            let groups = self.nominal.nearer_below(s, single.at);
            let port = self.nominal_port(s, &groups, single.number, groups.len() > 1);
            let open = self.open(s, &self.present.nearer_below(s, single.at));
            row[single.lid.index()] = spread::stands_or_by_hash(port, &open, single.number);
        }
    }

    /// Writes the entry of a slot, if somebody is there.
    fn put(&self, row: &mut [u8], nid: usize, port: u8) {
        if let Some(node) = self.nids.node_of_slot[nid] {
            row[self.fabric.end_nodes()[node].lid.index()] = port;
        }
    }
}

/// The number of a switch's LID: 24 bits of SplitMix64's first output for its GUID.
fn hash_of(guid: Guid) -> usize {
    let mut z = guid.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z >> 40) as usize
}

/// The switch behind a peer.
fn switch(peer: &Peer) -> Option<u32> {
    match *peer {
        Peer::Switch { index, .. } => Some(index),
        _ => None,
    }
}
