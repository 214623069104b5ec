//! Congestion risk against the oracle.

use super::{Case, case, oracle};
use dmodc_analysis::{Channel, Channels, Loads, Risk, Risks, Traffic};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Fabric, NO_PATH, NodeId, NodeKind, Peer, Speed, SwitchId};
use fabrics::cases;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The `number`th random permutation of some items from a seed: those that `Traffic` draws agree with these.
fn permutation<T: Clone>(items: &[T], seed: u64, number: u64) -> Vec<T> {
    let mut permuted = items.to_vec();
    Random::stream(seed, number).shuffle(&mut permuted);
    permuted
}

#[test]
fn every_permutation_is_drawn_and_the_seed_fixes_them() {
    let three: Vec<u32> = (0..3).collect();
    let drawn: BTreeSet<_> = (0..100).map(|n| permutation(&three, 7, n)).collect();
    assert_eq!(drawn.len(), 6);
    // Frozen: the same on every machine and in every release.
    let ten: Vec<u32> = (0..10).collect();
    assert_eq!(permutation(&ten, 1, 0), [5, 6, 9, 0, 8, 4, 3, 2, 1, 7]);
}

/// The fabric with links between switches of three speeds.
fn with_speeds_of(fabric: Fabric) -> Fabric {
    let speeds = ["4xHDR", "2xHDR", "1xHDR"];
    fabric.with_speeds(|fabric, s, port| match fabric.peer(s, port) {
        Peer::Switch { index, .. } => speeds[(usize::from(s) + usize::from(index)) % 3]
            .parse()
            .expect("a speed"),
        _ => Speed::UNKNOWN,
    })
}

/// The greatest ratio of a port's risk to its speed, in parts of the fastest.
fn over_capacity(fabric: &Fabric, risk: &BTreeMap<oracle::Port, u32>) -> f64 {
    let over = |(port, risk): (&oracle::Port, &u32)| f64::from(*risk) / capacity(fabric, *port);
    risk.iter().map(over).fold(0.0, f64::max)
}

/// The speed of a port between switches in parts of the fastest.
fn capacity(fabric: &Fabric, port: oracle::Port) -> f64 {
    let all = Channels::new(fabric);
    let fastest = all.iter().map(|c| fabric.speed(c.from, c.port)).max();
    f64::from(fabric.speed(port.0, port.1)) / f64::from(fastest.expect("a port"))
}

/// The median; of an even number the lower in the middle.
fn median<T: PartialOrd + Copy>(mut of: Vec<T>) -> T {
    of.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    of[(of.len() - 1) / 2]
}

proptest! {
    // Enough nodes for several blocks of shifts.
    #![proptest_config(cases(64))]

    #[test]
    fn congestion_agrees_with_the_oracle(
        Case { fabric, tables, .. } in case(80),
        swaps in prop::collection::vec(any::<prop::sample::Index>(), 80),
        both in any::<bool>(),
    ) {
        let fabric = with_speeds_of(fabric);
        let mut order: Vec<NodeId> = fabric.end_nodes().keys().collect();
        for (i, swap) in swaps.iter().take(order.len()).enumerate() {
            let other = swap.index(order.len());
            order.swap(i, other);
        }
        let traffic = Traffic::new(&fabric, &tables, &order);
        let nodes = traffic.nodes().to_vec();
        let aggregates = |&n: &NodeId| fabric.end_nodes()[n].kind == NodeKind::Aggregation;
        prop_assert!(!nodes.iter().any(aggregates));
        let risk = |pattern: &[(NodeId, NodeId)]| oracle::risk(&fabric, &tables, pattern.iter().copied());
        let over = |value: f64| traffic.channels().differ().then_some(value);
        // The greatest over the shifts of a pattern.
        let worst = |found: Risk, shifts: Vec<Vec<(NodeId, NodeId)>>| {
            let mut greatest: BTreeMap<oracle::Port, u32> = BTreeMap::new();
            for (port, risk) in shifts.iter().flat_map(|shift| risk(shift)) {
                let greatest = greatest.entry(port).or_default();
                *greatest = risk.max(*greatest);
            }
            prop_assert_eq!(found.value, greatest.values().copied().max().unwrap_or(0));
            prop_assert_eq!(found.over_capacity, over(over_capacity(&fabric, &greatest)));
            let of = |c: Channel| greatest.get(&(c.from, c.port)).copied().unwrap_or(0);
            let by_channel: Vec<u32> = traffic.channels().iter().map(of).collect();
            prop_assert_eq!(found.by_channel.raw, by_channel);
            Ok(())
        };
        let pairs = nodes.iter().flat_map(|&a| nodes.iter().map(move |&b| (a, b)));
        let pairs: Vec<(NodeId, NodeId)> = pairs.collect();
        worst(traffic.all_to_all(&|_| ()), vec![pairs.clone()])?;
        let shifted = |i: usize, k: usize| (nodes[i], nodes[(i + k) % nodes.len()]);
        let shift = |k| (0..nodes.len()).map(|i| shifted(i, k)).collect();
        worst(traffic.shifts(&|_| ()), (1..nodes.len()).map(shift).collect())?;
        let is_some = |n: NodeId| n.0.is_multiple_of(3);
        let (some, rest): (Vec<NodeId>, Vec<NodeId>) = nodes.iter().partition(|n| is_some(**n));
        let of_types = |k: usize| -> Vec<(NodeId, NodeId)> {
            let more = some.len().max(rest.len());
            let one = |i| match some.len() < rest.len() {
                true => (some[(i + k) % some.len()], rest[i]),
                false => (some[i], rest[(i + k) % rest.len()]),
            };
            (0..more).map(one).collect()
        };
        let found = traffic.type_to_type(is_some, |n| !is_some(n), &|_| ());
        worst(found, (0..some.len().min(rest.len())).map(of_types).collect())?;

        let walk = |(a, b): (NodeId, NodeId)| {
            let (a, b) = (&fabric.end_nodes()[a], &fabric.end_nodes()[b]);
            oracle::walk(&fabric, &tables, a.switch, (b.switch, b.port), b.lid)
        };
        let lost = |&(a, b): &(NodeId, NodeId)| a != b && walk((a, b)).1 != oracle::End::Delivered;
        prop_assert_eq!(traffic.skipped(), pairs.iter().copied().filter(lost).count() as u64);

        let mut sorted = nodes.clone();
        sorted.sort_unstable();
        let drawn: Vec<_> = (0..9).map(|n| permutation(&sorted, 5, n)).collect();
        let flows = drawn.iter().map(|to| to.iter().copied().zip(sorted.iter().copied()));
        let flows: Vec<_> = flows.map(|flows| risk(&flows.collect::<Vec<_>>())).collect();
        let maxima = flows.iter().map(|flows| flows.values().copied().max().unwrap_or(0));
        let middle = median(maxima.collect());
        let found = traffic.random_permutations(9, 5, &|_| ());
        prop_assert_eq!(found.value, middle);
        prop_assert_eq!(found.by_channel.iter().copied().max().unwrap_or(0), middle);
        let of_each = flows.iter().map(|flows| over_capacity(&fabric, flows)).collect();
        prop_assert_eq!(found.over_capacity, over(median(of_each)));

        let half = sorted.len() / 2;
        let shares = drawn.iter().map(|drawn| {
            let there = drawn[..half].iter().copied().zip(drawn[half..].iter().copied());
            let mut pairs: Vec<(NodeId, NodeId)> = there.take(half).collect();
            if both {
                pairs.extend(pairs.clone().into_iter().map(|(a, b)| (b, a)));
            }
            let flows = risk(&pairs);
            let share = |&pair: &(NodeId, NodeId)| {
                let (taken, end) = walk(pair);
                let load = |port| f64::from(flows[port]) / capacity(&fabric, *port);
                match end == oracle::End::Delivered {
                    true => 1.0 / taken.iter().map(load).fold(1.0, f64::max),
                    false => 0.0,
                }
            };
            100.0 * (pairs.iter().map(share).sum::<f64>() / pairs.len() as f64)
        });
        let mean = (half > 0).then(|| shares.sum::<f64>() / 9.0);
        let ebb = traffic.effective_bisection_bandwidth(9, 5, both, &|_| ());
        prop_assert_eq!(ebb.map(|ebb| ebb.percent), mean);
    }
}

