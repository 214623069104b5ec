//! The algorithm against the paper as printed, and the properties that are its own, on random trees.
//! A fabric that fails is printed as a netlist.

use super::oracle::{INFINITY, Oracle};
use crate::dmodc::{Engine, Faults, OnUnreachable, Options, Plan, RouteError};
use crate::fabric::{Builder, EndNode, Fabric, Guid, Lid, NodeKind, Peer};
use crate::lft::{NO_PATH, Tables};
use crate::netlist::generate::{Order, Pgft, build};
use crate::netlist::{Kind, Netlist, Node, Port};
use crate::random::Random;
use crate::testing::cases;
use proptest::prelude::*;
use std::collections::HashSet;

/// A PGFT with shuffled GUIDs and LIDs, less some of its links and switches.
fn degraded(shape: Pgft, seed: u64, links: f64, switches: f64) -> Netlist {
    let mut netlist = build(
        &shape.into(),
        Order {
            seed: Some(seed),
            ..Order::default()
        },
    );
    let mut random = Random::new(seed ^ 0xdead);
    let mut cut = |share: f64| (random.below(1 << 20) as f64) < share * f64::from(1 << 20);
    let is_switch: Vec<bool> = netlist
        .nodes
        .iter()
        .map(|n| n.kind == Kind::Switch)
        .collect();
    let mut gone: Vec<(u32, u8)> = Vec::new();
    for (i, node) in (0u32..).zip(&netlist.nodes) {
        let isolated = is_switch[i as usize] && cut(switches);
        for port in node.ports.iter().filter(|p| is_switch[p.peer as usize]) {
            if is_switch[i as usize] && (isolated || (i < port.peer && cut(links))) {
                gone.extend([(i, port.number), (port.peer, port.peer_port)]);
            }
        }
    }
    for (i, node) in (0u32..).zip(&mut netlist.nodes) {
        node.ports.retain(|port| !gone.contains(&(i, port.number)));
    }
    netlist
}

fn text(netlist: &Netlist) -> String {
    let mut text = Vec::new();
    netlist.write(&mut text).expect("writing to memory");
    String::from_utf8_lossy(&text).into_owned()
}

fn route(fabric: &Fabric, options: &Options, threads: usize) -> (Plan, Tables) {
    let engine = Engine::new(threads).expect("threads");
    let plan = engine.plan(fabric, options).expect("a tree");
    let mut tables = Tables::for_fabric(fabric);
    engine
        .fill(fabric, &plan, &mut tables.rows_mut())
        .expect("tables that fit");
    (plan, tables)
}

fn shapes() -> impl Strategy<Value = Pgft> {
    (1usize..=4).prop_flat_map(|h| {
        let list = |most: usize| prop::collection::vec(1..=most, h);
        let most = if h == 4 { 3 } else { 5 };
        (list(most), list(most.min(4)), list(3)).prop_map(|(m, mut w, mut p)| {
            (w[0], p[0]) = (1, 1);
            Pgft::new(m, w, p).expect("a shape")
        })
    })
}

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
    if complete {
        let (_, stable) = route(&fabric, &Options::default(), 2);
        prop_assert!(stable == tables, "a whole fabric has the paper's tables");
    }
    for (s, switch) in (0u32..).zip(fabric.switches()) {
        // What is cut off from all leaves has no rank in the paper, and nothing to route.
        if oracle.rank[s as usize] != INFINITY {
            prop_assert_eq!(u64::from(plan.divider(s)), oracle.divider[s as usize]);
        }
        for (d, node) in fabric.end_nodes().iter().enumerate() {
            let place = format!("switch {} LID {}", switch.guid, node.lid);
            let entry = tables.get(s, node.lid);
            prop_assert_eq!(u64::from(plan.nid(d as u32)), oracle.t[d], "NID, {}", place);
            let cost = oracle.c[s as usize][&node.switch];
            let finite = (cost != INFINITY).then_some(cost as u8);
            prop_assert_eq!(plan.hops(s, node.switch), finite, "cost, {}", place);
            if node.switch == s {
                prop_assert_eq!(entry, node.port, "{}", place);
                continue;
            }
            let candidates = oracle.closer_up_down(s, node.switch);
            let port = oracle.port(s, d, &candidates).unwrap_or(NO_PATH);
            prop_assert_eq!(entry, port, "{}", place);
            prop_assert_eq!(port == NO_PATH, finite.is_none(), "{}", place);
            let all: Vec<u8> = candidates
                .iter()
                .flat_map(|(_, ports)| ports)
                .copied()
                .collect();
            prop_assert_eq!(plan.alternatives(&fabric, s, d as u32), all, "{}", place);
            // Extra LIDs leave by candidates too, and by as many groups as there are.
            let group_of = |port: u8| candidates.iter().position(|g| g.1.contains(&port));
            let lids = (0..1u16 << lmc).map(|k| Lid(node.lid.0 + k));
            let used: HashSet<_> = lids.map(|lid| group_of(tables.get(s, lid))).collect();
            prop_assert_eq!(used.contains(&None), candidates.is_empty(), "{}", place);
            prop_assert_eq!(used.len(), candidates.len().clamp(1, 1 << lmc), "{}", place);
            // Where the two rules differ, the paper's would turn down-up: go down to where the
            // leaf is not below. It takes heavy damage: a switch cut off from all below it
            // stands above its former parents, and connects what was not connected.
            let paper = oracle.closer(s, node.switch);
            if paper != candidates {
                let below = |r: u32| oracle.rank[r as usize] < oracle.rank[s as usize];
                let cut = oracle.down[s as usize][&node.switch] == INFINITY;
                prop_assert!(cut && paper.iter().any(|(r, _)| below(*r)), "{}", place);
                prop_assert!(!complete, "{}", place);
            }
        }
    }
    Ok(())
}

