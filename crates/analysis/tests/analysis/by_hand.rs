//! Small fabrics whose figures a reader can count.

use dmodc_analysis::{ChannelId, Channels, Losses, bound, bounds};
use dmodc_fabric::{NodeId, PortNumber, SwitchId};
use fabrics::{Net, with_speeds};

#[test]
fn capacities_are_parts_of_the_fastest() {
    let of = |speeds: [&str; 4]| {
        let net = Net::new(&[(0, 1), (0, 1), (0, 1), (0, 1)], &[0]).build();
        let channels = Channels::new(&with_speeds(net, |_, port| match port.0 {
            1..=4 => speeds[port.offset()],
            _ => "1xSDR",
        }));
        let capacity = |c| channels.capacity(ChannelId(c));
        assert!(capacity(1) == capacity(5));
        let all = (0..4).map(capacity).collect::<Vec<_>>();
        (channels.differ(), all)
    };
    let alike = (false, vec![1.0; 4]);
    assert_eq!(of(["", "", "", ""]), alike);
    assert_eq!(of(["4xHDR", "4xHDR", "2xNDR", "4xHDR"]), alike);
    // A link of unknown speed gets the only known speed.
    assert_eq!(of(["4xHDR", "", "4xHDR", ""]), alike);
    let found = of(["4xHDR", "", "1xHDR", "1xHDR"]);
    assert_eq!(found, (true, vec![1.0, 0.25, 0.25, 0.25]));
}

#[test]
fn over_capacity_by_hand() {
    // Three nodes on each of two leaves, which have two and three links up.
    let links = [(0, 2), (0, 2), (1, 2), (1, 2), (1, 2)];
    let fabric = Net::new(&links, &[0, 0, 0, 1, 1, 1]).build();
    let of = |slow: &[(u32, u8)], speed| {
        let speed = |SwitchId(s), PortNumber(port)| match slow.contains(&(s, port)) {
            true => speed,
            false => "4xHDR",
        };
        let fabric = with_speeds(fabric.clone(), speed);
        let nodes = [0, 1, 2, 3, 4, 5].map(NodeId);
        bounds(
            &fabric,
            &nodes,
            |SwitchId(s)| (s == 2).into(),
            &Channels::new(&fabric),
        )
    };
    assert_eq!(of(&[], ""), (Some(2), None));
    // Leaf 0 has 3 / 2, below the bound without speeds, 2.
    assert_eq!(of(&[(1, 3), (2, 5)], "2xHDR"), (Some(2), Some(2.0)));
    // One link of leaf 0 at a quarter: 3 / 1.25. Both: min(3 / 0.25, 3 / 0.5).
    assert_eq!(of(&[(0, 2), (2, 2)], "1xHDR"), (Some(2), Some(2.4)));
    let both = [(0, 1), (2, 1), (0, 2), (2, 2)];
    assert_eq!(of(&both, "1xHDR"), (Some(2), Some(6.0)));
}

#[test]
fn nodes_that_no_links_join_do_not_count() {
    // Switch 1 is a leaf that has lost its links.
    let fabric = Net::new(&[(0, 2)], &[0, 0, 1, 1]).build();
    assert_eq!(bound(&fabric, |SwitchId(s)| (s == 2).into()), Some(0));
}

#[test]
fn hosts_on_an_upper_switch_send_over_its_own_links() {
    // Switches 0 to 3 with four nodes each, 0 and 1 below 4 and 5, 2 and 3 below 6 and 7; 8 and 9 at the top
    // of 4 and 6, and of 5 and 7.
    let pods: Vec<_> = (0..8).map(|i| (i / 2, 4 + i / 4 * 2 + i % 2)).collect();
    let tops = [(4, 8), (6, 8), (5, 9), (7, 9)];
    let links = [&pods[..], &tops[..]].concat();
    let of = |extra: &[u32]| {
        let mut nodes: Vec<u32> = (0..16).map(|n| n / 4).collect();
        nodes.extend(extra);
        let fabric = Net::new(&links, &nodes).build();
        bound(&fabric, |s| [0, 0, 0, 0, 1, 1, 1, 1, 2, 2][usize::from(s)])
    };
    // A pod: 8 nodes, 2 links up, 8 nodes elsewhere.
    assert_eq!(of(&[]), Some(4));
    // A node on 4: the link up of 4 takes all 8 of the other pod, and all 9 at or below 4 send over it.
    assert_eq!(of(&[4]), Some(8));
    // A node on 8: one link takes all 8 destinations of a pod.
    assert_eq!(of(&[8]), Some(8));
    // 5 and 7 have no top: 5 reaches no switch upwards.
    let links = [&pods[..], &tops[..2]].concat();
    let fabric = Net::new(&links, &[0, 1, 2, 3, 5]).build();
    let found = bound(&fabric, |s| [0, 0, 0, 0, 1, 1, 1, 1, 2][usize::from(s)]);
    assert_eq!(found, Some(2));
}

#[test]
fn a_tail_hangs_on_one_link_and_one_switch() {
    // Leaves 0 and 1 below spines 3 and 4; switch 2 with a host hangs below leaf 1 alone.
    let fabric = Net::new(&[(0, 3), (0, 4), (1, 3), (1, 4), (1, 2)], &[0, 0, 1, 2]).build();
    let losses = Losses::new(&fabric, |SwitchId(s)| [1, 1, 0, 2, 2][s as usize]);
    assert_eq!(losses.ways_before.raw, [2, 2, 1, 2, 2]);
    let cut = |a: (u32, u32), lost: Option<u32>| {
        let ends = fabric.links().filter(|[(s, _), (t, _)]| match lost {
            Some(lost) => [s.0, t.0].contains(&lost),
            None => (s.0, t.0) == a,
        });
        let mut ends: Vec<(SwitchId, PortNumber)> = ends.flatten().collect();
        ends.sort_unstable();
        losses.cut_off(&fabric.without(&ends), lost.map(SwitchId))
    };
    assert_eq!(cut((1, 2), None), [SwitchId(2)]);
    assert_eq!(cut((1, 3), None), []);
    assert_eq!(cut((0, 0), Some(1)), [SwitchId(2)]);
    assert_eq!(cut((0, 0), Some(3)), []);
}
