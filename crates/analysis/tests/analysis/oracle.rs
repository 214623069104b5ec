//! The same checks in the slow and obvious way: walks each pair separately and keeps sets.

use dmodc_analysis::{Route, Tally};
use dmodc_fabric::{FIRST, Fabric, Lid, NO_PATH, NodeId, NodeKind, PortNumber, SwitchId, Tables};
use fabrics::lids;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

/// How a walk ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Delivered,
    NoEntry,
    WrongPort,
    Loop,
}

/// A directed port.
pub type Port = (SwitchId, PortNumber);

/// The directed ports between switches that a packet takes from a switch, and how it ends. A
/// packet that loops takes one port twice.
pub fn walk(
    fabric: &Fabric,
    tables: &Tables,
    from: SwitchId,
    at: (SwitchId, PortNumber),
    lid: Lid,
) -> (Vec<Port>, End) {
    let (mut here, mut taken, mut seen) = (from, Vec::new(), HashSet::new());
    loop {
        let entry = tables.row(here)[lid];
        if entry == NO_PATH {
            return (taken, End::NoEntry);
        }
        let port = PortNumber(entry);
        if (here, port) == at {
            return (taken, End::Delivered);
        }
        let Some((index, _)) = fabric.far(here, port) else {
            return (taken, End::WrongPort);
        };
        taken.push((here, port));
        if !seen.insert(here) {
            return (taken, End::Loop);
        }
        here = index;
    }
}

/// Length of the shortest up-down path, by a search from the source.
pub fn updown_distance(
    fabric: &Fabric,
    above: &dyn Fn(SwitchId, SwitchId) -> bool,
    from: SwitchId,
    goal: SwitchId,
) -> Option<usize> {
    let mut seen = HashSet::from([(from, false)]);
    let mut queue = VecDeque::from([(from, false, 0)]);
    while let Some((at, gone_down, length)) = queue.pop_front() {
        if at == goal {
            return Some(length);
        }
        for next in fabric.neighbours(at) {
            let up = above(at, next);
            if !(up && gone_down) && seen.insert((next, !up)) {
                queue.push_back((next, !up, length + 1));
            }
        }
    }
    None
}

/// Tallies by name, the number of leaf pairs without an up-down path, and the components of the
/// channel dependency graph that have a cycle.
pub struct Verdict {
    pub tallies: BTreeMap<&'static str, Tally>,
    pub unreachable_pairs: usize,
    /// For each kind of traffic: host to host, between hosts and switches, among switches, to and from aggregation
    /// nodes; and for all traffic.
    pub cycles: [BTreeSet<BTreeSet<Port>>; 5],
}

/// Whether the tables leave out a pair of switches without an up-down path; `walked`: no port taken, and the end.
fn is_left_out(
    fabric: &Fabric,
    tables: &Tables,
    from: SwitchId,
    to: SwitchId,
    walked: (bool, End),
) -> bool {
    if updown_distance(fabric, &|_, _| true, from, to).is_none() {
        return walked.1 != End::Loop;
    }
    let arrives = |&(lid, switch, port): &(Lid, SwitchId, PortNumber)| {
        switch == to && walk(fabric, tables, from, (switch, port), lid).1 == End::Delivered
    };
    walked == (true, End::NoEntry) && !lids(fabric).iter().any(arrives)
}

