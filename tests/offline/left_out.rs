//! The engine lists exactly the pairs that its tables leave out: compared pair by pair, in both directions.

use crate::routed::Routed;
use crate::whole_graph::arrives;
use dmodc_analysis::{Channels, UNREACHABLE, UpDown};
use dmodc_core::{Options, Plan};
use dmodc_fabric::{Endpoint, Fabric, Lid, Peer, PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// The senders or receivers at a switch, as the lists name them.
fn ends_at(fabric: &Fabric, switch: SwitchId) -> Vec<Endpoint> {
    let nodes = fabric.node_ids_of(switch);
    let nodes = nodes.map(|n| Endpoint::of_node(fabric, n));
    let own = fabric.switches()[switch].lid != Lid(0);
    nodes
        .chain(own.then_some(Endpoint::Switch(switch)))
        .collect()
}

/// The receiver with a LID.
fn end_of(fabric: &Fabric, (_, switch, port): (Lid, SwitchId, PortNumber)) -> Endpoint {
    match fabric.peer(switch, port) {
        Peer::EndNode(node) => Endpoint::of_node(fabric, node),
        _ => Endpoint::Switch(switch),
    }
}

fn has_hosts(fabric: &Fabric, switch: SwitchId) -> bool {
    fabric.hosts_of(switch).next().is_some()
}

pub fn with_hosts(fabric: &Fabric) -> impl Iterator<Item = SwitchId> {
    let switches = fabric.switches().keys();
    switches.filter(|&s| has_hosts(fabric, s))
}

/// Whether Dmodc has to connect a pair of switches: one has hosts, or both have end nodes, or `connect_roots` is set.
pub fn is_wanted(fabric: &Fabric, options: &Options, from: SwitchId, to: SwitchId) -> bool {
    let both = [from, to].map(|s| !fabric.end_nodes_of(s).is_empty());
    options.connect_roots || has_hosts(fabric, from) || has_hosts(fabric, to) || both == [true; 2]
}

/// Asserts that the lists of a plan have the pairs that its tables leave out.
pub fn lists_hold(options: &Options, routed: &Routed) {
    let (fabric, plan, tables) = (&routed.fabric, &routed.plan, &routed.tables);
    let connections = plan.connections();
    let named: BTreeSet<(SwitchId, SwitchId)> = connections.all_left().collect();
    let count = connections.all_left().count();
    assert_eq!(named.len(), count, "a pair is named twice");
    let (mut left, mut left_out) = (BTreeSet::new(), 0);
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    for to in fabric.lids() {
        for from in fabric.switches().keys() {
            let senders = ends_at(fabric, from);
            let arrived = arrives(fabric, tables, from, to);
            let is_owed = !senders.is_empty() && is_wanted(fabric, options, from, to.1);
            if arrived == Some(true) || !is_owed {
                continue;
            }
            assert_eq!(arrived, None, "{from:?} to {to:?} is lost on the way");
            left.insert((from, to.1));
            left_out += 1;
            for sender in senders {
                let receiver = end_of(fabric, to);
                *counts.entry((sender.word(), receiver.word())).or_default() += 1;
                pairs.insert((sender, receiver));
            }
        }
    }
    assert_eq!(named, left);
    assert_eq!(connections.left_out, left_out);
    let ends = connections.left_out_ends(fabric);
    let counted: BTreeMap<_, _> = ends.counts().map(|(a, b, n)| ((a, b), n)).collect();
    assert_eq!(counted, counts);
    assert_eq!(ends.first().len() > 0, left_out > 0);
    assert!(ends.first().all(|pair| pairs.contains(&pair)));
    unreachable_holds(fabric, plan);
}

/// Asserts that `Plan::unreachable` counts the pairs of switches with hosts that have no up-down path.
fn unreachable_holds(fabric: &Fabric, plan: &Plan) {
    let ranking = plan.ranking();
    let paths = UpDown::new(&Channels::new(fabric), |a, b| ranking.is_up(a, b));
    let with_hosts: Vec<SwitchId> = with_hosts(fabric).collect();
    let mut apart = BTreeSet::new();
    for &to in &with_hosts {
        let distances = paths.distances(to);
        let from = with_hosts.iter().filter(|&&from| from < to);
        let from = from.filter(|&&from| distances[from] == UNREACHABLE);
        apart.extend(from.map(|&from| (from, to)));
    }
    let found = plan.unreachable();
    assert_eq!(found.count, apart.len());
    let first: BTreeSet<_> = (found.first.iter())
        .map(|&(a, b)| (a.min(b), a.max(b)))
        .collect();
    assert_eq!(first.len(), found.first.len());
    assert_eq!(first.len(), found.count.min(10));
    assert!(first.is_subset(&apart), "{first:?} {apart:?}");
}
