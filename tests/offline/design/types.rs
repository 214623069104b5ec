//! Node types work in the default mode: from compute nodes to I/O nodes, routes are as good as `paper`'s.

use super::fabrics::{carriers, hosts_of, pgft};
use super::whole::small;
use super::*;
use dmodc_fabric::random::Random;

/// The hosts that are I/O nodes, by a rule of `WHICH`.
pub fn io_nodes(netlist: &Netlist, which: &str, seed: u64) -> Vec<u32> {
    let leaves = carriers(netlist);
    let last = |&leaf: &u32| hosts_of(netlist, leaf).pop();
    match which {
        "at the last port of each leaf" => leaves.iter().filter_map(last).collect(),
        "at the last two ports of each second leaf" => {
            let two = |&leaf: &u32| hosts_of(netlist, leaf).into_iter().rev().take(2);
            leaves.iter().step_by(2).flat_map(two).collect()
        }
        "all of every sixth leaf" => {
            let leaves = leaves.iter().step_by(6);
            leaves.flat_map(|&leaf| hosts_of(netlist, leaf)).collect()
        }
        _ => {
            let mut all: Vec<u32> = leaves.iter().flat_map(|&l| hosts_of(netlist, l)).collect();
            Random::stream(seed, 11).shuffle(&mut all);
            all.truncate(all.len() / 8);
            all.sort_unstable();
            all
        }
    }
}

pub const WHICH: [&str; 4] = [
    "at the last port of each leaf",
    "at the last two ports of each second leaf",
    "all of every sixth leaf",
    "an eighth of all, at random",
];

fn port_guids(netlist: &Netlist, nodes: &[u32]) -> Vec<Guid> {
    let guid = |&n: &u32| {
        let node = &netlist.nodes[n as usize];
        node.port_guid(&node.ports[0])
    };
    nodes.iter().map(guid).collect()
}

/// The options that name I/O nodes, and the compute nodes if `compute_too`.
pub fn options(netlist: &Netlist, io: &[u32], compute_too: bool, faults: Faults) -> Options {
    let others = carriers(netlist)
        .into_iter()
        .flat_map(|l| hosts_of(netlist, l));
    let compute: Vec<u32> = others.filter(|h| compute_too && !io.contains(h)).collect();
    partial(Options {
        faults,
        io_guids: port_guids(netlist, io),
        cn_guids: port_guids(netlist, &compute),
        ..Options::default()
    })
}

/// The risk from compute nodes to I/O nodes, and back.
fn risks(routed: &Routed, options: &Options) -> (u32, u32) {
    let traffic = routed.traffic();
    let nodes = routed.fabric.end_nodes();
    let is_io = |n: NodeId| options.io_guids.contains(&nodes[n].guid);
    let to = traffic.type_to_type(|n| !is_io(n), is_io, &|_| ()).value;
    let from = traffic.type_to_type(is_io, |n| !is_io(n), &|_| ()).value;
    (to, from)
}

const TREES: [&str; 6] = [
    "PGFT(2;12,24;1,12;1,1)",
    "PGFT(2;18,36;1,18;1,1)",
    "PGFT(2;12,24;1,6;1,2)",
    "PGFT(3;6,6,8;1,6,6;1,1,1)",
    "PGFT(3;12,8,12;1,4,8;1,1,1)",
    "PGFT(4;4,4,4,4;1,3,3,4;1,2,1,1)",
];

/// With I/O nodes listed in the order of places, the risk to them is at most `paper`'s, and so is the risk from them at
/// regular places. Elsewhere it is at most that or the risk without types: `paper` numbers the compute nodes of each
/// leaf without gaps, so a node that goes changes all later ones, while `stable` leaves holes for I/O nodes.
fn compute_to_io(which: &[&str], is_regular: bool) {
    let mut found = Findings::default();
    for shape in small(TREES, 300) {
        let places = pgft(shape);
        for which in which {
            for (seed, compute_too) in throws(1).zip([false, true].into_iter().cycle()) {
                let io = io_nodes(&places, which, seed);
                let ordered = names::in_order(&places);
                let asked = options(&ordered, &io, compute_too, Faults::Paper);
                let paper = Routed::asked(&ordered, &asked).expect("a tree");
                let best = risks(&paper, &asked);
                let random = names::at_random(&places, seed);
                let asked = options(&random, &io, compute_too, Faults::Stable);
                let what = format!("{shape}, I/O {which}");
                let Some(stable) = found.routed(Routed::asked(&random, &asked), &what) else {
                    continue;
                };
                let (is, a2a) = (risks(&stable, &asked), (stable.a2a(), paper.a2a()));
                let without = risks(&Routed::new(&random), &asked);
                let most_back = match is_regular {
                    true => best.1,
                    false => best.1.max(without.1),
                };
                found.add(
                    is.0 <= best.0 && is.1 <= most_back && is_close(a2a.0, a2a.1),
                    format!("{what}: to and from I/O {is:?}, paper's {best:?}, without types {without:?}; A2A {a2a:?}"),
                );
                // These I/O nodes have a fixed stride of numbers, so that all routes to them use one uplink of every
                // leaf, unless they have numbers of their own.
                if *which == WHICH[0] && shape == TREES[3] {
                    found.add(without.0 >= 2 * is.0, format!("{what}: types help"));
                }
            }
        }
    }
}

#[test]
fn from_compute_nodes_to_io_nodes_at_regular_places() {
    compute_to_io(&WHICH[..2], true);
}

#[test]
fn from_compute_nodes_to_io_nodes_at_other_places() {
    compute_to_io(&WHICH[2..], false);
}

/// In any order of the list I/O nodes are as even over the uplinks of each leaf, but routes to the I/O nodes of a leaf
/// may come down by one link: types then help little, and cost one at most, with the traffic of the same pairs. The
/// list has to be in the order of places: if Dmodc sorted it, an I/O node that goes would change entries of others.
#[test]
fn from_compute_nodes_to_io_nodes_listed_in_any_order() {
    let mut found = Findings::default();
    for shape in small(TREES, 300) {
        for seed in throws(2) {
            let netlist = names::at_random(&pgft(shape), seed);
            let mut io = io_nodes(&netlist, WHICH[3], seed);
            Random::stream(seed, 12).shuffle(&mut io);
            let asked = options(&netlist, &io, false, Faults::Stable);
            let what = format!("{shape}, seed {seed}");
            let Some(routed) = found.routed(Routed::asked(&netlist, &asked), &what) else {
                continue;
            };
            let plain = Routed::new(&netlist);
            let is_io = |n: NodeId| asked.io_guids.contains(&plain.fabric.end_nodes()[n].guid);
            let to_io = |routed: &Routed| {
                let traffic = Traffic::new(&routed.fabric, &routed.tables, plain.plan.order());
                traffic.type_to_type(|n| !is_io(n), is_io, &|_| ()).value
            };
            let (is, without) = (to_io(&routed), to_io(&plain));
            found.add(
                is <= without + 1,
                format!("{what}: to I/O {is}, without types {without}"),
            );
        }
    }
}
