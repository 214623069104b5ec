//! Every small fabric: all connected graphs of up to 6 switches, each with two hosts on the switches of every set. What
//! is likely, random fabrics find; this finds what is there.
//!
//! A test run takes every ninth fabric, `DMODC_CASES=4` all of them and once more with double links, and
//! `DMODC_SWITCHES=7` those of 7 switches, too.

#[path = "../support/long.rs"]
mod long;
#[path = "../support/skip.rs"]
mod skip;

use dmodc_analysis::{CheckReport, check};
use dmodc_core::{Engine, Options, Plan, RouteError, Rule};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Fabric, SwitchId};
use fabrics::Net;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// All pairs of some switches: a graph is a set of these, as bits.
fn pairs(switches: u32) -> Vec<(u32, u32)> {
    (0..switches)
        .flat_map(|a| (a + 1..switches).map(move |b| (a, b)))
        .collect()
}

/// All orders of some switches.
fn orders(switches: u32) -> Vec<Vec<u32>> {
    (0..switches).fold(vec![Vec::new()], |orders, new| {
        let with_new = |order: &Vec<u32>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| [&order[..at], &[new], &order[at..]].concat())
        };
        orders.iter().flat_map(with_new).collect()
    })
}

/// One of each kind of connected graph of this many switches, as links.
fn graphs(switches: u32) -> Vec<Vec<(u32, u32)>> {
    let pairs = pairs(switches);
    let number = |a: u32, b: u32| pairs.iter().position(|&pair| pair == (a.min(b), a.max(b)));
    // By order of the switches: the pair that each pair becomes.
    let moved = orders(switches).into_iter().map(|order| {
        let new = pairs
            .iter()
            .map(|&(a, b)| number(order[a as usize], order[b as usize]));
        new.map(|number| number.expect("a pair")).collect()
    });
    let moved: Vec<Vec<usize>> = moved.collect();
    let mut known = vec![false; 1 << pairs.len()];
    let mut found = Vec::new();
    for graph in 0..known.len() {
        if known[graph] {
            continue;
        }
        let has = |pair: &usize| graph >> pair & 1 == 1;
        let links = (0..pairs.len()).filter(has);
        for moved in &moved {
            known[links.clone().map(|pair| 1 << moved[pair]).sum::<usize>()] = true;
        }
        let links: Vec<(u32, u32)> = links.map(|pair| pairs[pair]).collect();
        if is_connected(switches, &links) {
            found.push(links);
        }
    }
    found
}

fn is_connected(switches: u32, links: &[(u32, u32)]) -> bool {
    let net = Net {
        switches: switches as usize,
        ..Net::new(links, &[])
    };
    let parts = net.build().parts(|_| true);
    parts.iter().all(|part| *part == Some(SwitchId(0)))
}

/// Routes a fabric. Returns the plan, and what the judge says; `None` if the fabric is refused.
fn judged(engine: &Engine, fabric: &Fabric) -> Option<(Plan, CheckReport)> {
    let plan = match engine.plan(fabric, &Options::default()) {
        Err(RouteError::NotATree(_)) => return None,
        planned => planned.expect("a plan"),
    };
    let (tables, _) = engine.tables(fabric, &plan).expect("tables");
    let report = check(fabric, &tables, |a, b| plan.ranking().is_up(a, b));
    Some((plan, report))
}

/// Asserts that a fabric is routed soundly, and that all its hosts reach one another. Returns the rule of its ranks; `None` if
/// it is refused.
fn hold(engine: &Engine, fabric: &Fabric) -> Option<Rule> {
    let (plan, report) = judged(engine, fabric)?;
    assert!(report.passed(), "{report:#?}");
    assert_eq!(report.turns.routes, 0, "{report:#?}");
    let named = plan.connections().left_out_ends(fabric);
    assert_eq!(named, report.left_out_ends, "counts and names");
    assert!(
        named
            .counts()
            .all(|(from, to, _)| (from, to) != ("host", "host")),
        "{named:?}"
    );
    Some(plan.ranking().rule())
}

