//! What a cluster does in a week: hosts and racks reboot, switches are upgraded one after the other, a link
//! flaps, a host moves, cables are crossed, hosts and leaves are added, hosts come back with other LIDs.
//!
//! After each event the tables in ibsim's switches are those that Dmodc makes offline, and at the end those
//! of the beginning to the byte. A table has what each kind of event changed and sent, and how long it took.

use super::cables::Cables;
use super::live::Live;
use super::smps::{KINDS, Smps};
use super::watch::Reaction;
use super::{NODES_100, NODES_648, NODES_8640, engines, median_and_worst};
use crate::forced::{Forced, forced};
use crate::long;
use crate::support::*;
use dmodc::dmodc::{Faults, Ranking};
use dmodc::fabric::Fabric;
use dmodc::lft::Tables;
use dmodc::netlist::{Kind, Netlist};
use dmodc::random::Random;
use std::env;
use std::sync::Arc;

/// How often each thing happens.
struct Often {
    hosts: usize,
    racks: usize,
    flaps: usize,
    /// Leaves that are upgraded, and switches above them.
    upgrades: usize,
}

/// An event: what changed, and what OpenSM did.
struct Event {
    what: &'static str,
    changed: Forced,
    reaction: Reaction,
}

/// A fabric under an engine.
struct Week<'n> {
    engine: &'static str,
    live: Live<'n>,
    /// How Dmodc is to route, if it is the engine.
    options: Option<Options>,
    held: (Fabric, Tables),
    /// Cables that are still to be plugged in.
    late: [Vec<usize>; 2],
    events: Vec<Event>,
}

#[test]
fn a_week_of_100_nodes() {
    let often = Often {
        hosts: 1,
        racks: 1,
        flaps: 2,
        upgrades: 1,
    };
    let engines = match long::runs("a week without a reference") {
        true => &["dmodc", "auto"][..],
        false => &["auto"],
    };
    for engine in engines {
        let events = week(engine, NODES_100, &often);
        print(&events);
        let idle = events.iter().filter(|e| e.what == "nothing happens");
        assert!(idle.map(|e| e.changed.changed().entries).eq([0]));
    }
}

#[test]
#[ignore = "long: make soak"]
fn soak_week_648() {
    long("648", NODES_648, 144);
}

#[test]
#[ignore = "long: make soak"]
fn soak_week_8640() {
    long("8640", NODES_8640, 12);
}

/// `WEEK_UPGRADES` leaves and as many switches above them are upgraded, under each engine of `WEEK_ENGINES`.
fn long(name: &str, shape: &str, upgrades: usize) {
    let number = |name: &str| env::var(name).ok().map(|v| v.parse().expect("a number"));
    let often = Often {
        hosts: 10,
        racks: 5,
        flaps: number("WEEK_FLAPS").unwrap_or(100),
        upgrades: number("WEEK_UPGRADES").unwrap_or(upgrades),
    };
    let all = ["dmodc", "auto", "paper", "updn", "ftree"];
    let asked = env::var("WEEK_ENGINES").unwrap_or(all.join(","));
    for engine in all
        .into_iter()
        .filter(|e| asked.split(',').any(|a| a == *e))
    {
        let events = week(engine, shape, &often);
        println!("\n{name} nodes, {engine}, {} events", events.len());
        print(&events);
    }
}

