//! Small and generated trees, with gateways, hosts and leaves at upper switches as in real ones.
//!
//! Pairs of end nodes on different upper switches may have no up-down path; detours are not tested on these.

use super::events::{Group, of_leaves};
use super::fabrics::*;
use super::whole::Whole;
use super::*;
use dmodc_fabric::random::Random;

/// Small trees (some 20 to 60 switches) of these seeds.
pub fn small_trees(seeds: impl Iterator<Item = u64>) -> impl Iterator<Item = Whole> {
    seeds.flat_map(drawn)
}

fn drawn(seed: u64) -> [Whole; 7] {
    let mut random = Random::stream(seed, 5);
    let mut pods = |planes: usize, spines: usize, on_spines: usize| {
        let count = 2 + random.below(3);
        let pods = Pods {
            leaves: (0..count).map(|_| 2 + random.below(4)).collect(),
            planes,
            spines,
            links: 1 + random.below(2),
            hosts: (3, 8),
            on_spines,
        };
        pods.draw(seed)
    };
    let plain = pods(2, 2, 0);
    let mut gateways = pods(2, 3, 0);
    on_upper(&mut gateways, "spine 0.0", 2, true);
    on_upper(&mut gateways, "spine 1.0", 2, true);
    let mut hosts = pods(3, 2, 0);
    on_upper(&mut hosts, "spine 0.1", 3, false);
    on_upper(&mut hosts, "mid 0.1", 1, false);
    let mut on_mids = pods(2, 2, 0);
    for plane in 0..2 {
        on_upper(&mut on_mids, &format!("mid 1.{plane}"), 2, true);
    }
    let deep = pods(2, 2, 1);
    let deeper = pods(2, 3, 3);
    let mut two_levels = pgft("PGFT(2;6,16;1,6;1,1)");
    on_upper(&mut two_levels, "L2-2", 2, true);
    on_upper(&mut two_levels, "L2-3", 1, false);
    let drawn = [
        ("pods", plain),
        ("gateways on spines", gateways),
        ("hosts on upper switches", hosts),
        ("gateways on mids", on_mids),
        ("a leaf on spines", deep),
        ("leaves on spines", deeper),
        ("two levels with gateways", two_levels),
    ];
    drawn.map(|(what, netlist)| boxed(what, &names::in_order(&netlist), seed))
}

/// The fabric with LIDs and GUIDs at random.
fn boxed(what: &str, netlist: &Netlist, seed: u64) -> Whole {
    let netlist = names::at_random(&names::with_lids(netlist, 0, seed), seed);
    Whole::named(what, seed, netlist)
}

/// Adds end nodes to an upper switch.
fn on_upper(netlist: &mut Netlist, place: &str, count: u8, gateways: bool) {
    let switch = node_at(netlist, place);
    let first = netlist.nodes[switch as usize].port_count;
    for port in (first + 1..=first + count).map(PortNumber) {
        match gateways {
            true => add_gateway(netlist, switch, port),
            false => add_host(netlist, switch, port),
        };
    }
}

/// Pods with a gateway on a mid that has one spine. Every second has a cable between leaves of two pods.
pub fn gateway_on_one_uplink(seed: u64) -> Whole {
    let mut random = Random::stream(seed, 8);
    let pods = Pods {
        leaves: (0..4).map(|_| 2 + random.below(5)).collect(),
        planes: 2 + random.below(2),
        spines: 1,
        links: 1,
        hosts: (4, 8),
        on_spines: 0,
    };
    let mut netlist = pods.draw(seed);
    on_upper(&mut netlist, "mid 1.0", 1, true);
    if seed.is_multiple_of(2) {
        let ends = ["leaf 0.0", "leaf 1.1"].map(|place| node_at(&netlist, place));
        let [a, b] = ends.map(|s| (s, spare(&netlist, s)));
        link(&mut netlist, a, b);
    }
    boxed("a gateway on one uplink", &netlist, seed)
}

/// Pods with a gateway on a mid of pod 1.
pub fn gateway_in_a_pod(seed: u64) -> Whole {
    let mut random = Random::stream(seed, 9);
    let pods = Pods {
        leaves: (0..3 + random.below(3))
            .map(|_| 2 + random.below(6))
            .collect(),
        planes: 2 + random.below(3),
        spines: 1 + random.below(3),
        links: 1,
        hosts: (4, 10),
        on_spines: 0,
    };
    let mut netlist = pods.draw(seed);
    on_upper(&mut netlist, "mid 1.0", 1, true);
    boxed("a gateway on a mid switch", &netlist, seed)
}

/// All hosts of pod 1 but those of its first leaf; all.
pub fn hosts_of_pod_1(whole: &Whole) -> Vec<Group> {
    let mut leaves = carriers(&whole.netlist);
    leaves.retain(|&s| whole.place(s).starts_with("leaf 1."));
    let hosts = |left: usize| {
        let what = format!("all of a pod but {left} leaves");
        (what, of_leaves(&whole.netlist, &leaves[left..]))
    };
    [1, 0].map(hosts).into()
}

/// Generated fabrics of all kinds.
pub fn generated(seed: u64) -> [Whole; 5] {
    let drawn = [
        ("two levels", pgft("PGFT(2;12,24;1,12;1,1)")),
        ("three levels", pgft("PGFT(3;6,4,5;1,3,4;1,2,1)")),
        ("four levels", pgft("PGFT(4;4,4,4,4;1,3,3,4;1,2,1,1)")),
        ("uneven pods", uneven(seed, 0).draw(seed)),
        ("leaves on spines", uneven(seed, 2).draw(seed)),
    ];
    drawn.map(|(kind, places)| Whole::named(kind, seed, names::at_random(&places, seed)))
}

/// The leaves that have hosts.
pub fn leaves_of(netlist: &Netlist) -> Vec<u32> {
    let whole = Routed::new(netlist);
    let mut leaves = carriers(netlist);
    leaves.retain(|&s| {
        let switch = whole.fabric.switch_by_guid(netlist.nodes[s as usize].guid);
        whole.plan.ranking().is_leaf(switch.expect("it is there"))
    });
    leaves
}

/// All hosts of one leaf, of eight leaves, of half of the leaves; half of all hosts.
pub fn hosts_of_some_leaves(whole: &Whole) -> Vec<Group> {
    let mut leaves = leaves_of(&whole.netlist);
    Random::new(whole.seed).shuffle(&mut leaves);
    let (half, hosts) = (leaves.len() / 2, |count| {
        of_leaves(&whole.netlist, &leaves[..count])
    });
    let mut some = hosts(leaves.len());
    Random::new(whole.seed).shuffle(&mut some);
    some.truncate(some.len() / 2);
    let groups = [
        ("all of one leaf", hosts(1)),
        ("all of eight leaves", hosts(8.min(half))),
        ("all of half of the leaves", hosts(half)),
        ("half of all", some),
    ];
    groups.map(|(what, gone)| (what.to_owned(), gone)).into()
}
