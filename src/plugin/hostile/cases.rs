//! One fault at a time: the log names it, and the rest of the subnet is routed.

use super::lines::logged;
use super::world::{MARGIN, SWITCHES, World, engine, guid, set};
use crate::random::Random;
use std::ptr;

type Spoil = fn(&mut World);

/// Faults that are the same as no link: the rest is routed without an error line.
const UNSEEN: [(&str, Spoil); 9] = [
    ("a remote that is NULL at both ends", |w| {
        set!(w.port(0, 3), p_remote_physp = ptr::null_mut());
        set!(w.port(4, 1), p_remote_physp = ptr::null_mut());
    }),
    ("a switch linked to itself", |w| w.link((5, 6), (5, 7))),
    ("a port linked to itself", |w| w.link((5, 6), (5, 6))),
    ("a remote without a node", |w| {
        set!(w.port(4, 1), p_node = ptr::null_mut());
    }),
    ("a port that OpenSM has not initialised", |w| {
        set!(w.port(4, 1), port_guid = 0);
    }),
    ("a port that is not healthy", |w| {
        set!(w.port(4, 1), healthy = 0);
    }),
    ("more ports than the node's table has", |w| {
        set!(w.switches[0], num_ports = 255);
    }),
    ("a switch without a node", |w| {
        set!(w.switches[4], p_node = ptr::null_mut());
    }),
    ("nothing", |_| ()),
];

/// Faults that an error line names: the rest is routed.
const NAMED: [(&str, Spoil); 8] = [
    (
        "port 3 of 0x0000000000000100 (): the link is known at one end only",
        |w| set!(w.port(4, 1), p_remote_physp = ptr::null_mut()),
    ),
    (
        "port 1 of 0x0000000000000100 (): the port at the other end (0x0000000000000701) has no LID yet",
        |w| set!(w.port(6, 1), port_info.base_lid = 0),
    ),
    ("switch 0x0000000000000500 () has no LID yet", |w| {
        set!(w.port(4, 0), port_info.base_lid = 0);
    }),
    (
        "0x0000000000000801: LID 7 is taken by 0x0000000000000701",
        |w| set!(w.port(7, 1), port_info.base_lid = 7u16.to_be()),
    ),
    ("LID 49152 with LMC 0 is out of range", |w| {
        set!(w.port(7, 1), port_info.base_lid = 0xC000u16.to_be());
    }),
    ("LID 49100 with LMC 7 is out of range", |w| {
        set!(w.port(7, 1), port_info.base_lid = 49_100u16.to_be());
        set!(w.port(7, 1), port_info.mkey_lmc = 7);
    }),
    ("switch 0x0000000000000500 has no port 200", |w| {
        set!(w.port(4, 1), port_num = 200);
    }),
    ("switch GUID 0x0000000000000500 appears twice", |w| {
        set!(w.nodes[5], node_info.node_guid = guid(4).to_be());
    }),
];

/// Faults for which the subnet is refused, with the reason.
const REFUSED: [(&str, Spoil); 3] = [
    ("has 64 entries", |w| {
        set!(w.port(7, 1), port_info.base_lid = 100u16.to_be());
    }),
    ("has 8 entries", |w| set!(w.switches[2], lft_size = 8)),
    ("no forwarding table for switch 0x0000000000000300", |w| {
        set!(w.switches[2], new_lft = ptr::null_mut());
    }),
];

/// Routes a subnet with a fault; returns its error lines, and why it was refused.
fn routed(what: &str, spoil: Spoil) -> (Vec<String>, Option<String>) {
    let (mut world, dmodc) = (World::new(), engine());
    spoil(&mut world);
    logged();
    let refused = world.route(&dmodc, SWITCHES).err();
    let mut errors = logged();
    errors.retain(|line| line.starts_with("ERROR: "));
    // The tables of a leaf that the fault does not touch lead to the leaf's own CA.
    if refused.is_none() {
        assert_eq!(world.tables[3][MARGIN + 13], 1, "{what}");
    }
    world.use_plan(&dmodc, &mut Random::new(1));
    (errors, refused.map(|failure| failure.to_string()))
}

#[test]
fn faults_are_named_and_the_rest_is_routed() {
    for (what, spoil) in UNSEEN {
        assert_eq!(routed(what, spoil), (vec![], None), "{what}");
    }
    for (line, spoil) in NAMED {
        let (errors, refused) = routed(line, spoil);
        assert_eq!(refused, None, "{line}");
        assert!(errors.concat().contains(line), "{line}: {errors:#?}");
    }
    for (reason, spoil) in REFUSED {
        let (_, refused) = routed(reason, spoil);
        assert!(refused.is_some_and(|why| why.contains(reason)), "{reason}");
    }
}
