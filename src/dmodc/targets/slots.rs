//! Slots: the numbers for end nodes on each leaf.
//!
//! The paper counts the nodes of a leaf, so a host that leaves moves the NIDs of all later nodes. Under `faults=stable`
//! a leaf has as many *slots* as leaves usually have nodes. The slot of a host that leaves stays empty until the host
//! is back.
//!
//! A *position* is the number of a port among the ports of a leaf that are no uplinks. All leaves vote on positions:
//! - The slots end where the votes fall most behind the positions that half of the leaves use, since hosts fill leaves
//!   up to some port. Ports further on share slots, so the first host at a new port moves no other host.
//! - Between the ends every position has a slot, also for hosts that are off. If a third of the positions or more have
//!   few votes, they are dark by design and have none.
//! - Every position has a slot if one host could decide where the slots end. Among many leaves: if the votes fall step
//!   by step and not at an end. Among few: if uplinks are at different ports, or if leaves end at different positions,
//!   with dark positions behind the last host of a leaf but not between its hosts.
//! - Leaves that are equally full number their nodes in port order, if the nodes are at different ports (cables at
//!   random) or many ports between are dark.
//! - Hosts that only a reference has vote, too, so that numbers stay; but not at positions where hardly any of them is
//!   present: a reference with many hosts that are gone does not bend the routes of the others.
//! - Where leaves are filled unequally, slots within a leaf rotate with the number of the leaf. Without this, low
//!   positions would be crowded everywhere.
//!
//! On a whole PGFT slots are the counts of the paper. No rule has these counts, the best routes on a regular half of a
//! PGFT, and hosts that move no other host, at once: such a half is the whole fabric with hosts that are off.

use super::node_types::{NodeType, NodeTypes};
use super::positions::Positions;
use super::usual::Usual;
use crate::dmodc::design::{Design, most_common};
use crate::dmodc::options::Faults;
use crate::fabric::{EndNode, Lid, NodeKind, range_of};

/// The slots for nodes of one type. Empty slots cost numbers, but keep the numbers of other nodes.
pub struct Slots {
    /// How many slots each leaf has.
    pub count: Vec<u32>,
    /// By end node: its slot on its leaf, and whether the slot is its own: nodes at unusual ports share slots. `None`
    /// if the node is not on a leaf, or of another type.
    pub of_node: Vec<Option<(u32, bool)>>,
    /// The same for absent nodes.
    pub of_absent: Vec<Option<(u32, bool)>>,
    /// How many numbers a dead leaf keeps free.
    pub gone: usize,
}

/// Hosts at a position are off for good if many are known there, and less than one in this many is present.
const OFF: u32 = 4;
/// Leaves are equally full if at most one in this many has another number of hosts.
const OTHERS: usize = 8;
/// With at least this many leaves, one host does not decide how leaves are filled.
const MANY: u32 = 16;

impl Slots {
    /// Finds the slots for nodes of a type.
    pub fn new(design: &Design, types: &NodeTypes, of_type: NodeType, faults: Faults) -> Self {
        let fabric = &design.expected;
        let mut slots = Slots {
            count: vec![0; fabric.switches().len()],
            of_node: vec![None; fabric.end_nodes().len()],
            of_absent: vec![None; design.absent.len()],
            gone: 0,
        };
        let is_of_type = |node: &EndNode| {
            let is = || !types.are_given() || types.of(node.guid) == of_type;
            node.kind != NodeKind::Aggregation && is()
        };
        let nodes_of = |leaf: u32| {
            let nodes = fabric.end_nodes_of(leaf);
            nodes.filter(|&n| is_of_type(&fabric.end_nodes()[n]))
        };
        if faults == Faults::Paper {
            for leaf in design.ranking.leaves() {
                slots.count[leaf as usize] = nodes_of(leaf).count() as u32;
                for (nth, node) in (0..).zip(nodes_of(leaf)) {
                    slots.of_node[node] = Some((nth, true));
                }
            }
            return slots;
        }
        let nodes = design.ranking.leaves().flat_map(nodes_of);
        let filling = Filling::new(design, nodes.collect());
        let usual = filling.usual();
        let order = design.leaves.iter().flatten().enumerate();
        for (nth, leaf) in order.filter_map(|(nth, leaf)| Some((nth, (*leaf)?))) {
            slots.count[leaf as usize] = usual.slots;
            let mut on_leaf = 0..;
            for node in nodes_of(leaf) {
                let position = match usual.counts {
                    true if filling.counts(node) => on_leaf.next(),
                    true => None,
                    false => filling.position[node],
                };
                let port = usize::from(fabric.end_nodes()[node].port);
                slots.of_node[node] = Some(usual.slot(nth, position, port));
            }
            for absent in range_of(&design.absent, leaf) {
                let node = &design.absent[absent];
                if !is_of_type(node) {
                    continue;
                }
                let before = nodes_of(leaf).filter(|&n| fabric.end_nodes()[n].port < node.port);
                let position = match usual.counts {
                    true => Some(before.count()),
                    false => filling.positions.of(leaf, node.port),
                };
                let slot = usual.slot(nth, position, usize::from(node.port));
                slots.of_absent[absent] = Some(slot);
            }
        }
        slots.gone = usual.slots as usize;
        slots
    }
}