fn week(engine: &'static str, shape: &str, often: &Often) -> Vec<Event> {
    // LIDs and GUIDs in random order.
    let net = Net::pgft_with_lids(shape);
    let mut week = Week::start(engine, &net);
    let is_leaf = |n: u32| net.netlist.nodes[n as usize].description.starts_with("L1-");
    let switches = (0..net.netlist.nodes.len() as u32)
        .filter(|&n| net.netlist.nodes[n as usize].kind == Kind::Switch)
        .filter(|&n| n != week.live.cables.home_switch());
    let mut random = Random::new(1);
    let (mut leaves, mut others): (Vec<u32>, Vec<u32>) = switches.partition(|&n| is_leaf(n));
    random.shuffle(&mut leaves);
    random.shuffle(&mut others);

    // The fabric grows until it is whole.
    for (what, late) in ["a host is added", "a leaf is added"]
        .into_iter()
        .zip(week.late.clone())
    {
        week.happens(what, |c| late.iter().for_each(|&cable| c.plug(cable)));
    }
    week.happens("nothing happens", |_| ());
    let whole = week.rows().clone();

    let mut hosts = week.live.cables.of_hosts();
    random.shuffle(&mut hosts);
    for &host in &hosts[..often.hosts] {
        week.reboot(
            ["a host goes", "it comes back"],
            &[week.live.cables.ca_of(host)],
        );
    }
    for &leaf in &leaves[..often.racks] {
        let ports = &net.netlist.nodes[leaf as usize].ports;
        let peers = ports.iter().map(|p| p.peer);
        let rack = peers.filter(|&n| net.netlist.nodes[n as usize].kind == Kind::Ca);
        let rack: Vec<u32> = rack.collect();
        week.reboot(["a rack goes", "the rack comes back"], &rack);
    }
    week.happens("a host goes", |c| c.unplug(hosts[0]));
    week.happens("another moves there", |c| c.move_host(hosts[1], hosts[0]));
    week.happens("both return", |c| {
        c.move_host(hosts[0], hosts[1]);
        c.plug(hosts[0]);
    });
    week.happens("two hosts change places", |c| {
        c.exchange(hosts[0], hosts[1])
    });
    week.happens("they change back", |c| c.exchange(hosts[0], hosts[1]));
    let mut links = week.live.cables.of(|n| others.contains(&n));
    random.shuffle(&mut links);
    let uplinks = week.live.cables.of(is_leaf);
    let mut uplinks = links.iter().copied().filter(|c| uplinks.contains(c));
    let [a, b] = [0; 2].map(|_| uplinks.next().expect("an uplink"));
    // With no sweep between, OpenSM itself may be left without a link that is there.
    for what in ["two uplinks are crossed", "they are put right"] {
        week.happens("two uplinks are pulled", |c| {
            [a, b].iter().for_each(|&l| c.unplug(l))
        });
        week.happens(what, |c| c.cross(a, b));
    }
    for _ in 0..often.flaps {
        week.happens("a link flaps: down", |c| c.unplug(links[0]));
        week.happens("a link flaps: up", |c| c.plug(links[0]));
    }
    for &leaf in leaves.iter().take(often.upgrades) {
        week.reboot(["a leaf is upgraded: down", "a leaf: up"], &[leaf]);
    }
    for &switch in others.iter().take(often.upgrades) {
        week.reboot(
            ["an upper switch is upgraded: down", "an upper switch: up"],
            &[switch],
        );
    }
    if week.options.is_some() {
        assert!(*week.rows() == whole, "the tables did not return");
    }
    let rack: Vec<u32> = hosts[..8]
        .iter()
        .map(|&h| week.live.cables.ca_of(h))
        .collect();
    let lids = |n: u32| net.netlist.nodes[n as usize].ports[0].lid.0;
    week.happens("hosts come back with each other's LIDs", |c| {
        c.reboot(&rack);
        let others = rack.iter().cycle().skip(1);
        let pairs = rack.iter().zip(others);
        pairs.for_each(|(&host, &other)| c.overwrite_lid(host, lids(other)));
    });
    assert!(week.live.watch.sm.stop(), "OpenSM ends in good order");
    week.events
}

