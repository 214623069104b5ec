//! A reference knows what cables cannot tell, and does no harm: it forgets what was never meant, and what is off for
//! good does not bend the routes of those that are there.

use super::events::*;
use super::fabrics::{at, carriers, hosts_of, link, pgft, switches};
use super::*;
use dmodc::fabric::Merged;
use dmodc::random::Random;
use dmodc::reference::{Day, Reference};
use std::collections::HashMap;
use std::sync::Arc;

/// What `reference=auto` holds after a sweep: the place to say how references grow.
fn grown(known: &Reference, last: &Routed) -> Reference {
    let alone = Merged::alone(&last.fabric);
    let merged = last.plan.known().map_or(&alone, |(merged, _)| merged);
    // As it is written and read back.
    let mut text = Vec::new();
    let grown = known.grown(merged, &HashMap::new(), Day::today());
    grown.write(&mut text).expect("memory");
    let read = Reference::parse_leniently(&text).expect("a reference");
    read.strict().expect("nothing is odd")
}

/// Each shape as it is, and with cables at random: what it is, and the whole with its netlist.
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

/// The tables of one sweep after the other under `reference=auto`, beginning with a whole fabric.
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

/// A cable that should not be: a spare port of a leaf, and one of a switch to which leaves have none.
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
        // The first uplink there instead of where it belongs.
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

/// Leaves, one after the other, as on a fabric that is renewed; and spines.
#[test]
fn boxes_are_replaced() {
    let mut found = Findings::default();
    for (what, Whole { netlist: whole, .. }) in cabled() {
        let all = switches(&whole);
        // Small ones are renewed from the first switch to the last.
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

/// A box that was plugged in somewhere and is gone again, and a host that has moved, leave nothing.
#[test]
fn what_has_left_leaves_nothing() {
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

/// Hosts that the reference has and that are off for good: A2A and SP are close to those without them.
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

/// At the edge of the ports in use, or where cables are at random: a reference tells.
#[test]
fn what_cables_do_not_tell() {
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

/// A new leaf under `auto` moves nobody, whatever port it has, even where cables tell nothing.
#[test]
fn a_new_leaf_is_new() {
    let mut found = Findings::default();
    for (what, whole) in cabled() {
        let netlist = &whole.netlist;
        for leaf in [whole.last_leaf(), at(netlist, "L1-1")] {
            let small = without(netlist, &[leaf]);
            let place = &netlist.nodes[leaf as usize].description;
            let what = format!("{what}, {place} is new");
            // Seen once, then seen for good.
            if let Some(all) = sweeps(&mut found, &what, &small, &[netlist, netlist]) {
                found.only_own(&all[0], &all[1], &what);
                found.only_own(&all[1], &all[2], &format!("{what}, a sweep later"));
            }
        }
    }
}
