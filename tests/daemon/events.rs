//! The entries that events change in the switches under a running OpenSM, by engine, and the harm that packets meet
//! meanwhile: `make events`.
//!
//! minhop and updn keep entries that are still shortest, so their changes and their final tables depend on the tables
//! before the event.

use crate::storm::faults::pods;
use crate::storm::measured::{Measured, print};
use crate::storm::{NODES_8640, asked, measures};
use crate::support::*;
use dmodc_fabric::random::Random;
use std::env;

/// `paper` is Dmodc with `faults=paper`, `partial` with `on_unreachable=partial`.
const ENGINES: [&str; 8] = [
    "dmodc", "auto", "partial", "paper", "updn", "ftree", "minhop", "sssp",
];

#[test]
#[ignore = "long: make events"]
fn under_a_running_opensm() {
    let net = Net::pgft_with_lids(&env::var("EVENTS_SHAPE").unwrap_or(NODES_8640.into()));
    for engine in asked("EVENTS_ENGINES", &ENGINES) {
        let columns = &[measures::reaction, measures::changed, measures::harm];
        let mut fabric = Measured::start(engine, &net, |_| (), columns);
        for (what, cables) in all_events(&fabric) {
            fabric.goes_and_comes([&what, &format!("{what}, back")], &cables, &[]);
        }
        print(engine, &fabric.rows);
    }
}

/// The cables that each event unplugs. A tree of two levels has no upper link, top switch and pod.
fn all_events(fabric: &Measured) -> Vec<(String, Vec<usize>)> {
    let (netlist, cables) = (fabric.live.netlist, &fabric.live.cables);
    let home = cables.home_switch();
    let level = |n: u32| netlist.nodes[n as usize].description.get(..3);
    let [leaf, middle, upper] =
        ["L1-", "L2-", "L3-"].map(|name| cables.cables_of(|n| level(n) == Some(name)));
    let mut random = Random::new(1);
    let mut hosts = cables.of_hosts();
    random.shuffle(&mut hosts);
    let mut links = [&middle[..], &upper].concat();
    links.sort_unstable();
    links.dedup();
    random.shuffle(&mut links);
    let first = |of: &[usize]| links.iter().copied().find(|cable| of.contains(cable));
    let mut events = vec![
        ("a host", vec![hosts[0]]),
        ("a leaf uplink", first(&leaf).into_iter().collect()),
        ("an upper link", first(&upper).into_iter().collect()),
        ("10 links", links[..10].to_vec()),
        ("100 links", links[..100.min(links.len() / 10)].to_vec()),
    ];
    for (what, name) in [
        ("a top switch", "L3-"),
        ("an upper switch", "L2-"),
        ("a leaf", "L1-"),
    ] {
        let all = 0..netlist.nodes.len() as u32;
        let switch = all.filter(|&n| level(n) == Some(name) && n != home).nth(2);
        events.push((what, cables.cables_of(|n| Some(n) == switch)));
    }
    let mut pods = pods(netlist).into_iter();
    let pod = pods.find(|pod| !pod.contains(&home) && pod.len() > 1);
    let pod = pod.unwrap_or_default();
    events.push(("a pod", cables.cables_of(|n| pod.contains(&n))));
    let named = events.into_iter().filter(|(_, cut)| !cut.is_empty());
    named.map(|(what, cut)| (what.to_owned(), cut)).collect()
}
