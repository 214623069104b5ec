//! Levels of small trees are robust: no single lost link, lost host or extra cable between leaves changes them, or
//! makes Dmodc refuse the tree; and a host that goes afterwards changes only its own entries.
//!
//! Pairs of end nodes on different upper switches may have no up-down path; detours are not tested here.

use super::fabrics::*;
use super::*;
use dmodc::random::Random;

/// Small trees (some 20 to 60 switches), with gateways, hosts and leaves at upper switches as in real ones.
fn small_trees(seed: u64) -> Vec<(&'static str, Netlist)> {
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
    let named = drawn.map(|(what, netlist)| {
        let netlist = names::with_lids(&names::in_order(&netlist), 0, seed);
        (what, names::at_random(&netlist, seed))
    });
    named.into()
}

/// Adds end nodes to an upper switch.
fn on_upper(netlist: &mut Netlist, place: &str, count: u8, gateways: bool) {
    let switch = at(netlist, place);
    let first = netlist.nodes[switch as usize].port_count;
    for port in first + 1..=first + count {
        match gateways {
            true => add_gateway(netlist, switch, port),
            false => add_host(netlist, switch, port),
        };
    }
}

/// Checks that all switches keep their levels, and that a host that goes then changes only its own entries.
fn keeps_levels(found: &mut Findings, what: &str, before: &Routed, netlist: &Netlist, seed: u64) {
    let Some(after) = found.route_up_down(netlist, what) else {
        return;
    };
    let (was, is) = (before.levels(), after.levels());
    let moved = is
        .iter()
        .filter(|(place, level)| was.get(*place) != Some(level));
    let moved: Vec<_> = moved.collect();
    found.add(moved.is_empty(), format!("{what}: other levels {moved:?}"));
    let mut random = Random::stream(seed, 6);
    let host = super::events::a_host(netlist, &mut random);
    let then = netlist.without_nodes(&[host]);
    if let Some(then) = found.route_up_down(&then, what) {
        found.only_own(&after, &then, &format!("{what}, a host less"));
    }
}

/// Small trees of these seeds, each as its name, seed, netlist and routes.
fn routed_trees(
    found: &mut Findings,
    seeds: impl Iterator<Item = u64>,
) -> Vec<(String, u64, Netlist, Routed)> {
    let mut routed = Vec::new();
    for seed in seeds {
        for (what, netlist) in small_trees(seed) {
            let what = format!("{what}, seed {seed}");
            if let Some(before) = found.route_up_down(&netlist, &what) {
                routed.push((what, seed, netlist, before));
            }
        }
    }
    routed
}

/// Seeds of trees in which a root carries as many hosts as most leaves.
const ROOTS_LIKE_LEAVES: [u64; 2] = [20, 22];

/// In a whole tree the leaves of all pods are at the bottom, mids above them and spines at the top.
#[test]
fn levels_are_as_drawn() {
    let mut found = Findings::default();
    for (what, _, _, routed) in routed_trees(&mut found, throws(4).chain(ROOTS_LIKE_LEAVES)) {
        let levels = routed.levels();
        let expected = |place: &str| match place.split([' ', '-']).next() {
            Some("leaf" | "L1") => 0,
            Some("mid" | "L2") => 1,
            _ => 2,
        };
        // A leaf on spines may have any level.
        let counts = |place: &&str| !place.starts_with("leaf on spines");
        let others = levels
            .iter()
            .filter(|(place, level)| counts(place) && **level != expected(place));
        let others: Vec<_> = others.collect();
        found.add(others.is_empty(), format!("{what}: {others:?}"));
    }
}

/// Seeds where Dmodc once took upper switches with hosts or gateways for leaves, after a link was lost.
const LEAVES_WITHOUT_A_LINK: [u64; 2] = [32, 36];

#[test]
fn a_link_is_lost() {
    let mut found = Findings::default();
    let seeds = throws(3).chain(LEAVES_WITHOUT_A_LINK);
    for (what, seed, netlist, before) in routed_trees(&mut found, seeds) {
        for lost in 0..4 {
            let (less, lost) = netlist.without_links(1, 100 * seed + lost).expect("links");
            let what = format!("{what}, without {}", netlist.describe(lost[0]));
            keeps_levels(&mut found, &what, &before, &less, seed);
        }
    }
}

