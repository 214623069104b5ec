//! The entries of absent nodes lead to their ports, and change no entry of another node; nor do hosts that leave, with a
//! reference.

use super::{degraded, route, shapes, text};
use crate::Options;
use crate::spread::hash;
use dmodc_fabric::{Builder, EndNode, Fabric, Lid, NO_PATH, PortNumber, SwitchId};
use fabrics::{Net, cases, pgft, way, with_slow};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A fabric without some of its end nodes, and these. The indices of switches stay.
fn without(whole: &Fabric, is_gone: impl Fn(usize, &EndNode) -> bool) -> (Fabric, Vec<EndNode>) {
    first(whole, whole.switches().len(), is_gone)
}

/// The same with the first switches only.
fn first(
    whole: &Fabric,
    switches: usize,
    is_gone: impl Fn(usize, &EndNode) -> bool,
) -> (Fabric, Vec<EndNode>) {
    let mut b = Builder::default();
    for s in whole.switches().iter().take(switches) {
        b.switch(s.guid, s.lid, s.lmc, s.ports);
    }
    let stays = |s: SwitchId| usize::from(s) < switches;
    let links = whole.links().filter(|[a, b]| stays(a.0) && stays(b.0));
    links.for_each(|[near, far]| b.link(near, far));
    let mut gone = Vec::new();
    for (i, node) in whole.end_nodes().iter().cloned().enumerate() {
        match stays(node.switch) && !is_gone(i, &node) {
            true => b.end_node(node),
            false => gone.push(node),
        }
    }
    (b.finish().0, gone)
}

/// Leaves with hosts where others have uplinks, leaves that are all joined, leaves with as many uplinks in half as many
/// groups: with a reference, neither a host that goes nor a leaf changes an entry of another node.
#[test]
fn hosts_and_leaves_of_uneven_fabrics_move_nobody() {
    let pairs = |low: Range<u32>, high: Range<u32>, width: usize| {
        let pairs = low.flat_map(|low| high.clone().map(move |high| (low, high)));
        pairs.flat_map(|pair| vec![pair; width]).collect::<Vec<_>>()
    };
    let rack = [pairs(2..7, 0..2, 4), pairs(7..10, 0..2, 2)].concat();
    let other = [pairs(4..8, 0..4, 2), pairs(8..9, 0..4, 1)].concat();
    let mesh = (1..5).flat_map(|a| pairs(a..a + 1, 0..a, 4));
    let pods = [
        pairs(0..6, 6..10, 1),
        pairs(10..13, 0..4, 1),
        pairs(13..16, 4..6, 2),
    ];
    for (links, leaves, each) in [
        (rack, 2..10, 7),
        (other, 4..9, 9),
        (mesh.collect(), 0..5, 3),
        (pods.concat(), 10..16, 2),
    ] {
        let hosts = leaves.flat_map(|leaf| vec![leaf; each]).collect::<Vec<_>>();
        let net = Net::new(&links, &hosts).build();
        let whole = fabrics::rebuilt(&net, |_, switch| switch.ports = 36)
            .finish()
            .0;
        let (_, before) = route(&whole, &Options::default(), 1);
        let options = Options {
            reference: Some(Arc::new(whole.clone())),
            ..Options::default()
        };
        let switches = whole.switches().len();
        let less = (0..hosts.len()).map(|host| without(&whole, |i, _| i == host).0);
        for less in less.chain([first(&whole, switches - 1, |_, _| false).0]) {
            let (_, after) = route(&less, &options, 1);
            for s in less.switches().keys() {
                for (lid, ..) in fabrics::lids(&less) {
                    assert_eq!(before.get(s, lid), after.get(s, lid), "{s:?}, LID {lid}");
                }
            }
        }
    }
}

/// Where ports are counted, a second sweep counted the further LIDs anew, since the reference of OpenSM's plugin has no
/// LMC. And after a restart, which forgets the LIDs of hosts that are away, the others went by other ports than before.
#[test]
fn a_reference_of_counted_ports_needs_no_lids() {
    let net = |lmc| {
        let pairs = (0..3).flat_map(|leaf| [(leaf, 3), (leaf, 4)]);
        let links = pairs
            .zip([1, 2, 2, 1, 1, 3])
            .map(|(pair, width)| vec![pair; width]);
        let hosts: Vec<u32> = (0..24).map(|host| host / 8).collect();
        let net = Net::new(&links.collect::<Vec<_>>().concat(), &hosts);
        Net { lmc, ..net }.build()
    };
    let options = Options {
        reference: Some(Arc::new(net(0))),
        ..Options::default()
    };
    let whole = net(2);
    let (_, tables) = route(&whole, &options, 1);
    assert!(tables == route(&whole, &Options::default(), 1).1);
    for port in 1..4 {
        let far = whole.far(SwitchId(0), PortNumber(port)).expect("a link");
        let less = whole.without(&[(SwitchId(0), PortNumber(port)), far]);
        for host in 0..24 {
            let (restarted, gone) = without(&less, |i, _| i == host);
            let mut with = restarted.clone();
            with.set_absent(gone);
            let [all, absent, away] =
                [&less, &with, &restarted].map(|fabric| route(fabric, &options, 1).1);
            for s in less.switches().keys() {
                for (lid, ..) in fabrics::lids(&restarted) {
                    assert_eq!(absent.get(s, lid), all.get(s, lid), "{s:?}, LID {lid}");
                    assert_eq!(absent.get(s, lid), away.get(s, lid), "{s:?}, LID {lid}");
                }
            }
        }
    }
}

