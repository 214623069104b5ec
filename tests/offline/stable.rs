//! `faults=stable` on random fabrics: which entries change when equipment goes, comes or moves, and which never do. A
//! fabric that fails is printed as a netlist.
//!
//! The fabrics are the same in every run, so that only a change of the program can make a test fail. `make stable`
//! takes more of them, drawn anew. Regular fabrics with faults by place are in `design`; delivery is tested on many
//! more in `invariants`.

use crate::long;
use crate::routed::{Routed, others, partial, pgft, shuffled, with_reference};
use dmodc_core::Rule;
use dmodc_fabric::random::Random;
use dmodc_fabric::{Lid, PortNumber, SwitchId};
use dmodc_formats::netlist::generate::{Pgft, Rlft};
use dmodc_formats::netlist::{Kind, Netlist, Node};
use fabrics::{cases, node_at};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::env;
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;

/// 648 nodes.
const SMALL: &str = "PGFT(2;18,36;1,18;1,1)";
/// 8,640 nodes.
const A: &str = "PGFT(3;24,15,24;1,6,15;1,1,1)";

/// The seed of a case, drawn anew with `DMODC_ANEW`.
fn seed(case: u64) -> u64 {
    match env::var_os("DMODC_ANEW") {
        Some(_) => RandomState::new().hash_one(case),
        None => case,
    }
}

/// PGFTs of two to four levels.
fn shape() -> impl Strategy<Value = Rlft> {
    (2usize..=4).prop_flat_map(|levels| {
        let most = if levels == 4 { 4 } else { 6 };
        let list = |range: RangeInclusive<usize>| prop::collection::vec(range, levels);
        let lists = (list(3..=most), list(1..=most), list(1..=2));
        lists.prop_map(|(m, mut w, mut p)| {
            (w[0], p[0]) = (1, 1);
            Pgft::new(m, w, p).expect("a shape").into()
        })
    })
}

/// PGFTs, and real-life fat-trees whose last leaves may be missing or half empty.
fn tree() -> impl Strategy<Value = Rlft> {
    let rlft = (2usize..=12, 10usize..=200).prop_map(|(half_radix, nodes)| {
        let most = 2 * half_radix.pow(3);
        Rlft::new(nodes.min(most), 2 * half_radix).expect("few nodes")
    });
    prop_oneof![shape(), rlft]
}

/// A fabric without a share of its links.
fn damaged(whole: &Netlist, seed: u64, share: f64) -> Netlist {
    let links = whole.links_between_switches().len() as f64 * share;
    without_links(whole, links as usize, seed)
}

fn without_links(whole: &Netlist, links: usize, seed: u64) -> Netlist {
    let less = whole.without_links(links, seed);
    less.expect("fewer than all").0
}

fn without_switches(whole: &Netlist, switches: usize, seed: u64) -> Netlist {
    let less = whole.without_switches(switches, seed, false);
    less.expect("fewer than all").0
}

/// Routes with a reference and without detours.
fn up_down(netlist: &Netlist, reference: &Netlist) -> Routed {
    Routed::by_options(netlist, &partial(with_reference(reference)))
}

/// Asserts that only entries of LIDs that came, went or moved change, and that the tables have no defect.
fn only_their_own(what: &str, before: &Routed, after: &Routed) -> TestCaseResult {
    let changes = before.changes(after);
    prop_assert_eq!(others(&changes), 0, "{}: {:?}", what, changes);
    prop_assert_eq!(after.defect(), None, "{}", what);
    Ok(())
}

/// Adds the fabric to a failure.
fn printed(netlist: &Netlist, result: TestCaseResult) -> TestCaseResult {
    let text = || String::from_utf8_lossy(&netlist.to_text()).into_owned();
    result.map_err(|e| TestCaseError::fail(format!("{e}\n{}", text())))
}

fn is_host(netlist: &Netlist, node: u32) -> bool {
    netlist.nodes[node as usize].kind != Kind::Switch
}

