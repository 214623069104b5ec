//! Who needs a way to whom: pairs of switches without an up-down path, in the order of need.

use crate::dmodc::paths::{Costs, INFINITE, Paths};
use crate::dmodc::tree::{Ranking, host_counts};
use crate::fabric::{Fabric, Lid};

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

/// A switch to be reached, and the columns of those that need a way to it, ascending.
pub type Need = (u32, Vec<u32>);

/// Pairs of switches without an up-down path.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Per kind, by the column of the switch to be reached: pairs that links join, if not up-down.
    pub of_kind: [Vec<Need>; KINDS],
    /// Pairs that no links join, as (from, to).
    pub apart: Vec<(u32, u32)>,
    /// Per switch: its hosts, and whether it has end nodes at all.
    nodes: Vec<(u32, bool)>,
    /// Whether all pairs are in need.
    all: bool,
}

/// What is at a switch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carries {
    /// Hosts.
    Hosts,
    /// Aggregation nodes alone.
    Others,
    /// A LID of its own.
    Itself,
    /// Nothing that sends or receives.
    Nothing,
}

/// The kind of a pair.
fn kind(from: Carries, to: Carries, all: bool) -> Option<usize> {
    use Carries::{Hosts, Nothing, Others};
    match (from, to) {
        (Nothing, _) | (_, Nothing) => None,
        (Hosts, Hosts) => Some(0),
        (Hosts, _) => Some(1),
        (_, Hosts) => Some(2),
        (Others, Others) => Some(3),
        _ => all.then_some(4),
    }
}

impl Needs {
    /// Looks for them in the costs; for all kinds or all but the last. A path goes both ways, so the
    /// row of the switch to be reached says who cannot reach it.
    pub fn new(fabric: &Fabric, ranking: &Ranking, paths: &Paths, all: bool) -> Self {
        let costs = &paths.costs;
        let hosts = host_counts(fabric);
        let of_column = |&s: &u32| {
            if hosts[s as usize] > 0 || ranking.is_leaf(s) {
                Carries::Hosts
            } else if !fabric.end_nodes_of(s).is_empty() {
                Carries::Others
            } else if fabric.switches()[s as usize].lid != Lid(0) {
                Carries::Itself
            } else {
                Carries::Nothing
            }
        };
        let carries: Vec<Carries> = costs.columns().iter().map(of_column).collect();
        // Leaves have the first columns; few others carry end nodes.
        let leaves = costs.leaves();
        let others: Vec<u32> = (leaves..carries.len())
            .filter(|&c| kind(carries[c], Carries::Others, all).is_some())
            .map(|c| c as u32)
            .collect();
        let mut needs = Needs {
            all,
            nodes: (0u32..)
                .zip(hosts)
                .map(|(s, hosts)| (hosts, !fabric.end_nodes_of(s).is_empty()))
                .collect(),
            ..Needs::default()
        };
        let mut part = None;
        let mut missing = Vec::new();
        let mut from: [Vec<u32>; KINDS] = Default::default();
        for (&to, &there) in costs.columns().iter().zip(&carries) {
            let row = costs.row(to);
            missing.clear();
            match there {
                Carries::Nothing => continue,
                Carries::Hosts => find_infinite(row, &mut missing),
                _ => {
                    find_infinite(&row[..leaves], &mut missing);
                    missing.extend(others.iter().filter(|&&c| row[c as usize] == INFINITE));
                }
            }
            if missing.is_empty() {
                continue;
            }
            let part = part.get_or_insert_with(|| parts(paths));
            for &column in &missing {
                let Some(kind) = kind(carries[column as usize], there, all) else {
                    continue;
                };
                let s = costs.switch(column as usize);
                match part.is_empty() || part[s as usize] == part[to as usize] {
                    true => from[kind].push(column),
                    false => needs.apart.push((s, to)),
                }
            }
            for (of_kind, from) in needs.of_kind.iter_mut().zip(&mut from) {
                if !from.is_empty() {
                    of_kind.push((to, from.clone()));
                    from.clear();
                }
            }
        }
        needs
    }

    /// Whether there are none that can be helped.
    pub fn is_empty(&self) -> bool {
        self.of_kind.iter().all(Vec::is_empty)
    }

    /// Whether a pair of switches is in need now: one has hosts, or both have aggregation nodes. A leaf that
    /// nobody answers on is not.
    pub fn has(&self, (from, to): (u32, u32)) -> bool {
        let [from, to] = [from, to].map(|s| self.nodes[s as usize]);
        self.all || from.0 > 0 || to.0 > 0 || (from.1 && to.1)
    }
}

/// Adds the columns of a row that no path leads to: few, so most of the row is passed over at a glance.
fn find_infinite(row: &[u8], found: &mut Vec<u32>) {
    for (first, bytes) in (0..).step_by(64).zip(row.chunks(64)) {
        if bytes.contains(&INFINITE) {
            let columns = (first..).zip(bytes);
            found.extend(columns.filter(|&(_, &b)| b == INFINITE).map(|(c, _)| c));
        }
    }
}

/// How many pairs there are.
pub fn count(needs: &[Need]) -> usize {
    needs.iter().map(|(_, from)| from.len()).sum()
}

/// The pairs, as (from, to).
pub fn pairs<'n>(costs: &'n Costs, needs: &'n [Need]) -> impl Iterator<Item = (u32, u32)> + 'n {
    needs.iter().flat_map(move |(to, from)| {
        let from = from.iter().map(|&column| costs.switch(column as usize));
        from.map(move |s| (s, *to))
    })
}

/// For each switch the first of the part of the fabric that it is in; empty if there is but one.
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
    if part.iter().all(|&first| first == 0) {
        part.clear();
    }
    part
}
