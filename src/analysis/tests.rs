//! The analysis against hand-made tables and against the naive oracle.

use super::oracle;
use super::testing::{Net, lids, port, shortest};
use super::*;
use crate::fabric::{Fabric, Lid, NodeKind};
use crate::lft::{NO_PATH, Tables};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn ranked(ranks: &[u8]) -> impl Fn(u32, u32) -> bool {
    move |a, b| (ranks[a as usize], a) < (ranks[b as usize], b)
}

/// Leaves 0, 1, 2 below spines 3 and 4, two end nodes on each leaf.
fn two_spines() -> (Fabric, [u8; 5]) {
    let links = [(0, 3), (1, 3), (2, 3), (0, 4), (1, 4), (2, 4)];
    (
        Net::new(&links, &[0, 0, 1, 1, 2, 2]).build(),
        [0, 0, 0, 1, 1],
    )
}

fn node_lid(fabric: &Fabric, node: usize) -> Lid {
    fabric.end_nodes()[node].lid
}

/// Sends a LID through the switches of a path.
fn send(fabric: &Fabric, tables: &mut Tables, lid: Lid, path: &[u32]) {
    for step in path.windows(2) {
        tables.row_mut(step[0])[lid.index()] = port(fabric, step[0], step[1]);
    }
}

#[test]
fn shortest_paths_in_a_tree_pass() {
    let (fabric, ranks) = two_spines();
    let mut tables = shortest(&fabric);
    // Spine to spine there is no up-down path.
    tables.row_mut(3)[fabric.switches()[4].lid.index()] = NO_PATH;
    tables.row_mut(4)[fabric.switches()[3].lid.index()] = NO_PATH;
    let report = check(&fabric, &tables, ranked(&ranks));
    assert!(report.passed(), "{report:?}");
    // 6 nodes to 5 others and 5 switches, 5 switches to 6 nodes and 4 others.
    assert_eq!(
        (report.checked.pairs, report.checked.node_pairs),
        (60 + 50, 30)
    );
    assert_eq!((report.unreachable.pairs, report.unreachable_pairs), (2, 0));
}

#[test]
fn connected_roots_are_no_turns() {
    let (fabric, ranks) = two_spines();
    let report = check(&fabric, &shortest(&fabric), ranked(&ranks));
    assert!(report.passed(), "{report:?}");
    assert_eq!(report.roots_connected.routes, 2);
}

#[test]
fn a_hole_is_counted_for_all_that_fall_into_it() {
    let (fabric, ranks) = two_spines();
    let mut tables = shortest(&fabric);
    let lid = node_lid(&fabric, 0);
    tables.row_mut(3)[lid.index()] = NO_PATH;
    let report = check(&fabric, &tables, ranked(&ranks));
    // From two leaves with two nodes each, these leaves themselves, and the spine.
    assert_eq!(
        (report.no_entry.pairs, report.no_entry.node_pairs),
        (4 + 2 + 1, 4)
    );
    assert_eq!(report.undelivered(), 7);
    let named: Vec<u32> = report.no_entry.first.iter().map(|r| r.switch).collect();
    assert_eq!(named, [1, 2, 3]);
    assert!(report.no_entry.first.iter().all(|r| r.lid == lid) && !report.passed());
}

#[test]
fn wrong_ports_are_told_from_holes() {
    let (fabric, ranks) = two_spines();
    let lid = node_lid(&fabric, 0);
    let other_node = fabric.end_nodes()[1].port;
    for bad in [other_node, fabric.switches()[0].ports, 200, 0] {
        let mut tables = shortest(&fabric);
        tables.row_mut(0)[lid.index()] = bad;
        let report = check(&fabric, &tables, ranked(&ranks));
        // From everywhere: 5 nodes, 5 switches.
        assert_eq!(
            (report.wrong_port.pairs, report.undelivered()),
            (10, 10),
            "port {bad}"
        );
    }
}

