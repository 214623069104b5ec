//! What holds of every fabric that is routed, held to a great many: every pair that an up-down path
//! joins is delivered, in at most as many hops as its cost says, and its route never goes up after it
//! has gone down; every other pair that links join is delivered by a turn or named as left out; all
//! routes together have no circle in the channel dependency graph; what is refused has a circle of
//! switches beside one another.
//!
//! `make invariants` takes 100,000 fabrics; every test run takes some.

use crate::random_fabrics::{FAMILIES, Family, parts};
use crate::whole_graph::{arrives, has_circle, lids};
use dmodc::analysis::{CheckReport, check};
use dmodc::dmodc::multicast::{Terrain, Tree};
use dmodc::dmodc::{Engine, Faults, OnUnreachable, Options, Plan, RouteError};
use dmodc::fabric::{Fabric, Guid, Lid, NodeKind, Peer, lid_range};
use dmodc::lft::{NO_PATH, Tables};
use dmodc::random::Random;
use std::collections::BTreeSet;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Wants all that is said above of one fabric; what became of pairs without an up-down path. `None` if
/// it was refused.
fn hold(engine: &Engine, fabric: &Fabric, options: &Options) -> Option<Share> {
    let plan = match engine.plan(fabric, options) {
        Ok(plan) => plan,
        Err(RouteError::NotATree(circle)) => {
            assert!(circle.len() > 2, "{circle:?}");
            let index = |guid: &Guid| fabric.switch_by_guid(*guid).expect("a switch");
            let around = circle.iter().zip(circle.iter().cycle().skip(1));
            for (a, b) in around.take(circle.len() - 1) {
                let mut peers = fabric.peers_of(index(a)).iter();
                let b = index(b);
                let linked = peers.any(|p| matches!(p, Peer::Switch { index, .. } if *index == b));
                assert!(linked, "{circle:?} is no way");
            }
            return None;
        }
        Err(other) => panic!("{other}"),
    };
    let (tables, _) = engine
        .tables(fabric, &plan)
        .expect("tables of the right size");
    let ranking = plan.ranking();
    let report = check(fabric, &tables, |a, b| ranking.is_up(a, b));
    assert_eq!(report.undelivered(), 0, "{report:#?}");
    assert_eq!(report.turns.routes, 0, "{report:#?}");
    assert_eq!(report.credit_loops.count, 0, "{report:#?}");
    let trees = trees(fabric, &plan);
    assert!(!has_circle(fabric, &tables, &trees));
    costs_hold(fabric, &plan, &tables);
    Some(connections_hold(
        engine, fabric, options, &plan, &tables, &report,
    ))
}

/// The trees of a few multicast groups: of all hosts, and of some. Who is left out has no links to the
/// others, or has no turn left.
fn trees(fabric: &Fabric, plan: &Plan) -> Vec<Tree> {
    let mut members: Vec<u32> = fabric.end_nodes().iter().map(|n| n.switch).collect();
    members.sort_unstable();
    members.dedup();
    let mut random = Random::new(fabric.max_lid().index() as u64);
    let capable: Vec<bool> = (fabric.switches().iter())
        .map(|_| random.below(10) > 0)
        .collect();
    let all = vec![true; capable.len()];
    let may_turn = |from, at, to| plan.may_turn(from, at, to);
    let mut trees = Vec::new();
    for (mlid, capable) in (0xC000..).zip([&all, &capable, &all]) {
        let terrain = Terrain::new(fabric, plan.ranking(), capable, &may_turn);
        if let Some(tree) = terrain.tree(&members, mlid) {
            let left_out: BTreeSet<u32> = tree.left_out.iter().copied().collect();
            reaches_all_else(&members, &left_out, &tree);
            trees.push(tree);
        }
        members.retain(|_| random.below(3) > 0);
    }
    trees
}

/// Wants a tree: its links join all members but those left out, and no link is too many.
fn reaches_all_else(members: &[u32], left_out: &BTreeSet<u32>, tree: &Tree) {
    let ends = tree.edges.iter().flat_map(|edge| [edge[0].0, edge[1].0]);
    let mut joined: BTreeSet<u32> = ends.collect();
    let reached: Vec<u32> = (members.iter().copied())
        .filter(|member| !left_out.contains(member))
        .collect();
    if joined.is_empty() {
        assert!(reached.len() <= 1);
        joined.extend(&reached);
    }
    assert!(reached.iter().all(|member| joined.contains(member)));
    assert!(
        joined.is_empty() || tree.edges.len() + 1 == joined.len(),
        "{tree:?}"
    );
}

/// Pairs of switch and LID without an up-down path.
#[derive(Clone, Copy, Default)]
struct Share {
    turned: u64,
    left_out: u64,
    /// Those of `left_out` that no links join.
    apart: u64,
}

