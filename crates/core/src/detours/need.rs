//! The pairs of switches that need a detour, since they have no up-down path, by kind of need.
//!
//! Up-down routing is complete if no pair of switches with hosts is among them (paper, section IV, "Validity"). The
//! paper checks pairs of leaves; this module includes switches further up.

use crate::paths::{Costs, INFINITE, Paths};
use crate::tree::components;
use dmodc_fabric::{Fabric, Lid, NodeKind, SwitchId};

/// The number of kinds of need. The greatest need is 0. Hosts are end nodes other than aggregation nodes; a switch with
/// some in the reference counts as a switch with hosts, so that a rack that reboots changes nothing.
///
/// | kind | from | to |
/// |--:|---|---|
/// | 0 | a switch with hosts | a switch with hosts |
/// | 1 | a switch with hosts | a switch without: its LID, its aggregation node |
/// | 2 | a switch without: its replies | a switch with hosts |
/// | 3 | a switch with aggregation nodes alone | another such switch |
/// | 4 | any other pair, with `connect_roots` | |
pub const KINDS: usize = 5;

/// The switches that need a detour to one switch, by column, ascending, with the kinds of their needs.
#[derive(Clone, Debug)]
pub struct Need {
    /// The switch to be reached.
    pub to: u32,
    /// Column and kind.
    pub from: Vec<(u32, u8)>,
}

/// Pairs of switches without an up-down path.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// By the column of the switch to be reached: pairs that links join, but no up-down path.
    pub joined: Vec<Need>,
    /// Pairs that no links join, as (from, to).
    pub apart: Vec<(u32, u32)>,
    /// By switch: the number of its hosts, and whether it has end nodes at all.
    nodes: Vec<(u32, bool)>,
    /// Whether all pairs count, with `connect_roots`.
    all: bool,
}

/// The most pairs that [`Unreachable`] lists.
const NAMED: usize = 10;

/// Pairs of switches with hosts that have no up-down path.
#[derive(Clone, Debug, Default)]
pub struct Unreachable {
    /// Their number. Paths go both ways, so each pair counts once.
    pub count: usize,
    /// The first ten.
    pub first: Vec<(SwitchId, SwitchId)>,
}

/// The senders and receivers at a switch, by the greatest need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carries {
    /// Hosts.
    Hosts,
    /// Aggregation nodes alone.
    Aggregation,
    /// Its own LID alone.
    Itself,
    /// None, as at a switch that is absent.
    Nothing,
}

/// The kind of need of a pair, `None` if it counts for nothing.
fn kind(from: Carries, to: Carries, all: bool) -> Option<u8> {
    use Carries::{Aggregation, Hosts, Nothing};
    match (from, to) {
        (Nothing, _) | (_, Nothing) => None,
        (Hosts, Hosts) => Some(0),
        (Hosts, _) => Some(1),
        (_, Hosts) => Some(2),
        (Aggregation, Aggregation) => Some(3),
        _ => all.then_some(4),
    }
}

/// The number of present hosts at a switch, and whether any end node is present.
fn nodes_at(fabric: &Fabric, switch: u32) -> (u32, bool) {
    let nodes = fabric.end_nodes_of(SwitchId(switch));
    let there = nodes.iter().filter(|n| n.lid != Lid(0));
    let hosts = there.clone().filter(|n| n.kind != NodeKind::Aggregation);
    (hosts.count() as u32, there.count() > 0)
}

