//! The pairs of switches that need a detour, since they have no up-down path, by kind of need.
//!
//! Up-down routing is complete if no pair of switches with hosts is among them (paper, section IV, "Validity"). The
//! paper checks pairs of leaves; this module includes switches further up.

use crate::ids::{BySwitch, Column, SwitchId};
use crate::paths::{INFINITE, Paths};
use crate::tree::components;
use dmodc_fabric::{Fabric, Lid, NodeKind, Switch};
use std::sync::{Arc, OnceLock};
use typed_index_collections::TiSlice;

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
    pub to: SwitchId,
    /// Column and kind.
    pub from: Vec<(Column, u8)>,
}

/// Pairs of switches that links join, but no up-down path over a set of links.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// By the column of the switch to be reached: pairs that links of the set join.
    pub joined: Vec<Need>,
    /// Pairs that other links alone, drained or slow ones, join, as (from, to).
    pub by_others: Vec<(SwitchId, SwitchId)>,
}

/// The ends of pairs: what each switch carries, and which switches links join. Pairs that no links join are no list: 1,600
/// parts of three switches have 20 million.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The paths over all links.
    pub(super) widest: Arc<Paths>,
    /// By switch, now or in the reference.
    carries: BySwitch<Carries>,
    /// By switch: the number of its hosts, and whether it has end nodes at all.
    pub(super) nodes: BySwitch<(u32, bool)>,
    /// By switch: the first switch of its part; only if some pair has no path, and empty if links join all switches.
    part: OnceLock<BySwitch<SwitchId>>,
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
fn nodes_at(fabric: &Fabric, switch: SwitchId) -> (u32, bool) {
    let nodes = fabric.end_nodes_of(switch);
    let there = nodes.iter().filter(|n| n.lid != Lid(0));
    let hosts = there.clone().filter(|n| n.kind != NodeKind::Aggregation);
    (hosts.count() as u32, there.count() > 0)
}

impl Ends {
    /// The ends of a fabric; those of the last kind only if `all`. `widest` has the paths over all links.
    pub fn new(
        fabric: &Fabric,
        reference: Option<&Fabric>,
        widest: &Arc<Paths>,
        all: bool,
    ) -> Self {
        let switches = fabric.switches().keys();
        let nodes: BySwitch<(u32, bool)> = switches.map(|s| nodes_at(fabric, s)).collect();
        let had_hosts = |s: SwitchId| {
            let before = reference.and_then(|r| Some((r, r.switch_by_guid(fabric.guid(s))?)));
            before.is_some_and(|(r, was)| r.hosts_of(was).next().is_some())
        };
        let carried = |(s, switch): (SwitchId, &Switch)| {
            let has_lid = switch.lid != Lid(0);
            match nodes[s] {
                (1.., _) => Carries::Hosts,
                _ if has_lid && had_hosts(s) => Carries::Hosts,
                (0, true) => Carries::Aggregation,
                (0, false) if has_lid => Carries::Itself,
                (0, false) => Carries::Nothing,
            }
        };
        Ends {
            widest: widest.clone(),
            carries: fabric.switches().iter_enumerated().map(carried).collect(),
            nodes,
            part: OnceLock::new(),
            all,
        }
    }

    /// The kind of need of a pair, `None` if it counts for nothing.
    pub(super) fn kind(&self, from: SwitchId, to: SwitchId) -> Option<u8> {
        let [from, to] = [from, to].map(|s| self.carries[s]);
        kind(from, to, self.all)
    }

    /// Whether a pair of switches counts now: one has present hosts, or both have end nodes, or all pairs count. A leaf
    /// whose hosts are all absent counts as a switch without hosts here.
    pub fn counts(&self, (from, to): (SwitchId, SwitchId)) -> bool {
        let [from, to] = [from, to].map(|s| self.nodes[s]);
        self.all || from.0 > 0 || to.0 > 0 || (from.1 && to.1)
    }

