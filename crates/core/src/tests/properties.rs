//! Properties of Dmodc that the paper does not have.

use super::{degraded, route, text, wide_shapes};
use crate::{Engine, Faults, Options};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Drained, Fabric, Lid, PortNumber, SwitchId};
use dmodc_formats::netlist::Netlist;
use dmodc_formats::netlist::generate::Pgft;
use fabrics::{Net, add_host, cases, switches, way, with_slow};
use proptest::prelude::*;
use std::collections::HashSet;
use std::ops::Range;

proptest! {
    #![proptest_config(cases(10))]

    /// Each entry leads nearer, also where only the last of many groups is dark.
    #[test]
    fn entries_lead_nearer_in_wide_trees(shape in wide_shapes(), seed: u64, links in 0.0..0.02) {
        let (fabric, _) = degraded(shape, seed, links, 0.0).to_fabric(None).expect("LIDs");
        let (plan, tables) = route(&fabric, &Options::default(), 1);
        for s in fabric.switches().keys() {
            for (id, node) in fabric.end_nodes().iter_enumerated() {
                let alternatives = plan.alternatives(&fabric, s, id);
                let entry = PortNumber(tables.get(s, node.lid));
                let is_nearer = alternatives.contains(&entry) || plan.hops(s, node.switch).is_none();
                prop_assert!(is_nearer, "{s:?}, LID {}: {entry}", node.lid);
            }
        }
    }
}

/// How many hosts at `to` leaf 0 reaches by its first port: all links fast, one at a half, and at a quarter.
fn by_first(fabric: &Fabric, slow: (SwitchId, PortNumber), to: Range<u32>) -> [usize; 3] {
    ["4xEDR", "2xEDR", "1xEDR"].map(|speed| {
        let fabric = with_slow(fabric, &[slow], speed);
        let tables = route(&fabric, &Options::default(), 1).1;
        let nodes = fabric.end_nodes().iter();
        let nodes = nodes.filter(|node| to.contains(&node.switch.0));
        nodes
            .filter(|node| tables.get(SwitchId(0), node.lid) == 1)
            .count()
    })
}

/// A leaf used a slow link as a fast one if other leaves had detours to its destinations.
#[test]
fn a_slow_link_carries_less_where_detours_pass() {
    // Each leaf is below three of the spines 12 to 17, in turn.
    let links = (0..12).flat_map(|leaf| [0, 1, 2].map(|at| (leaf, 12 + (leaf + at) % 6)));
    let links: Vec<(u32, u32)> = links.collect();
    let hosts: Vec<u32> = (0..48).map(|host| host / 4).collect();
    let fabric = Net::new(&links, &hosts).build();
    let [fast, slow, _] = by_first(&fabric, (SwitchId(0), PortNumber(1)), 1..12);
    // The hosts of leaves 4 and 10 are reached by it alone.
    assert!(slow == 8 && fast > 8, "{fast}, {slow}");
}

/// One flow on a link at a quarter is worse than A2A without it, three or four.
#[test]
fn a_slow_link_of_a_small_rack_carries_nothing() {
    // Leaves of six hosts, four or eight links to each of two spines.
    for width in [4, 8] {
        let links = (0..4).flat_map(|leaf| [4, 5].map(|spine| (leaf, spine)));
        let links: Vec<(u32, u32)> = links.flat_map(|link| vec![link; width]).collect();
        let fabric = Net::new(&links, &[0, 1, 2, 3].repeat(6)).build();
        let [fast, _, slow] = by_first(&fabric, (SwitchId(0), PortNumber(1)), 1..4);
        assert!(slow == 0 && fast > 0, "{width}: {fast}, {slow}");
    }
}