/// Packets turn into the way of the pins only from switches without a path. If those with one counted, too, all detours
/// to a LID of switch 1 went in a circle.
#[test]
fn switches_with_a_path_need_no_pins() {
    let links = [
        (0, 7),
        (0, 2),
        (7, 4),
        (7, 3),
        (4, 8),
        (4, 1),
        (8, 3),
        (2, 5),
        (1, 6),
    ];
    let fabric = Net::new(&links, &[0, 0, 0, 7, 8, 1, 6]).build();
    let engine = Engine::new(1).expect("a thread");
    assert!(hold(&engine, &fabric).is_some());
}

/// No fabric of 6 switches needs it, 175 of 7 do: neither hubs nor turns for single pairs connect all hosts, so ranks are
/// counted down from one switch.
#[test]
fn one_switch_above_all_others_connects_the_rest() {
    let links = [
        (0, 3),
        (0, 5),
        (0, 6),
        (1, 4),
        (1, 6),
        (2, 3),
        (2, 5),
        (3, 4),
    ];
    let fabric = Net::new(&links, &[2, 2, 3, 3, 4, 4, 6, 6]).build();
    let engine = Engine::new(1).expect("a thread");
    assert_eq!(hold(&engine, &fabric), Some(Rule::Roots));
}

#[test]
fn connects_all_its_hosts() {
    let is_long = long::runs("all graphs of 6 switches");
    let most = long::number("DMODC_SWITCHES", 6);
    let engine = Engine::new(1).expect("a thread");
    let (mut count, mut refused, mut below_one, mut failed) = (0, 0, 0, Vec::new());
    for switches in 1..=most {
        for links in graphs(switches) {
            for set in 1u32..1 << switches {
                count += 1;
                if !is_long && count % 9 != 0 {
                    continue;
                }
                let on = (0..switches).filter(|s| set >> s & 1 == 1);
                let hosts: Vec<u32> = on.flat_map(|s| [s, s]).collect();
                for times in 1..=1 + usize::from(is_long) {
                    let net = Net {
                        switches: switches as usize,
                        ..Net::new(&links.repeat(times), &hosts)
                    };
                    match catch_unwind(AssertUnwindSafe(|| hold(&engine, &net.build()))) {
                        Ok(None) => refused += 1,
                        Ok(Some(rule)) => below_one += usize::from(rule == Rule::Roots),
                        Err(_) => failed.push((times, links.clone(), hosts.clone())),
                    }
                }
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} as (links each, links, hosts): {failed:?}",
        failed.len()
    );
    println!(
        "{count} fabrics of up to {most} switches; of those tried {refused} refused, {below_one} put below one switch"
    );
    assert!(most != 6 || count == 7815, "{count}");
}

/// Two switches a level, 100 to 150 levels: a path can be too long for a cost where the switch above still has one, so such
/// fabrics get no detours. With some, the first of these has a wrong turn.
#[test]
fn deep_ladders_have_no_wrong_turn() {
    let engine = Engine::new(1).expect("a thread");
    for seed in 4632..4636 {
        let mut random = Random::new(seed);
        let height = 100 + random.below(50) as u32;
        let mut links = Vec::new();
        for (level, a, b) in (1..height).flat_map(|s| [(s, 0, 0), (s, 0, 1), (s, 1, 0), (s, 1, 1)])
        {
            if a == b || random.below(3) == 0 {
                links.push((2 * (level - 1) + a, 2 * level + b));
            }
        }
        for _ in 0..random.below(20) {
            links.remove(random.below(links.len()));
        }
        let mut hosts = vec![0, 0, 1, 1];
        for _ in 0..random.below(6) {
            hosts.extend([random.below(2 * height as usize) as u32; 2]);
        }
        let net = Net {
            switches: 2 * height as usize,
            ..Net::new(&links, &hosts)
        };
        let (_, report) = judged(&engine, &net.build()).expect("a tree");
        let is_sound = report.turns.routes == 0 && report.credit_loops.count == 0;
        assert!(is_sound && report.looping.routes == 0, "seed {seed}");
    }
}
