//! A reference shows missing equipment that cables cannot show, and does no harm: it drops equipment that was never
//! meant to stay, and hosts that are off for good do not make the routes of the others worse.

use super::events::*;
use super::fabrics::{at, carriers, hosts_of, link, pgft, switches};
use super::*;
use dmodc::fabric::Merged;
use dmodc::random::Random;
use dmodc::reference::{Day, Reference};
use std::collections::HashMap;
use std::sync::Arc;

/// The reference that `reference=auto` keeps after a sweep. These tests depend only here on how references grow.
fn grown(known: &Reference, last: &Routed) -> Reference {
    let alone = Merged::alone(&last.fabric);
    let merged = last.plan.known().map_or(&alone, |(merged, _)| merged);
    // Written and read back, as the plugin does.
    let mut text = Vec::new();
    let grown = known.grown(merged, &HashMap::new(), Day::today());
    grown.write(&mut text).expect("memory");
    let read = Reference::parse_leniently(&text).expect("a reference");
    read.strict().expect("nothing is odd")
}

/// Each shape with regular cables, and with cables at random: its name and the whole fabric.
fn cabled() -> impl Iterator<Item = (String, Whole)> {
    let both = |shape| [false, true].map(|shuffled| (shape, shuffled));
    shapes().flat_map(both).map(|(shape, shuffled)| {
        let mut whole = Whole::new(shape, 1);
        if shuffled {
            whole.netlist = names::with_ports_shuffled(&whole.netlist, 1);
        }
        (format!("{shape}, cables at random: {shuffled}"), whole)
    })
}

/// The tables of successive sweeps under `reference=auto`, the first of a whole fabric.
fn sweeps(
    found: &mut Findings,
    what: &str,
    first: &Netlist,
    then: &[&Netlist],
) -> Option<Vec<Routed>> {
    let mut all = vec![found.route(first, what)?];
    let mut known = grown(&Reference::default(), &all[0]);
    for netlist in then {
        let options = Options {
            reference: Some(Arc::new(known.fabric().expect("LIDs"))),
            ..Options::default()
        };
        let routed = found.routed(Routed::asked(netlist, &options), what)?;
        known = grown(&known, &routed);
        all.push(routed);
    }
    Some(all)
}

/// Fabrics with a wrong cable: from a leaf to an upper switch that is no parent, or to another leaf.
fn wrong_cables(whole: &Netlist, random: &mut Random) -> Vec<(String, Netlist)> {
    let leaves = carriers(whole);
    let mut others = switches(whole);
    others.retain(|s| !leaves.contains(s));
    let one = leaves[random.below(leaves.len())];
    let linked = |a: u32, b: u32| whole.nodes[a as usize].ports.iter().any(|p| p.peer == b);
    let far = others.into_iter().rfind(|&s| !linked(one, s));
    let beside = leaves.iter().copied().rfind(|&s| s != one);
    let mut wrong = Vec::new();
    for other in far.into_iter().chain(beside) {
        let mut netlist = whole.clone();
        let end = |s: u32| (s, spare(whole, s));
        link(&mut netlist, end(one), end(other));
        let place = |s: u32| &*whole.nodes[s as usize].description;
        let what = format!("a cable between {} and {}", place(one), place(other));
        wrong.push((what, netlist));
        // The first uplink of the leaf ends there instead of at its own place.
        let ports = whole.nodes[one as usize].ports.iter();
        let mut up = ports.filter(|p| !hosts_of(whole, one).contains(&p.peer));
        let up = up.next().expect("uplinks");
        let sides = [(one, up.number), (up.peer, up.peer_port)];
        let mut netlist = whole.without(&[dmodc::netlist::Part::Link(sides)]);
        link(&mut netlist, (one, up.number), (other, spare(whole, other)));
        let what = format!("an uplink of {} at {}", place(one), place(other));
        wrong.push((what, netlist));
    }
    wrong
}

#[test]
fn a_wrong_cable_is_pulled_again() {
    let mut found = Findings::default();
    for (shape, seed) in each(1) {
        let whole = Whole::new(shape, seed).netlist;
        for (what, wrong) in wrong_cables(&whole, &mut Random::stream(seed, 10)) {
            let what = format!("{shape}, seed {seed}, {what}");
            let Some(all) = sweeps(&mut found, &what, &whole, &[&wrong, &whole]) else {
                continue;
            };
            let changed = all[0].changes(&all[2]).changed().entries;
            let risks = (all[0].a2a(), all[1].a2a(), all[2].a2a());
            found.add(
                changed == 0,
                format!("{what}: {changed} entries, A2A {risks:?}"),
            );
        }
    }
}

/// Each of several switches, replaced one after the other, changes only its own entries.
#[test]
fn boxes_are_replaced() {
    let mut found = Findings::default();
    for (what, Whole { netlist: whole, .. }) in cabled() {
        let all = switches(&whole);
        // In small fabrics all switches are replaced, in others at most four.
        let step = if all.len() <= 16 {
            1
        } else {
            all.len() / 4 + 1
        };
        let some = all.iter().copied().step_by(step);
        let mut now = whole.clone();
        let then = some.map(|s| {
            now = names::replaced(&now, s, s % 2 == 0);
            now.clone()
        });
        let then: Vec<Netlist> = then.collect();
        let then: Vec<&Netlist> = then.iter().collect();
        let Some(all) = sweeps(&mut found, &what, &whole, &then) else {
            continue;
        };
        for (nth, pair) in all.windows(2).enumerate() {
            found.only_own(&pair[0], &pair[1], &format!("{what}, box {nth}"));
        }
        let (first, last) = (&all[0], &all[all.len() - 1]);
        let left_out = |r: &Routed| (r.plan.unreachable().count, r.plan.connections().left_out);
        let (was, is) = (left_out(first), left_out(last));
        let a2a = (first.a2a(), last.a2a());
        found.add(
            is == was && a2a.1 <= a2a.0,
            format!("{what}: A2A {a2a:?}, without a path and left out {was:?}, then {is:?}"),
        );
    }
}