impl<'n> Week<'n> {
    /// Starts an engine on a fabric that still lacks a host and a leaf.
    fn start(engine: &'static str, net: &'n Net) -> Week<'n> {
        let nodes = &net.netlist.nodes;
        let leaf = nodes.iter().rposition(|n| n.description.starts_with("L1-"));
        let leaf = leaf.expect("a leaf") as u32;
        let mut late = Default::default();
        let hold_back = |cables: &mut Cables| {
            let [home, home_switch] = [cables.home(), cables.home_switch()];
            assert!(leaf != home_switch && leaf != home);
            let near = cables.of(|n| n == leaf || n == home_switch);
            let mut hosts = cables.of_hosts().into_iter();
            let host = hosts.find(|host| !near.contains(host));
            late = [vec![host.expect("a host")], cables.of(|n| n == leaf)];
            late.iter()
                .flatten()
                .for_each(|&cable| cables.unplug(cable));
        };
        let mut name = "";
        let mut live = Live::start_without(net, hold_back, |sim| {
            let (config, of_log) = engines::config(engine, net, sim);
            name = of_log;
            (OpenSm::launch(sim, &config.log_flags("0x03")), name)
        });
        Smps::logged(&live.watch.sm);
        let faults = match engine {
            "paper" => Faults::Paper,
            _ => Faults::Stable,
        };
        Week {
            engine,
            held: live.truth().fabric_and_tables(),
            live,
            options: (name == "dmodc").then(|| Options {
                faults,
                ..Options::default()
            }),
            late,
            events: Vec::new(),
        }
    }

    /// The tables that the switches hold.
    fn rows(&self) -> &Tables {
        &self.held.1
    }

    /// Something happens.
    fn happens(&mut self, what: &'static str, change: impl FnOnce(&mut Cables)) {
        let from = self.live.log_len();
        let reaction = self.live.change(change);
        if let (Some(options), "auto") = (&mut self.options, self.engine) {
            // The places seen so far, new ones included: Dmodc routes with what it is about to keep.
            let file = self.live.watch.sm.files.path("opensm-dmodc-reference.net");
            let places = Netlist::read(&file).expect("the places seen so far");
            let (places, _) = places.to_fabric(None).expect("LIDs");
            options.reference = Some(Arc::new(places));
        }
        let truth = self.live.truth();
        if let Some(options) = &self.options {
            truth.assert_routed_by(&self.live.core, options);
            assert_eq!(reaction.others, 0, "{what}: {}", self.live.watch.log_end());
        }
        let (fabric, tables) = truth.fabric_and_tables();
        let ranking = Ranking::new(&fabric, &Options::default());
        let (before, after) = ((&self.held.0, &self.held.1), (&fabric, &tables));
        let changed = forced(before, after, |a, b| ranking.is_up(a, b));
        self.log_is_right(from, what, &fabric, changed);
        // All entries of a switch that is new are changes, but its 255s need not be sent.
        assert!(
            changed.changed().blocks <= reaction.smps.blocks(),
            "{what}: {changed:?} {reaction:?}"
        );
        self.events.push(Event {
            what,
            changed,
            reaction,
        });
        self.held = (fabric, tables);
    }

    /// Dmodc's log has the blocks that change, and the entries that are not at their nominal ports.
    fn log_is_right(&self, from: usize, what: &str, fabric: &Fabric, changed: Forced) {
        let Some(options) = &self.options else {
            return;
        };
        let files = &self.live.watch.sm.files;
        let [blocks, displaced] =
            ["changed_blocks", "displaced"].map(|name| files.numbers(from, name));
        let core = &self.live.core;
        let plan = core.plan(fabric, options).expect("a tree");
        let (_, filled) = core.tables(fabric, &plan).expect("tables that fit");
        assert_eq!(displaced.last(), Some(&filled.displaced), "{what}");
        // A switch that is new is sent its table, whatever the log says; in one sweep, what changes is what differs.
        let is_new = fabric.switches().len() > self.held.0.switches().len();
        let (told, found) = (blocks.iter().sum::<usize>(), changed.changed().blocks);
        let holds = told == found || (told > found && blocks.len() > 1);
        assert!(
            is_new || holds,
            "{what}: {blocks:?} blocks in the log, {found} in the switches"
        );
    }

    /// Nodes lose all their links, and come back without a memory.
    fn reboot(&mut self, [down, up]: [&'static str; 2], nodes: &[u32]) {
        let cables = self.live.cables.of(|n| nodes.contains(&n));
        self.happens(down, |c| cables.iter().for_each(|&cable| c.unplug(cable)));
        self.happens(up, |c| {
            c.forget(nodes);
            cables.iter().for_each(|&cable| c.plug(cable));
        });
    }
}

/// A line for each kind of event: medians, and the worst where two numbers stand.
fn print(events: &[Event]) {
    println!(
        "| event | times | entries changed (had to), most | blocks changed (had to), most | blocks sent, most \
         | other Sets | Gets | first SUBNET UP, ms | last, ms | other engine |"
    );
    println!("|---|{}", "--:|".repeat(9));
    let mut kinds: Vec<&str> = Vec::new();
    for event in events {
        if !kinds.contains(&event.what) {
            kinds.push(event.what);
        }
    }
    for kind in kinds {
        let of_kind: Vec<&Event> = events.iter().filter(|e| e.what == kind).collect();
        let most =
            |number: &dyn Fn(&Event) -> usize| of_kind.iter().map(|e| number(e)).max().unwrap_or(0);
        let had_to = |e: &Event| e.changed.own + e.changed.forced;
        let sum = |counts: &[usize; KINDS.len() + 1]| counts.iter().sum::<usize>();
        let times = |part: fn(&Reaction) -> std::time::Duration| {
            let (median, worst) =
                median_and_worst(of_kind.iter().map(|e| part(&e.reaction)).collect());
            format!("{median}, {worst}")
        };
        println!(
            "| {kind} | {} | {} ({}) | {} ({}) | {} | {} | {} | {} | {} | {} |",
            of_kind.len(),
            most(&|e| e.changed.changed().entries),
            most(&|e| had_to(e).entries),
            most(&|e| e.changed.changed().blocks),
            most(&|e| had_to(e).blocks),
            most(&|e| e.reaction.smps.blocks()),
            most(&|e| sum(&e.reaction.smps.sets) - e.reaction.smps.blocks()),
            most(&|e| sum(&e.reaction.smps.gets)),
            times(|r| r.first),
            times(|r| r.last),
            of_kind.iter().filter(|e| e.reaction.others > 0).count(),
        );
    }
}