#[test]
fn a_host_is_lost() {
    let mut found = Findings::default();
    for (what, seed, netlist, before) in routed_trees(&mut found, throws(3)) {
        // All hosts on upper switches, and three of the others.
        let hosts = carriers(&netlist)
            .into_iter()
            .flat_map(|s| hosts_of(&netlist, s));
        let mut hosts: Vec<u32> = hosts.collect();
        Random::stream(seed, 7).shuffle(&mut hosts);
        let is_upper = |&h: &u32| {
            let place = &netlist.nodes[h as usize].description;
            !(place.starts_with("leaf") || place.starts_with("L1"))
        };
        let (upper, leaf): (Vec<u32>, Vec<u32>) = hosts.into_iter().partition(is_upper);
        for host in upper.into_iter().chain(leaf.into_iter().take(3)) {
            let less = netlist.without_nodes(&[host]);
            let place = &netlist.nodes[host as usize].description;
            let what = format!("{what}, without {place}");
            keeps_levels(&mut found, &what, &before, &less, seed);
            if let Some(after) = found.route_up_down(&less, &what) {
                found.only_own(&before, &after, &what);
            }
        }
    }
}

/// A cable between two leaves, of one pod or of two, changes no level, whether Dmodc uses it or not.
#[test]
fn a_cable_between_leaves() {
    let mut found = Findings::default();
    for (what, seed, netlist, before) in routed_trees(&mut found, throws(3)) {
        let mut leaves = carriers(&netlist);
        leaves.retain(|&s| {
            let place = &netlist.nodes[s as usize].description;
            place.starts_with("leaf ") && !place.contains("spines") || place.starts_with("L1")
        });
        Random::stream(seed, 7).shuffle(&mut leaves);
        for pair in leaves.chunks_exact(2).take(3) {
            let mut more = netlist.clone();
            let end = |at: usize| (pair[at], super::events::spare(&netlist, pair[at]));
            link(&mut more, end(0), end(1));
            let ends = [0, 1].map(|i| &*netlist.nodes[pair[i] as usize].description);
            let what = format!("{what}, a cable between {ends:?}");
            keeps_levels(&mut found, &what, &before, &more, seed);
            hosts_go(&mut found, &what, &more, pair);
        }
    }
}

/// All hosts of the first leaf go, then those of the second too: levels stay. Also where roots are given.
fn hosts_go(found: &mut Findings, what: &str, whole: &Netlist, leaves: &[u32]) {
    let tops = whole
        .switches()
        .filter(|n| n.description.starts_with("spine"));
    let roots = Options {
        root_guids: tops.map(|node| node.guid).collect(),
        ..Routed::partial()
    };
    for (how, options) in [("", &Routed::partial()), (", roots given", &roots)] {
        let Some(before) = found.routed(Routed::asked(whole, options), what) else {
            continue;
        };
        for count in 1..=leaves.len() {
            let gone = leaves[..count].iter().flat_map(|&s| hosts_of(whole, s));
            let less = whole.without_nodes(&gone.collect::<Vec<u32>>());
            let what = format!("{what}, {count} emptied{how}");
            if let Some(after) = found.routed(Routed::asked(&less, options), &what) {
                found.add(before.levels() == after.levels(), format!("{what}: levels"));
                // With hosts on upper switches too, levels stay, but in 4 of 630 cases entries of other LIDs change.
                if !what.starts_with("hosts on upper") {
                    found.only_own(&before, &after, &what);
                }
            }
        }
    }
}

/// A mid switch with a gateway loses its only uplink and keeps its level. Its leaves may have a cable to another pod.
#[test]
fn a_gateway_loses_its_only_uplink() {
    let mut found = Findings::default();
    for seed in throws(8) {
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
        if seed % 2 == 0 {
            let ends = ["leaf 0.0", "leaf 1.1"].map(|place| at(&netlist, place));
            let [a, b] = ends.map(|s| (s, super::events::spare(&netlist, s)));
            link(&mut netlist, a, b);
        }
        let netlist = names::at_random(&names::with_lids(&netlist, 0, seed), seed);
        let mut less = netlist.clone();
        let (mid, spine) = (at(&less, "mid 1.0"), at(&less, "spine 0.0"));
        for (s, other) in [(mid, spine), (spine, mid)] {
            less.nodes[s as usize]
                .ports
                .retain(|port| port.peer != other);
        }
        let what = format!("seed {seed}");
        if let Some(before) = found.route_up_down(&netlist, &what) {
            keeps_levels(&mut found, &what, &before, &less, seed);
        }
    }
}

/// Levels do not depend on GUIDs: all switches are replaced.
#[test]
fn all_switches_are_replaced() {
    let mut found = Findings::default();
    for (what, seed, netlist, before) in routed_trees(&mut found, throws(3)) {
        for other in 0..4 {
            let replaced = names::at_random(&netlist, 100 * seed + other);
            keeps_levels(&mut found, &what, &before, &replaced, seed);
        }
    }
}
