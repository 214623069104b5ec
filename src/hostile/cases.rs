//! One fault at a time: the log names it, and Dmodc routes the rest of the subnet.

use super::lines::errors;
use super::world::{KEPT, MARGIN, NODES, SWITCHES, SYMBOLS, World, engine, guid, set};
use crate::callbacks::{self, Context};
use crate::extension::OpenSm;
use crate::{entry, snapshot, version};
use dmodc_core::Engine;
use dmodc_fabric::random::Random;
use dmodc_fabric::{PortNumber, SwitchId};
use std::ptr;

type Spoil = fn(&mut World);

/// Faults, each with the error line that names it, or "" if it only amounts to a missing link. The rest is routed.
const ROUTED: [(&str, Spoil); 16] = [
    ("", |w| w.cut(&[(0, 4)])),
    // A switch linked to itself, and a port linked to itself.
    ("", |w| w.link((5, 6), (5, 7))),
    ("", |w| w.link((5, 6), (5, 6))),
    ("", |w| set!(w.port(4, 1), p_node = ptr::null_mut())),
    // A port that OpenSM has not initialised.
    ("", |w| set!(w.port(4, 1), port_guid = 0)),
    ("", |w| set!(w.port(4, 1), healthy = 0)),
    // A switch with more ports than its node's table.
    ("", |w| set!(w.switches[0], num_ports = 255)),
    ("", |w| set!(w.switches[4], p_node = ptr::null_mut())),
    (
        "port 3 of 0x0000000000000100 (): the link is known at one end only",
        |w| set!(w.port(4, 1), p_remote_physp = ptr::null_mut()),
    ),
    (
        "port 1 of 0x0000000000000100 (): the port at the other end (0x0000000000000701) has no LID yet",
        |w| w.set_lid((6, 1), 0),
    ),
    ("switch 0x0000000000000500 () has no LID yet", |w| {
        w.set_lid((4, 0), 0);
    }),
    (
        "0x0000000000000801: LID 7 is taken by 0x0000000000000701",
        |w| w.set_lid((7, 1), 7),
    ),
    ("LID 49152 with LMC 0 is out of range", |w| {
        w.set_lid((7, 1), 0xC000);
    }),
    ("LID 49100 with LMC 7 is out of range", |w| {
        w.set_lid((7, 1), 49_100);
        set!(w.port(7, 1), port_info.mkey_lmc = 7);
    }),
    ("switch 0x0000000000000500 has no port 200", |w| {
        set!(w.port(4, 1), port_num = 200);
    }),
    ("switch GUID 0x0000000000000500 appears twice", |w| {
        set!(w.switches[5], map_item.key = guid(4).to_be());
    }),
];

/// Faults for which Dmodc refuses the subnet, with the reason.
const REFUSED: [(&str, Spoil); 3] = [
    ("has 64 entries", |w| w.set_lid((7, 1), 100)),
    ("has 8 entries", |w| set!(w.switches[2], lft_size = 8)),
    ("no forwarding table for switch 0x0000000000000300", |w| {
        set!(w.switches[2], new_lft = ptr::null_mut());
    }),
];

#[test]
fn faults_are_named_and_the_rest_is_routed() {
    let routed = |spoil: Spoil| {
        let (mut world, dmodc) = (World::new(), engine());
        spoil(&mut world);
        errors();
        let refused = world.route(&dmodc, SWITCHES).err();
        let errors = errors();
        world.use_plan(&dmodc, &mut Random::new(1));
        // The entry of leaf 3, which no fault touches, for its own CA.
        let entry = world.table(3)[MARGIN + 13];
        (entry, errors, refused.map(|why| why.to_string()))
    };
    for (at, (line, spoil)) in ROUTED.into_iter().enumerate() {
        let (entry, errors, refused) = routed(spoil);
        assert_eq!((entry, refused), (1, None), "{at} {line}");
        assert_eq!(errors.is_empty(), line.is_empty(), "{at} {errors:#?}");
        assert!(errors.concat().contains(line), "{line}: {errors:#?}");
    }
    for (reason, spoil) in REFUSED {
        let (_, _, refused) = routed(spoil);
        assert!(refused.is_some_and(|why| why.contains(reason)), "{reason}");
    }
}

