//! Leaves: which switches with end nodes stand at the bottom of the tree.
//!
//! The paper takes every switch with nodes for a leaf. Real fabrics have a gateway or the subnet
//! manager's host on a spine, and a spine taken for a leaf bends the ranks of the whole tree. What
//! tells the two apart is the shape of the fabric alone: *no shortest way between two leaves leads
//! through a third*, while shortest ways lead through every switch further up. So a switch is
//! further up if it lies on shortest ways from the leaves nearest to it to many of the others.
//!
//! The test costs four searches of the fabric. It is spent only on switches that look out of place:
//! those linked to another switch with end nodes, and those with less than half as many end nodes
//! as is usual. A fabric whose leaves are alike is never searched.

use crate::fabric::{Fabric, NodeKind};

/// For every switch whether it is a leaf. `known` are switches that are leaves for certain (those
/// with a node of `cn_guid_file`); where there are any, all others are put to the test.
pub fn find(fabric: &Fabric, known: &[bool]) -> Vec<bool> {
    let hosts = host_counts(fabric);
    let carriers: Vec<bool> = hosts.iter().map(|&count| count > 0).collect();
    let usual = usual_count(&hosts);
    let certain = known.contains(&true);
    let judges: Vec<bool> = match certain {
        true => known.to_vec(),
        false => hosts
            .iter()
            .map(|&count| count > 0 && 2 * count >= usual)
            .collect(),
    };
    let suspect = |s: usize| {
        let beside_a_carrier = || fabric.neighbours(s as u32).any(|n| carriers[n as usize]);
        carriers[s] && !(certain && known[s]) && (!judges[s] || beside_a_carrier())
    };
    let further_up = |s: usize| suspect(s) && is_between(fabric, s as u32, &judges);
    let leaf: Vec<bool> = (0..carriers.len())
        .map(|s| carriers[s] && !further_up(s))
        .collect();
    match leaf.contains(&true) {
        true => leaf,
        // All lie between all others: a ring, a mesh. The ranks will say so.
        false => carriers,
    }
}

/// End nodes per switch, aggregation nodes not counted.
pub fn host_counts(fabric: &Fabric) -> Vec<u32> {
    let mut count = vec![0; fabric.switches().len()];
    for node in fabric.end_nodes() {
        count[node.switch as usize] += u32::from(node.kind != NodeKind::Aggregation);
    }
    count
}

/// The number of end nodes on the switch of the median end node: what is usual, as end nodes see it.
fn usual_count(hosts: &[u32]) -> u32 {
    let mut counts: Vec<u32> = hosts.iter().copied().filter(|&count| count > 0).collect();
    counts.sort_unstable();
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let mut seen = 0;
    let median = counts.into_iter().find(|&count| {
        seen += u64::from(count);
        2 * seen >= total
    });
    median.unwrap_or(0)
}

/// How many of the nearest judges give their view. One alone may be cut off by damage.
const VIEWS: usize = 3;

/// Whether `s` lies on a shortest way to a quarter or more of the judges, as seen from most of the
/// judges nearest to it. A spine between two halves of a fabric sees half of the ways; a leaf none.
fn is_between(fabric: &Fabric, s: u32, judges: &[bool]) -> bool {
    let from_s = fabric.distances([s]);
    let reached = |j: &u32| *j != s && judges[*j as usize] && from_s[*j as usize] != Fabric::FAR;
    let mut others: Vec<u32> = (0..judges.len() as u32).filter(reached).collect();
    others.sort_by_key(|&j| from_s[j as usize]);
    let views = &others[..others.len().min(VIEWS)];
    let between = views.iter().filter(|&&nearest| {
        let from_nearest = fabric.distances([nearest]);
        let to_s = from_s[nearest as usize];
        let through = |j: &&u32| to_s + from_s[**j as usize] <= from_nearest[**j as usize];
        let count = others
            .iter()
            .filter(|&&j| j != nearest)
            .filter(through)
            .count();
        count > 0 && 4 * count >= others.len()
    });
    2 * between.count() > views.len()
}
