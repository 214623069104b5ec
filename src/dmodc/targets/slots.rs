//! Slots: the places for end nodes on each leaf.
//!
//! The paper counts the nodes that a leaf has, so a host that goes moves the NIDs of all that come
//! after it. Under `faults=stable` a leaf has as many *slots* as leaves like it usually carry nodes,
//! whether a node answers there or not: a host that goes leaves a hole, and finds it when it is back.
//! What the usual ports are is voted by all leaves with as many ports. Where these are few and not full,
//! every port has a slot. Where every leaf is full, as in a whole PGFT, slots are counts.

use super::node_types::{NodeType, NodeTypes};
use crate::dmodc::options::Faults;
use crate::dmodc::tree::Ranking;
use crate::fabric::{Fabric, NodeKind};
use std::collections::BTreeMap;

/// The slots for nodes of one type.
pub struct Slots {
    /// Per switch: how many it has. None but leaves have any.
    count: Vec<u32>,
    /// Per end node: its slot on its leaf, and whether the slot is its own.
    of_node: Vec<Option<(u32, bool)>>,
}

/// A port is usual if it has one vote for so many that the ports of nodes have on the mean.
const USUAL: usize = 4;
/// So few votes on the mean that one node could decide.
const FEW: usize = 8;
/// Leaves are equally full if no more than one in so many is not.
const OTHERS: usize = 8;
/// Where no more than one port in so many has no node, nodes are missing there.
const HOLES: usize = 10;

impl Slots {
    /// Finds the slots for nodes of a type.
    pub fn new(
        fabric: &Fabric,
        ranking: &Ranking,
        types: &NodeTypes,
        of_type: NodeType,
        faults: Faults,
    ) -> Self {
        let nodes = |leaf: u32| {
            fabric.end_nodes_of(leaf).filter(|&n| {
                let node = &fabric.end_nodes()[n];
                node.kind != NodeKind::Aggregation && types.of(node.guid) == of_type
            })
        };
        let mut slots = Slots {
            count: vec![0; fabric.switches().len()],
            of_node: vec![None; fabric.end_nodes().len()],
        };
        if faults == Faults::Paper {
            for leaf in ranking.leaves() {
                slots.count[leaf as usize] = nodes(leaf).count() as u32;
                slots.number(nodes(leaf), |slot, _| (slot, true));
            }
            return slots;
        }
        // Leaves by their number of ports, and the ports of their nodes.
        let mut alike: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        for leaf in ranking.leaves() {
            let ports = fabric.switches()[leaf as usize].ports;
            alike.entry(ports).or_default().push(leaf);
        }
        let port = |n: usize| usize::from(fabric.end_nodes()[n].port);
        for (&ports, leaves) in &alike {
            let used = leaves.iter().map(|&leaf| nodes(leaf).map(port));
            let usual = Usual::new(usize::from(ports), used);
            for &leaf in leaves {
                slots.count[leaf as usize] = usual.slots as u32;
                slots.number(nodes(leaf), |nth, n| usual.slot(nth as usize, port(n)));
            }
        }
        slots
    }

    fn number(
        &mut self,
        nodes: impl Iterator<Item = usize>,
        slot: impl Fn(u32, usize) -> (u32, bool),
    ) {
        for (nth, node) in (0..).zip(nodes) {
            self.of_node[node] = Some(slot(nth, node));
        }
    }

    /// How many slots a leaf has.
    pub fn count(&self, leaf: u32) -> usize {
        self.count[leaf as usize] as usize
    }

    /// The slot of an end node on its leaf, and whether it is the node's own: nodes at unusual ports
    /// share one. `None` if the node is not on a leaf, or of another type.
    pub fn of(&self, end_node: u32) -> Option<(u32, bool)> {
        self.of_node[end_node as usize]
    }
}

/// The usual ports of leaves that are alike.
struct Usual {
    slots: usize,
    /// The slot of each usual port; nothing where slots are counted off by the nodes of each leaf.
    of_port: Option<[Option<u32>; 256]>,
}

impl Usual {
    /// Takes the vote of leaves with so many ports over the ports of the nodes of each.
    fn new<P: Iterator<Item = usize>>(all: usize, leaves: impl Iterator<Item = P>) -> Self {
        let (mut votes, mut with_so_many) = ([0usize; 256], [0; 256]);
        let (mut carry, mut least) = (0usize, usize::MAX);
        for ports in leaves {
            let ports: Vec<usize> = ports.collect();
            if ports.is_empty() {
                continue;
            }
            ports.iter().for_each(|&port| votes[port] += 1);
            with_so_many[ports.len()] += 1;
            carry += 1;
            least = least.min(ports.len());
        }
        // The votes of the ports of all nodes: their mean, times the nodes.
        let nodes: usize = votes.iter().sum();
        let mean: usize = votes.iter().map(|votes| votes * votes).sum();
        let usual = |port: &usize| votes[*port] > 0 && USUAL * votes[*port] * nodes >= mean;
        let mut ports: Vec<usize> = (0..256).filter(usual).collect();
        // The greatest of the most common numbers of nodes.
        let most_common = (0..256).max_by_key(|&n| with_so_many[n]).unwrap_or(0);
        // One leaf, the last of a real-life fat-tree, may have fewer.
        let holes =
            (ports.len() * carry.saturating_sub(1)).saturating_sub(nodes - least.min(nodes));
        // Leaves that are equally full, but not at the same ports: there the order on the leaf counts.
        let equally_full = with_so_many[most_common] >= carry - carry / OTHERS;
        if equally_full && ports.len() != most_common && HOLES * holes > ports.len() * carry {
            return Usual {
                slots: most_common,
                of_port: None,
            };
        }
        // Few votes, and more than one hole for each leaf: one node more or less would make another number
        // of slots, and move all.
        if mean <= FEW * nodes && holes > carry {
            ports = (1..=all).collect();
        }
        let mut of_port = [None; 256];
        for (slot, &port) in (0..).zip(&ports) {
            of_port[port] = Some(slot);
        }
        Usual {
            slots: ports.len(),
            of_port: Some(of_port),
        }
    }

    /// The slot of the `nth` node of a leaf, at a port, and whether it is its own. A node at an
    /// unusual port takes one by the number of the port alone, so that nobody else's moves.
    fn slot(&self, nth: usize, port: usize) -> (u32, bool) {
        let shared = |number: usize| ((number % self.slots) as u32, false);
        match &self.of_port {
            None if nth < self.slots => (nth as u32, true),
            None => shared(nth),
            Some(of_port) => of_port[port].map_or_else(|| shared(port), |slot| (slot, true)),
        }
    }
}