fn compare_or_print(netlist: &Netlist, lmc: u8, complete: bool) -> Result<(), TestCaseError> {
    compare(netlist, lmc, complete)
        .map_err(|e| TestCaseError::fail(format!("{e}\n{}", text(netlist))))
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn complete_trees_are_the_papers(shape in shapes(), seed: u64, lmc in 0u8..3) {
        compare_or_print(&degraded(shape, seed, 0.0, 0.0), lmc, true)?;
    }

    #[test]
    fn degraded_trees_are_the_papers(
        shape in shapes(), seed: u64, links in 0.0..0.4, switches in 0.0..0.3,
        lmc in 0u8..3,
    ) {
        compare_or_print(&degraded(shape, seed, links, switches), lmc, false)?;
    }

    /// The tables depend on nothing but the fabric: not on threads, not on the order of nodes.
    #[test]
    fn tables_depend_on_the_fabric_alone(shape in shapes(), seed: u64, links in 0.0..0.3) {
        let netlist = degraded(shape, seed, links, 0.0);
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let (_, one) = route(&fabric, &Options::default(), 1);
        let (_, eight) = route(&fabric, &Options::default(), 8);
        prop_assert!(one == eight);
    }
}

/// Leaves with so many groups upwards that their choices are of many words, and repeat late.
fn wide_shapes() -> impl Strategy<Value = Pgft> {
    let p = prop_oneof![3 => Just(1usize), 1 => Just(2usize)];
    (1usize..=50, 2usize..=6, 60usize..=200, p).prop_map(|(m, leaves, w, p)| {
        let w = if p == 1 { w } else { w / 2 };
        Pgft::new(vec![m, leaves], vec![1, w], vec![1, p]).expect("a shape")
    })
}

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    #[cfg_attr(miri, ignore = "too large for Miri")]
    fn wide_trees_are_the_papers(shape in wide_shapes(), seed: u64, links in 0.0..0.2, lmc in 0u8..2) {
        let cut = if seed.is_multiple_of(3) { 0.0 } else { links };
        compare_or_print(&degraded(shape, seed, cut, 0.0), lmc, cut == 0.0)?;
    }
}

proptest! {
    #![proptest_config(cases(20))]

    /// Most switches of a position still route alike, and others nearly so.
    #[test]
    #[cfg_attr(miri, ignore = "too large for Miri")]
    fn trees_with_few_faults_are_the_papers(
        shape in prop::sample::select(vec![
            "PGFT(3;4,4,8;1,4,4;1,1,1)", "PGFT(3;3,4,6;1,4,6;1,1,1)", "PGFT(3;3,3,8;1,3,4;1,1,2)",
        ]),
        seed: u64, links in 0.0..0.04, switches in 0.0..0.03, lmc in 0u8..2,
    ) {
        let shape: Pgft = shape.parse().expect("a shape");
        compare_or_print(&degraded(shape, seed, links, switches), lmc, false)?;
    }
}

