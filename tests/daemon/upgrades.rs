//! Switches above the leaves get new firmware under a running OpenSM, one after the other: the pairs of hosts that lose
//! packets. Dmodc can drain each switch first; updn and ftree cannot.

use crate::long;
use crate::storm::measured::{Measured, Row, print, sum};
use crate::storm::{NODES_100, NODES_648, asked, measures};
use crate::support::*;
use dmodc_fabric::random::Random;
use std::env;

/// Engines; under the first two Dmodc drains each switch before, without and with a reference.
const WAYS: [&str; 5] = ["drained-alone", "drained", "dmodc", "updn", "ftree"];

/// The upgrades of some switches above the leaves, chosen at random, under an engine: each is drained if the engine can,
/// goes, comes back, and is used again.
fn upgrades(net: &Net, switches: usize, engine: &'static str) -> Vec<Row> {
    let columns = &[
        measures::reaction,
        measures::lost,
        measures::changed_on_routes,
    ];
    let mut fabric = Measured::start(engine, net, |_| (), columns);
    let mut upper = net.netlist.removable_switches(false);
    Random::new(1).shuffle(&mut upper);
    let drains = engine.starts_with("drained");
    for &node in upper.iter().take(switches) {
        if drains {
            fabric.drain(&[node]);
            fabric.happens("drained", |_| ());
        }
        fabric.reboot(["goes", "comes back"], &[node]);
        if drains {
            fabric.drain(&[]);
            fabric.happens("used again", |_| ());
        }
    }
    fabric.rows
}

#[test]
fn only_upgrades_without_a_drain_lose_packets() {
    let net = Net::pgft_with_lids(NODES_100);
    for engine in WAYS {
        let rows = upgrades(&net, 2, engine);
        let hurt = sum(&rows, "", "hurt") + sum(&rows, "", "cut");
        let entries = sum(&rows, "goes", "entries of routes");
        let drains = engine.starts_with("drained");
        assert_eq!((hurt == 0.0, entries == 0.0), (drains, drains), "{engine}");
    }
}

/// A table of `UPGRADES_SHAPE` (648 nodes): `UPGRADES_SWITCHES` (all) switches, each engine of `UPGRADES_WAYS` (all).
#[test]
#[ignore = "long: make events"]
fn table() {
    let shape = env::var("UPGRADES_SHAPE").unwrap_or(NODES_648.into());
    let switches = long::number("UPGRADES_SWITCHES", usize::MAX);
    let net = Net::pgft_with_lids(&shape);
    for engine in asked("UPGRADES_WAYS", &WAYS) {
        let rows = upgrades(&net, switches, engine);
        print(&format!("{shape}, {engine}"), &rows);
    }
}