#[test]
fn a_loop_is_found_with_all_that_lead_into_it_and_its_credit_loop() {
    let (fabric, ranks) = two_spines();
    let mut tables = shortest(&fabric);
    let lid = node_lid(&fabric, 0);
    send(&fabric, &mut tables, lid, &[1, 3, 1]);
    let report = check(&fabric, &tables, ranked(&ranks));
    // Leaves 1 and 2 (by 3) with two nodes each, and spine 3; leaf 0 needs no spine.
    assert_eq!(report.looping.pairs, 4 + 2 + 1);
    assert_eq!(
        (report.credit_loops.count, report.credit_loops.channels),
        (1, 2)
    );
}

#[test]
fn detours_and_turns() {
    let (fabric, ranks) = two_spines();
    let mut tables = shortest(&fabric);
    let lid = node_lid(&fabric, 0);
    send(&fabric, &mut tables, lid, &[1, 3, 2, 4, 0]);
    let report = check(&fabric, &tables, ranked(&ranks));
    // From leaf 1 and spine 3, down to leaf 2 and up again; leaf 2 itself goes straight.
    assert_eq!(
        (
            report.turns.routes,
            report.nonminimal.routes,
            report.undelivered()
        ),
        (2, 2, 0)
    );
    let named: Vec<u32> = report.turns.first.iter().map(|r| r.switch).collect();
    assert_eq!(named, [1, 3]);
    assert!(!report.passed());
}

#[test]
fn a_longer_up_down_path_is_only_not_minimal() {
    // A third level: 0 and 1 below 2 and 3, these below 4.
    let fabric = Net::new(&[(0, 2), (1, 2), (0, 3), (1, 3), (2, 4), (3, 4)], &[0, 1]).build();
    let mut tables = shortest(&fabric);
    send(&fabric, &mut tables, node_lid(&fabric, 1), &[0, 2, 4, 3, 1]);
    // Between 2 and 3, the way by a leaf is as short as that by the top, and turns.
    send(&fabric, &mut tables, fabric.switches()[3].lid, &[2, 4, 3]);
    send(&fabric, &mut tables, fabric.switches()[2].lid, &[3, 4, 2]);
    let report = check(&fabric, &tables, ranked(&[0, 0, 1, 1, 2]));
    assert_eq!((report.turns.routes, report.nonminimal.routes), (0, 2));
    assert_eq!(report.credit_loops.count, 0);
}

#[test]
fn a_ring_routed_clockwise_has_one_credit_loop() {
    let fabric = Net::new(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[0, 1, 2, 3]).build();
    let mut tables = shortest(&fabric);
    for (lid, target, _) in lids(&fabric) {
        let path: Vec<u32> = (1..=4).map(|i| (target + i) % 4).collect();
        send(&fabric, &mut tables, lid, &path);
    }
    let report = check(&fabric, &tables, ranked(&[0; 4]));
    assert_eq!(report.undelivered(), 0);
    assert_eq!(
        (report.credit_loops.count, report.credit_loops.channels),
        (1, 4)
    );
    let channels = Channels::new(&fabric);
    let cycle: Vec<u32> = report
        .credit_loops
        .example
        .iter()
        .map(|&c| channels.get(c).from)
        .collect();
    assert_eq!(cycle, [0, 1, 2, 3]);
    assert!(report.turns.routes > 0);
}

#[test]
fn an_entry_that_no_traffic_meets_makes_no_credit_loop() {
    // The clockwise ring again, but with end nodes on one switch only: routes to switches do not
    // wrap around.
    let fabric = Net::new(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[0]).build();
    let mut tables = shortest(&fabric);
    for (lid, target, _) in lids(&fabric) {
        let path: Vec<u32> = (1..=4).map(|i| (target + i) % 4).collect();
        send(&fabric, &mut tables, lid, &path);
    }
    assert_eq!(
        check(&fabric, &tables, ranked(&[0; 4])).credit_loops,
        CreditLoops::default()
    );
}

#[test]
fn leaves_without_an_up_down_path_are_unreachable_and_not_undelivered() {
    let net = Net {
        aggregation: vec![2],
        ..Net::new(&[(0, 2), (1, 3)], &[0, 1, 2])
    };
    let fabric = net.build();
    let report = check(&fabric, &shortest(&fabric), ranked(&[0, 0, 1, 1]));
    assert!(report.passed());
    assert_eq!(
        (report.unreachable_pairs, report.first_unreachable),
        (1, vec![(0, 1)])
    );
    assert!(report.unreachable.pairs > 0);
}