    /// Switches, each with those from which it counts, but no links join the two.
    pub fn apart(
        &self,
    ) -> impl Iterator<Item = (SwitchId, impl Iterator<Item = SwitchId> + '_)> + '_ {
        self.part.get().into_iter().flat_map(move |part| {
            part.iter_enumerated().map(move |(to, of_to)| {
                let others = part.iter_enumerated().filter(move |(_, of)| *of != of_to);
                let others = others.map(|(from, _)| from);
                let counts = move |&from: &SwitchId| {
                    self.kind(from, to).is_some() && self.counts((from, to))
                };
                (to, others.filter(counts))
            })
        })
    }
}

impl Needs {
    /// Finds the pairs in the costs of a set of links. A path goes both ways, so the row of the switch to be reached shows
    /// which switches cannot reach it.
    pub fn new(ends: &Ends, paths: &Paths) -> Self {
        let (costs, widest) = (&paths.costs, &ends.widest);
        let carries = |c: Column| ends.carries[costs.switch(c)];
        // Leaves have the first columns; few others carry end nodes.
        let leaves = costs.leaves();
        let all = costs.columns().keys();
        let others: Vec<Column> = all
            .filter(|&c| c >= leaves && kind(carries(c), Carries::Aggregation, ends.all).is_some())
            .collect();
        let mut needs = Needs::default();
        let is_widest = std::ptr::eq(paths, &**widest);
        let mut own_part = None;
        let mut missing = Vec::new();
        for &to in costs.columns() {
            let row = costs.row(to);
            missing.clear();
            match ends.carries[to] {
                Carries::Nothing => continue,
                Carries::Hosts => find_infinite(row, &mut missing),
                _ => {
                    find_infinite(&row[..leaves], &mut missing);
                    missing.extend(others.iter().filter(|&&c| row[c] == INFINITE));
                }
            }
            if missing.is_empty() {
                continue;
            }
            let part = ends.part.get_or_init(|| parts(widest));
            let own_part = own_part.get_or_insert_with(|| match is_widest {
                true => part.clone(),
                false => parts(paths),
            });
            let are_apart = |part: &BySwitch<SwitchId>, s| part.get(s) != part.get(to);
            let mut from = Vec::new();
            for &column in &missing {
                let s = costs.switch(column);
                if are_apart(part, s) {
                    continue;
                }
                match ends.kind(s, to) {
                    None => {}
                    Some(_) if are_apart(own_part, s) => needs.by_others.push((s, to)),
                    Some(kind) => from.push((column, kind)),
                }
            }
            // Without hosts in need packets of switches rather take drained links than turn. Else they turn as well: what they
            // send by another way would meet the detours of hosts.
            if !is_widest && from.iter().all(|&(_, kind)| kind > 0) {
                let has_path = |column| widest.costs.hops(costs.switch(column), to);
                from.retain(|&(column, _)| has_path(column).is_none());
            }
            if !from.is_empty() {
                needs.joined.push(Need { to, from });
            }
        }
        needs
    }

    /// The pairs of switches with hosts that have no path over all links, in the order of columns. `self` is of these.
    pub fn of_hosts(&self, ends: &Ends) -> Unreachable {
        let costs = &ends.widest.costs;
        let has_hosts = |s: SwitchId| ends.nodes[s].0 > 0;
        let joined = self.joined.iter().flat_map(|need| {
            let hosts = need.from.iter().filter(|&&(_, kind)| kind == 0);
            hosts.map(|&(column, _)| (need.to, costs.switch(column)))
        });
        let columns = |&(a, b): &(SwitchId, SwitchId)| (costs.column(a), costs.column(b));
        let joined = joined.filter(|pair| {
            columns(pair).0 < columns(pair).1 && has_hosts(pair.0) && has_hosts(pair.1)
        });
        let mut count = joined.clone().count();
        let mut first: Vec<(SwitchId, SwitchId)> = joined.take(NAMED).collect();
        if let Some(part) = ends.part.get().filter(|part| !part.is_empty()) {
            let hosts = costs.columns().iter().copied();
            let hosts: Vec<SwitchId> = hosts.filter(|&s| has_hosts(s)).collect();
            let part = |s: SwitchId| part[s];
            for (at, &a) in hosts.iter().enumerate() {
                let apart = hosts[at..].iter().filter(|&&b| part(a) != part(b));
                first.extend(apart.clone().take(NAMED).map(|&b| (a, b)));
                count += apart.count();
            }
        }
        first.sort_unstable_by_key(columns);
        first.truncate(NAMED);
        Unreachable { count, first }
    }
}

/// Adds the columns of a row without a path. They are few, so a fast test skips most of the row.
fn find_infinite(row: &TiSlice<Column, u8>, found: &mut Vec<Column>) {
    for (first, bytes) in (0..).step_by(64).zip(row.raw.chunks(64)) {
        if bytes.iter().fold(false, |any, &b| any | (b == INFINITE)) {
            let columns = (first..).map(Column).zip(bytes);
            found.extend(columns.filter(|&(_, &b)| b == INFINITE).map(|(c, _)| c));
        }
    }
}

/// By switch, the first switch of its connected part; empty if there is one.
fn parts(paths: &Paths) -> BySwitch<SwitchId> {
    let groups = &paths.groups;
    let part = components(groups.switches().len(), |s| groups.neighbours(s));
    match part.iter().all(|&first| first == SwitchId(0)) {
        true => BySwitch::default(),
        false => part,
    }
}