/// A switch with another uplink gives up what a slow one cannot carry. Of one without, those below have to.
#[test]
fn leaves_avoid_a_switch_whose_one_uplink_is_slow() {
    // Two pods of three leaves and two mids, each mid below the spine of its plane.
    let pod = |pod: u32| {
        let mids = [6 + 2 * pod, 7 + 2 * pod];
        let low = (3 * pod..3 * pod + 3).flat_map(move |leaf| mids.map(|mid| (leaf, mid)));
        low.chain([(mids[0], 10), (mids[1], 11)])
    };
    let links: Vec<(u32, u32)> = pod(0).chain(pod(1)).collect();
    let fabric = Net::new(&links, &[0, 1, 2, 3, 4, 5].repeat(4)).build();
    // From the spine above the first mid.
    let [fast, _, slow] = by_first(&fabric, (SwitchId(10), PortNumber(1)), 3..6);
    assert!(2 * slow <= fast, "{fast}, {slow}");
}

/// Pods of two generations: leaves have one link to each of four mids, or two to each of two. By the dividers of the others,
/// half of the uplinks of a mid would carry all.
#[test]
fn mids_of_two_generations_use_all_uplinks() {
    let (mut links, mut low, mut mids) = (Vec::new(), Vec::new(), 32..32);
    for (pod, width) in [1, 2, 1, 2].into_iter().enumerate() {
        mids = mids.end..mids.end + 4 / width;
        for leaf in (8 * pod as u32..).take(8) {
            let links = mids
                .clone()
                .flat_map(|mid| vec![(leaf, mid); width as usize]);
            low.extend(links);
        }
        for (mid, first) in mids.clone().zip((44..).step_by(4 * width as usize)) {
            links.extend((first..).take(4 * width as usize).map(|spine| (mid, spine)));
        }
    }
    links.extend(low);
    let hosts: Vec<u32> = (0..32).flat_map(|leaf| [leaf; 4]).collect();
    let net = Net::new(&links, &hosts).build();
    let fabric = fabrics::rebuilt(&net, |_, switch| switch.ports = 36)
        .finish()
        .0;
    let (plan, tables) = route(&fabric, &Options::default(), 1);
    let mut used = HashSet::new();
    for (leaf, node) in
        (0..32).flat_map(|leaf| fabric.end_nodes().iter().map(move |node| (leaf, node)))
    {
        let entry = |s| PortNumber(tables.get(s, node.lid));
        let mid = fabric.far(SwitchId(leaf), entry(SwitchId(leaf)));
        let up = mid.filter(|mid| plan.hops_down(mid.0, node.switch).is_none());
        used.extend(up.map(|(mid, _)| (mid, entry(mid))));
    }
    let uplinks = fabric.links().filter(|link| link[1].0.0 >= 44);
    assert_eq!(used.len(), uplinks.count());
}

/// Packets turn only where the turn closes no cycle, whatever the speeds of links, and which are drained: any fabrics of up to
/// nine switches.
#[test]
fn routes_take_no_other_turns() {
    let mut random = Random::new(11);
    let mut turns = 0;
    for _ in 0..cases(300).cases {
        let switches = 5 + random.below(5);
        let links = fabrics::connected(&mut random, switches, 2..10);
        let hosts: Vec<u32> = (0..switches as u32)
            .filter(|_| random.below(2) == 0)
            .collect();
        let hosts = [&hosts[..], &hosts].concat();
        let seed = random.below(1 << 30) as u64;
        let fabric = fabrics::with_speeds(Net::new(&links, &hosts).build(), |s, port| {
            let place = seed ^ u64::from(s.0) << 40 ^ u64::from(port.0) << 32;
            if crate::spread::hash(place).is_multiple_of(3) {
                "4xSDR"
            } else {
                "4xHDR"
            }
        });
        let drained: Vec<_> = fabric
            .links()
            .find(|_| random.below(10) == 0)
            .into_iter()
            .collect();
        turns += turns_taken(&fabric, &drained).unwrap_or(0);
    }
    assert!(turns > 100, "{turns}");
}

