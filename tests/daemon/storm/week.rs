//! The week of a cluster: hosts and racks reboot, switches are upgraded one after the other, a link flaps, a host
//! moves, cables are crossed, hosts and leaves are added, hosts come back with other LIDs.
//!
//! After each event the tables in ibsim's switches are those that Dmodc makes offline, and after all but the last those
//! of the whole fabric before, to the byte. A table has the changes, the SMPs and the time of each kind of event.

use super::cables::Cables;
use super::measured::{Measured, Row, print, sum};
use super::measures;
use super::{NODES_100, NODES_648, NODES_8640, asked};
use crate::long;
use crate::support::*;
use dmodc_fabric::random::Random;
use dmodc_formats::netlist::Kind;

struct Often {
    hosts: usize,
    racks: usize,
    flaps: usize,
    /// Leaves that are upgraded, and as many switches above them.
    upgrades: usize,
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
        let rows = week(engine, NODES_100, &often);
        print(engine, &rows);
        assert_eq!(sum(&rows, "nothing happens", "changed entries"), 0.0);
    }
}

#[test]
#[ignore = "long: make soak"]
fn soak_week_648() {
    long(NODES_648, 144);
}

#[test]
#[ignore = "long: make soak"]
fn soak_week_8640() {
    long(NODES_8640, 12);
}

/// `WEEK_UPGRADES` leaves and as many switches above them are upgraded, under each engine of `WEEK_ENGINES`.
fn long(shape: &str, upgrades: usize) {
    let often = Often {
        hosts: 10,
        racks: 5,
        flaps: long::number("WEEK_FLAPS", 100),
        upgrades: long::number("WEEK_UPGRADES", upgrades),
    };
    for engine in asked("WEEK_ENGINES", &["dmodc", "auto", "paper", "updn", "ftree"]) {
        print(&format!("{shape}, {engine}"), &week(engine, shape, &often));
    }
}

fn week(engine: &'static str, shape: &str, often: &Often) -> Vec<Row> {
    // LIDs and GUIDs in random order.
    let net = Net::pgft_with_lids(shape);
    let (mut week, late) = start(engine, &net);
    let is_leaf = |n: u32| net.netlist.nodes[n as usize].description.starts_with("L1-");
    let switches = (0..net.netlist.nodes.len() as u32)
        .filter(|&n| net.netlist.nodes[n as usize].kind == Kind::Switch)
        .filter(|&n| n != week.live.cables.home_switch());
    let mut random = Random::new(1);
    let (mut leaves, mut others): (Vec<u32>, Vec<u32>) = switches.partition(|&n| is_leaf(n));
    random.shuffle(&mut leaves);
    random.shuffle(&mut others);

    // The fabric grows until it is whole.
    for (what, late) in ["a host is added", "a leaf is added"].into_iter().zip(late) {
        week.happens(what, |c| c.plug(&late));
    }
    week.happens("nothing happens", |_| ());
    let whole = week.held.1.clone();

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
    week.happens("a host goes", |c| c.unplug(&hosts[..1]));
    week.happens("another moves there", |c| c.move_host(hosts[1], hosts[0]));
    week.happens("both return", |c| {
        c.move_host(hosts[0], hosts[1]);
        c.plug(&hosts[..1]);
    });
    week.happens("two hosts change places", |c| {
        c.exchange(hosts[0], hosts[1])
    });
    week.happens("they change back", |c| c.exchange(hosts[0], hosts[1]));
    let mut links = week.live.cables.cables_of(|n| others.contains(&n));
    random.shuffle(&mut links);
    let uplinks = week.live.cables.cables_of(is_leaf);
    let mut uplinks = links.iter().copied().filter(|c| uplinks.contains(c));
    let [a, b] = [0; 2].map(|_| uplinks.next().expect("an uplink"));
    // With no sweep between, OpenSM itself may miss a link that is there.
    for what in ["two uplinks are crossed", "they are put right"] {
        week.happens("two uplinks are pulled", |c| c.unplug(&[a, b]));
        week.happens(what, |c| c.cross(a, b));
    }
    for _ in 0..often.flaps {
        let names = ["a link flaps: down", "a link flaps: up"];
        week.goes_and_comes(names, &links[..1], &[]);
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
        assert!(week.held.1 == whole, "the tables did not return");
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
    week.rows
}

/// Starts an engine on a fabric that still lacks a host and a leaf; returns their cables too.
fn start<'n>(engine: &'static str, net: &'n Net) -> (Measured<'n>, [Vec<usize>; 2]) {
    let nodes = &net.netlist.nodes;
    let leaf = nodes.iter().rposition(|n| n.description.starts_with("L1-"));
    let leaf = leaf.expect("a leaf") as u32;
    let mut late = Default::default();
    let hold_back = |cables: &mut Cables| {
        let [home, home_switch] = [cables.home(), cables.home_switch()];
        assert!(leaf != home_switch && leaf != home);
        let near = cables.cables_of(|n| n == leaf || n == home_switch);
        let mut hosts = cables.of_hosts().into_iter();
        let host = hosts.find(|host| !near.contains(host));
        late = [vec![host.expect("a host")], cables.cables_of(|n| n == leaf)];
        late.iter().for_each(|late| cables.unplug(late));
    };
    let columns = &[measures::reaction, measures::changed];
    let week = Measured::start(engine, net, hold_back, columns);
    (week, late)
}
