//! Each fault by itself: the line that names it, and what is routed all the same.

use super::lines::logged;
use super::world::{MARGIN, SWITCHES, World, engine, guid, set};
use crate::random::Random;
use std::ptr;

/// One thing that is wrong, the error line that names it (none where it is the same as no link),
/// and whether the rest is routed.
type Case = (&'static str, fn(&mut World), &'static str, bool);

const CASES: [Case; 20] = [
    ("nothing", |_| (), "", true),
    (
        "a remote that is NULL at both ends",
        |w| {
            set!(w.port(0, 3), p_remote_physp = ptr::null_mut());
            set!(w.port(4, 1), p_remote_physp = ptr::null_mut());
        },
        "",
        true,
    ),
    (
        "a link known at one end",
        |w| set!(w.port(4, 1), p_remote_physp = ptr::null_mut()),
        "port 3 of 0x0000000000000100 (): the link is known at one end only",
        true,
    ),
    (
        "a switch linked to itself",
        |w| w.link((5, 6), (5, 7)),
        "",
        true,
    ),
    (
        "a port linked to itself",
        |w| w.link((5, 6), (5, 6)),
        "",
        true,
    ),
    (
        "a remote without a node",
        |w| set!(w.port(4, 1), p_node = ptr::null_mut()),
        "",
        true,
    ),
    (
        "a port that OpenSM has not initialised",
        |w| set!(w.port(4, 1), port_guid = 0),
        "",
        true,
    ),
    (
        "a port that is not healthy",
        |w| set!(w.port(4, 1), healthy = 0),
        "",
        true,
    ),
    (
        "a CA with LID 0",
        |w| set!(w.port(6, 1), port_info.base_lid = 0),
        "port 1 of 0x0000000000000100 (): the port at the other end (0x0000000000000701) has no LID yet",
        true,
    ),
    (
        "a switch with LID 0",
        |w| set!(w.port(4, 0), port_info.base_lid = 0),
        "switch 0x0000000000000500 () has no LID yet",
        true,
    ),
    (
        "two CAs with one LID",
        |w| set!(w.port(7, 1), port_info.base_lid = 7u16.to_be()),
        "0x0000000000000801: LID 7 is taken by 0x0000000000000701",
        true,
    ),
    (
        "a multicast LID",
        |w| set!(w.port(7, 1), port_info.base_lid = 0xC000u16.to_be()),
        "LID 49152 with LMC 0 is out of range",
        true,
    ),
    (
        "an LMC past the range",
        |w| {
            set!(w.port(7, 1), port_info.base_lid = 49_100u16.to_be());
            set!(w.port(7, 1), port_info.mkey_lmc = 7);
        },
        "LID 49100 with LMC 7 is out of range",
        true,
    ),
    (
        "a LID beyond the tables",
        |w| set!(w.port(7, 1), port_info.base_lid = 100u16.to_be()),
        "has 64 entries",
        false,
    ),
    (
        "a table too short",
        |w| set!(w.switches[2], lft_size = 8),
        "has 8 entries",
        false,
    ),
    (
        "no table",
        |w| set!(w.switches[2], new_lft = ptr::null_mut()),
        "no forwarding table for switch 0x0000000000000300",
        false,
    ),
    (
        "a port beyond the remote switch's",
        |w| set!(w.port(4, 1), port_num = 200),
        "switch 0x0000000000000500 has no port 200",
        true,
    ),
    (
        "more ports than the node's table has",
        |w| set!(w.switches[0], num_ports = 255),
        "",
        true,
    ),
    (
        "a switch without a node",
        |w| set!(w.switches[4], p_node = ptr::null_mut()),
        "",
        true,
    ),
    (
        "two switches with one GUID",
        |w| set!(w.nodes[5], node_info.node_guid = guid(4).to_be()),
        "switch GUID 0x0000000000000500 appears twice",
        true,
    ),
];

#[test]
fn what_is_wrong_is_named_and_the_rest_is_routed() {
    let dmodc = engine();
    for (what, spoil, line, routed) in CASES {
        let mut world = World::new();
        spoil(&mut world);
        logged();
        let result = world.route(&dmodc, SWITCHES);
        let mut lines = logged();
        assert_eq!(result.is_ok(), routed, "{what}: {result:?}");
        lines.extend(result.err().map(|e| format!("ERROR: {e}")));
        let errors: Vec<&String> = lines.iter().filter(|l| l.starts_with("ERROR: ")).collect();
        let named = errors.iter().any(|l| l.contains(line));
        assert!(named || line.is_empty(), "{what}: {errors:#?}");
        assert!(!line.is_empty() || errors.is_empty(), "{what}: {errors:#?}");
        // The tables of a leaf that nothing is wrong with lead to its own CA.
        if routed && what != "nothing" {
            assert_eq!(world.tables[3][MARGIN + 13], 1, "{what}");
        }
        world.use_plan(&dmodc, &mut Random::new(1));
    }
}