/// Large enough that work is shared out.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn large_trees_are_the_papers_on_any_number_of_threads() {
    for (shape, seed, links, switches, lmc, naively) in [
        ("PGFT(3;3,12,10;1,4,6;1,1,1)", 1, 0.02, 0.03, 0, true),
        ("PGFT(3;5,12,20;1,6,12;1,1,1)", 2, 0.0, 0.0, 0, false),
        ("PGFT(3;5,12,20;1,6,12;1,1,1)", 3, 0.02, 0.03, 0, false),
        ("PGFT(3;5,12,20;1,6,12;1,1,1)", 4, 0.02, 0.03, 1, false),
    ] {
        let netlist = degraded(shape.parse().expect("a shape"), seed, links, switches);
        if naively {
            compare(&netlist, lmc, false).expect("the paper's tables");
        }
        let (fabric, _) = netlist.to_fabric(Some(lmc)).expect("LIDs");
        let (_, one) = route(&fabric, &Options::default(), 1);
        for threads in [2, 3, 8] {
            let (_, several) = route(&fabric, &Options::default(), threads);
            assert!(several == one, "{threads} threads, seed {seed}");
        }
    }
}

#[test]
fn figure_1_is_the_papers() {
    let shape: Pgft = "PGFT(3;2,2,3;1,2,2;1,2,1)".parse().expect("a shape");
    let seeds = if cfg!(miri) { 1 } else { 20 };
    for seed in 0..seeds {
        compare(&degraded(shape.clone(), seed, 0.0, 0.0), 0, true).expect("figure 1");
    }
}

/// The 2^lmc LIDs of a port take as many different paths as there are, up to 2^lmc.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
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
        let netlist = build(
            &shape.into(),
            Order {
                seed: Some(1),
                ..Order::default()
            },
        );
        let (fabric, _) = netlist.to_fabric(Some(lmc)).expect("LIDs");
        let (plan, tables) = route(&fabric, &Options::default(), 2);
        let last = fabric.end_nodes().last().expect("nodes");
        let from = (0..fabric.end_nodes().len())
            .map(|n| fabric.end_nodes()[n].switch)
            .max_by_key(|&s| plan.hops(s, last.switch))
            .expect("nodes");
        let ways: HashSet<Vec<(u32, u8)>> = (0..1u16 << lmc)
            .map(|k| way_up(&fabric, &plan, &tables, from, Lid(last.lid.0 + k)))
            .collect();
        assert_eq!(ways.len(), between_pods);
    }
}

/// The ports taken on the way up.
fn way_up(fabric: &Fabric, plan: &Plan, tables: &Tables, from: u32, lid: Lid) -> Vec<(u32, u8)> {
    let mut way = Vec::new();
    let mut s = from;
    while let Peer::Switch { index, .. } = fabric.peer(s, tables.get(s, lid))
        && plan.ranking().is_up(s, index)
    {
        way.push((s, tables.get(s, lid)));
        s = index;
    }
    way
}

#[test]
fn unreachable_pairs_are_counted_and_left_alone() {
    // Two leaves under a spine each.
    let shape: Pgft = "PGFT(2;2,2;1,2;1,1)".parse().expect("a shape");
    let netlist = degraded(shape, 5, 0.0, 1.0);
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    let (plan, tables) = route(&fabric, &Options::default(), 2);
    assert_eq!(plan.unreachable().count, 1);
    let [a, b] = [0, 3].map(|n: usize| &fabric.end_nodes()[n]);
    assert_eq!(tables.get(a.switch, b.lid), NO_PATH);
    assert_eq!(tables.get(a.switch, a.lid), a.port);
    let fail = Options {
        on_unreachable: OnUnreachable::Fail,
        ..Options::default()
    };
    let engine = Engine::new(1).expect("threads");
    let plan = engine.plan(&fabric, &fail).expect("a tree");
    let mut tables = Tables::for_fabric(&fabric);
    let filled = engine.fill(&fabric, &plan, &mut tables.rows_mut());
    assert_eq!(filled, Err(RouteError::Unreachable(1)));
}

/// Port 0 of a switch that carries an aggregation node alone is routed, listed as compute node or
/// not. (Found by fuzzing.)
#[test]
fn a_listed_aggregation_node_makes_no_leaf() {
    let mut b = Builder::default();
    let switches = [1, 2, 3].map(|i| b.switch(Guid(i), Lid(i as u16), 0, 4));
    b.link((switches[0], 3), (switches[2], 1));
    b.link((switches[1], 3), (switches[2], 2));
    for (i, kind) in [(0, NodeKind::Ca), (1, NodeKind::Aggregation)] {
        b.end_node(EndNode {
            guid: Guid(0x10 + i),
            lid: Lid(0x10 + i as u16),
            lmc: 0,
            kind,
            switch: switches[i as usize],
            port: 1,
        });
    }
    let (fabric, _) = b.finish();
    let listed = Options {
        cn_guids: vec![Guid(0x10), Guid(0x11)],
        ..Options::default()
    };
    for options in [Options::default(), listed] {
        let (plan, tables) = route(&fabric, &options, 1);
        assert!(!plan.ranking().is_leaf(1));
        assert_eq!(tables.get(0, Lid(2)), 3);
        assert_eq!(tables.get(0, Lid(0x11)), 3);
    }
}