/// With one link at a quarter, up to 30 entries of other hosts moved.
#[test]
fn beside_slow_links_a_host_that_goes_moves_nobody() {
    let (whole, _) = pgft("PGFT(2;8,6;1,4;1,1)").to_fabric(None).expect("LIDs");
    for (slow, speed) in [(1, "1xEDR"), (3, "2xEDR")] {
        let links = whole.links().step_by(5).take(slow).map(|[end, _]| end);
        let whole = with_slow(&whole, &links.collect::<Vec<_>>(), speed);
        let options = Options {
            reference: Some(Arc::new(whole.clone())),
            ..Options::default()
        };
        let (_, before) = route(&whole, &options, 1);
        assert!(
            before == route(&whole, &Options::default(), 1).1,
            "a second sweep"
        );
        for node in whole.end_nodes() {
            let (less, _) = without(&whole, |_, other| other.guid == node.guid);
            let less = less.with_speeds(|_, s, port| whole.link_speed(s, port));
            let (_, after) = route(&less, &options, 1);
            for s in less.switches().keys() {
                for (lid, ..) in fabrics::lids(&less) {
                    assert_eq!(
                        before.get(s, lid),
                        after.get(s, lid),
                        "{slow}, {node:?}: {s:?}, LID {lid}"
                    );
                }
            }
        }
    }
}

/// An I/O node that is away keeps its number, and so its entries: in a tree, and in a rack where ports are counted. With a
/// hash for a number the rack took 64 GiB: a place for each smaller number on each leaf.
#[test]
fn an_absent_io_node_keeps_its_entries() {
    for widths in [[2; 6], [1, 2, 3, 1, 2, 3]] {
        let pairs = (0..3).flat_map(|leaf| [(leaf, 3), (leaf, 4)]);
        let links = pairs.zip(widths).map(|(pair, width)| vec![pair; width]);
        let hosts: Vec<u32> = (0..12).map(|host| host / 4).collect();
        let whole = Net::new(&links.collect::<Vec<_>>().concat(), &hosts).build();
        let io = whole.end_nodes().iter().step_by(3);
        let options = Options {
            io_guids: io.map(|node| node.guid).collect(),
            ..Options::default()
        };
        let (mut less, gone) = without(&whole, |i, _| i == 3);
        less.set_absent(gone);
        let (_, before) = route(&whole, &options, 1);
        let (_, after) = route(&less, &options, 1);
        assert!(before == after);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn absent_nodes_change_nothing_for_others(
        shape in shapes(),
        seed in any::<u64>(),
        links in prop_oneof![Just(0.0), 0.0..0.3],
        every in 2usize..6,
        lmc in 0u8..3,
    ) {
        let netlist = degraded(shape, seed, links, 0.0);
        let (whole, _) = netlist.to_fabric(Some(lmc)).expect("LIDs");
        let (less, gone) = without(&whole, |i, _| i % every == every - 1);
        // Counted ports need a memory.
        let options = Options {
            forgets: true,
            ..Options::default()
        };
        let (plan, tables) = route(&less, &options, 1);
        let mut with = less.clone();
        with.set_absent(gone.clone());
        let (now, rows) = route(&with, &options, 1);
        prop_assert_eq!(plan.order(), now.order());
        let counts = |plan: &crate::Plan| {
            let found = plan.connections();
            (found.turned, found.left_out, plan.unreachable().count)
        };
        prop_assert_eq!(counts(&plan), counts(&now));
        for s in less.switches().keys() {
            for lid in (1..=less.max_lid().0).map(Lid) {
                let is_gone = |n: &EndNode| (n.lid.0..n.lid.0 + (1 << n.lmc)).contains(&lid.0);
                if !gone.iter().any(is_gone) {
                    prop_assert_eq!(tables.row(s)[lid], rows.row(s)[lid], "{}", text(&netlist));
                }
            }
            for node in &gone {
                for lid in node.lid.0..node.lid.0 + (1 << node.lmc) {
                    let last = way(&with, &rows, s, Lid(lid)).last().expect("a switch");
                    // Either a packet comes to the port of the node, or nothing leads on.
                    let arrives = (last, rows.get(last, Lid(lid))) == (node.switch, node.port.0);
                    let path = now.hops(s, node.switch).is_some();
                    prop_assert!(arrives || (!path && rows.get(last, Lid(lid)) == NO_PATH));
                }
            }
        }
        prop_assert!(with.max_lid() >= Lid(1));
    }

    /// Two ports of one server can be all hosts at a position: it stays a position when the server leaves.
    #[test]
    fn a_position_of_few_leaves_stays(
        shape in shapes(),
        seed in any::<u64>(),
        port in 1u8..6,
        few in 0usize..3,
    ) {
        let (whole, _) = degraded(shape, seed, 0.0, 0.0).to_fabric(None).expect("LIDs");
        let leaves: BTreeSet<SwitchId> = whole.end_nodes().iter().map(|node| node.switch).collect();
        let few = few.min(leaves.len() / 2);
        let at_port = |node: &EndNode| node.port.0 == port;
        let has_port: Vec<SwitchId> = leaves.iter().copied().take(few).collect();
        let is_sparse = |i: usize, node: &EndNode| match at_port(node) {
            true => !has_port.contains(&node.switch),
            false => hash(seed ^ i as u64).is_multiple_of(3),
        };
        let (before, _) = without(&whole, is_sparse);
        let (after, _) = without(&before, |_, node| at_port(node));
        let options = Options {
            reference: Some(Arc::new(before.clone())),
            ..Options::default()
        };
        let (_, was) = route(&before, &options, 1);
        let (_, now) = route(&after, &options, 1);
        for s in after.switches().keys() {
            for node in after.end_nodes() {
                prop_assert_eq!(was.get(s, node.lid), now.get(s, node.lid));
            }
        }
    }
}