/// The `number`th of all orders of some nodes.
fn nth_order(nodes: &[NodeId], mut number: usize) -> Vec<NodeId> {
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
        // Links of three speeds; both ends of a link have the same.
        let fabric = with_speeds_of(fabric);
        let order: Vec<NodeId> = fabric.end_nodes().keys().collect();
        let traffic = Traffic::new(&fabric, &tables, &order);
        let nodes = traffic.nodes();
        let mut greatest = traffic.channels().each(0);
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
        let over = greatest.iter_enumerated();
        let over = over.map(|(c, &flows)| f64::from(flows) / traffic.channels().capacity(c));
        let over = over.fold(0.0, f64::max);
        prop_assert_eq!(all.over_capacity, traffic.channels().differ().then_some(over));
        prop_assert_eq!(&all.by_channel.raw, &greatest.into_iter().map(Some).collect::<Vec<_>>());
        // Without the ports whose bound is too low to matter.
        let found = traffic.worst_permutation(&bounds, false, &|_| ());
        prop_assert_eq!((found.value, found.over_capacity), (all.value, all.over_capacity));
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn the_same_as_from_the_start(
        Case { fabric, tables, .. } in case(80),
        spoilt in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u8..9), 1..40),
    ) {
        let order: Vec<NodeId> = fabric.end_nodes().keys().collect();
        let traffic = Traffic::new(&fabric, &tables, &order);
        let mut after = tables.clone();
        let mut changed = Vec::new();
        for (switch, node, port) in spoilt.iter().filter(|_| !traffic.nodes().is_empty()) {
            let position = node.index(traffic.nodes().len());
            let lid = fabric.end_nodes()[traffic.nodes()[position]].lid;
            let row = after.row_mut(SwitchId::from(switch.index(fabric.switches().len())));
            row[lid] = if *port == 8 { NO_PATH } else { *port };
            changed.push(position);
        }
        changed.sort_unstable();
        changed.dedup();
        let nodes: Vec<NodeId> = changed.iter().map(|&p| traffic.nodes()[p]).collect();
        let loads = Loads::new(&traffic, 11, 1, &|_| ());
        let risks = |traffic: &Traffic| Risks {
            a2a: traffic.all_to_all(&|_| ()).value,
            rp: traffic.random_permutations(11, 1, &|_| ()).value,
            sp: traffic.shifts(&|_| ()).value,
        };
        prop_assert_eq!(loads.with(&[], &traffic), risks(&traffic));
        let found = loads.with(&changed, &Traffic::new(&fabric, &after, &nodes));
        prop_assert_eq!(found, risks(&Traffic::new(&fabric, &after, &order)));
    }
}
