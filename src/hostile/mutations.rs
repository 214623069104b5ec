//! Subnets with several random faults.

use super::lines::logged;
use super::world::{NODES, SWITCHES, TABLE, World, engine, guid, port_count, set};
use dmodc_fabric::NodeKind;
use dmodc_fabric::random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

/// Puts a random fault into a subnet.
fn spoil(world: &mut World, random: &mut Random) {
    let (n, s) = (random.below(NODES), random.below(SWITCHES));
    let (node, switch) = (world.nodes[n], world.switches[s]);
    let mut port = || {
        let n = random.below(NODES);
        (n, random.below(port_count(n)) as u8)
    };
    let [port, other] = [port(), port()];
    let [at, remote] = [port, other].map(|(n, number)| world.port(n, number));
    match random.below(29) {
        0 => set!(at, p_remote_physp = ptr::null_mut()),
        1 | 2 => set!(at, p_remote_physp = remote.as_ptr()),
        3 | 4 => world.link(port, other),
        5 => set!(at, p_node = ptr::null_mut()),
        6 => set!(at, p_node = node.as_ptr()),
        7 | 8 => {
            const LIDS: [u16; 9] = [0, 7, 15, 40, 63, 64, 49_151, 0xC000, 0xFFFF];
            world.set_lid(port, LIDS[random.below(LIDS.len())]);
        }
        9 | 10 => set!(at, port_info.mkey_lmc = random.below(256) as u8),
        11 => set!(at, port_guid = 0),
        12 => set!(at, port_num = random.below(256) as u8),
        13 => set!(at, healthy = 0),
        14 => set!(node, sw = ptr::null_mut()),
        15 => set!(node, sw = switch.as_ptr()),
        16 => set!(node, node_info.node_type = random.below(5) as u8),
        17 => set!(switch, map_item.key = guid(random.below(NODES)).to_be()),
        18 => {
            let ports = random.below(port_count(n) + 1) as u32;
            set!(node, physp_tbl_size = ports);
        }
        19 => set!(switch, num_ports = random.below(256) as u8),
        20 => set!(switch, p_node = ptr::null_mut()),
        21 => set!(switch, p_node = node.as_ptr()),
        22 => {
            set!(switch, new_lft = ptr::null_mut());
            set!(switch, lft_size = 0);
        }
        23 => set!(switch, lft_size = random.below(TABLE + 1) as u16),
        24 => {
            set!(switch, switch_info.flags = 0x08);
            set!(world.osm, subn.opt.lmc_esp0 = 1);
        }
        25 => set!(world.osm, subn.opt.connect_roots = 1),
        26 => {
            let (vendor, device) = NodeKind::AGGREGATION_DEVICE;
            set!(node, node_info.port_num_vendor_id = vendor.to_be());
            set!(node, node_info.device_id = device.to_be());
        }
        27 => {
            set!(switch, mcast_tbl.mft_depth = random.below(4) as u16);
            set!(switch, switch_info.mcast_cap = 0);
        }
        _ => set!(switch, num_hops = random.below(NODES) as u16),
    }
}

/// Routes `DMODC_MUTATIONS` subnets (5,000; 25 under Miri), each with one to ten faults.
#[test]
fn random_mutations() {
    let count = std::env::var("DMODC_MUTATIONS").map(|n| n.parse().expect("a number"));
    let count: u64 = count.unwrap_or(if cfg!(miri) { 25 } else { 5_000 });
    let dmodc = engine();
    let (mut routed, mut named, mut turning) = (0u64, 0u64, 0u64);
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
        routed += u64::from(outcome.unwrap_or_else(|panic| {
            eprintln!("seed {seed} panics");
            resume_unwind(panic)
        }));
        let lines = logged();
        named += u64::from(lines.iter().any(|line| !line.contains("routed switches=")));
        let turns = |line: &String| line.contains(" turned=") && !line.contains(" turned=0 ");
        turning += u64::from(lines.iter().any(turns));
    }
    let refused = count - routed;
    println!(
        "{count} subnets: {routed} routed, {turning} of them with routes that turn, {refused} refused, \
         {named} with a line in the log beside that of a sweep"
    );
    assert!(routed > count / 10 && refused > count / 100 && turning > count / 10);
}