/// OpenSM's map is damaged and lists a switch twice, or two switches have one table: each table is given once.
#[test]
fn no_table_is_given_twice() {
    let (mut world, dmodc) = (World::new(), engine());
    world.route(&dmodc, SWITCHES).expect("a tree");
    world.repeat_first();
    let given = world.with_subnet(|subnet| {
        let tables = subnet.new_lfts().into_iter();
        let rows: Vec<_> = tables.filter_map(|(_, row)| row).collect();
        rows.len()
    });
    assert_eq!(given, SWITCHES);
    errors();
    let routed = world.with_subnet(|subnet| dmodc.route(subnet, ptr::null()));
    assert!(routed.is_ok(), "{routed:?}");
    assert!(errors().concat().contains("appears twice"));

    let mut world = World::new();
    set!(world.switches[1], new_lft = world.new_lft(0));
    let refused = world
        .route(&dmodc, SWITCHES)
        .expect_err("a table is missing");
    let reason = "no forwarding table for switch 0x0000000000000200";
    assert!(refused.to_string().contains(reason), "{refused}");
}

/// The error lines for a group with members on the leaves `members`. `before` and `since` change the subnet before and
/// after it is routed.
fn group_lines(members: &[usize], before: Spoil, since: Spoil) -> Vec<String> {
    let (mut world, dmodc) = (World::new(), engine());
    before(&mut world);
    world.route(&dmodc, SWITCHES).expect("a tree");
    since(&mut world);
    errors();
    let members: Vec<(usize, u8)> = members.iter().map(|&leaf| (leaf, 1)).collect();
    let built = world.build_group(&dmodc, 0xC001, &members);
    let mut lines = errors();
    lines.extend(built.err().map(|e| format!("ERROR: {e}")));
    lines
}

#[test]
fn every_fault_of_multicast_is_named() {
    let fine = |_: &mut World| ();
    assert_eq!(group_lines(&[0, 2], fine, fine), [""; 0]);
    // Links that have gone since the routing lead to a new plan, without an error line.
    let found = group_lines(&[0, 2], fine, |w| w.cut(&[(0, 4), (2, 4)]));
    assert_eq!(found, [""; 0]);
    // No spine is above both leaves: the tree turns at a third leaf, and leaves out no member.
    let found = group_lines(&[0, 2], |w| w.cut(&[(0, 5), (2, 4)]), fine);
    assert_eq!(found, [""; 0]);
    let cases: [(Spoil, &str); 5] = [
        // Leaf 2 has no link to a spine.
        (
            |w| w.cut(&[(2, 4), (2, 5)]),
            "leaves out 1 switches with members: 0x0000000000000300",
        ),
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
        // A member at a switch that is not in the subnet: a new plan does not help.
        (
            |w| set!(w.switches[2], p_node = ptr::null_mut()),
            "switch 0x0000000000000300 has come or gone since the subnet was read",
        ),
    ];
    for (spoil, line) in cases {
        let lines = group_lines(&[0, 2, 3], spoil, fine).concat();
        assert!(lines.contains(line), "{line}: {lines}");
    }
}

#[test]
fn a_subnet_without_switches_has_nothing_to_route() {
    let (mut world, dmodc) = (World::new(), engine());
    world.route(&dmodc, 0).expect("nothing to do");
    world.use_plan(&dmodc, &mut Random::new(1));
}

#[test]
fn hop_tables_without_room_are_named() {
    let (mut world, dmodc) = (World::new(), engine());
    set!(world.switches[1], num_hops = 2);
    world.route(&dmodc, SWITCHES).expect("a tree");
    errors();
    world.with_subnet(|subnet| dmodc.fill_hop_tables(subnet));
    let lines = errors().concat();
    assert!(lines.contains("no room for 5 rows"), "{lines}");
}

