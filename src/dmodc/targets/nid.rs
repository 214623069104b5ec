//! Topological NIDs: the numbers of end nodes for the modulo rule (paper, section III.A, "Topological NID",
//! Algorithm 2). Nodes under the same switches get consecutive numbers.
//!
//! As printed, the algorithm removes a leaf with its nodes, so a leaf without nodes would stay for ever; here a leaf
//! leaves the set once it is visited. Where the nearest other leaf has no up-down path, μ is infinite and takes all
//! remaining leaves, as printed.
//!
//! The NID of a node is the first NID of its leaf plus its slot there (module `slots`). Where node types are given,
//! each type has its own numbers, one type after the other: in the same order of leaves or, for I/O nodes under
//! `faults=stable`, in the order of `io_guid_file`.
//!
//! End nodes that are not on a leaf come after all others, so a new one moves no other node; aggregation nodes come
//! last, wherever they are. Under `faults=stable` all these nodes, like the LIDs of switches, have a fixed hash of
//! switch and port as number for the modulo rule, which does not depend on other nodes.

use super::node_types::{NodeType, NodeTypes};
use super::slots::Slots;
use crate::dmodc::design::Design;
use crate::dmodc::options::{Faults, Options};
use crate::dmodc::paths::{Costs, HOPS};
use crate::fabric::{NodeKind, range_of};
use std::ops::Range;

/// The numbers of all end nodes.
#[derive(Clone, Debug, Default)]
pub struct Nids {
    /// End nodes in ascending NID.
    pub order: Vec<u32>,
    /// By end node: its NID.
    pub nid: Vec<u32>,
    /// Leaves and the NIDs of their slots, ascending; a leaf once for each type with slots.
    pub runs: Vec<(u32, Range<usize>)>,
    /// By slot: its end node; `None` if the slot is empty.
    pub at: Vec<Option<u32>>,
    /// The end nodes without a slot of their own.
    pub singles: Vec<u32>,
    /// By absent node: its number, and whether that number is a slot of its own.
    pub absent: Vec<(u32, bool)>,
}

impl Nids {
    /// Numbers all expected end nodes. `costs` are the costs of the design.
    pub fn new(design: &Design, costs: &Costs, options: &Options) -> Self {
        let (fabric, ranking) = (&design.expected, &design.ranking);
        let nodes = fabric.end_nodes();
        let types = NodeTypes::new(options);
        let leaves = match &design.leaves {
            Some(leaves) => leaves.clone(),
            None => order_of_leaves(ranking.leaves().collect(), costs)
                .into_iter()
                .map(Some)
                .collect(),
        };
        let mut nids = Nids {
            nid: vec![0; nodes.len()],
            absent: (design.absent.iter())
                .map(|node| fixed_number(design.name[node.switch as usize], node.port))
                .map(|number| (number, false))
                .collect(),
            ..Nids::default()
        };
        let mut order: Vec<(usize, u32)> = Vec::with_capacity(nodes.len());
        for &node_type in types.all() {
            if node_type == NodeType::Io && options.faults == Faults::Stable {
                // In the order of the list: I/O nodes spread evenly, and one that leaves moves no other.
                let start = nids.at.len();
                nids.at.resize(start + options.io_guids.len(), None);
                let on_leaf = (0u32..)
                    .zip(nodes)
                    .filter(|(_, n)| ranking.is_leaf(n.switch));
                for (node, listed) in on_leaf.filter_map(|(i, n)| Some((i, types.listed_io(n)?))) {
                    nids.nid[node as usize] = (start + listed) as u32;
                    order.push((start + listed, node));
                    nids.singles.push(node);
                }
                continue;
            }
            let slots = Slots::new(design, &types, node_type, options.faults);
            for &leaf in &leaves {
                let start = nids.at.len();
                let Some(leaf) = leaf else {
                    // A dead leaf keeps as many numbers as most leaves have.
                    nids.at.resize(start + slots.gone, None);
                    continue;
                };
                nids.at
                    .resize(start + slots.count[leaf as usize] as usize, None);
                for node in fabric.end_nodes_of(leaf) {
                    let Some((slot, own)) = slots.of_node[node] else {
                        continue;
                    };
                    let nid = start + slot as usize;
                    nids.nid[node] = nid as u32;
                    order.push((nid, node as u32));
                    match own {
                        true => nids.at[nid] = Some(node as u32),
                        false => nids.singles.push(node as u32),
                    }
                }
                for absent in range_of(&design.absent, leaf) {
                    if let Some((slot, own)) = slots.of_absent[absent] {
                        nids.absent[absent] = (start as u32 + slot, own);
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
        let off_leaf = |n: &u32| aggregation(n) || !ranking.is_leaf(nodes[*n as usize].switch);
        let (last, others): (Vec<u32>, Vec<u32>) = all().filter(off_leaf).partition(aggregation);
        for node in others.into_iter().chain(last) {
            nids.nid[node as usize] = match options.faults {
                Faults::Paper => nids.order.len() as u32,
                Faults::Stable => {
                    let node = &nodes[node as usize];
                    fixed_number(design.name[node.switch as usize], node.port)
                }
            };
            nids.order.push(node);
            nids.singles.push(node);
        }
        nids
    }
}

/// A number in place of a NID, which depends on a place and one of its ports alone: 24 bits of a hash (the finalizer of
/// SplitMix64).
pub fn fixed_number(place: u64, port: u8) -> u32 {
    let step = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(1 + u64::from(port));
    let mut hash = place.wrapping_add(step);
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
