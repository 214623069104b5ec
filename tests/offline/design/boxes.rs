//! A new box at the same place, or a cable at another port, changes no entry of others, without reference or history.

use super::events::*;
use super::fabrics::{hosts_of, switches, uneven};
use super::*;
use dmodc::random::Random;

/// A switch of each level is replaced by a box with a GUID below or above all others: only entries of its LID change.
/// If all get new GUIDs and keep their LIDs, no entry changes. On PGFTs, also with two LIDs for each end node,
/// aggregation nodes and gateways at the top; and on pods of unequal size.
#[test]
fn switches_are_replaced() {
    let mut found = Findings::default();
    let mut fabrics = Vec::new();
    for (shape, seed) in each(1) {
        for make in [Whole::new, Whole::furnished] {
            fabrics.push((shape, seed, make(shape, seed).netlist));
        }
    }
    for seed in throws(3) {
        let of = |on_spines| names::at_random(&uneven(seed, on_spines).draw(seed), seed);
        fabrics.push(("uneven pods", seed, of(0)));
        fabrics.push(("leaves on spines", seed, of(2)));
    }
    for (what, seed, netlist) in fabrics {
        let before = Routed::up_down(&netlist);
        let anew = Routed::up_down(&names::at_random(&netlist, seed + 100));
        found.only_own(&before, &anew, &format!("{what}, seed {seed}, all anew"));
        let mut all = switches(&netlist);
        Random::stream(seed, 8).shuffle(&mut all);
        let levels = before.levels();
        let place = |s: &u32| &*netlist.nodes[*s as usize].description;
        for level in 0..=levels.values().copied().max().expect("switches") {
            let one = all.iter().find(|s| levels[place(s)] == level);
            let one = *one.expect("a switch");
            for above in [false, true] {
                let after = Routed::up_down(&names::replaced(&netlist, one, above));
                let what = format!("{what}, seed {seed}, {}, GUID above: {above}", place(&one));
                found.only_own(&before, &after, &what);
            }
        }
    }
}

/// A host that gets another adapter, or moves to another port of its leaf, changes only its own entries.
#[test]
fn a_host_is_replaced_or_moves() {
    let mut found = Findings::default();
    for (shape, seed) in each(1) {
        let whole = Whole::new(shape, seed).netlist;
        let before = Routed::new(&whole);
        let host = a_host(&whole, &mut Random::stream(seed, 8));
        for above in [false, true] {
            let after = Routed::new(&names::replaced(&whole, host, above));
            let what = format!("{shape}, seed {seed}, another adapter, above: {above}");
            found.only_own(&before, &after, &what);
        }
        let port = &whole.nodes[host as usize].ports[0];
        let (leaf, number) = (port.peer, port.peer_port);
        let moved = moved_to_port(&whole, leaf, number, spare(&whole, leaf));
        let what = format!("{shape}, seed {seed}, a host to a spare port");
        found.only_own(&before, &Routed::new(&moved), &what);
        let others = hosts_of(&whole, leaf).len();
        assert!(others > 1);
    }
}

/// A cable between switches whose lower or upper end moves to a spare port changes only entries that used the old port.
#[test]
fn a_cable_moves_to_a_spare_port() {
    let mut found = Findings::default();
    for (shape, seed) in each(1) {
        let whole = Whole::new(shape, seed).netlist;
        let before = Routed::up_down(&whole);
        let mut links = whole.links_between_switches();
        Random::stream(seed, 8).shuffle(&mut links);
        for &sides in links.iter().take(2) {
            for (node, port) in sides {
                let moved = moved_to_port(&whole, node, port, spare(&whole, node));
                let place = &whole.nodes[node as usize].description;
                let what = format!("{shape}, seed {seed}, {place} port {port} to a spare one");
                found.only_forced(&before, &Routed::up_down(&moved), &what);
            }
        }
    }
}
