//! Small fabrics for the tests of this folder, and tables for them.

use dmodc_fabric::random::Random;
use dmodc_fabric::{
    Builder, EndNode, Fabric, Guid, Lid, NodeKind, PortNumber, Switch, SwitchId, Tables,
};
use std::collections::VecDeque;
use std::iter::successors;
use std::ops::Range;
use typed_index_collections::TiVec;

/// A fabric described by its links between switch numbers, and by a list of switches: each mention of a switch is an
/// end node at it. Ports are numbered in the order of mention, links first. Switches and end nodes have the indices of
/// their numbers in the fabric if the list ascends. The base LID of switch `s` is `(s + 1) << lmc`; end nodes follow.
pub struct Net {
    pub switches: usize,
    pub links: Vec<(u32, u32)>,
    pub nodes: Vec<u32>,
    pub lmc: u8,
    pub aggregation: Vec<usize>,
    /// The order in which nodes get LIDs, for LIDs that do not ascend with the indices.
    pub shuffle: Vec<u16>,
}

impl Net {
    pub fn new(links: &[(u32, u32)], nodes: &[u32]) -> Net {
        let ends = links.iter().flat_map(|&(a, b)| [a, b]);
        let last = ends.chain(nodes.iter().copied()).max();
        Net {
            switches: last.map_or(0, |m| m as usize + 1),
            links: links.to_vec(),
            nodes: nodes.to_vec(),
            lmc: 0,
            aggregation: Vec::new(),
            shuffle: Vec::new(),
        }
    }

    pub fn build(&self) -> Fabric {
        let lid = |i: usize| {
            let i = self.shuffle.get(i).map_or(i, |&i| usize::from(i));
            Lid(((i << self.lmc) + (1 << self.lmc)) as u16)
        };
        let mut ports = vec![0u8; self.switches];
        let mut port = |switch: u32| {
            let used = &mut ports[switch as usize];
            *used += 1;
            (SwitchId(switch), PortNumber(*used))
        };
        let links = self.links.iter().map(|&(a, b)| (port(a), port(b)));
        let links: Vec<_> = links.collect();
        let nodes: Vec<_> = self.nodes.iter().map(|&s| port(s)).collect();
        let mut builder = Builder::default();
        for (s, &used) in ports.iter().enumerate() {
            builder.switch(Guid(s as u64 + 1), lid(s), 0, used + 1);
        }
        links.into_iter().for_each(|(a, b)| builder.link(a, b));
        for (i, (switch, port)) in nodes.into_iter().enumerate() {
            builder.end_node(EndNode {
                guid: Guid(1000 + i as u64),
                lid: lid(self.switches + i),
                lmc: self.lmc,
                kind: match self.aggregation.contains(&i) {
                    true => NodeKind::Aggregation,
                    false => NodeKind::Ca,
                },
                switch,
                port,
            });
        }
        let (fabric, placement) = builder.finish();
        assert_eq!(placement.defects, []);
        fabric
    }
}

/// The links of a tree of this many switches, drawn at random, and some more that join any two of them, less those
/// that would join one to itself.
pub fn connected(random: &mut Random, switches: usize, more: Range<usize>) -> Vec<(u32, u32)> {
    let tree = (1..switches).map(|s| (random.below(s) as u32, s as u32));
    let mut links: Vec<(u32, u32)> = tree.collect();
    for _ in 0..more.start + random.below(more.len()) {
        let [a, b] = [0; 2].map(|_| random.below(switches) as u32);
        links.extend((a != b).then_some((a, b)));
    }
    links
}

/// The same fabric again, not finished; `change` changes each switch.
pub fn rebuilt(fabric: &Fabric, change: impl Fn(SwitchId, &mut Switch)) -> Builder {
    let mut builder = Builder::default();
    for (s, switch) in fabric.switches().iter_enumerated() {
        let mut switch = switch.clone();
        change(s, &mut switch);
        builder.switch(switch.guid, switch.lid, switch.lmc, switch.ports);
    }
    let links = fabric.links();
    links.for_each(|[near, far]| builder.link(near, far));
    let nodes = fabric.end_nodes().iter();
    nodes.for_each(|node| builder.end_node(node.clone()));
    builder
}

/// The same fabric with a speed at each port, such as `4xHDR`; unknown where the text is empty.
pub fn with_speeds<'a>(fabric: Fabric, speed: impl Fn(SwitchId, PortNumber) -> &'a str) -> Fabric {
    fabric.with_speeds(|_, s, port| speed(s, port).parse().unwrap_or_default())
}

/// The same fabric with 4xEDR links, but for those at these ports, which have another speed at both ends.
pub fn with_slow(fabric: &Fabric, slow: &[(SwitchId, PortNumber)], speed: &str) -> Fabric {
    let is_slow = |at| {
        slow.iter()
            .any(|&end| end == at || fabric.far(end.0, end.1) == Some(at))
    };
    with_speeds(fabric.clone(), |s, port| match is_slow((s, port)) {
        true => speed,
        false => "4xEDR",
    })
}

/// Every LID with its switch and the port there (0 for the switch itself).
pub fn lids(fabric: &Fabric) -> Vec<(Lid, SwitchId, PortNumber)> {
    fabric.lids().collect()
}

/// The switches that a packet passes; in a circle some of them twice.
pub fn way(
    fabric: &Fabric,
    tables: &Tables,
    from: SwitchId,
    lid: Lid,
) -> impl Iterator<Item = SwitchId> {
    let next = move |&at: &SwitchId| Some(fabric.far(at, PortNumber(tables.get(at, lid)))?.0);
    successors(Some(from), next).take(fabric.switches().len() + 1)
}

/// Shortest paths whether links go up or down, as minhop has, by the lowest port to the next switch. To a switch itself
/// they go by other switches than to its nodes, where several are as near.
pub fn shortest(fabric: &Fabric) -> Tables {
    let mut tables = Tables::for_fabric(fabric);
    for (lid, target, last) in lids(fabric) {
        tables.row_mut(target)[lid] = last.0;
        let mut known: TiVec<SwitchId, _> = vec![false; fabric.switches().len()].into();
        known[target] = true;
        let mut queue = VecDeque::from([target]);
        while let Some(at) = queue.pop_front() {
            let mut neighbours: Vec<SwitchId> = fabric.neighbours(at).collect();
            if last.0 == 0 {
                neighbours.reverse();
            }
            for next in neighbours {
                if !std::mem::replace(&mut known[next], true) {
                    let mut links = fabric.links_of(next);
                    let link = links.find(|&(_, other, _)| other == at);
                    let (port, ..) = link.expect("a link");
                    tables.row_mut(next)[lid] = port.0;
                    queue.push_back(next);
                }
            }
        }
    }
    tables
}

/// Whether a link from `a` to `b` goes up, in the order of Dmodc: by rank, then by index.
pub fn ranked(ranks: &[u8]) -> impl Fn(SwitchId, SwitchId) -> bool {
    move |a, b| (ranks[usize::from(a)], a) < (ranks[usize::from(b)], b)
}