/// OpenSM keeps the very pointer that `create` returns, and may use it until it is released. (Miri and AddressSanitizer
/// check more in this test than an ordinary build.)
#[test]
fn opensm_keeps_the_context_itself() {
    let world = World::new();
    let register = || {
        // SAFETY: the world stands in for OpenSM; nothing of it is read here.
        unsafe { OpenSm::new(world.osm, SYMBOLS) }.dmodc(entry::ENGINE, "")
    };
    let context = register().expect("registered").as_ptr();
    let kept: *mut Context = KEPT.get().cast();
    assert_eq!(context, kept);
    // SAFETY: the context has not been released. The test uses OpenSM's pointer and the returned one in turn.
    unsafe {
        for context in [kept, context, kept] {
            (*context).dmodc.forget();
        }
        callbacks::release(context);
    }
    errors();
    assert!(register().is_none());
    let lines = errors().concat();
    let refused = "refused the routing engine dmodc (status 1)";
    assert!(lines.contains(refused), "{lines}");
}

/// The log names the first ten parts that are left out, and counts the others.
#[test]
fn many_defects_are_counted() {
    let mut world = World::new();
    for n in 0..NODES {
        world.set_lid((n, u8::from(n >= SWITCHES)), 0);
    }
    errors();
    let routed = world.route(&engine(), SWITCHES);
    routed.expect("nothing to route to");
    let lines = errors();
    assert_eq!(lines.len(), 10 + 1);
    let rest = format!("{} more parts of the subnet were left out", NODES - 10);
    assert!(lines.concat().contains(&rest), "{lines:#?}");
}

/// The plugin refuses an OpenSM of another version or another layout.
#[test]
#[cfg_attr(miri, ignore = "looks functions up in the process")]
fn another_opensm_is_refused() {
    let world = World::new();
    for version in [c"OpenSM 3.3.22", version::BUILT_FOR] {
        set!(world.osm, osm_version = version.as_ptr());
        // SAFETY: only the version and two pointers that show the layout are read of it.
        assert!(unsafe { entry::created(world.osm) }.is_none());
    }
}

/// Fields of PortInfo at the end of a link with the greater GUID, and the link's speed: active width; active speed and
/// active extended speed (the lower bits hold enabled or supported speeds); round-trip latency; CapabilityMask and
/// CapabilityMask2 of port 0; Mellanox's active speed.
type PortInfo = (u8, u8, u8, u32, u32, u16, u8, &'static str);

const SPEEDS: [PortInfo; 7] = [
    (0, 0, 0, 0, 0, 0, 0, ""),
    // Port 0 has no extended speeds.
    (1, 0x4f, 0x47, 0, 0, 0, 0, "1xQDR"),
    (1, 0x4f, 0x47, 0, 0x4000, 0, 0, "1xHDR"),
    (1, 0x4f, 0x47, 0x20ff_ffff, 0xc000, 0x0800, 0, "1xXDR"),
    (1, 0x4f, 0x47, 0x20ff_ffff, 0xc000, 0x0400, 0, "1xHDR"),
    (2, 0x40, 0, 0, 0, 0, 1, "4xFDR10"),
    (2, 0x20, 0, 0, 0, 0, 1, "4xDDR"),
];

#[test]
fn speeds_come_from_the_fields_that_a_port_has() {
    let one_thread = Engine::new(1).expect("one thread");
    for (width, speed, extended, latency, mask, mask_2, mellanox, expected) in SPEEDS {
        let mut world = World::new();
        // For a spine, port 0 has the capabilities; for a host, the port itself.
        for (at, capable) in [((4, 1), (4, 0)), ((SWITCHES, 1), (SWITCHES, 1))] {
            let (at, capable) = (world.port(at.0, at.1), world.port(capable.0, capable.1));
            set!(at, port_info.link_width_active = width);
            set!(at, port_info.link_speed = speed);
            set!(at, port_info.link_speed_ext = extended);
            set!(at, port_info.link_rt_latency = latency.to_be());
            set!(at, ext_port_info.link_speed_active = mellanox);
            set!(capable, port_info.capability_mask = mask.to_be());
            set!(capable, port_info.capability_mask2 = mask_2.to_be());
        }
        world.route(&engine(), SWITCHES).expect("a tree");
        let (fabric, _) = world.with_subnet(|subnet| snapshot::read(subnet, &one_thread));
        let speed = |port| fabric.link_speed(SwitchId(0), PortNumber(port));
        let speeds = [3, 1].map(|port| speed(port).to_string());
        assert_eq!(speeds, [expected; 2]);
    }
}
