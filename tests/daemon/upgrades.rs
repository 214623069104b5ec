//! Switches above the leaves get new firmware, one after the other: what packets between hosts meet. Under Dmodc each
//! is drained first; updn and ftree cannot empty it. The tables of these are the stock OpenSM's.

use crate::storm::{NODES_100, NODES_648};
use crate::support::*;
use dmodc::dmodc::{Drained, Engine};
use dmodc::fabric::{Fabric, Peer};
use dmodc::lft::Tables;
use dmodc::netlist::Netlist;
use dmodc::random::Random;
use dmodc_lab::between::{between, blocks_as_sent};
use dmodc_lab::compare::{EngineSpec, MultiEngineRun, Outcome};
use std::env;
use std::sync::Arc;
use std::time::Duration;

/// How a switch is taken out: its name, whether Dmodc drains it before, and whether Dmodc knows the whole fabric.
const WAYS: [(&str, bool, bool); 5] = [
    ("dmodc, drained, reference", true, true),
    ("dmodc, drained", true, false),
    ("dmodc", false, false),
    ("updn+roots", false, false),
    ("ftree+roots", false, false),
];

/// A fabric and its tables.
type State<'s> = (&'s Fabric, &'s Tables);

/// What one upgrade came to.
#[derive(Clone, Copy)]
struct Upgrade {
    /// Pairs of hosts, and those of them of which packets were lost at some time.
    pairs: u64,
    hurt: u64,
    /// Entries that packets between hosts used, and that changed when the switch went.
    entries: usize,
    /// Blocks that were sent, from the first step to the last.
    blocks: u32,
}

