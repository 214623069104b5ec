//! A lost link moves its own entries alone, and a drained link carries nothing that has another path.

use super::route;
use crate::Options;
use dmodc_fabric::{Drained, Fabric, Peer, PortNumber, SwitchId};
use fabrics::{Net, with_slow};
use std::sync::Arc;

/// Three leaves with four hosts each, below two spines with these numbers of links to each leaf.
pub fn rack(widths: [[usize; 3]; 2]) -> Fabric {
    let all = [0, 1, 2]
        .map(|leaf| [3, 4].map(|s| vec![(leaf, s); widths[s as usize - 3][leaf as usize]]));
    let hosts: Vec<u32> = (0..12).map(|host| host / 4).collect();
    Net::new(&all.concat().concat(), &hosts).build()
}

/// Spines 2 and 3 have hosts, so they reach each other by a detour.
pub fn with_hosts_on_spines() -> Fabric {
    let links = [2, 3, 4].map(|spine| [[(0, spine); 4], [(1, spine); 4]].concat());
    let hosts = [&[0; 8][..], &[1; 8], &[2, 2, 3, 3]].concat();
    Net::new(&links.concat(), &hosts).build()
}

/// Both ends of the link at a port of a switch.
fn ends(fabric: &Fabric, s: u32, port: u8) -> [(SwitchId, PortNumber); 2] {
    let near = (SwitchId(s), PortNumber(port));
    [near, fabric.far(near.0, near.1).expect("a link")]
}

#[test]
fn a_lost_link_moves_its_own_entries_alone() {
    // One link that leaf 1 alone lacks keeps its place without a reference.
    let widths = |leaf: u32| [vec![(leaf, 4); 3], vec![(leaf, 5); 1 + leaf as usize % 2]];
    let links: Vec<(u32, u32)> = (0..4).flat_map(widths).flatten().collect();
    let hosts: Vec<u32> = (0..16).map(|host| host / 4).collect();
    let unlike = Net::new(&links, &hosts).build();
    // Without the dark port among them, all entries over the other cables between leaves would move.
    let joined = Net::new(&[(0, 1); 4], &[[0; 8], [1; 8]].concat()).build();
    // Ports counted for the reference stay. Counted anew, most entries would move.
    let counted = rack([[1, 2, 1], [2, 1, 3]]);
    // An expected dark port has the parent that the reference tells. By the usual leader of the port, it joined another
    // group, and the numbers of others moved.
    let numbered = rack([[1, 2, 3], [1, 2, 3]]);
    // Dealt among the links that are there, most LIDs of detours over four cables would move with one of them.
    let turned = with_hosts_on_spines();
    for (whole, remembers, forgets, leaf, ports) in [
        (&unlike, false, false, 1, 2..3),
        (&joined, true, false, 0, 1..5),
        (&counted, true, false, 0, 2..3),
        (&numbered, true, true, 1, 1..5),
        (&numbered, true, true, 2, 1..7),
        (&turned, true, false, 0, 1..9),
    ] {
        let options = Options {
            reference: remembers.then(|| Arc::new(whole.clone())),
            forgets,
            ..Options::default()
        };
        let (_, before) = route(whole, &options, 1);
        for port in ports {
            let less = whole.without(&ends(whole, leaf, port));
            let (_, after) = route(&less, &options, 1);
            let at_all = less.switches().keys();
            for s in at_all.filter(|&s| remembers || s == SwitchId(leaf)) {
                for (lid, ..) in less.lids() {
                    let [was, is] = [&before, &after].map(|tables| tables.get(s, lid));
                    let is_lost = less.peer(s, PortNumber(was)) == Peer::None;
                    assert!(was == is || is_lost, "{s:?}, LID {lid}: {was}, {is}");
                }
            }
        }
    }
}

#[test]
fn a_drained_link_carries_nothing_that_has_another_path() {
    // Packets turned at a leaf and so used its drained link.
    let links = [(0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5), (2, 5)];
    let at_leaf = Net::new(&links, &[0, 0, 1, 1, 2, 2]).build();
    // Two pods of a leaf and two mids, two spines above each mid; a host on the first mid. Where spines sent their own
    // packets over a drained link, those of hosts came along.
    let in_pods = [(0, 2), (0, 3), (1, 4), (1, 5)];
    let spines =
        [(2, 6), (3, 8), (4, 6), (5, 8)].map(|(mid, spine)| [(mid, spine), (mid, spine + 1)]);
    let links = [&in_pods[..], spines.as_flattened()].concat();
    let pods = Net::new(&links, &[0, 0, 0, 1, 1, 1, 2]).build();
    // Down a group of several links, packets took the counted port though it was drained, or slow and dark.
    let counted = rack([[1, 2, 3], [2, 3, 4]]);
    let of_spine = counted.links_of(SwitchId(3)).map(|link| link.0.0);
    let of_spine: Vec<u8> = of_spine.skip(1).collect();
    for (fabric, s, ports) in [
        (&at_leaf, 1, vec![3]),
        (&pods, 0, vec![1]),
        (&counted, 3, of_spine),
    ] {
        for port in ports {
            let ends = ends(fabric, s, port);
            let options = Options {
                reference: Some(Arc::new(fabric.clone())),
                drain: vec![Drained {
                    switch: fabric.guid(ends[0].0),
                    port: Some(ends[0].1),
                }],
                ..Options::default()
            };
            let (_, tables) = route(fabric, &options, 1);
            for (s, port) in ends {
                for node in fabric.end_nodes() {
                    assert_ne!(tables.get(s, node.lid), port.0, "{s:?}, LID {}", node.lid);
                }
            }
        }
    }
}

/// Packets of a drained leaf used all links of the fabric, and so a drained spine, which never got empty.
#[test]
fn a_drained_spine_is_empty_beside_a_drained_leaf() {
    let links = [0, 1, 2].map(|leaf| [(leaf, 3), (leaf, 4)]).concat();
    let fabric = Net::new(&links, &[0, 0, 0, 1, 1, 1, 2, 2, 2]).build();
    let (leaf, spine) = (SwitchId(0), SwitchId(4));
    let options = Options {
        drain: [leaf, spine]
            .map(|s| Drained {
                switch: fabric.guid(s),
                port: None,
            })
            .to_vec(),
        ..Options::default()
    };
    let (_, tables) = route(&fabric, &options, 1);
    for (s, node) in (0..3).flat_map(|s| fabric.end_nodes().iter().map(move |n| (SwitchId(s), n))) {
        let next = fabric.far(s, PortNumber(tables.get(s, node.lid)));
        assert!(
            next.is_none_or(|next| next.0 != spine),
            "{s:?}, LID {}",
            node.lid
        );
    }
}

#[test]
fn a_slow_link_that_carries_nothing_else_leaves_hosts_to_detours() {
    // Leaf 0 reaches leaf 1 by spine 4 alone.
    let links = [
        (0, 3),
        (0, 3),
        (0, 4),
        (1, 4),
        (1, 4),
        (2, 3),
        (2, 3),
        (2, 4),
        (2, 4),
    ];
    let fabric = Net::new(&links, &[0, 0, 1, 1, 2, 2]).build();
    let [(leaf, up), (spine, down)] = ends(&fabric, 0, 3);
    let fabric = with_slow(&fabric, &[(leaf, up)], "1xHDR");
    let (_, tables) = route(&fabric, &Options::default(), 1);
    for node in fabric.end_nodes() {
        assert_ne!(tables.get(leaf, node.lid), up.0, "up, LID {}", node.lid);
        assert_ne!(
            tables.get(spine, node.lid),
            down.0,
            "down, LID {}",
            node.lid
        );
    }
}
