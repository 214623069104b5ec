//! `faults=paper`: the paper's letter on the fabric as it is, entry for entry, for comparison.
//!
//! Numbers are those of Algorithm 2; each type of node has its own, one type after the other. Then come the nodes above
//! the leaves, then aggregation nodes. The LIDs of switches and absent nodes have a hash in place of a number. With C the
//! candidates, the entry is C[⌊t/Π⌋ mod #C], and in that group port ⌊t/(Π·#C)⌋ mod #g (equations 3 and 4). Where several
//! groups lead *down*, which no PGFT has, Π is 1.
//!
//! The further LIDs of a port (LMC) have the next numbers, as in `rows`: base LIDs are the paper's.
//!
//! There are no drains, speeds or reference here. Cost: the groups of each switch, for each column; then the entries.

use crate::ids::{BySwitch, SwitchId};
use crate::kinds::NodeTypes;
use crate::options::Options;
use crate::paths::{HOPS, Paths};
use crate::spread::hash;
use crate::threads::Threads;
use crate::tree::{Group, Groups, Ranking};
use dmodc_fabric::{Fabric, Lid, NO_PATH, NodeId, NodeKind};
use typed_index_collections::TiVec;

/// The numbers and dividers of the paper.
#[derive(Clone, Debug)]
pub struct Paper {
    /// End nodes in ascending number.
    pub order: Vec<NodeId>,
    /// By end node: t.
    number: TiVec<NodeId, u32>,
    /// By switch: Π.
    pub dividers: BySwitch<u32>,
}

impl Paper {
    /// Numbers the end nodes of a fabric.
    pub fn new(fabric: &Fabric, ranking: &Ranking, paths: &Paths, options: &Options) -> Self {
        let nodes = fabric.end_nodes();
        let types = NodeTypes::new(options);
        let leaves = order_of_leaves(ranking.leaves().collect(), paths);
        let is_aggregation = |n: NodeId| nodes[n].kind == NodeKind::Aggregation;
        let mut order: Vec<NodeId> = Vec::with_capacity(nodes.len());
        for &of_type in types.all() {
            for &leaf in &leaves {
                let of_leaf = fabric.node_ids_of(leaf);
                let is_it = |&n: &NodeId| types.type_of(nodes[n].guid) == of_type;
                order.extend(of_leaf.filter(|&n| !is_aggregation(n)).filter(is_it));
            }
        }
        let all = nodes.keys();
        let above = |&n: &NodeId| !ranking.is_leaf(nodes[n].switch) && !is_aggregation(n);
        order.extend(all.clone().filter(above));
        order.extend(all.filter(|&n| is_aggregation(n)));
        let mut number: TiVec<NodeId, u32> = vec![0; nodes.len()].into();
        (0..).zip(&order).for_each(|(t, &n)| number[n] = t);
        Paper {
            order,
            number,
            dividers: dividers(&paths.groups),
        }
    }

    /// Writes all rows.
    pub fn write(&self, fabric: &Fabric, paths: &Paths, rows: &mut [&mut [u8]], threads: &Threads) {
        let width = fabric.max_lid().index() + 1;
        let rows = (0..).map(SwitchId).zip(rows.iter_mut());
        threads.for_each(rows.collect(), |(s, row)| {
            row[..width].fill(NO_PATH);
            for to in fabric.switches().keys().filter(|&to| to != s) {
                let candidates: Vec<&Group> = paths.candidates(s, to).collect();
                let is_down = paths.costs.hops_down(s, to).is_some();
                let divider = match is_down && candidates.len() > 1 {
                    true => 1,
                    false => self.dividers[s],
                };
                for (lid, lmc, number) in self.numbers_at(fabric, to) {
                    for k in 0..1 << lmc {
                        let q = (number + k) / divider;
                        row[lid.index() + k as usize] = port(paths, &candidates, q as usize);
                    }
                }
            }
            write_own(fabric, s, row);
        });
    }

    /// The LIDs at a switch, each with its LMC and number.
    fn numbers_at(&self, fabric: &Fabric, s: SwitchId) -> impl Iterator<Item = (Lid, u8, u32)> {
        let guid = fabric.guid(s).0;
        let fixed = move |port: u8| (hash(guid ^ u64::from(port) << 56) >> 40) as u32;
        let present = fabric.node_ids_of(s).map(|n| {
            let node = &fabric.end_nodes()[n];
            (node.lid, node.lmc, self.number[n])
        });
        let absent = fabric.absent_of(s).iter();
        let absent = absent.map(move |node| (node.lid, node.lmc, fixed(node.port.0)));
        let own = &fabric.switches()[s];
        let all = present.chain(absent).chain([(own.lid, own.lmc, fixed(0))]);
        all.filter(|&(lid, ..)| lid != Lid(0))
    }
}

/// The port for quotient `q`.
fn port(paths: &Paths, candidates: &[&Group], q: usize) -> u8 {
    let n = candidates.len();
    let Some(group) = candidates.get(q % n.max(1)) else {
        return NO_PATH;
    };
    let ports = paths.groups.ports(group);
    ports[q / n % ports.len()]
}

/// Writes the entries of a switch's own end nodes, absent ones too, and of its own LIDs.
pub fn write_own(fabric: &Fabric, s: SwitchId, row: &mut [u8]) {
    let nodes = fabric.end_nodes_of(s).iter();
    for node in nodes
        .chain(fabric.absent_of(s))
        .filter(|node| node.lid != Lid(0))
    {
        row[node.lid.index()..][..1 << node.lmc].fill(node.port.0);
    }
    let own = &fabric.switches()[s];
    if own.lid != Lid(0) {
        row[own.lid.index()..][..1 << own.lmc].fill(0);
    }
}

/// The order in which Algorithm 2 visits the leaves: the first that is left, and all that are nearest to it.
fn order_of_leaves(mut rest: Vec<SwitchId>, paths: &Paths) -> Vec<SwitchId> {
    let mut order = Vec::with_capacity(rest.len());
    while let Some(&first) = rest.first() {
        let row = paths.costs.row(first);
        let cost = |leaf: SwitchId| row[paths.costs.column(leaf)] & HOPS;
        let nearest = rest[1..]
            .iter()
            .map(|&leaf| cost(leaf))
            .min()
            .unwrap_or(HOPS);
        rest.retain(|&leaf| {
            let is_later = cost(leaf) > nearest;
            if !is_later {
                order.push(leaf);
            }
            is_later
        });
    }
    order
}

/// By switch: the greatest product of groups up along the paths to it (Algorithm 1). It saturates.
fn dividers(groups: &Groups) -> BySwitch<u32> {
    let mut product: BySwitch<u32> = vec![1; groups.switches().len()].into();
    for &s in groups.bottom_up() {
        let here = product[s].saturating_mul(groups.parents(s).count() as u32);
        for group in groups.parents(s) {
            let above = &mut product[group.remote];
            *above = here.max(*above);
        }
    }
    product
}
