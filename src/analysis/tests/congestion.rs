//! Congestion risk, against hand-made tables and against the oracle.

use super::random::{Case, case};
use crate::analysis::testing::{Net, shortest, with_speeds};
use crate::analysis::{Channel, Traffic, congestion, oracle};
use crate::fabric::{Fabric, NodeKind, Peer, Speed};
use crate::testing::cases;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn risks_over_capacity() {
    // Leaves 0, 1 and 2 with two, three nodes and one below one spine.
    let fabric = Net::new(&[(0, 3), (1, 3), (2, 3)], &[0, 0, 1, 1, 1, 2]).build();
    let of = |fabric: &Fabric| {
        let traffic = Traffic::new(fabric, &shortest(fabric), &[0, 1, 2, 3, 4, 5]);
        let rp = traffic.random_permutations(99, 1, &|_| ());
        let one = traffic.type_to_type(|n| n == 5, |n| n < 2, &|_| ());
        let all = [
            traffic.all_to_all(&|_| ()),
            rp,
            traffic.shifts(&|_| ()),
            one,
        ];
        all.map(|risk| (risk.value, risk.over_capacity))
    };
    assert_eq!(of(&fabric), [3, 2, 3, 1].map(|value| (value, None)));
    // At a quarter the one flow from or to leaf 2 is the worst: in all shifts, and in five of six permutations.
    let fabric = with_speeds(fabric, |s, port| match (s, port) {
        (2, 1) | (3, 3) => "1xHDR",
        _ => "4xHDR",
    });
    assert_eq!(of(&fabric), [3, 2, 3, 1].map(|value| (value, Some(4.0))));
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

proptest! {
    // Enough nodes for several blocks of shifts.
    #![proptest_config(cases(64))]

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

        let half = sorted.len() / 2;
        let shares = (0..9).map(|n| {
            let drawn = congestion::permutation(&sorted, 5, n);
            let pairs = || drawn[..half].iter().copied().zip(drawn[half..].iter().copied());
            let flows = oracle::risk(&fabric, &tables, pairs().take(half));
            let share = |(a, b): (u32, u32)| {
                let (a, b) = (&fabric.end_nodes()[a as usize], &fabric.end_nodes()[b as usize]);
                let to = (b.switch, b.port);
                let (taken, end) = oracle::walk(&fabric, &tables, a.switch, to, b.lid.0);
                let most = taken.iter().filter_map(|port| flows.get(port)).max();
                let arrives = f64::from(u8::from(end == oracle::End::Delivered));
                arrives / f64::from(most.copied().unwrap_or(1))
            };
            100.0 * (pairs().map(share).sum::<f64>() / half as f64)
        });
        let mean = (half > 0).then(|| shares.sum::<f64>() / 9.0);
        let ebb = traffic.effective_bisection_bandwidth(9, 5, false, &|_| ());
        prop_assert_eq!(ebb.map(|ebb| ebb.percent), mean);
    }
}

/// The fabric with links between switches of three speeds.
fn with_speeds_of(fabric: Fabric) -> Fabric {
    let speeds = ["4xHDR", "2xHDR", "1xHDR"];
    fabric.with_speeds(|fabric, s, port| match fabric.peer(s, port) {
        Peer::Switch { index, .. } => speeds[(s + index) as usize % 3].parse().expect("a speed"),
        _ => Speed::UNKNOWN,
    })
}

/// The `number`th of all orders of some nodes.
fn nth_order(nodes: &[u32], mut number: usize) -> Vec<u32> {
    let mut left = nodes.to_vec();
    let mut order = Vec::new();
    for choices in (1..=nodes.len()).rev() {
        order.push(left.remove(number % choices));
        number /= choices;
    }
    order
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn the_worst_permutation_is_the_worst_of_all(Case { fabric, tables, .. } in case(7)) {
        // Links of three speeds; both ends of one say the same.
        let fabric = with_speeds_of(fabric);
        let order: Vec<u32> = (0..fabric.end_nodes().len() as u32).collect();
        let traffic = Traffic::new(&fabric, &tables, &order);
        let nodes = traffic.nodes();
        let mut greatest = vec![0; traffic.channels().len()];
        for number in 0..(1..=nodes.len()).product() {
            let pairs = nodes.iter().copied().zip(nth_order(nodes, number));
            let flows = oracle::risk(&fabric, &tables, pairs);
            for (c, greatest) in traffic.channels().iter().zip(&mut greatest) {
                let here = flows.get(&(c.from, c.port)).copied().unwrap_or(0);
                *greatest = here.max(*greatest);
            }
        }
        let bounds = traffic.all_to_all(&|_| ());
        let all = traffic.worst_permutation(&bounds, true, &|_| ());
        prop_assert_eq!(Some(all.value), greatest.iter().copied().max().or(Some(0)));
        let over = (0u32..).zip(&greatest);
        let over = over.map(|(c, &flows)| f64::from(flows) / traffic.channels().capacity(c));
        let over = over.fold(0.0, f64::max);
        prop_assert_eq!(all.over_capacity, traffic.channels().differ().then_some(over));
        prop_assert_eq!(&all.by_channel, &greatest.into_iter().map(Some).collect::<Vec<_>>());
        // Without the ports that do not matter.
        let found = traffic.worst_permutation(&bounds, false, &|_| ());
        prop_assert_eq!((found.value, found.over_capacity), (all.value, all.over_capacity));
    }
}