pub fn check(
    fabric: &Fabric,
    tables: &Tables,
    above: &dyn Fn(SwitchId, SwitchId) -> bool,
) -> Verdict {
    let mut found: BTreeMap<(&'static str, Route), (u64, u64)> = BTreeMap::new();
    let mut depends: [HashMap<Port, BTreeSet<Port>>; 5] = Default::default();
    let kind = |port: Port| {
        let mut nodes = fabric.end_nodes().iter();
        let node = nodes.find(|n| (n.switch, n.port) == port);
        node.map(|n| n.kind)
    };
    let traffic = |source, target| match (kind(source), kind(target)) {
        (Some(NodeKind::Aggregation), _) | (_, Some(NodeKind::Aggregation)) => 3,
        (None, None) => 2,
        (None, _) | (_, None) => 1,
        _ => 0,
    };
    let nodes = fabric.end_nodes();
    let sources = nodes.iter().map(|n| (n.switch, n.port));
    let switches = fabric.switches().keys();
    let sources = sources.chain(switches.map(|s| (s, PortNumber::ZERO)));
    for source in sources {
        for (lid, at_switch, at_port) in lids(fabric) {
            let target = (at_switch, at_port);
            let (taken, end) = walk(fabric, tables, source.0, target, lid);
            // A route from a node to itself counts if an entry sends it away, though no packet may take it.
            for w in taken.windows(2) {
                for kind in [traffic(source, target), 4] {
                    depends[kind].entry(w[0]).or_default().insert(w[1]);
                }
            }
            if source == target {
                continue;
            }
            let shortest = updown_distance(fabric, above, source.0, target.0);
            let to = |&(s, port): &Port| fabric.far(s, port).expect("a channel").0;
            let ups: Vec<bool> = taken.iter().map(|c| above(c.0, to(c))).collect();
            let turn = ups.windows(2).any(|w| !w[0] && w[1]);
            let mut names = vec!["checked"];
            let on = |s: SwitchId| nodes.iter().filter(move |n| n.switch == s);
            let host = |s: SwitchId| on(s).any(|n| n.kind != NodeKind::Aggregation);
            let any = |s: SwitchId| on(s).next().is_some();
            let (a, b) = (source.0, target.0);
            let need = host(a) || host(b) || (any(a) && any(b));
            let left_out =
                shortest.is_none() && is_left_out(fabric, tables, a, b, (taken.is_empty(), end));
            match end {
                End::Delivered if shortest.is_none() => names.push("turned"),
                End::Delivered if turn => names.push("turns"),
                End::Delivered => {}
                _ if left_out => names.push(if need { "left_out" } else { "roots_apart" }),
                End::NoEntry if shortest.is_none() && !need => names.push("roots_apart"),
                End::NoEntry => names.push("no_entry"),
                End::WrongPort => names.push("wrong_port"),
                End::Loop => names.push("looping"),
            }
            if end == End::Delivered && shortest.is_some_and(|n| taken.len() > n) {
                names.push("nonminimal");
            }
            for name in names {
                let switch = source.0;
                let count = found.entry((name, Route { switch, lid })).or_default();
                count.0 += 1;
                count.1 += u64::from(source.1 != PortNumber::ZERO && target.1 != PortNumber::ZERO);
            }
        }
    }
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for ((name, route), (pairs, node_pairs)) in found {
        let tally = tallies.entry(name).or_default();
        tally.routes += 1;
        tally.pairs += pairs;
        tally.node_pairs += node_pairs;
        if tally.first.len() < FIRST {
            tally.first.push(route);
        }
    }
    let hosts = nodes.iter().filter(|n| n.kind != NodeKind::Aggregation);
    let leaves: BTreeSet<SwitchId> = hosts.map(|n| n.switch).collect();
    let pairs = leaves.iter().flat_map(|a| {
        let later = leaves.iter().filter(move |b| a < b);
        later.map(move |b| (*a, *b))
    });
    let apart = pairs.filter(|&(a, b)| updown_distance(fabric, above, a, b).is_none());
    let unreachable_pairs = apart.count();
    Verdict {
        tallies,
        unreachable_pairs,
        cycles: depends.map(|depends| cycles(&depends)),
    }
}

/// The sets of ports that are on common cycles.
fn cycles(depends: &HashMap<Port, BTreeSet<Port>>) -> BTreeSet<BTreeSet<Port>> {
    let reach = |from: Port| {
        let (mut seen, mut queue) = (BTreeSet::new(), vec![from]);
        while let Some(at) = queue.pop() {
            let onward = depends.get(&at).into_iter().flatten();
            queue.extend(onward.copied().filter(|&p| seen.insert(p)));
        }
        seen
    };
    let reached: HashMap<Port, BTreeSet<Port>> = depends.keys().map(|&p| (p, reach(p))).collect();
    let cycle = |p: &Port| -> BTreeSet<Port> {
        let mutual = |q: &&Port| reached.get(*q).is_some_and(|r| r.contains(p));
        reached[p].iter().filter(mutual).copied().collect()
    };
    let cycles = depends.keys().map(cycle);
    cycles.filter(|c| !c.is_empty()).collect()
}

/// The risk of each directed port under a set of pairs (source, destination) of end nodes.
pub fn risk(
    fabric: &Fabric,
    tables: &Tables,
    pattern: impl Iterator<Item = (NodeId, NodeId)>,
) -> BTreeMap<Port, u32> {
    let mut ends: BTreeMap<Port, (HashSet<NodeId>, HashSet<NodeId>)> = BTreeMap::new();
    for (source, destination) in pattern.filter(|(s, d)| s != d) {
        let node = |node: NodeId| &fabric.end_nodes()[node];
        let (from, to) = (node(source), node(destination));
        let (taken, end) = walk(fabric, tables, from.switch, (to.switch, to.port), to.lid);
        if end == End::Delivered {
            for port in taken {
                let (sources, destinations) = ends.entry(port).or_default();
                sources.insert(source);
                destinations.insert(destination);
            }
        }
    }
    ends.into_iter()
        .map(|(p, (s, d))| (p, s.len().min(d.len()) as u32))
        .collect()
}
