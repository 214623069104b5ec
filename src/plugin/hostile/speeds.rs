//! Speeds of links, read from the fields of PortInfo that a port has.

use super::world::{SWITCHES, World, engine, set};
use crate::dmodc::Engine;
use crate::plugin::snapshot;

/// The speed of the link from the first leaf to the first spine, once `set` has written the PortInfo of the spine, which
/// has the greater GUID.
fn speed(set: impl FnOnce(&World)) -> String {
    let mut world = World::new();
    set(&world);
    speed_at(&mut world, 3)
}

/// How fast the link at a port of the first leaf is.
fn speed_at(world: &mut World, port: u8) -> String {
    world.route(&engine(), SWITCHES).expect("a tree");
    let engine = Engine::new(1).expect("one thread");
    let (fabric, _) = world.with_subnet(|subnet| snapshot::read(subnet, &engine));
    fabric.link_speed(0, port).to_string()
}

#[test]
fn speeds_are_those_of_the_fields_that_a_port_has() {
    let hdr = |world: &World| {
        set!(world.port(4, 1), port_info.link_width_active = 1);
        // What is enabled or supported stands in the lower bits.
        set!(world.port(4, 1), port_info.link_speed = 0x4f);
        set!(world.port(4, 1), port_info.link_speed_ext = 0x47);
    };
    let mask = |world: &World, mask: u32| {
        set!(world.port(4, 0), port_info.capability_mask = mask.to_be());
    };
    assert_eq!(speed(|_| {}), "");
    assert_eq!(speed(hdr), "1xQDR", "port 0 knows no extended speeds");
    assert_eq!(
        speed(|world| {
            hdr(world);
            mask(world, 0x4000);
        }),
        "1xHDR"
    );
    for (mask_2, expected) in [(0x0800u16, "1xXDR"), (0x0400, "1xHDR")] {
        let found = speed(|world| {
            hdr(world);
            mask(world, 0xc000);
            set!(
                world.port(4, 0),
                port_info.capability_mask2 = mask_2.to_be()
            );
            let latency = 0x2000_0000u32 | 0x00ff_ffff;
            set!(
                world.port(4, 1),
                port_info.link_rt_latency = latency.to_be()
            );
        });
        assert_eq!(found, expected);
    }
    let fdr10 = |speed_bits: u8| {
        speed(|world| {
            set!(world.port(4, 1), port_info.link_width_active = 2);
            set!(world.port(4, 1), port_info.link_speed = speed_bits);
            set!(world.port(4, 1), ext_port_info.link_speed_active = 1);
        })
    };
    assert_eq!((&*fdr10(0x40), &*fdr10(0x20)), ("4xFDR10", "4xDDR"));
    // The host's end speaks for its link, and for itself.
    let mut world = World::new();
    set!(world.port(SWITCHES, 1), port_info.link_width_active = 16);
    set!(world.port(SWITCHES, 1), port_info.link_speed_ext = 0x80);
    set!(
        world.port(SWITCHES, 1),
        port_info.capability_mask = 0x4000u32.to_be()
    );
    assert_eq!(speed_at(&mut world, 1), "2xNDR");
}
