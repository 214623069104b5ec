//! The production fabrics of the repository: those that are trees, and what happens to them.

use super::events::*;
use super::fabrics::{carriers, hosts_of, switches};
use super::trees::leaves_of;
use super::whole::Whole;
use super::*;
use crate::support::{data, production};
use dmodc_fabric::NodeKind;
use dmodc_fabric::random::Random;
use dmodc_formats::netlist::Port;

pub fn read(name: &str) -> Netlist {
    let path = data(&format!("production/{name}.ibnetdiscover"));
    Netlist::parse(&std::fs::read(path).expect("a file")).expect("a netlist")
}

/// The production fabrics that are trees, by the name of the file.
pub fn trees() -> impl Iterator<Item = Whole> {
    let files = production().into_iter();
    let names = files.map(|path| {
        let name = path.file_stem().expect("a name");
        name.to_string_lossy().into_owned()
    });
    names.filter(|name| !name.contains("ring")).map(|name| {
        let mut netlist = read(&name);
        // In these tests descriptions name places.
        for node in &mut netlist.nodes {
            node.description = match node.is_aggregation() {
                true => NodeKind::AGGREGATION_DESCRIPTION.into(),
                false => node.guid.to_string(),
            };
        }
        Whole::named(&name, 1, netlist)
    })
}

/// The trees of whose cables at least 95 % are regular.
pub fn regular() -> impl Iterator<Item = Whole> {
    trees().filter(|w| w.what.contains("director") || w.what.contains("gpu"))
}

/// Seeds that leave by far the most hosts on one leaf of `irregular-11sw`.
const ONE_BY_FAR: [u64; 2] = [9, 16];

/// All hosts of one leaf, or of eight leaves, or half of all hosts. With few leaves it is a tenth of all: half of
/// the hosts of six leaves may look like all hosts of the design, and end at another port.
pub fn some_hosts(whole: &Whole) -> Vec<Group> {
    let netlist = &whole.netlist;
    let all = leaves_of(netlist);
    let drawn = |seed: u64, count: usize| {
        let mut leaves = all.clone();
        Random::new(seed).shuffle(&mut leaves);
        leaves.truncate(count);
        leaves
    };
    let alone = drawn(1, if is_long() { all.len() } else { 10 }).into_iter();
    let one = |leaf| {
        (
            format!("all of {}", whole.place(leaf)),
            hosts_of(netlist, leaf),
        )
    };
    let eight = |seed| {
        let leaves = drawn(seed, 8.min(all.len() / 2));
        let what = format!("seed {seed}: all of {} leaves", leaves.len());
        (what, of_leaves(netlist, &leaves))
    };
    let part = if all.len() < 16 { 10 } else { 2 };
    let some = |seed| {
        let mut hosts = of_leaves(netlist, &carriers(netlist));
        Random::new(seed).shuffle(&mut hosts);
        hosts.truncate(hosts.len() / part);
        (format!("seed {seed}: one of {part} of all"), hosts)
    };
    let eights = throws(4).chain(ONE_BY_FAR).map(eight);
    let all = alone.map(one).chain(eights).chain(throws(4).map(some));
    all.collect()
}

/// Some switches, drawn.
pub fn some(whole: &Whole, count: usize, may: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut drawn = switches(&whole.netlist);
    drawn.retain(|&s| may(s));
    Random::new(1).shuffle(&mut drawn);
    drawn.truncate(count * times() as usize);
    drawn
}

/// Switches of planes where one pod has other parents, or more links, than all other pods.
const OF_ODD_PLANES: [&str; 4] = [
    "0xec0d9a030057ad00",
    "0xec0d9a030057ad20",
    "0xec0d9a030057ab80",
    "0xec0d9a030057ae80",
];

/// Some inner switches, and those of odd planes.
pub fn inner_ones(whole: &Whole) -> Vec<u32> {
    let routed = Routed::up_down(&whole.netlist);
    let mut drawn = some(whole, 8, |s| is_inside(&routed, s));
    drawn.extend(at(whole, &OF_ODD_PLANES));
    drawn
}

/// Three of 18 switches of the director: without one, a port has less than half of the uplinks of the most used one. If
/// it is not expected any more, seven in ten entries move.
pub const OF_RARE_PORTS: [&str; 3] = [
    "0xec0d9a0300634220",
    "0xec0d9a0300634240",
    "0xec0d9a0300634460",
];

/// Parents of 18 leaves each, which have nine. Four of these are in planes of which half of the pods say one thing and half
/// another: if one more vote decides, all hosts of the 18 leaves get other numbers.
pub const OF_TIED_PLANES: [&str; 2] = ["0xec0d9a030057ab00", "0xec0d9a030057ab20"];

/// The switches at these places.
pub fn at(whole: &Whole, places: &[&str]) -> Vec<u32> {
    let mut found = switches(&whole.netlist);
    found.retain(|&s| places.contains(&whole.place(s)));
    found
}

/// Whether every neighbour of a switch has other switches of the same level at lower and at higher ports.
fn is_inside(routed: &Routed, node: u32) -> bool {
    let levels = routed.levels();
    let place = |n: u32| &*routed.netlist.nodes[n as usize].description;
    let level = levels[place(node)];
    let ports = routed.netlist.nodes[node as usize].ports.iter();
    let mut up_down = ports.filter(|p| levels.contains_key(place(p.peer)));
    up_down.all(|port| {
        let there = routed.netlist.nodes[port.peer as usize].ports.iter();
        let alike = |p: &&Port| p.peer != node && levels.get(place(p.peer)) == Some(&level);
        let alike: Vec<PortNumber> = there.filter(alike).map(|p| p.number).collect();
        alike.iter().any(|&p| p < port.peer_port) && alike.iter().any(|&p| p > port.peer_port)
    })
}