/// A switch that was there for one sweep, and a host that moved and came back, leave nothing in a reference.
#[test]
fn a_visitor_that_has_left_leaves_nothing() {
    let mut found = Findings::default();
    for shape in shapes() {
        let whole = Whole::new(shape, 1).netlist;
        let leaves = carriers(&whole);
        let mut visited = whole.clone();
        let visitor = visited.nodes.len() as u32;
        let mut node = whole.nodes[leaves[0] as usize].clone();
        (node.id, node.description) = ("visitor".into(), "visitor".into());
        (node.ports, node.lid) = (Vec::new(), names::next_lid(&whole));
        visited.nodes.push(node);
        names::name_new(&mut visited, visitor, true);
        let end = (leaves[0], spare(&whole, leaves[0]));
        link(&mut visited, end, (visitor, 1));
        let host = hosts_of(&whole, leaves[0])[0];
        let port = whole.nodes[host as usize].ports[0].peer_port;
        let moved = moved_to_port(&whole, leaves[0], port, spare(&whole, leaves[0]));
        for (what, then) in [("a visitor", &visited), ("a host moves", &moved)] {
            let what = format!("{shape}, {what}");
            let Some(all) = sweeps(&mut found, &what, &whole, &[then, &whole]) else {
                continue;
            };
            found.only_own(&all[0], &all[2], &what);
            let known = all[2].plan.known().map(|(merged, _)| &merged.nominal);
            let known = known.expect("a reference");
            let counts = (known.switches().len(), known.end_nodes().len());
            let fabric = &all[0].fabric;
            let same = counts == (fabric.switches().len(), fabric.end_nodes().len());
            found.add(same, format!("{what}: switches and hosts {counts:?}"));
        }
    }
}

/// With hosts of the reference off for good, A2A and SP are close to `paper`'s on the fabric without them.
#[test]
fn hosts_are_off_for_good() {
    let mut found = Findings::default();
    let shapes = [
        "PGFT(2;12,24;1,12;1,1)",
        "PGFT(3;12,8,12;1,4,8;1,1,1)",
        "PGFT(3;6,6,8;1,6,6;1,1,1)",
    ];
    for shape in shapes {
        let whole = names::at_random(&pgft(shape), 1);
        for every in [2, 3, 6] {
            for stay in [true, false] {
                let less = sparse::only(&whole, |_, nth| (nth % every == 0) == stay);
                let oracle = Routed::paper(&names::in_order(&less));
                let with = Routed::with_reference(&less, &whole);
                let (a2a, sp) = (with.a2a(), with.sp());
                let alone = Routed::new(&less);
                let alone = (alone.a2a(), alone.sp());
                let best = (oracle.a2a(), oracle.sp());
                let word = if stay { "stays" } else { "goes" };
                found.add(
                    is_close(a2a, best.0) && is_close(sp, best.1),
                    format!("{shape}, every {every}. {word}: A2A {a2a}, SP {sp}; without a reference {alone:?}, paper's {best:?}"),
                );
            }
        }
    }
}

/// With a reference, dead equipment at the edge of the used ports, or with random cables, changes only forced entries.
#[test]
fn a_reference_keeps_places_that_cables_do_not_show() {
    let mut found = Findings::default();
    for (what, whole) in cabled() {
        let netlist = &whole.netlist;
        let before = Routed::up_down(netlist);
        let top = format!("L{}-0", whole.levels());
        let mut gone = vec![vec![whole.last_leaf()]];
        gone.extend(["L1-0", "L2-0", &top].map(|place| vec![at(netlist, place)]));
        gone.extend((whole.levels() > 2).then(|| whole.last_pod()));
        for gone in gone {
            let options = Options {
                on_unreachable: OnUnreachable::Partial,
                ..with_reference(netlist)
            };
            let place = &netlist.nodes[gone[0] as usize].description;
            let what = format!("{what}, {place} and {} more dead", gone.len() - 1);
            let after = Routed::asked(&without(netlist, &gone), &options);
            if let Some(after) = found.routed(after, &what) {
                found.only_forced(&before, &after, &what);
            }
        }
    }
}

/// A new leaf under `auto` changes only its own entries, at any port, even with cables at random.
#[test]
fn a_new_leaf_is_new() {
    let mut found = Findings::default();
    for (what, whole) in cabled() {
        let netlist = &whole.netlist;
        for leaf in [whole.last_leaf(), at(netlist, "L1-1")] {
            let small = without(netlist, &[leaf]);
            let place = &netlist.nodes[leaf as usize].description;
            let what = format!("{what}, {place} is new");
            // In the second sweep the leaf is new, in the third it is part of the reference.
            if let Some(all) = sweeps(&mut found, &what, &small, &[netlist, netlist]) {
                found.only_own(&all[0], &all[1], &what);
                found.only_own(&all[1], &all[2], &format!("{what}, a sweep later"));
            }
        }
    }
}
