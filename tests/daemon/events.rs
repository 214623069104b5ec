//! The entries that events change in the switches under a running OpenSM, by engine: `make events`.
//!
//! minhop and updn keep entries that are still shortest, so their changes and their final tables depend on the tables
//! before the event.
//!
//! A second table has the harm that packets meet meanwhile, with the blocks in the order in which OpenSM sends them and
//! in random order.

use crate::storm::cables::Cables;
use crate::storm::faults::pods;
use crate::storm::measured::{Measured, print};
use crate::storm::{NODES_8640, asked};
use crate::support::*;
use dmodc::random::Random;
use dmodc_lab::between::{Between, Harm, between, blocks_as_sent};
use std::env;

/// `paper` is Dmodc with `faults=paper`, `partial` with `on_unreachable=partial`.
const ENGINES: [&str; 8] = [
    "dmodc", "auto", "partial", "paper", "updn", "ftree", "minhop", "sssp",
];

/// A fabric under an engine, and lines of the second table.
struct Running<'n> {
    engine: &'static str,
    fabric: Measured<'n>,
    meanwhile: Vec<String>,
}

impl Running<'_> {
    /// Changes cables, and follows the packets while the tables change.
    fn change(&mut self, what: &str, change: impl FnOnce(&mut Cables)) {
        let before = self.fabric.happens(what, change);
        let (before, after) = (
            (&before.0, &before.1),
            (&self.fabric.held.0, &self.fabric.held.1),
        );
        let sent = blocks_as_sent(before, after);
        let mut random = sent.clone();
        Random::new(1).shuffle(&mut random);
        for (order, blocks) in [("as sent", &sent), ("random", &random)] {
            let found = columns(&between(before, after, blocks));
            let line = format!("| {what} | {} | {order} | {found}", self.engine);
            self.meanwhile.push(line);
        }
    }

    /// Unplugs cables, and plugs them in again.
    fn go_and_come_back(&mut self, what: &str, cut: &[usize]) {
        self.change(what, |cables| cut.iter().for_each(|&c| cables.unplug(c)));
        self.change(&format!("{what}, back"), |cables| {
            cut.iter().for_each(|&c| cables.plug(c));
        });
    }
}

/// The harm that packets met, as shares of all pairs.
fn columns(found: &Between) -> String {
    let all = (found.standing.pairs + found.cut.pairs).max(1);
    let share = |pairs: u64| match pairs {
        0 => "0".to_owned(),
        _ => format!("{:.3} %", pairs as f64 * 100.0 / all as f64),
    };
    let mut text = format!("{} | {} | ", found.blocks, share(found.cut.pairs));
    for group in [&found.standing, &found.cut] {
        for harm in [Harm::Hole, Harm::DeadLink, Harm::NotActive, Harm::Loop] {
            text += &format!("{} | ", share(group.met(harm)));
        }
        text += &format!("{:.0}, {} | ", group.mean(), group.longest);
    }
    let cycle = found.standing.met(Harm::Cycle) + found.cut.met(Harm::Cycle);
    text + &format!("{} |", share(cycle))
}

#[test]
#[ignore = "long: make events"]
fn under_a_running_opensm() {
    let net = Net::pgft_with_lids(&env::var("EVENTS_SHAPE").unwrap_or(NODES_8640.into()));
    let mut meanwhile = Vec::new();
    for engine in asked("EVENTS_ENGINES", &ENGINES) {
        let mut running = Running {
            engine,
            fabric: Measured::start(engine, &net, |_| ()),
            meanwhile: Vec::new(),
        };
        all_events(&mut running);
        println!("\n{engine}\n");
        print(&running.fabric.events);
        meanwhile.append(&mut running.meanwhile);
    }
    println!(
        "\n| event | engine | order | blocks sent | cut | standing: hole | dead link | not active | loop \
         | blocks, mean and most | cut: hole | dead link | not active | loop | blocks, mean and most | cycle |"
    );
    println!("|---|---|---|{}", "--:|".repeat(13));
    println!("{}", meanwhile.join("\n"));
}

fn all_events(running: &mut Running) {
    let netlist = running.fabric.live.netlist;
    let home = running.fabric.live.cables.home_switch();
    let level = |n: u32| netlist.nodes[n as usize].description.get(..3);
    let of_level = |running: &Running, name| {
        let is_it = |n| level(n) == Some(name);
        running.fabric.live.cables.of(is_it)
    };
    let mut random = Random::new(1);
    let mut hosts = running.fabric.live.cables.of_hosts();
    random.shuffle(&mut hosts);
    running.go_and_come_back("a host", &hosts[..1]);
    let (leaf_links, upper_links) = (of_level(running, "L1-"), of_level(running, "L3-"));
    let middle_links = of_level(running, "L2-");
    let mut links = [&middle_links[..], &upper_links].concat();
    links.sort_unstable();
    links.dedup();
    random.shuffle(&mut links);
    let first = |of: &[usize]| links.iter().copied().find(|cable| of.contains(cable));
    let (leaf_link, upper_link) = (first(&leaf_links), first(&upper_links));
    running.go_and_come_back("a leaf uplink", leaf_link.as_slice());
    running.go_and_come_back("an upper link", upper_link.as_slice());
    running.go_and_come_back("10 links", &links[..10]);
    running.go_and_come_back("100 links", &links[..100.min(links.len() / 10)]);
    for (what, name) in [
        ("a top switch", "L3-"),
        ("an upper switch", "L2-"),
        ("a leaf", "L1-"),
    ] {
        let all = 0..netlist.nodes.len() as u32;
        let switch = all.filter(|&n| level(n) == Some(name) && n != home).nth(2);
        let switch = switch.expect("several of each");
        let cut = running.fabric.live.cables.of(|n| n == switch);
        running.go_and_come_back(what, &cut);
    }
    let pods = pods(netlist);
    let mut others = pods
        .iter()
        .filter(|pod| !pod.contains(&home) && pod.len() > 1);
    let pod = others.next().expect("another pod");
    let cut = running.fabric.live.cables.of(|n| pod.contains(&n));
    running.go_and_come_back("a pod", &cut);
}