#[test]
fn an_empty_fabric_passes() {
    let fabric = Fabric::default();
    assert!(check(&fabric, &Tables::for_fabric(&fabric), |_, _| true).passed());
}

#[test]
fn risks_of_one_spine() {
    // Everything between two leaves of two nodes each crosses one spine.
    let fabric = Net::new(&[(0, 2), (1, 2)], &[0, 0, 1, 1]).build();
    let tables = shortest(&fabric);
    let traffic = Traffic::new(&fabric, &tables, &[0, 1, 2, 3]);
    assert_eq!(traffic.all_to_all(&|_| ()).value, 2);
    assert_eq!(traffic.shifts(&|_| ()).value, 2, "shift by two");
    let interleaved = Traffic::new(&fabric, &tables, &[0, 2, 1, 3]);
    assert_eq!(interleaved.shifts(&|_| ()).value, 2, "shift by one");
    let risk = traffic.all_to_all(&|_| ());
    assert_eq!(risk.histogram(), BTreeMap::from([(2, 4)]));
    assert_eq!(risk.worst(2), [(0, 2), (1, 2)]);
    // The order names who takes part.
    assert_eq!(
        Traffic::new(&fabric, &tables, &[0, 2])
            .all_to_all(&|_| ())
            .value,
        1
    );
}

#[test]
fn every_permutation_is_drawn_and_the_seed_fixes_them() {
    let places: Vec<u32> = (0..3).collect();
    let drawn: BTreeSet<_> = (0..100)
        .map(|n| congestion::permutation(&places, 7, n))
        .collect();
    assert_eq!(drawn.len(), 6);
    // Frozen: the same on every machine and in every release.
    let ten: Vec<u32> = (0..10).collect();
    assert_eq!(
        congestion::permutation(&ten, 1, 0),
        [5, 6, 9, 0, 8, 4, 3, 2, 1, 7]
    );
}

/// A fabric with its ranks, and tables that are shortest paths with some entries spoilt.
#[derive(Debug, Clone)]
struct Case {
    fabric: Fabric,
    tables: Tables,
    ranks: Vec<u8>,
}