/// Some end nodes, drawn, whose switches keep another.
fn some_hosts(netlist: &Netlist, count: usize, random: &mut Random) -> Vec<u32> {
    let mut hosts: Vec<u32> = (0..netlist.nodes.len() as u32).collect();
    hosts.retain(|&node| is_host(netlist, node));
    random.shuffle(&mut hosts);
    let switch_of = |host: u32| netlist.nodes[host as usize].ports[0].peer;
    let mut drawn: Vec<u32> = Vec::new();
    for host in hosts {
        let switch = switch_of(host);
        let ports = netlist.nodes[switch as usize].ports.iter();
        let on_switch = ports.filter(|p| is_host(netlist, p.peer)).count();
        let gone = drawn.iter().filter(|&&other| switch_of(other) == switch);
        if drawn.len() < count && gone.count() + 1 < on_switch {
            drawn.push(host);
        }
    }
    drawn
}

/// Hosts go and come back: only their own entries change. They are few compared with the leaves, since leaves vote on
/// the usual ports of hosts. Trees so small or damaged that a leaf looks like an upper switch do not count.
fn hosts_change_their_own_entries(whole: &Netlist, count: usize, seed: u64) -> TestCaseResult {
    let plain = |routed: &Routed| routed.plan.ranking().rule() == Rule::EndNodes;
    let gone = some_hosts(whole, count, &mut Random::new(seed));
    let route = |netlist| Routed::by_options(netlist, &Routed::without_memory());
    let (before, after) = (route(whole), route(&whole.without_nodes(&gone)));
    if plain(&before) && plain(&after) {
        only_their_own("they go", &before, &after)?;
        only_their_own("they come back", &after, &before)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    /// Hosts that go or come change no other entries, on random PGFTs and real-life fat-trees, whole and damaged.
    #[test]
    fn hosts_on_any_tree(tree in tree(), seed: u64, share in prop_oneof![Just(0.0), 0.0..0.3]) {
        let whole = damaged(&shuffled(&tree, seed), seed, share);
        let leaves = tree.nodes.div_ceil(tree.shape.children(1));
        printed(&whole, hosts_change_their_own_entries(&whole, leaves.div_ceil(4), seed))?;
    }
}

proptest! {
    #![proptest_config(cases(100))]

    /// With the whole fabric as reference, lost equipment changes only forced entries. One more lost link changes one in
    /// twenty of the others at most, 0.2 % on the mean of 76: entries that are displaced already. Drawn anew, it does not
    /// hold for 42 of 15,000 trees: the worst changed 11 %.
    #[test]
    fn with_a_reference(
        tree in tree(), seed: u64, share in 0.0..0.3, switches in 0usize..=3, hosts in 0usize..=3,
    ) {
        let whole = shuffled(&tree, seed);
        let less = whole.without_nodes(&some_hosts(&whole, hosts, &mut Random::new(seed)));
        let less = damaged(&less, seed, share);
        let less = match less.without_switches(switches, seed, false) {
            Ok((fewer, _)) => fewer,
            Err(_) => less,
        };
        let after = Routed::with_reference(&less, &whole);
        let result = (|| {
            prop_assert_eq!(after.defect(), None);
            // Entries in the way of a detour between hosts may move, too.
            let moved = Routed::new(&whole).changes(&up_down(&less, &whole));
            prop_assert_eq!(moved.needless.entries, 0);
            if let Ok((fewer, _)) = less.without_links(1, seed) {
                let [now, then] = [&less, &fewer].map(|net| up_down(net, &whole));
                let entries = then.tables.len() * then.fabric.lid_count();
                let moved = now.changes(&then).needless.entries;
                prop_assert!(20 * moved <= entries.max(600), "{} of {}", moved, entries);
            }
            Ok(())
        })();
        printed(&less, result)?;
    }
}

proptest! {
    #![proptest_config(cases(25))]

    /// The order of discovery makes no difference: the fabric, of which tables are made, is the same.
    #[test]
    fn the_order_of_discovery_does_not_matter(tree in tree(), seed: u64) {
        let whole = shuffled(&tree, seed);
        let other = listed_otherwise(&whole, &mut Random::new(seed));
        prop_assert!(whole.to_fabric(None) == other.to_fabric(None));
    }
}

/// The same fabric with nodes and ports in another order, written and read.
fn listed_otherwise(netlist: &Netlist, random: &mut Random) -> Netlist {
    let mut order: Vec<u32> = (0..netlist.nodes.len() as u32).collect();
    random.shuffle(&mut order);
    let mut place = vec![0; order.len()];
    for (to, &from) in (0..).zip(&order) {
        place[from as usize] = to;
    }
    let mut other = Netlist::default();
    for from in order {
        let mut node = netlist.nodes[from as usize].clone();
        for port in &mut node.ports {
            port.peer = place[port.peer as usize];
        }
        random.shuffle(&mut node.ports);
        other.nodes.push(node);
    }
    Netlist::parse(&other.to_text()).expect("what is written can be read")
}

proptest! {
    // A smaller seed is no simpler case.
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, ..cases(5) })]

    /// Displaced entries for consecutive hosts mostly go to different ports: SP is 2, with two to five of 18 spines gone
    /// 3 at most.
    #[test]
    fn all_shifts_without_up_to_five_spines(seed: u64, switches in 1usize..=5) {
        let whole = pgft(SMALL, seed);
        let less = without_switches(&whole, switches, seed);
        let routed = Routed::with_reference(&less, &whole);
        prop_assert!(routed.sp() <= 2 + u32::from(switches > 1), "{}", routed.sp());
    }
}

