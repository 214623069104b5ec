//! The rule of `faults=stable` read naively: each step as it is said, switch by switch and LID by LID, with
//! nothing shared with the real code but the snapshot. For ports with one LID, and trees in which all switches
//! with end nodes are leaves.

mod graph;
mod nids;
mod nominal;
mod preference;

use dmodc::fabric::{Fabric, Guid, Lid, Peer};
use dmodc::lft::NO_PATH;
use graph::Graph;
use nids::Nids;

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

    /// q of the paper's equations.
    fn q(&self, s: u32, number: usize, several_down: bool) -> usize {
        match several_down {
            true => number,
            false => number / self.nominal.divider[s as usize],
        }
    }

    /// The nominal port of these groups: group and place in it.
    fn nominal_port(&self, s: u32, groups: &[u32], q: usize) -> Option<(usize, usize)> {
        let group = q % groups.len().max(1);
        let ports = &self.nominal.ports[s as usize][groups.get(group)?];
        Some((group, q / groups.len() % ports.len()))
    }

    /// The ports to these neighbours.
    fn ports(&self, graph: &Graph, s: u32, groups: &[u32]) -> Vec<u8> {
        let ports = groups.iter().flat_map(|r| &graph.ports[s as usize][r]);
        ports.copied().collect()
    }

    /// The entry of a switch for a number, of these nominal groups and those that lead nearer now. What has a
    /// slot has a turn.
    fn entry(
        &self,
        s: u32,
        (groups, now): (&[u32], &[u32]),
        (q, number): (usize, usize),
        turn: Option<usize>,
    ) -> u8 {
        let open = self.ports(&self.present, s, now);
        let ports = |r: &u32| &self.nominal.ports[s as usize][r];
        let Some((group, nth)) = self.nominal_port(s, groups, q) else {
            return preference::first_open(&[], &open, number);
        };
        let nominal = ports(&groups[group])[nth];
        if open.contains(&nominal) {
            return nominal;
        }
        let list = turn.map_or(Vec::new(), |turn| {
            let first = groups[..group]
                .iter()
                .map(|r| ports(r).len())
                .sum::<usize>()
                + nth;
            let with_ways = |r: &u32| {
                let ways = self.nominal.ways_up[*r as usize];
                ports(r)
                    .iter()
                    .map(move |&port| (port, ways))
                    .collect::<Vec<_>>()
            };
            let all: Vec<_> = groups.iter().flat_map(with_ways).collect();
            preference::list(&all, first, turn)
        });
        preference::first_open(&list, &open, number)
    }

    /// All entries as if nothing were below the switch.
    fn route_up(&self, s: u32, singles: &[Destination], row: &mut [u8]) {
        let divider = self.nominal.divider[s as usize];
        let links = |r: u32| self.nominal.ports[s as usize][&r].len();
        let here = (divider * self.nominal.up(s).map(links).sum::<usize>()).max(1);
        let all = divider * self.nominal.ways_up[s as usize];
        for (nid, &leaf) in self.nids.leaf_of_slot.iter().enumerate() {
            let beyond = nid / all;
            let turn = nid % all / here + beyond + beyond / divider;
            let groups = self.nominal.nearer_above(s, leaf);
            let now = self.present.nearer_above(s, leaf);
            let q = self.q(s, nid, false);
            self.put(
                row,
                nid,
                self.entry(s, (&groups, &now), (q, nid), Some(turn)),
            );
        }
        for single in singles.iter().filter(|single| single.at != s) {
            let groups = self.nominal.nearer_above(s, single.at);
            let now = self.present.nearer_above(s, single.at);
            let q = self.q(s, single.number, false);
            let entry = self.entry(s, (&groups, &now), (q, single.number), None);
            row[single.lid.index()] = entry;
        }
    }

    /// The entries of what is below the switch.
    fn route_down(&self, s: u32, singles: &[Destination], row: &mut [u8]) {
        let is_below = |t: u32| t != s && self.present.down[s as usize][t as usize] != graph::FAR;
        for (nid, &leaf) in self.nids.leaf_of_slot.iter().enumerate() {
            if !is_below(leaf) {
                continue;
            }
            let groups = self.nominal.nearer_below(s, leaf);
            let now = self.present.nearer_below(s, leaf);
            let q = self.q(s, nid, groups.len() > 1);
            let turn = q / self.ports(&self.nominal, s, &groups).len().max(1);
            self.put(
                row,
                nid,
                self.entry(s, (&groups, &now), (q, nid), Some(turn)),
            );
        }
        for single in singles.iter().filter(|single| is_below(single.at)) {
            let groups = self.nominal.nearer_below(s, single.at);
            let now = self.present.nearer_below(s, single.at);
            let q = self.q(s, single.number, groups.len() > 1);
            let entry = self.entry(s, (&groups, &now), (q, single.number), None);
            row[single.lid.index()] = entry;
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