/// A tree with some end nodes on its upper switches: a netlist, and the same without them.
fn with_strays(shape: Pgft, seed: u64, strays: usize) -> (Netlist, Netlist) {
    let plain = build(
        &shape.into(),
        Order {
            seed: Some(seed),
            ..Order::default()
        },
    );
    let mut netlist = plain.clone();
    let carries = |n: &Node| {
        n.ports
            .iter()
            .any(|p| plain.nodes[p.peer as usize].kind == Kind::Ca)
    };
    let upper: Vec<usize> = (0..plain.nodes.len())
        .filter(|&i| plain.nodes[i].kind == Kind::Switch && !carries(&plain.nodes[i]))
        .collect();
    let mut random = Random::new(seed);
    for i in 0..strays {
        let at = upper[random.below(upper.len())];
        let index = netlist.nodes.len() as u32;
        let switch = &mut netlist.nodes[at];
        switch.port_count += 1;
        let link = |number, peer, peer_port| Port {
            number,
            peer,
            peer_port,
            guid: None,
            lid: Lid(0),
            lmc: 0,
            link: "4xEDR".into(),
        };
        let number = switch.port_count;
        switch.ports.push(link(number, index, 1));
        let guid = Guid(0x00ff_0000_0000_0000 + 16 * i as u64);
        netlist.nodes.push(Node {
            kind: Kind::Ca,
            id: format!("H-{:016x}", guid.0),
            description: format!("stray-{i}"),
            guid,
            system_guid: None,
            vendor: 0,
            device: 0,
            port_count: 1,
            port_zero: None,
            lid: Lid(0),
            lmc: 0,
            ports: vec![link(1, at as u32, number)],
        });
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
        for s in 0..before.switches().len() as u32 {
            let rank = plan_before.ranking().rank(s);
            prop_assert_eq!(plan_after.ranking().rank(s), rank, "{}", text(&netlist));
            for node in before.end_nodes() {
                let entry = tables_before.get(s, node.lid);
                prop_assert_eq!(tables_after.get(s, node.lid), entry, "{}", text(&netlist));
            }
        }
    }
}

/// The tables for all other LIDs stay when all nodes of a leaf go: a rack reboots.
#[test]
#[cfg_attr(miri, ignore = "too large for Miri")]
fn a_rack_that_reboots_moves_nobody() {
    for (shape, links) in [
        ("PGFT(3;3,4,3;1,3,2;1,1,1)", 0.0),
        ("PGFT(3;3,4,3;1,3,2;1,1,1)", 0.05),
        ("PGFT(2;4,6;1,3;1,2)", 0.0),
    ] {
        for seed in 0..20 {
            let before = degraded(shape.parse().expect("a shape"), seed, links, 0.0);
            let mut after = before.clone();
            let is_ca = |n: u32| before.nodes[n as usize].kind == Kind::Ca;
            let leaf = (0u32..).zip(&before.nodes).find(|(_, node)| {
                node.kind == Kind::Switch && node.ports.iter().any(|p| is_ca(p.peer))
            });
            let (leaf, _) = leaf.expect("a leaf");
            after.nodes[leaf as usize].ports.retain(|p| !is_ca(p.peer));
            for (n, node) in (0u32..).zip(&mut after.nodes) {
                node.ports.retain(|p| !is_ca(n) || p.peer != leaf);
            }
            let (before, _) = before.to_fabric(None).expect("LIDs");
            let (after, _) = after.to_fabric(None).expect("LIDs");
            let (_, tables_before) = route(&before, &Options::default(), 1);
            let (_, tables_after) = route(&after, &Options::default(), 1);
            for s in 0..after.switches().len() as u32 {
                let nodes = after.end_nodes().iter().map(|n| n.lid);
                for lid in nodes.chain(after.switches().iter().map(|s| s.lid)) {
                    let entry = tables_before.get(s, lid);
                    assert_eq!(tables_after.get(s, lid), entry, "{shape} {seed} {s} {lid}");
                }
            }
        }
    }
}