/// Routes a fabric with some links drained. Returns the number of turns that its routes make, all of them taken ones; `None`
/// if it is refused.
fn turns_taken(fabric: &Fabric, drained: &[[(SwitchId, PortNumber); 2]]) -> Option<usize> {
    let drained = drained.iter().map(|[(s, port), _]| Drained {
        switch: fabric.guid(*s),
        port: Some(*port),
    });
    let options = Options {
        drain: drained.collect(),
        ..Options::default()
    };
    let engine = Engine::new(1).expect("a thread");
    let plan = engine.plan(fabric, &options).ok()?;
    let (tables, _) = engine.tables(fabric, &plan).expect("tables that fit");
    let is_up = |from, to| plan.ranking().is_up(from, to);
    let mut turns = 0;
    for (lid, ..) in fabric.lids() {
        for from in fabric.switches().keys() {
            let passed: Vec<SwitchId> = way(fabric, &tables, from, lid).take(3).collect();
            if let [from, at, to] = passed[..]
                && is_up(at, from)
                && is_up(at, to)
            {
                turns += 1;
                let is_taken = plan.may_turn(from, at, to);
                assert!(
                    is_taken,
                    "{from:?} {at:?} {to:?}: {:?}",
                    fabric.links().collect::<Vec<_>>()
                );
            }
        }
    }
    Some(turns)
}

/// Leaves with uplinks at random, a third of them drained: where the rows over all links had no entry, one of the rows without
/// drained links stayed, and led to others that turned.
#[test]
fn rows_with_and_without_drained_links_make_no_turn_together() {
    let mut random = Random::new(13);
    for _ in 0..cases(40).cases {
        let links = (0..40).flat_map(|leaf| {
            let mut spines: Vec<u32> = (40..80).collect();
            random.shuffle(&mut spines);
            spines.truncate(6);
            spines.into_iter().map(move |spine| (leaf, spine))
        });
        let links: Vec<(u32, u32)> = links.collect();
        let fabric = Net::new(&links, &Vec::from_iter(0..40)).build();
        let drained = fabric.links().filter(|_| random.below(3) == 0);
        let turns = turns_taken(&fabric, &drained.collect::<Vec<_>>());
        assert!(turns > Some(0));
    }
}

/// The rows of OpenSM have the entries of the last sweep, also for LIDs that nothing leads to now.
#[test]
fn every_entry_is_written() {
    // Nothing joins switch 3, and some LIDs are nobody's.
    let net = Net {
        shuffle: (0..7).map(|i| 3 * i).collect(),
        ..Net::new(&[(0, 2), (1, 2)], &[0, 1, 3])
    };
    let fabric = net.build();
    for faults in [Faults::Stable, Faults::Paper] {
        let options = Options {
            faults,
            ..Options::default()
        };
        let (plan, tables) = route(&fabric, &options, 1);
        let mut before = vec![vec![1; fabric.max_lid().index() + 1]; fabric.switches().len()];
        let mut rows: Vec<&mut [u8]> = before.iter_mut().map(Vec::as_mut_slice).collect();
        let engine = Engine::new(1).expect("a thread");
        engine
            .fill(&fabric, &plan, &mut rows)
            .expect("rows that fit");
        for (s, row) in fabric.switches().keys().zip(&before) {
            assert_eq!(&tables.row(s).raw[..row.len()], row);
        }
    }
}

/// The 2^lmc LIDs of a port take as many different paths as there are, up to 2^lmc.
#[test]
fn extra_lids_take_different_paths() {
    for (shape, lmc, between_pods) in [
        ("PGFT(3;4,4,4;1,4,4;1,1,1)", 0, 1),
        ("PGFT(3;4,4,4;1,4,4;1,1,1)", 1, 2),
        ("PGFT(3;4,4,4;1,4,4;1,1,1)", 4, 16),
        ("PGFT(3;4,4,4;1,4,4;1,1,1)", 7, 16),
        ("PGFT(3;4,4,2;1,5,9;1,1,1)", 5, 32),
        ("PGFT(3;4,4,2;1,5,9;1,1,1)", 6, 45),
        ("PGFT(3;2,2,2;1,8,16;1,1,1)", 7, 128),
        ("PGFT(3;4,6,4;1,2,3;1,1,1)", 3, 6),
        ("PGFT(2;4,8;1,4;1,2)", 3, 8),
    ] {
        let shape: Pgft = shape.parse().expect("a shape");
        let netlist = degraded(shape, 1, 0.0, 0.0);
        let (fabric, _) = netlist.to_fabric(Some(lmc)).expect("LIDs");
        let (plan, tables) = route(&fabric, &Options::default(), 2);
        let last = fabric.end_nodes().last().expect("nodes");
        let nodes = fabric.end_nodes().iter();
        let from = nodes
            .map(|n| n.switch)
            .max_by_key(|&s| plan.hops(s, last.switch))
            .expect("nodes");
        // The switches and output ports on the way up.
        let path = |lid: Lid| -> Vec<(SwitchId, u8)> {
            let up = way(&fabric, &tables, from, lid)
                .take_while(|&s| plan.hops_down(s, last.switch).is_none());
            up.map(|s| (s, tables.get(s, lid))).collect()
        };
        let lids = (0..1u16 << lmc).map(|k| Lid(last.lid.0 + k));
        let paths: HashSet<_> = lids.map(path).collect();
        assert_eq!(paths.len(), between_pods);
    }
}