/// The last hosts of two leaves go, beside a half-full leaf, so that few vote on the last slot. No other entry changes.
#[test]
fn two_hosts_beside_a_leaf_that_is_half_full() {
    let whole = shuffled(&Rlft::new(26, 8).expect("7 leaves"), 1);
    let last = |leaf: u32| format!("node-{}", 4 * leaf + 3);
    let hosts = [0, 1, 2, 3, 4, 5].map(|leaf| node_at(&whole, &last(leaf)));
    let before = Routed::new(&whole);
    for (i, &a) in hosts.iter().enumerate() {
        for &b in &hosts[..i] {
            let after = Routed::new(&whole.without_nodes(&[a, b]));
            only_their_own("they go", &before, &after).expect("nothing else moves");
        }
    }
}

/// One host goes where leaves have some hosts, at any ports. Since leaves vote on the ports, there is always some
/// fabric in which one host decides: one or two in a thousand of these.
#[test]
fn one_host_on_partly_populated_trees() {
    let mut moved = 0;
    for case in 0..60 {
        let seed = seed(case);
        let mut random = Random::new(seed);
        let leaves = 6 + random.below(19);
        let whole = pgft(&format!("PGFT(2;18,{leaves};1,9;1,1)"), seed);
        let hosts = 18 * leaves;
        let gone = some_hosts(&whole, hosts * random.below(80) / 100, &mut random);
        let less = whole.without_nodes(&gone);
        let one_less = less.without_nodes(&some_hosts(&less, 1, &mut random));
        let result = only_their_own("one goes", &Routed::new(&less), &Routed::new(&one_less));
        println!("{leaves} leaves, seed {seed}: {result:?}");
        moved += usize::from(result.is_err());
    }
    assert!(moved <= 2);
}

/// Lost links of 8,640 nodes, and the limits of A2A, RP and SP, for the median over the seeds. Limits of RP are one
/// above the best of OpenSM's engines and the paper's rule, limits of SP are sssp's figures.
const GOALS: [(usize, [u32; 3]); 3] = [
    (1, [115, 13, 12]),
    (10, [150, 13, 16]),
    (100, [215, 14, 24]),
];

/// Checks some of the measures on some seeds. A single seed may be a fifth worse. A leaf that has lost half of its
/// uplinks sends twice as much over each of the others, whatever the routes are: seeds with a leaf that keeps fewer
/// than 4 of 6 do not count.
fn reach(seeds: u64, measures: &[usize]) {
    let seeds: Vec<u64> = (0..seeds).map(seed).collect();
    let mut found = vec![Vec::new(); GOALS.len()];
    for &seed in &seeds {
        let whole = pgft(A, seed);
        let before = Routed::new(&whole);
        for ((links, _), found) in GOALS.into_iter().zip(&mut found) {
            let less = without_links(&whole, links, seed);
            let mut nodes = less.nodes.iter();
            let keeps = |leaf: &Node| {
                let mut up = leaf.ports.iter().filter(|p| !is_host(&less, p.peer));
                !leaf.description.starts_with("L1-") || up.nth(3).is_some()
            };
            let counts = nodes.all(keeps);
            let after = Routed::new(&less);
            let changes = before.changes(&after);
            let traffic = after.traffic();
            let risk = |measure: &usize| match measure {
                0 => traffic.all_to_all(&|_| ()).value,
                1 => traffic.random_permutations(200, seed, &|_| ()).value,
                _ => traffic.shifts(&|_| ()).value,
            };
            let risks: Vec<u32> = measures.iter().map(risk).collect();
            println!("{links} links, seed {seed}: {risks:?}, {changes:?}, counts: {counts}");
            assert!(changes.forced.entries > 0);
            assert!(changes.needless.entries * 100 <= changes.forced.entries);
            if counts {
                found.push(risks);
            }
        }
    }
    for ((links, limits), found) in GOALS.into_iter().zip(&found) {
        for (at, &measure) in measures.iter().enumerate() {
            let mut risks: Vec<u32> = found.iter().map(|risks| risks[at]).collect();
            risks.sort_unstable();
            println!("{links} links, measure {measure}: {risks:?}");
            let Some(&worst) = risks.last() else { continue };
            let median = risks[risks.len() / 2];
            assert!(seeds.len() == 1 || median <= limits[measure]);
            assert!(worst * 5 <= limits[measure] * 6);
        }
    }
}

