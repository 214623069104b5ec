//! Multicast groups on subnets with a fault, or on subnets that have changed since they were read.

use super::lines::logged;
use super::world::{SWITCHES, World, engine, set};
use std::ptr;

/// The error and warning lines for a group of the leaves `members`. `before` and `since` change the subnet before and
/// after the fabric is routed.
fn group_lines(members: &[usize], before: fn(&mut World), since: fn(&mut World)) -> Vec<String> {
    let (mut world, dmodc) = (World::new(), engine());
    before(&mut world);
    world.route(&dmodc, SWITCHES).expect("a tree");
    since(&mut world);
    logged();
    let members: Vec<(usize, u8)> = members.iter().map(|&leaf| (leaf, 1)).collect();
    let built = world.build_group(&dmodc, 0xC001, &members);
    let mut lines = logged();
    lines.retain(|l| !l.starts_with("INFO"));
    lines.extend(built.err().map(|e| format!("ERROR: {e}")));
    lines
}

/// Unlinks both ends of a link between a leaf and a spine.
fn cut(world: &mut World, leaf: usize, spine: usize) {
    let ends = [(leaf, spine as u8 - 1), (spine, leaf as u8 + 1)];
    for (n, port) in ends {
        set!(world.port(n, port), p_remote_physp = ptr::null_mut());
    }
}

#[test]
fn every_fault_of_multicast_is_named() {
    let fine = |_: &mut World| ();
    assert_eq!(group_lines(&[0, 2], fine, fine), [""; 0]);
    // What has changed since is planned anew, without a word.
    let cut_one = |w: &mut World| {
        cut(w, 0, 4);
        cut(w, 2, 4);
    };
    assert_eq!(group_lines(&[0, 2], fine, cut_one), [""; 0]);
    // No spine is above both leaves: the tree turns at a third, and leaves out no member.
    let cut_apart = |w: &mut World| {
        cut(w, 0, 5);
        cut(w, 2, 4);
    };
    assert_eq!(group_lines(&[0, 2], cut_apart, fine), [""; 0]);
    // Leaf 3 hangs by no spine: its members are left out.
    let cut_off = |w: &mut World| {
        cut(w, 3, 4);
        cut(w, 3, 5);
    };
    let left_out = group_lines(&[0, 2, 3], cut_off, fine).concat();
    let named = "leaves out 1 switches with members: 0x0000000000000400";
    assert!(left_out.contains(named), "{left_out}");
    type Case<'a> = (fn(&mut World), &'a str);
    let cases: [Case<'_>; 4] = [
        (
            |w| (0..SWITCHES).for_each(|s| set!(w.switches[s], switch_info.mcast_cap = 0)),
            "no member is at a switch that forwards multicast",
        ),
        (
            |w| set!(w.switches[0], mcast_tbl.mft_depth = 1),
            "the multicast table of switch 0x0000000000000100 has no room for the group",
        ),
        (
            |w| set!(w.switches[2], mcast_tbl.p_mask_tbl = ptr::null_mut()),
            "the multicast table of switch 0x0000000000000300 has no room for the group",
        ),
        // A member at a switch that is not in the subnet, whatever is read.
        (
            |w| set!(w.switches[2], p_node = ptr::null_mut()),
            "switch 0x0000000000000000 has come or gone since the subnet was read",
        ),
    ];
    for (spoil, line) in cases {
        let lines = group_lines(&[0, 2], spoil, fine).concat();
        assert!(lines.contains(line), "{line}: {lines}");
    }
}
