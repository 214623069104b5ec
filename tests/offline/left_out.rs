//! Who is said to be left out is, and nobody else: the lists of the engine against its tables, pair by pair,
//! both ways, on fabrics of all kinds, damaged and not, with and without a reference.
//!
//! `make invariants` takes 100,000 pairs of fabric and reference; every test run takes some.

use crate::drain::some_part;
use crate::invariants::{fabrics_wanted, is_wanted};
use crate::random_fabrics::{Damage, FAMILIES, damaged, with_aggregation_nodes};
use crate::routed::{Routed, pgft};
use crate::whole_graph::{arrives, lids};
use dmodc::analysis::{Channels, UNREACHABLE, UpDown};
use dmodc::dmodc::{Engine, Faults, OnUnreachable, Options, Plan, RouteError};
use dmodc::fabric::{End, Fabric, Lid, NodeKind, Peer};
use dmodc::netlist::{Node, Part};
use dmodc::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A sender or receiver at a switch, as the lists name it, and its LIDs.
fn ends_at(fabric: &Fabric, switch: u32) -> Vec<End> {
    let nodes = fabric.end_nodes_of(switch).map(|n| n as u32);
    let nodes = nodes.map(|n| End::of_node(fabric, n));
    let own = fabric.switches()[switch as usize].lid != Lid(0);
    nodes.chain(own.then_some(End::Switch(switch))).collect()
}

/// The one that has a LID.
fn end_of(fabric: &Fabric, (_, switch, port): (Lid, u32, u8)) -> End {
    match fabric.peer(switch, port) {
        Peer::EndNode(node) => End::of_node(fabric, node),
        _ => End::Switch(switch),
    }
}

/// Wants the lists of a plan and the tables to say the same.
fn lists_hold(options: &Options, routed: &Routed) {
    let (fabric, plan, tables) = (&routed.fabric, &routed.plan, &routed.tables);
    let connections = plan.connections();
    let named: BTreeSet<(u32, u32)> = connections.left.iter().copied().collect();
    assert_eq!(named.len(), connections.left.len(), "a pair is named twice");
    let (mut left, mut left_out) = (BTreeSet::new(), 0);
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    for to in lids(fabric) {
        for from in 0..fabric.switches().len() as u32 {
            let senders = ends_at(fabric, from);
            let arrived = arrives(fabric, tables, from, to);
            let is_owed = !senders.is_empty() && is_wanted(fabric, options, from, to.1);
            if arrived == Some(true) || !is_owed {
                continue;
            }
            assert_eq!(arrived, None, "{from} to {to:?} is lost on the way");
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

/// Wants the pairs of switches with hosts that are counted to be those without an up-down path.
fn unreachable_holds(fabric: &Fabric, plan: &Plan) {
    let ranking = plan.ranking();
    let paths = UpDown::new(&Channels::new(fabric), |a, b| ranking.is_up(a, b));
    let has_hosts = |s: &u32| {
        let nodes = &fabric.end_nodes()[fabric.end_nodes_of(*s)];
        nodes.iter().any(|n| n.kind != NodeKind::Aggregation)
    };
    let switches = 0..fabric.switches().len() as u32;
    let with_hosts: Vec<u32> = switches.filter(has_hosts).collect();
    let mut apart = BTreeSet::new();
    for &to in &with_hosts {
        let distances = paths.distances(to);
        let from = with_hosts.iter().filter(|&&from| from < to);
        let from = from.filter(|&&from| distances[from as usize] == UNREACHABLE);
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

/// A fabric and what it is held against: nothing, what it was, what it is to be, something else.
pub fn drawn(number: u64) -> (Fabric, Option<Fabric>) {
    let (_, make) = FAMILIES[number as usize % FAMILIES.len()];
    let mut random = Random::new(number);
    let mut whole = make(Random::new(random.below(1 << 30) as u64));
    if random.below(3) == 0 {
        whole = with_aggregation_nodes(&whole);
    }
    let mut less = |of: &Fabric| {
        let damage = Damage {
            switches: [0, 5, 20][random.below(3)],
            links: [0, 3, 20][random.below(3)],
        };
        damaged(of, damage, &mut random)
    };
    let (first, second) = (less(&whole), less(&whole));
    match random.below(6) {
        0 => (first, None),
        1 => (whole, Some(first)),
        2 => (first, Some(second)),
        3 => (first, Some(make(Random::new(random.below(1 << 30) as u64)))),
        _ => (first, Some(whole)),
    }
}

/// Whether it was routed.
fn hold(engine: &Engine, number: u64) -> bool {
    let (fabric, reference) = drawn(number);
    let drain = |i| some_part(&fabric, &mut Random::new(3 * number + i));
    let options = Options {
        reference: reference.map(Arc::new),
        connect_roots: number.is_multiple_of(7),
        faults: [Faults::Stable, Faults::Paper][usize::from(number.is_multiple_of(11))],
        drain: match number % 5 {
            0 => (0..3).map(drain).collect(),
            _ => Vec::new(),
        },
        ..Options::default()
    };
    for on_unreachable in [OnUnreachable::Connect, OnUnreachable::Partial] {
        let options = Options {
            on_unreachable,
            ..options.clone()
        };
        let routed = match Routed::by(engine, fabric.clone(), &options) {
            Err(RouteError::NotATree(_)) => return false,
            routed => routed.expect("a tree"),
        };
        lists_hold(&options, &routed);
    }
    true
}

/// A leaf goes, with its hosts: they are gone, not left out.
#[test]
fn a_leaf_that_only_the_reference_knows_is_not_left_out() {
    let whole = pgft("PGFT(2;6,4;1,3;1,1)", 1);
    let is_it = |n: &Node| n.description == "L1-0";
    let leaf = whole.nodes.iter().position(is_it).expect("the leaf");
    let less = whole.without(&[Part::Node(leaf as u32)]);
    let routed = Routed::with_reference(&less, &whole);
    let Routed { fabric, plan, .. } = routed;
    assert_eq!(plan.connections().left_out, 0);
    assert!(plan.connections().left_out_ends(&fabric).is_empty());
}

/// Something is to hold on so many fabrics and references, or `DMODC_FABRICS`; most of them have tables.
pub fn hold_on_each(count: u64, hold: impl Fn(&Engine, u64) -> bool) {
    let count = fabrics_wanted(count);
    let engine = Engine::new(1).expect("a thread");
    let mut routed = 0;
    for number in 0..count {
        match catch_unwind(AssertUnwindSafe(|| hold(&engine, number))) {
            Ok(was) => routed += u64::from(was),
            Err(_) => panic!("number {number}: {:#?}", drawn(number)),
        }
    }
    assert!(2 * routed > count, "{routed} of {count}");
}

#[test]
fn who_is_named_is_left_out_and_nobody_else() {
    hold_on_each(250, hold);
}
