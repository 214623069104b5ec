//! Tests the whole algorithm on random trees. A test that fails prints the fabric as a netlist.

mod absent;
pub mod links;
mod paper;
mod properties;

use crate::{Engine, Options, Plan};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Fabric, PortNumber, Tables};
use dmodc_formats::netlist::generate::{Order, Pgft, build};
use dmodc_formats::netlist::{Kind, Netlist};
use proptest::prelude::*;

/// A PGFT with shuffled GUIDs and LIDs, less some of its links and switches.
pub fn degraded(shape: Pgft, seed: u64, links: f64, switches: f64) -> Netlist {
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
    let mut gone: Vec<(u32, PortNumber)> = Vec::new();
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

/// A netlist as text.
pub fn text(netlist: &Netlist) -> String {
    let mut text = Vec::new();
    netlist.write(&mut text).expect("writing to memory");
    String::from_utf8_lossy(&text).into_owned()
}

/// The plan and the tables.
pub fn route(fabric: &Fabric, options: &Options, threads: usize) -> (Plan, Tables) {
    let engine = Engine::new(threads).expect("threads");
    let plan = engine.plan(fabric, options).expect("a tree");
    let (tables, _) = engine.tables(fabric, &plan).expect("tables that fit");
    (plan, tables)
}

/// Shapes of up to four levels.
pub fn shapes() -> impl Strategy<Value = Pgft> {
    (1usize..=4).prop_flat_map(|h| {
        let list = |most: usize| prop::collection::vec(1..=most, h);
        let most = if h == 4 { 3 } else { 5 };
        (list(most), list(most.min(4)), list(3)).prop_map(|(m, mut w, mut p)| {
            (w[0], p[0]) = (1, 1);
            Pgft::new(m, w, p).expect("a shape")
        })
    })
}

/// Leaves with many groups up: sets of candidates have several words, and choices repeat late.
pub fn wide_shapes() -> impl Strategy<Value = Pgft> {
    let p = prop_oneof![3 => Just(1usize), 1 => Just(2usize)];
    let (hosts, leaves, groups) = match cfg!(miri) {
        true => (1usize..=2, 2usize..=2, 65usize..=70),
        false => (1..=50, 2..=6, 60..=200),
    };
    (hosts, leaves, groups, p).prop_map(|(m, leaves, w, p)| {
        let w = if p == 1 { w } else { w / 2 };
        Pgft::new(vec![m, leaves], vec![1, w], vec![1, p]).expect("a shape")
    })
}
