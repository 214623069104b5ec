//! Topological NIDs: the numbers of end nodes on which the modulo rule works (paper, section III.A,
//! "Topological NID", Algorithm 2). Nodes under the same switches get consecutive numbers.
//!
//! As printed, the algorithm removes a leaf with its nodes, so a leaf without one would stay for
//! ever; here a leaf leaves the set once it is visited. Where the nearest other leaf has no up-down
//! path, μ is infinite and takes all that remain, as printed.
//!
//! Where node types are given, each type is numbered by itself, in the same order of leaves, one
//! type after the other.
//!
//! End nodes that are not on a leaf come after all others, so that adding one moves no other;
//! aggregation nodes come last, wherever they are.

use super::cost::{Costs, HOPS};
use super::rank::Ranking;
use super::types::NodeTypes;
use crate::fabric::{Fabric, NodeKind};
use std::ops::Range;

/// The numbering.
#[derive(Clone, Debug, Default)]
pub struct Nids {
    /// End nodes in ascending NID.
    order: Vec<u32>,
    /// Per end node: its NID.
    nid: Vec<u32>,
    /// Leaves and the NIDs of their nodes, ascending; a leaf once for each type that it has.
    runs: Vec<(u32, Range<usize>)>,
}

impl Nids {
    /// Numbers all end nodes.
    pub fn new(fabric: &Fabric, ranking: &Ranking, costs: &Costs, types: &NodeTypes) -> Self {
        let mut nids = Nids::default();
        let nodes = fabric.end_nodes();
        let counted = |n: &usize| nodes[*n].kind != NodeKind::Aggregation;
        let leaves = order_of_leaves(ranking, costs);
        for &node_type in types.all() {
            for &leaf in &leaves {
                let of_type =
                    |n: &usize| !types.are_given() || types.of(nodes[*n].guid) == node_type;
                let on_leaf = fabric.end_nodes_of(leaf).filter(counted).filter(of_type);
                let start = nids.order.len();
                nids.order.extend(on_leaf.map(|n| n as u32));
                if nids.order.len() > start {
                    nids.runs.push((leaf, start..nids.order.len()));
                }
            }
        }
        if nids.order.len() < nodes.len() {
            let all = || 0..nodes.len();
            let off_leaves = |n: &usize| !ranking.is_leaf(nodes[*n].switch);
            nids.order
                .extend(all().filter(counted).filter(off_leaves).map(|n| n as u32));
            nids.order
                .extend(all().filter(|n| !counted(n)).map(|n| n as u32));
        }
        nids.nid = vec![0; nids.order.len()];
        for (nid, &node) in (0u32..).zip(&nids.order) {
            nids.nid[node as usize] = nid;
        }
        nids
    }

    /// End nodes in ascending NID.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The NID of an end node.
    pub fn nid(&self, end_node: u32) -> u32 {
        self.nid[end_node as usize]
    }

    /// Leaves and the NIDs of their nodes, ascending. A leaf comes once for each type that it has.
    pub fn runs(&self) -> &[(u32, Range<usize>)] {
        &self.runs
    }
}

/// The order in which Algorithm 2 visits the leaves.
fn order_of_leaves(ranking: &Ranking, costs: &Costs) -> Vec<u32> {
    let mut order = Vec::new();
    let mut rest: Vec<u32> = ranking.leaves().collect();
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
