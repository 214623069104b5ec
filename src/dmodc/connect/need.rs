//! Who needs a way to whom: pairs of switches without an up-down path, in the order of need.

use crate::dmodc::paths::{INFINITE, Paths};
use crate::dmodc::tree::{Ranking, host_counts};
use crate::fabric::{Fabric, Lid, NodeKind};

/// Kinds of need, the greatest first. Hosts are end nodes other than aggregation nodes; a leaf counts as
/// having some even if none answers, so that a rack that reboots changes nothing.
///
/// | kind | from | to |
/// |--:|---|---|
/// | 0 | a switch with hosts | a switch with hosts |
/// | 1 | a switch with hosts | one without: its LID, its aggregation node |
/// | 2 | one without: it has to answer | a switch with hosts |
/// | 3 | one with an aggregation node alone | another such |
/// | 4 | any other pair, with `connect_roots` | |
pub const KINDS: usize = 5;

/// A switch to be reached, and from where, ascending.
pub type Need = (u32, Vec<u32>);

/// Pairs of switches without an up-down path.
#[derive(Default)]
pub struct Needs {
    /// Per kind, ascending by the switch to be reached: pairs that links join, if not up-down.
    pub of_kind: [Vec<Need>; KINDS],
    /// Pairs that no links join, as (from, to).
    pub apart: Vec<(u32, u32)>,
}

impl Needs {
    /// Looks for them in the costs; for all kinds or all but the last. A path goes both ways, so the
    /// row of the switch to be reached says who cannot reach it.
    pub fn new(fabric: &Fabric, ranking: &Ranking, paths: &Paths, all: bool) -> Self {
        let costs = &paths.costs;
        let hosts = host_counts(fabric);
        let has_hosts = |s: u32| hosts[s as usize] > 0 || ranking.is_leaf(s);
        let has_nodes = |s: u32| !fabric.end_nodes_of(s).is_empty();
        // What has no LID neither sends nor receives.
        let is_there = |s: u32| has_nodes(s) || fabric.switches()[s as usize].lid != Lid(0);
        let carries = |s: u32| all || has_nodes(s);
        let switches = 0..hosts.len() as u32;
        // Leaves have the first columns; few others carry end nodes.
        let leaves = costs.leaves();
        let others: Vec<usize> = (leaves..hosts.len())
            .filter(|&column| carries(costs.switch(column)))
            .collect();
        let mut needs = Needs::default();
        let mut part = Vec::new();
        for to in switches.filter(|&s| is_there(s)) {
            let row = costs.row(to);
            let missing: Vec<u32> = if has_hosts(to) {
                if !row.contains(&INFINITE) {
                    continue;
                }
                let columns = (0..row.len()).filter(|&c| row[c] == INFINITE);
                columns.map(|c| costs.switch(c)).collect()
            } else {
                let of_leaves = match row[..leaves].contains(&INFINITE) {
                    true => 0..leaves,
                    false => 0..0,
                };
                let columns = of_leaves.chain(others.iter().copied());
                let missing = columns.filter(|&c| row[c] == INFINITE);
                missing.map(|c| costs.switch(c)).collect()
            };
            let mut from: [Vec<u32>; KINDS] = Default::default();
            for s in missing {
                let kind = match (has_hosts(s), has_hosts(to)) {
                    (true, true) => 0,
                    (true, false) => 1,
                    (false, true) => 2,
                    _ if has_nodes(s) && has_nodes(to) => 3,
                    _ if all => 4,
                    _ => continue,
                };
                if costs.byte(s, to) != INFINITE || !is_there(s) {
                    continue;
                }
                if part.is_empty() {
                    part = parts(paths);
                }
                match part[s as usize] == part[to as usize] {
                    true => from[kind].push(s),
                    false => needs.apart.push((s, to)),
                }
            }
            for (of_kind, mut from) in needs.of_kind.iter_mut().zip(from) {
                if !from.is_empty() {
                    from.sort_unstable();
                    of_kind.push((to, from));
                }
            }
        }
        needs
    }

    /// Those in need of a way to a switch.
    pub fn to(&self, to: u32) -> impl Iterator<Item = u32> {
        let of_kind = move |kind: &[Need]| kind.binary_search_by_key(&to, |need| need.0).ok();
        let kinds = self.of_kind.iter();
        kinds.flat_map(move |kind| {
            of_kind(kind)
                .map_or(&[][..], |i| &kind[i].1)
                .iter()
                .copied()
        })
    }

    /// Whether there are none that can be helped.
    pub fn is_empty(&self) -> bool {
        self.of_kind.iter().all(Vec::is_empty)
    }
}

/// Whether a pair of switches is in need now: one has hosts, or both have aggregation nodes.
pub fn is_in_need(fabric: &Fabric, from: u32, to: u32) -> bool {
    let nodes = |s: u32| &fabric.end_nodes()[fabric.end_nodes_of(s)];
    let hosts = |s: u32| nodes(s).iter().any(|n| n.kind != NodeKind::Aggregation);
    hosts(from) || hosts(to) || !(nodes(from).is_empty() || nodes(to).is_empty())
}

/// How many pairs there are.
pub fn count(needs: &[Need]) -> usize {
    needs.iter().map(|(_, from)| from.len()).sum()
}

/// The pairs, as (from, to).
pub fn pairs(needs: &[Need]) -> impl Iterator<Item = (u32, u32)> {
    let from_all = |(to, from): &'_ Need| {
        let to = *to;
        from.clone().into_iter().map(move |s| (s, to))
    };
    needs.iter().flat_map(from_all)
}

/// For each switch the first of the part of the fabric that it is in.
fn parts(paths: &Paths) -> Vec<u32> {
    let mut part = vec![u32::MAX; paths.groups.bottom_up().len()];
    for first in 0..part.len() as u32 {
        let mut open = vec![first];
        while let Some(s) = open.pop() {
            if part[s as usize] == u32::MAX {
                part[s as usize] = first;
                let groups = paths.groups.up(s).iter().chain(paths.groups.down(s));
                open.extend(groups.map(|g| g.remote));
            }
        }
    }
    part
}
