//! Subnets as no OpenSM should have them: C structures that contradict themselves, read and routed
//! as if they were live.
//!
//! The structures are laid out as OpenSM's headers have them, in memory of exactly the size that
//! they claim, so that valgrind and AddressSanitizer see whatever goes beyond; the maps are made
//! and asked by OpenSM's own complib (but under Miri). What is written is checked besides: every entry is a port of
//! its switch, and what lies around a table stays as it was.
//!
//! Absence: pointers are NULL or lead to a live object of the right type. Against others no reader
//! of C structures can do anything.

mod complib;

use super::bindings::{
    IB_NODE_TYPE_CA, IB_NODE_TYPE_SWITCH, osm_node_t, osm_opensm_t, osm_physp_t, osm_switch_t,
};
use super::engine::{Dmodc, Failure};
use super::group::Group;
use super::live::Subnet;
use super::mcast;
use super::objects::Switch;
use super::options::PluginOptions;
use crate::fabric::NodeKind;
use crate::lft::NO_PATH;
use crate::random::Random;
use complib::COMPLIB;
use log::{LevelFilter, Log, Metadata, Record};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{self, NonNull};
use std::sync::Once;

/// Four leaves, two spines, two CAs on each leaf, in this order. A leaf has its CAs at ports 1 and
/// 2 and its spines at 3 and 4; a spine has leaf `l` at port `l + 1`. Node `n` has LID `n + 1`.
const SWITCHES: usize = 6;
const NODES: usize = SWITCHES + 8;
/// External ports of a switch.
const RADIX: u8 = 8;
/// Entries of a table as OpenSM allocates them: a multiple of 64.
const TABLE: usize = 64;
/// What lies around each table, and how much of it.
const CANARY: u8 = 0xA5;
const MARGIN: usize = 64;

/// Writes a field of a C structure that a pointer leads to.
macro_rules! set {
    ($object:expr, $($field:ident).+ = $value:expr) => {
        // SAFETY: the world's pointers lead to live objects of its own, which nobody else reads
        // meanwhile.
        unsafe { (&raw mut (*$object.as_ptr()).$($field).+).write_unaligned($value) }
    };
}

/// A zeroed C structure with room for `extra` bytes behind it.
fn zeroed<T>(extra: usize) -> (NonNull<T>, Layout) {
    let size = size_of::<T>() + extra;
    let layout = Layout::from_size_align(size, align_of::<T>()).expect("a sensible size");
    // SAFETY: the size is not 0.
    let memory = NonNull::new(unsafe { alloc_zeroed(layout) });
    (memory.expect("memory").cast(), layout)
}

/// A subnet in C structures.
struct World {
    osm: NonNull<osm_opensm_t>,
    nodes: Vec<NonNull<osm_node_t>>,
    switches: Vec<NonNull<osm_switch_t>>,
    /// The tables, with what lies around them.
    tables: Vec<Vec<u8>>,
    hops: Vec<Vec<*mut u8>>,
    masks: Vec<[u16; 16]>,
    memory: Vec<(NonNull<u8>, Layout)>,
}

impl World {
    /// The tree above, with nothing wrong in it.
    fn new() -> World {
        let mut memory = Vec::new();
        let (osm, layout) = zeroed(0);
        memory.push((osm.cast(), layout));
        let mut world = World {
            osm,
            nodes: Vec::new(),
            switches: Vec::new(),
            tables: vec![vec![CANARY; MARGIN + TABLE + MARGIN]; SWITCHES],
            hops: vec![vec![ptr::null_mut(); NODES + 2]; SWITCHES],
            masks: vec![[0; 16]; SWITCHES],
            memory,
        };
        for n in 0..NODES {
            world.add_node(n);
        }
        for s in 0..SWITCHES {
            world.add_switch(s);
        }
        for leaf in 0..4 {
            for k in 0..2 {
                world.link((leaf, 1 + k), (SWITCHES + 2 * leaf + usize::from(k), 1));
                world.link((leaf, 3 + k), (4 + usize::from(k), leaf as u8 + 1));
            }
        }
        world
    }

    fn add_node(&mut self, n: usize) {
        let ports = if n < SWITCHES {
            usize::from(RADIX) + 1
        } else {
            2
        };
        // The structure has room for one port.
        let (node, layout) = zeroed::<osm_node_t>((ports - 1) * size_of::<osm_physp_t>());
        self.memory.push((node.cast(), layout));
        self.nodes.push(node);
        let node_type = if n < SWITCHES {
            IB_NODE_TYPE_SWITCH
        } else {
            IB_NODE_TYPE_CA
        };
        set!(node, node_info.node_type = node_type as u8);
        set!(node, node_info.node_guid = guid(n).to_be());
        set!(node, physp_tbl_size = ports as u32);
        for number in 0..ports as u8 {
            let port = self.port(n, number);
            set!(port, port_guid = (guid(n) + u64::from(number)).to_be());
            set!(port, port_num = number);
            set!(port, p_node = node.as_ptr());
            set!(port, healthy = 1);
            if n >= SWITCHES || number == 0 {
                set!(port, port_info.base_lid = (n as u16 + 1).to_be());
            }
        }
    }