/// Follows all packets through the steps; in one of them, the switch goes.
fn follow(steps: &[State<'_>], goes: usize) -> Upgrade {
    let mut found = Upgrade {
        pairs: 0,
        hurt: 0,
        entries: 0,
        blocks: 0,
    };
    for (step, pair) in steps.windows(2).enumerate() {
        let (before, after) = (pair[0], pair[1]);
        let met = between(before, after, &blocks_as_sent(before, after));
        found.pairs = met.standing.pairs + met.cut.pairs;
        found.hurt += met.standing.hurt + met.cut.hurt;
        found.blocks += met.blocks;
        if step == goes {
            found.entries = changed(before, after);
        }
    }
    found
}

/// The entries that take packets of hosts to hosts, and that are others afterwards.
fn changed(before: State<'_>, after: State<'_>) -> usize {
    let switches = before.0.switches();
    let now: Vec<Option<u32>> = switches
        .iter()
        .map(|s| after.0.switch_by_guid(s.guid))
        .collect();
    let mut changed = 0;
    for node in before.0.end_nodes() {
        let mut seen = vec![false; switches.len()];
        for sender in before.0.end_nodes() {
            let mut at = sender.switch;
            while !std::mem::replace(&mut seen[at as usize], true) {
                let port = before.1.get(at, node.lid);
                let is = now[at as usize].map(|s| after.1.get(s, node.lid));
                changed += usize::from(is != Some(port));
                match before.0.peer(at, port) {
                    Peer::Switch { index, .. } => at = index,
                    _ => break,
                }
            }
        }
    }
    changed
}

fn fabric(netlist: &Netlist) -> Fabric {
    netlist.to_fabric(None).expect("LIDs").0
}

fn routed(engine: &Engine, fabric: &Fabric, options: &Options) -> Tables {
    let plan = engine.plan(fabric, options).expect("a tree");
    let (tables, _) = engine
        .tables(fabric, &plan)
        .expect("tables of the right size");
    tables
}

/// The tables of an engine in OpenSM.
fn by_opensm(netlist: &Netlist, fabric: &Fabric, name: &str) -> Tables {
    let spec: EngineSpec = name.parse().expect("a name");
    let runs = MultiEngineRun::new(opensm::plugin(), Duration::from_secs(300));
    let answer = runs.route(netlist, &[spec]).expect("OpenSM runs");
    match &answer.outcomes[0] {
        Outcome::Routed(copied, ..) => copied.tables(fabric),
        Outcome::NoTables(why) => panic!("{name}: {why}"),
    }
}

/// The upgrades of some switches above the leaves, chosen at random, in one way.
fn upgrades(
    net: &Netlist,
    switches: usize,
    (name, drains, knows): (&str, bool, bool),
) -> Vec<Upgrade> {
    let engine = Engine::new(0).expect("threads");
    let whole = fabric(net);
    let options = |drain: Vec<Drained>| Options {
        drain,
        reference: knows.then(|| Arc::new(whole.clone())),
        ..Options::default()
    };
    let tables = |netlist: &Netlist, fabric: &Fabric, drain| match name.starts_with("dmodc") {
        true => routed(&engine, fabric, &options(drain)),
        false => by_opensm(netlist, fabric, name),
    };
    let first = tables(net, &whole, vec![]);
    let mut upper = net.removable_switches(false);
    Random::new(1).shuffle(&mut upper);
    let one = |&node: &u32| {
        let without = net.without_nodes(&[node]);
        let less = fabric(&without);
        let gone = tables(&without, &less, vec![]);
        if !drains {
            let steps = [(&whole, &first), (&less, &gone), (&whole, &first)];
            return follow(&steps, 0);
        }
        let switch = net.nodes[node as usize].guid;
        let empty = tables(net, &whole, vec![Drained { switch, port: None }]);
        let (full, empty) = ((&whole, &first), (&whole, &empty));
        follow(&[full, empty, (&less, &gone), empty, full], 1)
    };
    upper.iter().take(switches).map(one).collect()
}

#[test]
fn what_is_drained_first_loses_no_packet_and_what_is_not_does() {
    let net = Net::pgft_with_lids(NODES_100);
    for way in WAYS {
        let all = upgrades(&net.netlist, 2, way);
        let hurt: u64 = all.iter().map(|one| one.hurt).sum();
        let entries: usize = all.iter().map(|one| one.entries).sum();
        assert_eq!((hurt == 0, entries == 0), (way.1, way.1), "{way:?}");
    }
}

/// A table of `UPGRADES_SHAPE` (648 nodes): `UPGRADES_SWITCHES` (all) switches, in each way of `UPGRADES_WAYS` (all, by
/// their first words).
#[test]
#[ignore = "long: make events"]
fn table() {
    let shape = env::var("UPGRADES_SHAPE").unwrap_or(NODES_648.into());
    let switches = env::var("UPGRADES_SWITCHES").ok();
    let switches = switches.map_or(usize::MAX, |n| n.parse().expect("a number"));
    let names = env::var("UPGRADES_WAYS").unwrap_or("dmodc,updn,ftree".into());
    let net = Net::pgft_with_lids(&shape);
    println!(
        "{shape}\n\n| engine | switches | pairs that lose packets, mean | most | entries of hosts that change when it goes, \
         mean | most | blocks sent, mean |\n|---|--:|--:|--:|--:|--:|--:|"
    );
    for way in WAYS {
        if !names.split(',').any(|name| way.0.starts_with(name)) {
            continue;
        }
        let all = upgrades(&net.netlist, switches, way);
        let mean =
            |of: &dyn Fn(&Upgrade) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let most = |of: &dyn Fn(&Upgrade) -> f64| all.iter().map(of).fold(0.0, f64::max);
        // None is told from few.
        let percent = |share: f64| match share {
            0.0 => "0".to_owned(),
            _ => format!("{:.2} %", share * 100.0),
        };
        let share = |one: &Upgrade| one.hurt as f64 / one.pairs as f64;
        let entries = |one: &Upgrade| one.entries as f64;
        println!(
            "| {} | {} | {} | {} | {:.0} | {:.0} | {:.0} |",
            way.0,
            all.len(),
            percent(mean(&share)),
            percent(most(&share)),
            mean(&entries),
            most(&entries),
            mean(&|one| one.blocks.into())
        );
    }
}
