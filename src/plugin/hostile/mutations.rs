//! Subnets with several random faults.

use super::lines::logged;
use super::world::{NODES, SWITCHES, TABLE, World, engine, guid, port_count, set};
use crate::fabric::NodeKind;
use crate::random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

/// Puts a random fault into a subnet.
fn spoil(world: &mut World, random: &mut Random) {
    let n = random.below(NODES);
    let s = random.below(SWITCHES);
    let port = |random: &mut Random| {
        let n = random.below(NODES);
        (n, random.below(port_count(n)) as u8)
    };
    let (owner, number) = port(random);
    let at = world.port(owner, number);
    let (other, other_number) = port(random);
    let remote = world.port(other, other_number);
    match random.below(29) {
        0 => set!(at, p_remote_physp = ptr::null_mut()),
        1 | 2 => set!(at, p_remote_physp = remote.as_ptr()),
        3 | 4 => world.link((owner, number), (other, other_number)),
        5 => set!(at, p_node = ptr::null_mut()),
        6 => set!(at, p_node = world.nodes[n].as_ptr()),
        7 | 8 => {
            const LIDS: [u16; 9] = [0, 7, 15, 40, 63, 64, 49_151, 0xC000, 0xFFFF];
            set!(
                at,
                port_info.base_lid = LIDS[random.below(LIDS.len())].to_be()
            );
        }
        9 | 10 => set!(at, port_info.mkey_lmc = random.below(256) as u8),
        11 => set!(at, port_guid = 0),
        12 => set!(at, port_num = random.below(256) as u8),
        13 => set!(at, healthy = 0),
        14 => set!(world.nodes[n], sw = ptr::null_mut()),
        15 => set!(world.nodes[n], sw = world.switches[s].as_ptr()),
        16 => set!(world.nodes[n], node_info.node_type = random.below(5) as u8),
        17 => set!(
            world.nodes[n],
            node_info.node_guid = guid(random.below(NODES)).to_be()
        ),
        18 => {
            let ports = random.below(port_count(n) + 1) as u32;
            set!(world.nodes[n], physp_tbl_size = ports);
        }
        19 => set!(world.switches[s], num_ports = random.below(256) as u8),
        20 => set!(world.switches[s], p_node = ptr::null_mut()),
        21 => set!(world.switches[s], p_node = world.nodes[n].as_ptr()),
        22 => {
            set!(world.switches[s], new_lft = ptr::null_mut());
            set!(world.switches[s], lft_size = 0);
        }
        23 => set!(world.switches[s], lft_size = random.below(TABLE + 1) as u16),
        24 => {
            set!(world.switches[s], switch_info.flags = 0x08);
            set!(world.osm, subn.opt.lmc_esp0 = 1);
        }
        25 => set!(world.osm, subn.opt.connect_roots = 1),
        26 => {
            let (vendor, device) = NodeKind::AGGREGATION_DEVICE;
            set!(
                world.nodes[n],
                node_info.port_num_vendor_id = vendor.to_be()
            );
            set!(world.nodes[n], node_info.device_id = device.to_be());
        }
        27 => {
            set!(
                world.switches[s],
                mcast_tbl.mft_depth = random.below(4) as u16
            );
            set!(world.switches[s], switch_info.mcast_cap = 0);
        }
        _ => set!(world.switches[s], num_hops = random.below(NODES) as u16),
    }
}

/// `DMODC_MUTATIONS` subnets (5,000; 20 under Miri), each with one to ten faults.
#[test]
fn random_mutations() {
    let count = std::env::var("DMODC_MUTATIONS").map(|n| n.parse().expect("a number"));
    let count: u64 = count.unwrap_or(if cfg!(miri) { 20 } else { 5_000 });
    let dmodc = engine();
    let (mut routed, mut refused, mut named, mut turning) = (0u64, 0u64, 0u64, 0u64);
    for seed in 0..count {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut random = Random::new(seed);
            let mut world = World::new();
            for _ in 0..=random.below(10) {
                spoil(&mut world, &mut random);
            }
            let result = world.route(&dmodc, SWITCHES);
            world.use_plan(&dmodc, &mut random);
            result.is_ok()
        }));
        match outcome {
            Ok(true) => routed += 1,
            Ok(false) => refused += 1,
            Err(panic) => {
                eprintln!("seed {seed} panics");
                resume_unwind(panic);
            }
        }
        let lines = logged();
        named += u64::from(lines.iter().any(|line| !line.contains("routed switches=")));
        let turns = |line: &String| line.contains(" turned=") && !line.contains(" turned=0 ");
        turning += u64::from(lines.iter().any(turns));
    }
    println!(
        "{count} subnets: {routed} routed, {turning} of them with routes that turn, {refused} refused, \
         {named} with a line in the log beside that of a sweep"
    );
    assert!(routed > count / 10 && refused > count / 100 && turning > count / 10);
}
