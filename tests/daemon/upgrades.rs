//! Switches above the leaves get new firmware under a running OpenSM, one after the other: the pairs of hosts that lose
//! packets. Dmodc can drain each switch first; updn and ftree cannot.

use crate::storm::cables::Cables;
use crate::storm::measured::Measured;
use crate::storm::{NODES_100, NODES_648, asked, number_of};
use crate::support::*;
use crate::trace::figures::hops;
use dmodc::dmodc::Drained;
use dmodc::random::Random;
use dmodc_lab::between::{Routed, between, blocks_as_sent};
use std::collections::BTreeSet;
use std::env;
use std::fs;

/// Engines; under the first two Dmodc drains each switch before, without and with a reference.
const WAYS: [&str; 5] = ["drained-alone", "drained", "dmodc", "updn", "ftree"];

/// The result of one upgrade.
#[derive(Default)]
struct Upgrade {
    /// Pairs of hosts, and pairs that lost packets at some time, summed over the steps.
    pairs: u64,
    hurt: u64,
    /// Entries that packets between hosts used, and that changed when the switch went.
    entries: usize,
    /// Blocks that were sent, from the first step to the last.
    blocks: u32,
}

/// The number of entries that packets between hosts use, and that change.
fn changed(before: Routed, after: Routed) -> usize {
    let senders: BTreeSet<u32> = before.0.end_nodes().iter().map(|n| n.switch).collect();
    let mut changed = 0;
    for node in before.0.end_nodes() {
        let mut seen = vec![false; before.0.switches().len()];
        for &sender in &senders {
            let new = |&(at, ..): &(u32, _, _)| !std::mem::replace(&mut seen[at as usize], true);
            let hops = hops(before, after, sender, node.lid).take_while(new);
            changed += hops.filter(|(_, was, is)| Some(*was) != *is).count();
        }
    }
    changed
}

/// Upgrades a switch: it is drained if `drains`, goes, comes back, and is used again.
fn upgrade(fabric: &mut Measured, node: u32, drains: bool) -> Upgrade {
    let mut found = Upgrade::default();
    let switch = &fabric.live.netlist.nodes[node as usize];
    let cables = fabric.live.cables.of(|n| n == node);
    let (mut drained, mut file) = (Vec::new(), String::new());
    if drains {
        drained = vec![Drained {
            switch: switch.guid,
            port: None,
        }];
        file = format!("{}\n", switch.guid);
    }
    let mut step = |what: &str, is_drained: bool, change: &dyn Fn(&mut Cables)| {
        if let Some(options) = &mut fabric.options
            && drains
        {
            let (drain, file) = if is_drained {
                (&drained[..], &*file)
            } else {
                (&[][..], "")
            };
            options.drain = drain.to_vec();
            fs::write(fabric.live.sim.dir().join("drain"), file).expect("written");
        }
        let before = fabric.happens(what, change);
        let (before, after) = ((&before.0, &before.1), (&fabric.held.0, &fabric.held.1));
        let met = between(before, after, &blocks_as_sent(before, after));
        found.pairs = met.standing.pairs + met.cut.pairs;
        found.hurt += met.standing.hurt + met.cut.hurt;
        found.blocks += met.blocks;
        changed(before, after)
    };
    if drains {
        step("drained", true, &|_| ());
    }
    let entries = step("goes", true, &|all| {
        cables.iter().for_each(|&c| all.unplug(c))
    });
    step("comes back", true, &|all| {
        all.forget(&[node]);
        cables.iter().for_each(|&c| all.plug(c));
    });
    if drains {
        step("used again", false, &|_| ());
    }
    Upgrade { entries, ..found }
}

/// The upgrades of some switches above the leaves, chosen at random, under an engine.
fn upgrades(net: &Net, switches: usize, engine: &'static str) -> Vec<Upgrade> {
    let mut fabric = Measured::start(engine, net, |_| ());
    let mut upper = net.netlist.removable_switches(false);
    Random::new(1).shuffle(&mut upper);
    let drains = engine.starts_with("drained");
    let some = upper.iter().take(switches);
    some.map(|&node| upgrade(&mut fabric, node, drains))
        .collect()
}

#[test]
fn only_upgrades_without_a_drain_lose_packets() {
    let net = Net::pgft_with_lids(NODES_100);
    for engine in WAYS {
        let all = upgrades(&net, 2, engine);
        let hurt: u64 = all.iter().map(|one| one.hurt).sum();
        let entries: usize = all.iter().map(|one| one.entries).sum();
        let drains = engine.starts_with("drained");
        assert_eq!((hurt == 0, entries == 0), (drains, drains), "{engine}");
    }
}

/// A table of `UPGRADES_SHAPE` (648 nodes): `UPGRADES_SWITCHES` (all) switches, each engine of `UPGRADES_WAYS` (all).
#[test]
#[ignore = "long: make events"]
fn table() {
    let shape = env::var("UPGRADES_SHAPE").unwrap_or(NODES_648.into());
    let switches = number_of("UPGRADES_SWITCHES", usize::MAX);
    let net = Net::pgft_with_lids(&shape);
    println!(
        "{shape}\n\n| engine | switches | pairs that lose packets, mean | most | entries of hosts that change when it goes, \
         mean | most | blocks sent, mean |\n|---|--:|--:|--:|--:|--:|--:|"
    );
    for engine in asked("UPGRADES_WAYS", &WAYS) {
        let all = upgrades(&net, switches, engine);
        let mean =
            |of: &dyn Fn(&Upgrade) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let most = |of: &dyn Fn(&Upgrade) -> f64| all.iter().map(of).fold(0.0, f64::max);
        // Distinguishes none from few.
        let percent = |share: f64| match share {
            0.0 => "0".to_owned(),
            _ => format!("{:.2} %", share * 100.0),
        };
        let share = |one: &Upgrade| one.hurt as f64 / one.pairs as f64;
        let entries = |one: &Upgrade| one.entries as f64;
        println!(
            "| {engine} | {} | {} | {} | {:.0} | {:.0} | {:.0} |",
            all.len(),
            percent(mean(&share)),
            percent(most(&share)),
            mean(&entries),
            most(&entries),
            mean(&|one| one.blocks.into())
        );
    }
}