#[test]
fn goals_of_all_to_all() {
    if long::runs("8,640 nodes") {
        reach(1, &[0]);
    }
}

#[test]
#[ignore = "minutes; `make stable`"]
fn goals_of_all_measures() {
    reach(10, &[0, 1, 2]);
}

/// A bound of A2A by entries that stay: the most routes that a neighbour still sends up through a switch, per link up.
fn bound_with_standing_entries(whole: &Routed, less: &Routed) -> u32 {
    let (fabric, ranking) = (&less.fabric, less.plan.ranking());
    let next = |s, port| fabric.far(s, PortNumber(port)).map(|(next, _)| next);
    let mut most = 0;
    for s in fabric.switches().keys().filter(|&s| ranking.rank(s) > 0) {
        let above = |&n: &SwitchId| ranking.is_up(s, n);
        let up = fabric.neighbours(s).filter(above).count() as u32;
        for below in fabric.neighbours(s).filter(|&n| ranking.is_up(n, s)) {
            let guid = fabric.switches()[below].guid;
            let was = whole.fabric.switch_by_guid(guid).expect("it was there");
            let stays = |lid: &Lid| {
                let port = less.tables.get(below, *lid);
                port == whole.tables.get(was, *lid)
                    && next(below, port) == Some(s)
                    && next(s, less.tables.get(s, *lid)).is_some_and(|n| ranking.is_up(s, n))
            };
            let lids = fabric.end_nodes().iter().map(|node| node.lid);
            let sent = lids.filter(stays).count() as u32;
            most = most.max(sent.checked_div(up).map_or(0, |_| sent.div_ceil(up)));
        }
    }
    most
}

/// Without 12 or 40 upper switches, A2A is at most a tenth above the cut bound, or above the bound of the entries that
/// stay. Pods without a common switch need detours, which the bound does not count: A2A is that of the up-down routes.
/// The tables with detours have no defect and leave no pair out. Returns the number of throws with detours.
fn near_the_bound(seeds: impl IntoIterator<Item = u64>) -> usize {
    let mut apart = 0;
    for seed in seeds {
        let whole = pgft(A, seed);
        let before = Routed::new(&whole);
        for switches in [12, 40] {
            let less = without_switches(&whole, switches, seed);
            let turned = Routed::with_reference(&less, &whole);
            assert_eq!(turned.defect(), None);
            assert_eq!(turned.plan.connections().left_out, 0);
            let routed = up_down(&less, &whole);
            let (risk, bound) = (routed.a2a(), routed.bound());
            let stays = bound_with_standing_entries(&before, &routed);
            let unreachable = routed.plan.unreachable().count;
            println!(
                "{switches} switches, seed {seed}: A2A {risk}, bound {bound}, of what stays {stays}, \
                 {unreachable} pairs turn"
            );
            apart += usize::from(unreachable > 0);
            assert!(10 * risk <= 11 * bound.max(stays));
        }
    }
    apart
}

#[test]
fn all_to_all_without_upper_switches() {
    if long::runs("8,640 nodes") {
        assert_eq!(near_the_bound([4]), 1, "with 40 switches gone");
    }
}

#[test]
#[ignore = "minutes; `make stable`"]
fn all_to_all_without_upper_switches_many_times() {
    near_the_bound((0..40).map(seed));
}
