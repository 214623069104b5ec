//! Topological NIDs: the numbers of end nodes on which the modulo rule works (paper, section III.A,
//! "Topological NID", Algorithm 2). Nodes under the same switches get consecutive numbers.
//!
//! As printed, the algorithm removes a leaf with its nodes, so a leaf without one would stay for
//! ever; here a leaf leaves the set once it is visited. Where the nearest other leaf has no up-down
//! path, μ is infinite and takes all that remain, as printed.
//!
//! The NID of a node is the first of its leaf plus its slot there (module `slots`). Where node types
//! are given, each type is numbered by itself, in the same order of leaves, one type after the other.
//!
//! End nodes that are not on a leaf come after all others, so that adding one moves no other;
//! aggregation nodes come last, wherever they are. Under `faults=stable` these, like the LIDs of
//! switches, take for the modulo rule a fixed hash of switch and port, which nobody else can move.

use super::node_types::NodeTypes;
use super::slots::Slots;
use crate::dmodc::options::{Faults, Options};
use crate::dmodc::paths::{Costs, HOPS};
use crate::dmodc::tree::Ranking;
use crate::fabric::{Fabric, Guid, NodeKind};
use std::ops::Range;

/// The numbering.
#[derive(Clone, Debug, Default)]
pub struct Nids {
    /// End nodes in ascending NID.
    order: Vec<u32>,
    /// Per end node: its NID.
    nid: Vec<u32>,
    /// Leaves and the NIDs of their slots, ascending; a leaf once for each type that it has.
    runs: Vec<(u32, Range<usize>)>,
    /// Per slot: the end node there.
    at: Vec<Option<u32>>,
    /// The end nodes without a slot of their own.
    singles: Vec<u32>,
}

impl Nids {
    /// Numbers all end nodes. The costs are those of the whole fabric, as far as it is known. Leaves
    /// that `is_new` has, which a reference does not know, come after the others.
    pub fn new(
        fabric: &Fabric,
        ranking: &Ranking,
        costs: &Costs,
        options: &Options,
        is_new: impl Fn(u32) -> bool,
    ) -> Self {
        let nodes = fabric.end_nodes();
        let types = NodeTypes::new(options);
        let (new, known) = ranking.leaves().partition(|&leaf| is_new(leaf));
        let mut leaves = order_of_leaves(known, costs);
        leaves.extend(order_of_leaves(new, costs));
        let mut nids = Nids {
            nid: vec![0; nodes.len()],
            ..Nids::default()
        };
        let mut order: Vec<(usize, u32)> = Vec::with_capacity(nodes.len());
        for &node_type in types.all() {
            let slots = Slots::new(fabric, ranking, &types, node_type, options.faults);
            for &leaf in &leaves {
                let start = nids.at.len();
                nids.at.resize(start + slots.count(leaf), None);
                for node in fabric.end_nodes_of(leaf).map(|n| n as u32) {
                    let Some((slot, own)) = slots.of(node) else {
                        continue;
                    };
                    let nid = start + slot as usize;
                    nids.nid[node as usize] = nid as u32;
                    order.push((nid, node));
                    match own {
                        true => nids.at[nid] = Some(node),
                        false => nids.singles.push(node),
                    }
                }
                if nids.at.len() > start {
                    nids.runs.push((leaf, start..nids.at.len()));
                }
            }
        }
        order.sort_unstable();
        nids.order.extend(order.iter().map(|&(_, node)| node));
        let all = || 0..nodes.len() as u32;
        let aggregation = |n: &u32| nodes[*n as usize].kind == NodeKind::Aggregation;
        let off_leaf = |n: &u32| !aggregation(n) && !ranking.is_leaf(nodes[*n as usize].switch);
        for node in all().filter(off_leaf).chain(all().filter(aggregation)) {
            nids.nid[node as usize] = match options.faults {
                Faults::Paper => nids.order.len() as u32,
                Faults::Stable => {
                    let node = &nodes[node as usize];
                    fixed_number(fabric.switches()[node.switch as usize].guid, node.port)
                }
            };
            nids.order.push(node);
            nids.singles.push(node);
        }
        nids
    }

    /// End nodes in ascending NID.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The NIDs by end node.
    pub fn of_nodes(&self) -> &[u32] {
        &self.nid
    }

    /// The NID of an end node.
    pub fn nid(&self, end_node: u32) -> u32 {
        self.nid[end_node as usize]
    }

    /// Leaves and the NIDs of their slots, ascending. A leaf comes once for each type that it has.
    pub fn runs(&self) -> &[(u32, Range<usize>)] {
        &self.runs
    }

    /// The end node in each slot, by NID.
    pub fn at(&self) -> &[Option<u32>] {
        &self.at
    }

    /// The end nodes that have no slot of their own.
    pub fn singles(&self) -> &[u32] {
        &self.singles
    }
}

/// A number in place of a NID that depends on a switch and a port of it alone: 24 bits of a hash (the
/// finalizer of SplitMix64).
pub fn fixed_number(switch: Guid, port: u8) -> u32 {
    let step = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(1 + u64::from(port));
    let mut hash = switch.0.wrapping_add(step);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (hash >> 40) as u32
}

/// The order in which Algorithm 2 visits the leaves.
fn order_of_leaves(mut rest: Vec<u32>, costs: &Costs) -> Vec<u32> {
    let mut order = Vec::with_capacity(rest.len());
    while let Some(&first) = rest.first() {
        let row = costs.row(first);
        let cost = |leaf: u32| row[costs.column(leaf)] & HOPS;
        let nearest = rest[1..]
            .iter()
            .map(|&leaf| cost(leaf))
            .min()
            .unwrap_or(HOPS);
        rest.retain(|&leaf| {
            let later = cost(leaf) > nearest;
            if !later {
                order.push(leaf);
            }
            later
        });
    }
    order
}