fn case(nodes: u32) -> impl Strategy<Value = Case> {
    let shape = (2u32..9).prop_flat_map(move |n| {
        let link = (0..n, 0..n).prop_filter("a link joins two", |(a, b)| a != b);
        (
            prop::collection::vec(link, 1..16),
            prop::collection::vec(0..n, 0..nodes as usize),
            prop::collection::vec(0u8..4, n as usize),
            Just((0..(n + nodes) as u16).collect::<Vec<u16>>()).prop_shuffle(),
        )
    });
    let spoilt = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0u8..9,
    );
    (
        shape,
        0u8..3,
        prop::collection::vec(spoilt, 0..60),
        any::<bool>(),
    )
        .prop_map(
            |((links, mut nodes, mut ranks, shuffle), lmc, spoilt, aggregation)| {
                nodes.sort_unstable();
                let aggregation = if aggregation { vec![0, 3] } else { vec![] };
                let fabric = Net {
                    lmc,
                    aggregation,
                    shuffle,
                    ..Net::new(&links, &nodes)
                }
                .build();
                ranks.truncate(fabric.switches().len());
                let mut tables = shortest(&fabric);
                let lids = lids(&fabric);
                for (switch, lid, port) in spoilt {
                    let row = tables.row_mut(switch.index(fabric.switches().len()) as u32);
                    row[lid.get(&lids).0.index()] = if port == 8 { NO_PATH } else { port };
                }
                Case {
                    fabric,
                    tables,
                    ranks,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn check_agrees_with_the_oracle(Case { fabric, tables, ranks } in case(10)) {
        let above = ranked(&ranks);
        let report = check(&fabric, &tables, &above);
        let mut truth = oracle::check(&fabric, &tables, &above);
        let mut expect = |name| truth.tallies.remove(name).unwrap_or_default();
        prop_assert_eq!(report.checked, expect("checked"));
        prop_assert_eq!(report.no_entry, expect("no_entry"));
        prop_assert_eq!(report.wrong_port, expect("wrong_port"));
        prop_assert_eq!(report.looping, expect("looping"));
        prop_assert_eq!(report.unreachable, expect("unreachable"));
        prop_assert_eq!(report.turns, expect("turns"));
        prop_assert_eq!(report.roots_connected, expect("roots_connected"));
        prop_assert_eq!(report.nonminimal, expect("nonminimal"));
        prop_assert_eq!(report.unreachable_pairs, truth.unreachable_pairs);
        let loops = report.credit_loops;
        prop_assert_eq!(loops.count, truth.cycles.len());
        prop_assert_eq!(loops.channels, truth.cycles.iter().map(BTreeSet::len).sum::<usize>());
        let channels = Channels::new(&fabric);
        let port = |&c: &u32| (channels.get(c).from, channels.get(c).port);
        let example: BTreeSet<_> = loops.example.iter().map(port).collect();
        prop_assert_eq!(example.len(), loops.example.len());
        prop_assert!(loops.count == 0 || truth.cycles.iter().any(|c| example.is_subset(c)));
        prop_assert!(loops.count == 0 || loops.example.len() > 1);
    }
}

proptest! {
    // Enough nodes for several blocks of shifts.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn congestion_agrees_with_the_oracle(
        Case { fabric, tables, .. } in case(80),
        swaps in prop::collection::vec(any::<prop::sample::Index>(), 80),
    ) {
        let mut order: Vec<u32> = (0..fabric.end_nodes().len() as u32).collect();
        for (i, swap) in swaps.iter().take(order.len()).enumerate() {
            let other = swap.index(order.len());
            order.swap(i, other);
        }
        let traffic = Traffic::new(&fabric, &tables, &order);
        let nodes = traffic.nodes().to_vec();
        let aggregates = |&n: &u32| fabric.end_nodes()[n as usize].kind == NodeKind::Aggregation;
        prop_assert!(!nodes.iter().any(aggregates));
        let by_channel = |risk: BTreeMap<oracle::Port, u32>| -> Vec<u32> {
            let value = |c: Channel| risk.get(&(c.from, c.port)).copied().unwrap_or(0);
            traffic.channels().iter().map(value).collect()
        };
        let pairs = nodes.iter().flat_map(|&a| nodes.iter().map(move |&b| (a, b)));
        let all = by_channel(oracle::risk(&fabric, &tables, pairs.clone()));
        let risk = traffic.all_to_all(&|_| ());
        prop_assert_eq!(risk.value, all.iter().copied().max().unwrap_or(0));
        prop_assert_eq!(risk.by_channel, all);

        let lost = |&(a, b): &(u32, u32)| {
            let (a, b) = (&fabric.end_nodes()[a as usize], &fabric.end_nodes()[b as usize]);
            let end = oracle::walk(&fabric, &tables, a.switch, (b.switch, b.port), b.lid.0).1;
            a != b && end != oracle::End::Delivered
        };
        prop_assert_eq!(traffic.skipped(), pairs.filter(lost).count() as u64);

        let mut greatest = vec![0; traffic.channels().len()];
        for k in 1..nodes.len() {
            let shift = (0..nodes.len()).map(|i| (nodes[i], nodes[(i + k) % nodes.len()]));
            let risk = by_channel(oracle::risk(&fabric, &tables, shift));
            greatest.iter_mut().zip(risk).for_each(|(g, v): (&mut u32, u32)| *g = v.max(*g));
        }
        prop_assert_eq!(traffic.shifts(&|_| ()).by_channel, greatest);

        let mut sorted = nodes.clone();
        sorted.sort_unstable();
        let mut maxima: Vec<u32> = (0..9)
            .map(|n| {
                let drawn = congestion::permutation(&sorted, 5, n);
                let flows = drawn.into_iter().zip(sorted.iter().copied());
                oracle::risk(&fabric, &tables, flows).into_values().max().unwrap_or(0)
            })
            .collect();
        maxima.sort_unstable();
        let risk = traffic.random_permutations(9, 5, &|_| ());
        prop_assert_eq!(risk.value, maxima[4]);
        prop_assert_eq!(risk.by_channel.iter().copied().max().unwrap_or(0), maxima[4]);
    }
}