    fn add_switch(&mut self, s: usize) {
        let (switch, layout) = zeroed::<osm_switch_t>(0);
        self.memory.push((switch.cast(), layout));
        self.switches.push(switch);
        set!(self.nodes[s], sw = switch.as_ptr());
        set!(switch, p_node = self.nodes[s].as_ptr());
        set!(switch, num_ports = RADIX + 1);
        set!(switch, switch_info.mcast_cap = 1);
        self.tables[s][MARGIN..][..TABLE].fill(NO_PATH);
        set!(switch, new_lft = self.tables[s][MARGIN..].as_mut_ptr());
        set!(switch, lft_size = TABLE as u16);
        set!(switch, hops = self.hops[s].as_mut_ptr());
        set!(switch, num_hops = self.hops[s].len() as u16);
        set!(
            switch,
            mcast_tbl.p_mask_tbl = (&raw mut self.masks[s]).cast()
        );
        set!(switch, mcast_tbl.max_mlid_ho = 0xC003);
        set!(switch, mcast_tbl.mft_depth = 4);
    }

    /// A port of a node.
    fn port(&self, n: usize, number: u8) -> NonNull<osm_physp_t> {
        // SAFETY: the node was allocated with room for its ports, which stand in a row from
        // `physp_table` on.
        unsafe {
            let table = (&raw mut (*self.nodes[n].as_ptr()).physp_table).cast::<osm_physp_t>();
            NonNull::new_unchecked(table.add(number.into()))
        }
    }

    fn link(&mut self, a: (usize, u8), b: (usize, u8)) {
        let [a, b] = [a, b].map(|(n, port)| self.port(n, port));
        set!(a, p_remote_physp = b.as_ptr());
        set!(b, p_remote_physp = a.as_ptr());
    }

    /// Puts the first switches into OpenSM's map and routes.
    fn route(&mut self, dmodc: &Dmodc, switches: usize) -> Result<(), Failure> {
        // SAFETY: the map and the switches are the world's own.
        unsafe {
            let map = &raw mut (*self.osm.as_ptr()).subn.sw_guid_tbl;
            (COMPLIB.init)(map);
            for (s, switch) in self.switches[..switches].iter().enumerate() {
                (COMPLIB.insert)(map, guid(s).to_be(), switch.as_ptr().cast());
            }
        }
        let result = dmodc.route(&mut self.subnet(), ptr::null());
        self.check_tables(result.is_ok());
        result
    }

    fn subnet<'a>(&self) -> Subnet<'a> {
        // SAFETY: nobody else has the world meanwhile.
        unsafe { Subnet::under_lock(self.osm, COMPLIB.symbols) }
    }

    /// What comes after routing: hop tables and a multicast tree, whatever became of it.
    fn use_plan(&mut self, dmodc: &Dmodc, random: &mut Random) {
        dmodc.fill_hop_tables(&self.subnet());
        let mut member = || {
            let switch = self.switches[random.below(SWITCHES)];
            // SAFETY: the switch is live as long as the world.
            (unsafe { Switch::new(switch) }, random.below(12) as u8)
        };
        let group = Group {
            mlid: 0xC000,
            size: 3,
            members: vec![member(), member(), member()],
        };
        // What has no tree is an error, and nothing else.
        let _ = mcast::build(dmodc, &self.subnet(), &group);
    }

    /// Every entry is a port or none, nothing is written without success, and nothing beside the
    /// tables ever.
    fn check_tables(&self, routed: bool) {
        for table in &self.tables {
            let (before, rest) = table.split_at(MARGIN);
            let (entries, after) = rest.split_at(TABLE);
            let around = before.iter().chain(after);
            assert!(
                around.copied().all(|b| b == CANARY),
                "written beside a table"
            );
            let mut entries = entries.iter();
            let fine = |&port: &u8| port == NO_PATH || (routed && port <= RADIX);
            assert!(entries.all(fine), "{table:?}");
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: rows of hops come from malloc, as OpenSM's do; all else was allocated with these
        // layouts.
        unsafe {
            self.hops
                .iter()
                .flatten()
                .for_each(|&row| libc::free(row.cast()));
            let all = self.memory.iter();
            all.for_each(|&(memory, layout)| dealloc(memory.as_ptr(), layout));
        }
    }
}

fn guid(n: usize) -> u64 {
    (n as u64 + 1) * 0x100
}

thread_local! {
    /// What was logged on this thread.
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Takes the place of OpenSM's log.
struct Lines;

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let line = format!("{}: {}", record.level(), record.args());
        LINES.with_borrow_mut(|lines| lines.push(line));
    }