/// Pairs without an up-down path turn or are named; the other entries are as if nobody turned.
fn connections_hold(
    engine: &Engine,
    fabric: &Fabric,
    options: &Options,
    plan: &Plan,
    tables: &Tables,
    report: &CheckReport,
) -> Share {
    let partial = Options {
        on_unreachable: OnUnreachable::Partial,
        ..options.clone()
    };
    let without = engine.plan(fabric, &partial).expect("the same fabric");
    let (up_down, _) = engine
        .tables(fabric, &without)
        .expect("tables of the right size");
    let left: BTreeSet<_> = plan.connections().left.iter().copied().collect();
    let part = parts(fabric);
    let mut share = Share::default();
    for to in lids(fabric) {
        for from in 0..fabric.switches().len() as u32 {
            let entry = up_down.get(from, to.0);
            if entry != NO_PATH {
                assert_eq!(tables.get(from, to.0), entry, "{from} to {to:?}");
                continue;
            }
            let is_left = left.contains(&(from, to.1));
            match arrives(fabric, tables, from, to) {
                Some(arrives) => {
                    assert!(arrives && !is_left, "{from} to {to:?}");
                    share.turned += 1;
                }
                None if is_left => {
                    share.left_out += 1;
                    share.apart += u64::from(part[from as usize] != part[to.1 as usize]);
                }
                None => assert!(!is_wanted(fabric, options, from, to.1), "{from} to {to:?}"),
            }
        }
    }
    assert_eq!(share.turned, plan.connections().turned as u64);
    assert_eq!(share.left_out, plan.connections().left_out as u64);
    assert_eq!(share.turned, report.turned.routes);
    if !options.connect_roots {
        let ends = plan.connections().left_out_ends(fabric);
        assert_eq!(share.left_out, report.left_out.routes);
        assert_eq!(ends, report.left_out_ends, "counts and names");
    }
    share
}

/// Whether a pair of switches is to be connected at all.
pub fn is_wanted(fabric: &Fabric, options: &Options, from: u32, to: u32) -> bool {
    let nodes = |s: u32| &fabric.end_nodes()[fabric.end_nodes_of(s)];
    let hosts = |s: u32| nodes(s).iter().any(|n| n.kind != NodeKind::Aggregation);
    let both = !nodes(from).is_empty() && !nodes(to).is_empty();
    options.connect_roots || hosts(from) || hosts(to) || both
}

/// No route is longer than its cost, and there is one wherever there is a cost.
fn costs_hold(fabric: &Fabric, plan: &Plan, tables: &Tables) {
    for node in fabric.end_nodes() {
        for lid in lid_range(node.lid, node.lmc).expect("a LID") {
            for from in 0..fabric.switches().len() as u32 {
                let (mut at, mut hops) = (from, 0);
                let Some(cost) = plan.hops(from, node.switch) else {
                    continue;
                };
                while at != node.switch {
                    assert!(hops < cost, "{from} to {lid} costs {cost}");
                    let Peer::Switch { index, .. } = fabric.peer(at, tables.get(at, Lid(lid)))
                    else {
                        panic!("{from} to {lid} ends at {at}");
                    };
                    (at, hops) = (index, hops + 1);
                }
                assert_eq!(tables.get(at, Lid(lid)), node.port);
            }
        }
    }
}

/// How many fabrics are wanted: so many, or `DMODC_FABRICS`.
pub fn fabrics_wanted(count: u64) -> u64 {
    env::var("DMODC_FABRICS").map_or(count, |n| n.parse().expect("a number"))
}

#[test]
fn hold_on_random_fabrics() {
    let count = fabrics_wanted(250);
    let engine = Engine::new(1).expect("a thread");
    println!(
        "| family | routed | no tree | in pieces | no up-down path | turned | left out | no links |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (number, (family, make)) in (0..).zip(FAMILIES) {
        let (mut routed, mut refused, mut apart) = (0, 0, 0);
        let mut all = Share::default();
        for seed in (number..count).step_by(FAMILIES.len()) {
            let fabric = make(Random::new(seed));
            let options = Options {
                connect_roots: seed % 3 == 0,
                faults: [Faults::Stable, Faults::Paper][usize::from(seed % 5 == 0)],
                ..Options::default()
            };
            let held = catch_unwind(AssertUnwindSafe(|| hold(&engine, &fabric, &options)));
            match held {
                Ok(Some(share)) => {
                    routed += 1;
                    all.turned += share.turned;
                    all.left_out += share.left_out;
                    all.apart += share.apart;
                }
                Ok(None) => refused += 1,
                Err(_) => panic!("{family:?}, seed {seed}: {fabric:#?}"),
            }
            apart += u64::from(parts(&fabric).iter().any(|&part| part != 0));
        }
        let Share {
            turned, left_out, ..
        } = all;
        let joined = (turned + left_out - all.apart).max(1) as f64;
        let percent = |n: u64| format!("{n} ({:.2} %)", 100.0 * n as f64 / joined);
        println!(
            "| {family:?} | {routed} | {refused} | {apart} | {joined} | {} | {} | {} |",
            percent(turned),
            percent(left_out - all.apart),
            all.apart
        );
        let trees = family != Family::Graph;
        assert!(
            routed > 0 && (!trees || refused * 10 < routed),
            "{family:?}"
        );
        assert!(
            turned * 10 > 9 * (turned + left_out - all.apart),
            "{family:?}"
        );
    }
}