impl Needs {
    /// Finds the pairs in the costs; those of the last kind only if `all`. A path goes both ways, so the row of the
    /// switch to be reached shows which switches cannot reach it. `widest` has the costs over all links, drained ones
    /// too: a pair with a path there is in need only if both switches have hosts.
    pub fn new(
        fabric: &Fabric,
        reference: Option<&Fabric>,
        paths: &Paths,
        widest: Option<&Costs>,
        all: bool,
    ) -> Self {
        let costs = &paths.costs;
        let switches = 0..fabric.switches().len() as u32;
        let nodes: Vec<(u32, bool)> = switches.map(|s| nodes_at(fabric, s)).collect();
        let had_hosts = |s: SwitchId| {
            let before = reference.and_then(|r| Some((r, r.switch_by_guid(fabric.guid(s))?)));
            before.is_some_and(|(r, was)| r.hosts_of(was).next().is_some())
        };
        let of_column = |&s: &u32| {
            let has_lid = fabric.switches()[SwitchId(s)].lid != Lid(0);
            match nodes[s as usize] {
                (1.., _) => Carries::Hosts,
                _ if has_lid && had_hosts(SwitchId(s)) => Carries::Hosts,
                (0, true) => Carries::Aggregation,
                (0, false) if has_lid => Carries::Itself,
                (0, false) => Carries::Nothing,
            }
        };
        let carries: Vec<Carries> = costs.columns().iter().map(of_column).collect();
        // Leaves have the first columns; few others carry end nodes.
        let leaves = costs.leaves();
        let others: Vec<u32> = (leaves..carries.len())
            .filter(|&c| kind(carries[c], Carries::Aggregation, all).is_some())
            .map(|c| c as u32)
            .collect();
        let mut needs = Needs {
            all,
            nodes,
            ..Needs::default()
        };
        let mut part = None;
        let mut missing = Vec::new();
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
            let mut from = Vec::with_capacity(missing.len());
            for &column in &missing {
                let Some(kind) = kind(carries[column as usize], there, all) else {
                    continue;
                };
                let s = costs.switch(column as usize);
                if kind > 0 && widest.is_some_and(|widest| widest.hops(s, to).is_some()) {
                    continue;
                }
                match part[s as usize] == part[to as usize] {
                    true => from.push((column, kind)),
                    false => needs.apart.push((s, to)),
                }
            }
            if !from.is_empty() {
                needs.joined.push(Need { to, from });
            }
        }
        needs
    }

    /// The pairs of switches with hosts among them, in the order of columns.
    pub fn of_hosts(&self, costs: &Costs) -> Unreachable {
        let joined = self.joined.iter().flat_map(|need| {
            let hosts = need.from.iter().filter(|&&(_, kind)| kind == 0);
            hosts.map(|&(column, _)| (need.to, costs.switch(column as usize)))
        });
        let apart = self.apart.iter().map(|&(from, to)| (to, from));
        let has_hosts = |s: u32| self.nodes[s as usize].0 > 0;
        let columns = |&(a, b): &(u32, u32)| (costs.column(a), costs.column(b));
        let counts = |pair: &(u32, u32)| {
            columns(pair).0 < columns(pair).1 && has_hosts(pair.0) && has_hosts(pair.1)
        };
        // Both are in this order.
        let (joined, apart) = (joined.filter(counts), apart.filter(counts));
        let first = joined.clone().take(NAMED).chain(apart.clone().take(NAMED));
        let mut first: Vec<(u32, u32)> = first.collect();
        first.sort_unstable_by_key(columns);
        first.truncate(NAMED);
        let ids = first.into_iter().map(|(a, b)| (SwitchId(a), SwitchId(b)));
        Unreachable {
            count: joined.count() + apart.count(),
            first: ids.collect(),
        }
    }

    /// Whether a pair of switches counts now: one has present hosts, or both have end nodes, or all pairs count. A leaf
    /// whose hosts are all absent counts as a switch without hosts here.
    pub fn has(&self, (from, to): (u32, u32)) -> bool {
        let [from, to] = [from, to].map(|s| self.nodes[s as usize]);
        self.all || from.0 > 0 || to.0 > 0 || (from.1 && to.1)
    }
}

/// Adds the columns of a row without a path. They are few, so a fast test skips most of the row.
fn find_infinite(row: &[u8], found: &mut Vec<u32>) {
    for (first, bytes) in (0..).step_by(64).zip(row.chunks(64)) {
        if bytes.iter().fold(false, |any, &b| any | (b == INFINITE)) {
            let columns = (first..).zip(bytes);
            found.extend(columns.filter(|&(_, &b)| b == INFINITE).map(|(c, _)| c));
        }
    }
}

/// By switch, the first switch of its connected part.
fn parts(paths: &Paths) -> Vec<u32> {
    let groups = &paths.groups;
    components(groups.switches(), |s| groups.neighbours(s))
}
