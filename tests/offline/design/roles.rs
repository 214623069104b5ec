//! Roles: hosts that leave never change levels, and change only their own entries.

use super::fabrics::{carriers, hosts_of};
use super::production::trees;
use super::*;
use dmodc::random::Random;

/// Hosts go and come back; for an OpenSM that has not seen them before, they come up for the first time.
fn go(found: &mut Findings, what: &str, whole: &Routed, gone: &[u32]) {
    let less = whole.netlist.without_nodes(gone);
    let Some(after) = found.route(&less, what) else {
        return;
    };
    found.only_own(whole, &after, &format!("{what} go"));
    let (was, is) = (whole.levels(), after.levels());
    let moved = was
        .iter()
        .filter(|(place, level)| is.get(*place) != Some(level));
    let moved: Vec<_> = moved.collect();
    // Of two switches, one with hosts, either may be above.
    let plain = whole.fabric.switches().len() < 3 || moved.is_empty();
    found.add(plain, format!("{what}: other levels {moved:?}"));
    let others = others(&after.changes(whole));
    found.add(
        others == 0,
        format!("{what} come: {others} entries of others"),
    );
}

/// The leaves that have hosts.
fn leaves_of(whole: &Routed) -> Vec<u32> {
    let ranking = whole.plan.ranking();
    let mut leaves = carriers(&whole.netlist);
    leaves.retain(|&s| {
        let guid = whole.netlist.nodes[s as usize].guid;
        let switch = whole.fabric.switch_by_guid(guid);
        ranking.is_leaf(switch.expect("it is there"))
    });
    leaves
}

fn of_leaves(netlist: &Netlist, leaves: &[u32]) -> Vec<u32> {
    let hosts = leaves.iter().flat_map(|&leaf| hosts_of(netlist, leaf));
    hosts.collect()
}

/// Seeds that leave by far the most hosts on one leaf of `irregular-11sw`.
const ONE_BY_FAR: [u64; 2] = [9, 16];

/// All hosts of one leaf go, or of eight leaves, or half of all hosts. With few leaves it is a tenth of all: half of
/// the hosts of six leaves may look like all hosts of the design, and end at another port.
#[test]
fn on_production_fabrics() {
    let mut found = Findings::default();
    for (name, netlist) in trees() {
        let whole = Routed::new(&netlist);
        let all = leaves_of(&whole);
        let drawn = |seed: u64, count: usize| {
            let mut leaves = all.clone();
            Random::new(seed).shuffle(&mut leaves);
            leaves.truncate(count);
            leaves
        };
        for leaf in drawn(1, if is_long() { all.len() } else { 10 }) {
            let what = format!(
                "{name}: all of {}",
                netlist.nodes[leaf as usize].description
            );
            go(&mut found, &what, &whole, &hosts_of(&netlist, leaf));
        }
        for seed in throws(4).chain(ONE_BY_FAR) {
            let leaves = drawn(seed, 8.min(all.len() / 2));
            let what = format!("{name}, seed {seed}: all of {} leaves", leaves.len());
            go(&mut found, &what, &whole, &of_leaves(&netlist, &leaves));
        }
        let part = if all.len() < 16 { 10 } else { 2 };
        for seed in throws(4) {
            let mut hosts = of_leaves(&netlist, &carriers(&netlist));
            Random::new(seed).shuffle(&mut hosts);
            hosts.truncate(hosts.len() / part);
            let what = format!("{name}, seed {seed}: one of {part} of all");
            go(&mut found, &what, &whole, &hosts);
        }
    }
}

/// Seeds of uneven pods where the votes for slots decrease from port to port, without a clear end.
const WITHOUT_AN_END: [u64; 2] = [7, 9];
/// A seed of three levels that leaves 36 hosts at the lower half of the ports and 24 at the upper.
const MORE_BELOW: u64 = 12;

/// The same on generated fabrics of all kinds, also with all hosts of half of the leaves.
#[test]
fn on_generated_fabrics() {
    let mut found = Findings::default();
    for seed in throws(2).chain(WITHOUT_AN_END).chain([MORE_BELOW]) {
        let drawn = [
            ("two levels", fabrics::pgft("PGFT(2;12,24;1,12;1,1)")),
            ("three levels", fabrics::pgft("PGFT(3;6,4,5;1,3,4;1,2,1)")),
            (
                "four levels",
                fabrics::pgft("PGFT(4;4,4,4,4;1,3,3,4;1,2,1,1)"),
            ),
            ("uneven pods", fabrics::uneven(seed, 0).draw(seed)),
            ("leaves on spines", fabrics::uneven(seed, 2).draw(seed)),
        ];
        for (kind, places) in drawn {
            let netlist = names::at_random(&places, seed);
            let Some(whole) = found.route(&netlist, kind) else {
                continue;
            };
            let mut leaves = leaves_of(&whole);
            Random::new(seed).shuffle(&mut leaves);
            let some = [
                ("one leaf", 1),
                ("eight leaves", 8.min(leaves.len() / 2)),
                ("half of the leaves", leaves.len() / 2),
            ];
            for (which, count) in some {
                let what = format!("{kind}, seed {seed}: all of {which}");
                let hosts = of_leaves(&netlist, &leaves[..count]);
                go(&mut found, &what, &whole, &hosts);
            }
            let mut hosts = of_leaves(&netlist, &leaves);
            Random::new(seed).shuffle(&mut hosts);
            hosts.truncate(hosts.len() / 2);
            let what = format!("{kind}, seed {seed}: half of all");
            go(&mut found, &what, &whole, &hosts);
        }
    }
}

/// A mid switch with a gateway keeps its level when all hosts of its pod go, or all but those of one leaf.
#[test]
fn all_of_a_pod_with_a_gateway() {
    let mut found = Findings::default();
    for seed in throws(6) {
        let mut random = Random::stream(seed, 9);
        let pods = fabrics::Pods {
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
        let mid = fabrics::at(&netlist, "mid 1.0");
        let port = netlist.nodes[mid as usize].port_count;
        fabrics::add_gateway(&mut netlist, mid, port);
        let netlist = names::at_random(&names::with_lids(&netlist, 0, seed), seed);
        let Some(whole) = found.route(&netlist, "a gateway on a mid switch") else {
            continue;
        };
        let leaves =
            (0..pods.leaves[1]).map(|leaf| fabrics::at(&netlist, &format!("leaf 1.{leaf}")));
        let leaves: Vec<u32> = leaves.collect();
        for left in [1, 0] {
            let what = format!("seed {seed}: all of a pod but {left} leaves");
            let gone = of_leaves(&netlist, &leaves[left..]);
            go(&mut found, &what, &whole, &gone);
        }
    }
}