/// Port 0 of a switch whose only end node is an aggregation node gets routes, whether that node is
/// listed as a compute node or not. (Found by fuzzing.)
#[test]
fn a_listed_aggregation_node_makes_no_leaf() {
    let net = Net {
        aggregation: vec![1],
        ..Net::new(&[(0, 2), (1, 2)], &[0, 1])
    };
    let fabric = net.build();
    // Under `stable` a switch that looks like a leaf without its hosts is a leaf.
    let paper = Options {
        faults: Faults::Paper,
        ..Options::default()
    };
    let listed = Options {
        cn_guids: fabric.end_nodes().iter().map(|n| n.guid).collect(),
        ..paper.clone()
    };
    for options in [paper, listed] {
        let (plan, tables) = route(&fabric, &options, 1);
        assert!(!plan.ranking().is_leaf(SwitchId(1)));
        assert_eq!(tables.get(SwitchId(0), Lid(2)), 1);
        assert_eq!(tables.get(SwitchId(0), Lid(5)), 1);
    }
}

/// The netlist of a tree, and the same with some end nodes on its upper switches.
fn with_strays(shape: Pgft, seed: u64, strays: usize) -> (Netlist, Netlist) {
    let plain = degraded(shape, seed, 0.0, 0.0);
    let mut netlist = plain.clone();
    let mut upper = switches(&plain);
    upper.retain(|&s| !plain.nodes[s as usize].description.starts_with("L1-"));
    let mut random = Random::new(seed);
    for _ in 0..strays {
        let at = upper[random.below(upper.len())];
        let port = PortNumber(netlist.nodes[at as usize].port_count + 1);
        add_host(&mut netlist, at, port);
    }
    (plain, netlist)
}

proptest! {
    #![proptest_config(cases(300))]

    /// A few end nodes on upper switches change no rank and no route of the others.
    #[test]
    fn strays_change_nothing_for_others(
        (m, w) in (prop::collection::vec(3usize..=6, 3), prop::collection::vec(2usize..=4, 3)),
        levels in 2usize..=3, seed: u64, strays in 1usize..=3,
    ) {
        let (mut m, mut w) = (m[..levels].to_vec(), w[..levels].to_vec());
        (m[0], w[0]) = (m[0] + strays, 1);
        let shape = Pgft::new(m, w, vec![1; levels]).expect("a shape");
        let (plain, netlist) = with_strays(shape, seed, strays);
        let (before, _) = plain.to_fabric(None).expect("LIDs");
        let (after, _) = netlist.to_fabric(None).expect("LIDs");
        let (plan_before, tables_before) = route(&before, &Options::default(), 1);
        let (plan_after, tables_after) = route(&after, &Options::default(), 1);
        for s in before.switches().keys() {
            let rank = plan_before.ranking().rank(s);
            prop_assert_eq!(plan_after.ranking().rank(s), rank, "{}", text(&netlist));
            for node in before.end_nodes() {
                let entry = tables_before.get(s, node.lid);
                prop_assert_eq!(tables_after.get(s, node.lid), entry, "{}", text(&netlist));
            }
        }
    }
}
