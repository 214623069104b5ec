//! Topological NIDs: the numbers of end nodes on which the modulo rule works (paper, section III.A,
//! "Topological NID", Algorithm 2). Nodes under the same switches get consecutive numbers.
//!
//! As printed, the algorithm removes a leaf with its nodes, so a leaf without one would stay for
//! ever; here a leaf leaves the set once it is visited. Where the nearest other leaf has no up-down
//! path, μ is infinite and takes all that remain, as printed.
//!
//! End nodes that are not on a leaf come after all others, so that adding one moves no other;
//! aggregation nodes come last, wherever they are.

use super::cost::{Costs, HOPS};
use super::rank::Ranking;
use crate::fabric::{Fabric, NodeKind};

/// The numbering.
#[derive(Clone, Debug, Default)]
pub struct Nids {
    /// End nodes in ascending NID.
    order: Vec<u32>,
    /// Per end node: its NID.
    nid: Vec<u32>,
    /// The leaves in the order of their nodes' NIDs.
    leaves: Vec<u32>,
}

impl Nids {
    /// Numbers all end nodes.
    pub fn new(fabric: &Fabric, ranking: &Ranking, costs: &Costs) -> Self {
        let mut nids = Nids::default();
        let counted = |n: usize| fabric.end_nodes()[n].kind != NodeKind::Aggregation;
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
                    nids.leaves.push(leaf);
                    let nodes = fabric.end_nodes_of(leaf).filter(|&n| counted(n));
                    nids.order.extend(nodes.map(|n| n as u32));
                }
                later
            });
        }
        let all = || 0..fabric.end_nodes().len();
        let on_leaf = |n: usize| ranking.is_leaf(fabric.end_nodes()[n].switch);
        nids.order.extend(
            all()
                .filter(|&n| counted(n) && !on_leaf(n))
                .map(|n| n as u32),
        );
        nids.order
            .extend(all().filter(|&n| !counted(n)).map(|n| n as u32));
        nids.nid = vec![0; nids.order.len()];
        for (nid, &node) in nids.order.iter().enumerate() {
            nids.nid[node as usize] = nid as u32;
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

    /// The leaves in the order of their nodes' NIDs.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves
    }
}
