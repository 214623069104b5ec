//! Compares the algorithm with the paper as printed.

use super::{degraded, route, shapes, text, wide_shapes};
use crate::oracle::{INFINITY, Oracle};
use crate::{Faults, OnUnreachable, Options};
use dmodc_fabric::{Lid, NO_PATH, NodeId, PortNumber, SwitchId};
use dmodc_formats::netlist::Netlist;
use fabrics::cases;
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

fn compare(netlist: &Netlist, lmc: u8, complete: bool) -> Result<(), TestCaseError> {
    let (fabric, _) = netlist.to_fabric(Some(lmc)).expect("LIDs");
    let oracle = Oracle::new(&fabric);
    // The paper has no path where there is no up-down path.
    let options = Options {
        faults: Faults::Paper,
        on_unreachable: OnUnreachable::Partial,
        ..Options::default()
    };
    let (plan, tables) = route(&fabric, &options, 2);
    // Detours move no entry of the paper's: pins did, and a switch above all others.
    let connects = Options {
        on_unreachable: OnUnreachable::Connect,
        ..options
    };
    let (_, with_detours) = route(&fabric, &connects, 2);
    let nids = (0u64..).zip(plan.order());
    let nid: HashMap<NodeId, u64> = nids.map(|(nid, &node)| (node, nid)).collect();
    for (s, switch) in fabric.switches().iter_enumerated() {
        // A switch cut off from all leaves has no rank in the paper, and no routes.
        if oracle.rank[s] != INFINITY {
            prop_assert_eq!(u64::from(plan.divider(s)), oracle.divider[s]);
        }
        for (d, node) in fabric.end_nodes().iter_enumerated() {
            let leaf = node.switch;
            let place = format!("switch {} LID {}", switch.guid, node.lid);
            let entry = PortNumber(tables.get(s, node.lid));
            prop_assert_eq!(nid[&d], oracle.t[d], "NID, {}", place);
            let cost = oracle.c[s][leaf];
            let finite = (cost != INFINITY).then_some(cost as u8);
            prop_assert_eq!(plan.hops(s, leaf), finite, "cost, {}", place);
            if leaf == s {
                prop_assert_eq!(entry, node.port, "{}", place);
                continue;
            }
            let candidates = oracle.closer_up_down(s, leaf);
            let port = oracle.port(s, d, &candidates);
            prop_assert_eq!(entry, port.unwrap_or(PortNumber(NO_PATH)), "{}", place);
            let is_kept = port.is_none() || with_detours.get(s, node.lid) == entry.0;
            prop_assert!(is_kept, "{}", place);
            prop_assert_eq!(port.is_none(), finite.is_none(), "{}", place);
            let all: Vec<PortNumber> = candidates
                .iter()
                .flat_map(|(_, ports)| ports.clone())
                .collect();
            prop_assert_eq!(plan.alternatives(&fabric, s, d), all, "{}", place);
            // Extra LIDs use candidates too, and on a leaf as many groups as possible.
            let group_of = |port: u8| {
                candidates
                    .iter()
                    .position(|g| g.1.contains(&PortNumber(port)))
            };
            let lids = (0..1u16 << lmc).map(|k| Lid(node.lid.0 + k));
            let used: HashSet<_> = lids.map(|lid| group_of(tables.get(s, lid))).collect();
            prop_assert_eq!(used.contains(&None), candidates.is_empty(), "{}", place);
            let most = candidates.len().clamp(1, 1 << lmc);
            let is_even = used.len() == most || oracle.divider[s] > 1;
            prop_assert!(is_even, "{}", place);
            // Where the two rules differ, the paper's would turn: go down to a switch that is not
            // above the leaf. Only heavy damage does this: a switch cut off from all below it is
            // ranked above its former parents, and joins switches that were apart.
            let paper = oracle.closer(s, leaf);
            if paper != candidates {
                let below = |r: SwitchId| oracle.rank[r] < oracle.rank[s];
                let cut = oracle.down[s][leaf] == INFINITY;
                prop_assert!(cut && paper.iter().any(|(r, _)| below(*r)), "{}", place);
                prop_assert!(!complete, "{}", place);
            }
        }
    }
    Ok(())
}

/// None, one time in three, or up to this share.
fn share(most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 2 => 0.0..most]
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn trees_are_the_papers(
        shape in prop_oneof![20 => shapes(), 1 => wide_shapes()], seed: u64,
        links in share(0.4), switches in share(0.3), lmc in 0u8..3,
    ) {
        let netlist = degraded(shape, seed, links, switches);
        compare(&netlist, lmc, links + switches == 0.0)
            .map_err(|e| TestCaseError::fail(format!("{e}\n{}", text(&netlist))))?;
    }
}

/// Trees large enough that threads share the work; under Miri one that barely is.
#[test]
fn large_trees_are_the_papers_on_any_number_of_threads() {
    let trees = [
        ("PGFT(2;1,4;1,62;1,1)", 5, 0.02, 0.03, 0, false),
        ("PGFT(3;3,12,10;1,4,6;1,1,1)", 1, 0.02, 0.03, 0, true),
        ("PGFT(3;5,12,20;1,6,12;1,1,1)", 2, 0.0, 0.0, 0, false),
        ("PGFT(3;5,12,20;1,6,12;1,1,1)", 3, 0.02, 0.03, 0, false),
        ("PGFT(3;5,12,20;1,6,12;1,1,1)", 4, 0.02, 0.03, 1, false),
    ];
    let (trees, threads) = match cfg!(miri) {
        true => (&trees[..1], &[2][..]),
        false => (&trees[..], &[2, 3, 8][..]),
    };
    for &(shape, seed, links, switches, lmc, naively) in trees {
        let netlist = degraded(shape.parse().expect("a shape"), seed, links, switches);
        if naively {
            compare(&netlist, lmc, false).expect("the paper's tables");
        }
        let (fabric, _) = netlist.to_fabric(Some(lmc)).expect("LIDs");
        let (_, one) = route(&fabric, &Options::default(), 1);
        for &threads in threads {
            let (_, several) = route(&fabric, &Options::default(), threads);
            assert!(several == one, "{threads} threads, seed {seed}");
        }
    }
}