    fn flush(&self) {}
}

/// The lines since the last call.
fn logged() -> Vec<String> {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        log::set_logger(&Lines).expect("no other test sets a logger");
        log::set_max_level(LevelFilter::Trace);
    });
    LINES.take()
}

fn engine() -> Dmodc {
    Dmodc::new(PluginOptions {
        threads: 1,
        ..PluginOptions::default()
    })
}

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

#[test]
fn a_subnet_without_switches_has_nothing_to_route() {
    let mut world = World::new();
    let dmodc = engine();
    world.route(&dmodc, 0).expect("nothing to do");
    world.use_plan(&dmodc, &mut Random::new(1));
}

/// The error and warning lines that a group of the leaves `members` makes, after something has been
/// changed since the fabric was routed.
fn group_lines(members: &[usize], before: fn(&mut World), since: fn(&mut World)) -> Vec<String> {
    let (mut world, dmodc) = (World::new(), engine());
    before(&mut world);
    world.route(&dmodc, SWITCHES).expect("a tree");
    since(&mut world);
    logged();
    let handles = members.iter().map(|&s| world.switches[s]);
    // SAFETY: the switches are live as long as the world.
    let members = handles.map(|s| (unsafe { Switch::new(s) }, 1));
    let group = Group {
        mlid: 0xC001,
        size: members.len(),
        members: members.collect(),
    };
    let built = mcast::build(&dmodc, &world.subnet(), &group);
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
    // Leaf 3 hangs by no spine: its members are left out.
    let cut_off = |w: &mut World| {
        cut(w, 3, 4);
        cut(w, 3, 5);
    };
    let left_out = group_lines(&[0, 2, 3], cut_off, fine).concat();
    assert!(
        left_out.contains("is not up-down: no switch is above all"),
        "{left_out}"
    );
    let named = "leaves out 1 switches with members, 0x0000000000000400 the first";
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

#[test]
fn hop_tables_without_room_are_named() {
    let (mut world, dmodc) = (World::new(), engine());
    set!(world.switches[1], num_hops = 2);
    world.route(&dmodc, SWITCHES).expect("a tree");
    logged();
    dmodc.fill_hop_tables(&world.subnet());
    let lines = logged();
    assert!(lines.concat().contains("no room for 5 rows"), "{lines:#?}");
}

/// The first ten parts that are left out are named, and how many more there are.
#[test]
fn many_defects_are_counted() {
    let (mut world, dmodc) = (World::new(), engine());
    for n in 0..NODES {
        let number = u8::from(n >= SWITCHES);
        set!(world.port(n, number), port_info.base_lid = 0);
    }
    logged();
    world.route(&dmodc, SWITCHES).expect("nothing to route to");
    let lines = logged();
    let errors = lines.iter().filter(|l| l.starts_with("ERROR: "));
    assert_eq!(errors.count(), 10 + 1);
    let rest = format!("{} more parts of the subnet were left out", NODES - 10);
    assert!(lines.concat().contains(&rest), "{lines:#?}");
}

/// An OpenSM of another version, or laid out otherwise, is left alone.
#[test]
#[cfg_attr(miri, ignore = "looks functions up in the process")]
fn another_opensm_is_refused() {
    let world = World::new();
    for version in [c"OpenSM 3.3.22", super::version::BUILT_FOR] {
        set!(world.osm, osm_version = version.as_ptr());
        // SAFETY: nothing but the version, and where the structures lie, is read of it.
        assert!(unsafe { super::entry::created(world.osm) }.is_none());
    }
}

/// Something wrong at random.
fn spoil(world: &mut World, random: &mut Random) {
    let n = random.below(NODES);
    let s = random.below(SWITCHES);
    let port = |random: &mut Random| {
        let n = random.below(NODES);
        let ports = if n < SWITCHES {
            usize::from(RADIX) + 1
        } else {
            2
        };
        (n, random.below(ports) as u8)
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
            let ports = if n < SWITCHES {
                usize::from(RADIX) + 1
            } else {
                2
            };
            set!(
                world.nodes[n],
                physp_tbl_size = random.below(ports + 1) as u32
            );
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

/// `DMODC_MUTATIONS` subnets (5,000; 20 under Miri), each with one to ten things wrong.
#[test]
fn random_mutations() {
    let count = std::env::var("DMODC_MUTATIONS").map(|n| n.parse().expect("a number"));
    let count: u64 = count.unwrap_or(if cfg!(miri) { 20 } else { 5_000 });
    let dmodc = engine();
    let (mut routed, mut refused, mut named) = (0u64, 0u64, 0u64);
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
        named += u64::from(!logged().is_empty());
    }
    println!("{count} subnets: {routed} routed, {refused} refused, {named} with a line in the log");
    assert!(routed > count / 10 && refused > count / 100);
}
