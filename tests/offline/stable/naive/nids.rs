//! Slots and topological NIDs.

use super::graph::{Graph, is_leaf};
use dmodc::fabric::{Fabric, NodeKind};

pub struct Nids {
    /// By NID: the leaf, and the end node in that slot.
    pub leaf_of_slot: Vec<u32>,
    pub node_of_slot: Vec<Option<usize>>,
    /// End nodes without a slot of their own, and their numbers.
    pub without_slot: Vec<(usize, usize)>,
}

impl Nids {
    pub fn new(fabric: &Fabric, nominal: &Graph) -> Nids {
        let mut nids = Nids {
            leaf_of_slot: Vec::new(),
            node_of_slot: Vec::new(),
            without_slot: Vec::new(),
        };
        let switches = 0..fabric.switches().len() as u32;
        // Algorithm 2.
        let mut rest: Vec<u32> = switches.filter(|&s| is_leaf(fabric, s)).collect();
        while let Some(&first) = rest.first() {
            let others = rest.iter().filter(|&&leaf| leaf != first);
            let nearest = others.map(|&leaf| nominal.hops(first, leaf)).min();
            let is_next = |&leaf: &u32| nearest.is_none_or(|n| nominal.hops(first, leaf) <= n);
            let (next, later) = rest.into_iter().partition(is_next);
            rest = later;
            let next: Vec<u32> = next;
            next.into_iter().for_each(|leaf| nids.number(fabric, leaf));
        }
        nids
    }

    /// Numbers the slots of a leaf, and the nodes in them.
    fn number(&mut self, fabric: &Fabric, leaf: u32) {
        let (slots, by_port) = slots(fabric, leaf);
        let start = self.leaf_of_slot.len();
        self.leaf_of_slot.resize(start + slots, leaf);
        self.node_of_slot.resize(start + slots, None);
        for (nth, (n, port)) in nodes(fabric, leaf).into_iter().enumerate() {
            let slot = match &by_port {
                Some(ports) => ports.iter().position(|&p| p == port),
                None => Some(nth).filter(|&nth| nth < slots),
            };
            match slot {
                Some(slot) => self.node_of_slot[start + slot] = Some(n),
                None => {
                    let shared = if by_port.is_some() {
                        usize::from(port)
                    } else {
                        nth
                    };
                    self.without_slot.push((n, start + shared % slots));
                }
            }
        }
    }
}

/// The end nodes of a leaf that are no aggregation nodes, with their ports.
fn nodes(fabric: &Fabric, leaf: u32) -> Vec<(usize, u8)> {
    let nodes = fabric
        .end_nodes_of(leaf)
        .map(|n| (n, &fabric.end_nodes()[n]));
    let counted = nodes.filter(|(_, node)| node.kind != NodeKind::Aggregation);
    counted.map(|(n, node)| (n, node.port)).collect()
}

/// How many slots a leaf has, and the ports that they are for: usual ports of leaves with as many ports, or
/// all ports where leaves are few and not full; no ports where such leaves are equally full, but at different ports.
fn slots(fabric: &Fabric, leaf: u32) -> (usize, Option<Vec<u8>>) {
    let ports = fabric.switches()[leaf as usize].ports;
    let alike = (0..fabric.switches().len() as u32).filter(|&other| {
        is_leaf(fabric, other) && fabric.switches()[other as usize].ports == ports
    });
    let leaves: Vec<Vec<(usize, u8)>> = alike.map(|other| nodes(fabric, other)).collect();
    let votes = |port: u8| {
        let has = |nodes: &&Vec<(usize, u8)>| nodes.iter().any(|&(_, p)| p == port);
        leaves.iter().filter(has).count()
    };
    // The votes of the port of each node.
    let of_nodes = leaves.iter().flatten().map(|&(_, port)| votes(port));
    let of_nodes: Vec<usize> = of_nodes.collect();
    let (all, nodes) = (of_nodes.iter().sum::<usize>(), of_nodes.len());
    let is_usual = |&port: &u8| votes(port) > 0 && 4 * votes(port) * nodes >= all;
    let usual: Vec<u8> = (1..=254).filter(is_usual).collect();
    let with = |n: usize| leaves.iter().filter(|nodes| nodes.len() == n).count();
    let most_common = (0..255).max_by_key(|&n| (with(n), n)).unwrap_or(0);
    // Those of the leaf with fewest nodes do not count.
    let least = leaves.iter().map(Vec::len).min().unwrap_or(0);
    let holes = (usual.len() * (leaves.len() - 1)).saturating_sub(nodes - least);
    let equally_full = leaves.len() - with(most_common) <= leaves.len() / 8;
    if equally_full && usual.len() != most_common && 10 * holes > usual.len() * leaves.len() {
        return (most_common, None);
    }
    let used = match all <= 8 * nodes && holes > leaves.len() {
        true => (1..=ports).collect(),
        false => usual,
    };
    (used.len(), Some(used))
}