/// How the leaves are filled with nodes of one type.
struct Filling<'d> {
    design: &'d Design,
    positions: Positions,
    /// By end node: its position.
    position: Vec<Option<usize>>,
    /// The nodes, leaf by leaf.
    nodes: Vec<usize>,
    /// By position: the nodes that vote for it.
    votes: [u32; 256],
    /// Whether the nodes at a position are off for good.
    is_off: [bool; 256],
}

impl<'d> Filling<'d> {
    fn new(design: &'d Design, nodes: Vec<usize>) -> Self {
        let positions = Positions::new(design);
        let all = design.expected.end_nodes().iter();
        let mut filling = Filling {
            position: all.map(|n| positions.of(n.switch, n.port)).collect(),
            design,
            positions,
            nodes,
            votes: [0; 256],
            is_off: [false; 256],
        };
        let mut there = [0; 256];
        for &node in &filling.nodes {
            if let Some(position) = filling.position[node] {
                filling.votes[position] += 1;
                there[position] += u32::from(filling.is_there(node));
            }
        }
        // Known hosts at a position where hardly any is present are off for good, and do not vote.
        for (at, there) in there.into_iter().enumerate() {
            let votes = &mut filling.votes[at];
            filling.is_off[at] = *votes >= MANY && OFF * there < *votes;
            *votes = if filling.is_off[at] { there } else { *votes };
        }
        filling
    }

    fn is_there(&self, node: usize) -> bool {
        self.design.expected.end_nodes()[node].lid != Lid(0)
    }

    /// Whether a node counts: it is present, or not off for good.
    fn counts(&self, node: usize) -> bool {
        self.is_there(node) || self.position[node].is_none_or(|at| !self.is_off[at])
    }

    /// The usual positions.
    fn usual(&self) -> Usual {
        let is_many = self.design.ranking.leaves().count() >= MANY as usize;
        let usual = Usual::new(&self.votes, is_many);
        let mut counting = self.nodes.clone();
        counting.retain(|&n| self.counts(n));
        let leaf = |n: usize| self.design.expected.end_nodes()[n].switch;
        let by_leaf = || counting.chunk_by(|&a, &b| leaf(a) == leaf(b));
        let positions = |nodes: &[usize]| nodes.iter().map(|&n| self.position[n]).collect();
        let takes_all = usual.slots > 0
            && match is_many {
                true => !usual.ends_sharply(&self.votes),
                false => {
                    !self.positions.are_known || usual.is_uneven(by_leaf().map(positions).collect())
                }
            };
        let most = self.positions.most;
        let usual = match takes_all && (usual.slots as usize) < most {
            true => Usual::all(most, is_many.then(|| ways_up(self.design, most as u64))),
            false => usual,
        };
        let slots = usual.slots as usize;
        let used = self.votes.iter().filter(|&&votes| votes > 0).count();
        let is_better = |&count: &usize| {
            let is_near = OTHERS * count.abs_diff(slots) <= slots;
            count != slots && (used > count || !takes_all && !is_near)
        };
        let mut counts: Vec<usize> = by_leaf().map(<[usize]>::len).collect();
        let counted = equally_full(&mut counts).filter(is_better);
        counted.map_or(usual, |count| Usual::counted(count as u32))
    }
}

/// The number of nodes that nearly all leaves have.
fn equally_full(counts: &mut [usize]) -> Option<usize> {
    let (count, leaves) = most_common(counts);
    (leaves >= counts.len() - counts.len() / OTHERS).then_some(count)
}

/// The number of ways up that most leaves have, over as many levels as keep it at most `most`.
fn ways_up(design: &Design, most: u64) -> u64 {
    let ways = |mut s: u32| {
        let mut ways = 1;
        while let Some(first) = design.groups.parents(s).next() {
            let parents = design.groups.parents(s).count() as u64;
            if ways * parents > most {
                break;
            }
            (ways, s) = (ways * parents, first.remote);
        }
        ways
    };
    let mut ways: Vec<u64> = design.ranking.leaves().map(ways).collect();
    most_common(&mut ways).0
}
