//! A subnet in C structures, laid out as OpenSM's headers have them.

use super::maps::{self, SYMBOLS};
use crate::lft::NO_PATH;
use crate::plugin::engine::{Dmodc, Failure};
use crate::plugin::ffi::bindings::{
    IB_NODE_TYPE_CA, IB_NODE_TYPE_SWITCH, osm_node_t, osm_opensm_t, osm_physp_t, osm_switch_t,
};
use crate::plugin::ffi::{Group, Live, Subnet, Switch};
use crate::plugin::mcast;
use crate::plugin::mcast::McastError;
use crate::plugin::options::PluginOptions;
use crate::random::Random;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{self, NonNull};

/// Four leaves, two spines, two CAs on each leaf, in this order. A leaf has its CAs at ports 1 and
/// 2 and its spines at 3 and 4; a spine has leaf `l` at port `l + 1`. Node `n` has LID `n + 1`.
pub const SWITCHES: usize = 6;
pub const NODES: usize = SWITCHES + 8;
/// External ports of a switch.
pub const RADIX: u8 = 8;
/// Entries of a table as OpenSM allocates them: a multiple of 64.
pub const TABLE: usize = 64;
/// What lies around each table, and how much of it.
const CANARY: u8 = 0xA5;
pub const MARGIN: usize = 64;

/// Writes a field of a C structure that a pointer leads to.
macro_rules! set {
    ($object:expr, $($field:ident).+ = $value:expr) => {
        // SAFETY: the world's pointers lead to live objects of its own, which nobody else reads
        // meanwhile.
        unsafe { (&raw mut (*$object.as_ptr()).$($field).+).write_unaligned($value) }
    };
}
pub(super) use set;

/// A zeroed C structure with room for `extra` bytes behind it.
fn zeroed<T>(extra: usize) -> (NonNull<T>, Layout) {
    let size = size_of::<T>() + extra;
    let layout = Layout::from_size_align(size, align_of::<T>()).expect("a sensible size");
    // SAFETY: the size is not 0.
    let memory = NonNull::new(unsafe { alloc_zeroed(layout) });
    (memory.expect("memory").cast(), layout)
}

/// A subnet in C structures.
pub struct World {
    pub osm: NonNull<osm_opensm_t>,
    pub nodes: Vec<NonNull<osm_node_t>>,
    pub switches: Vec<NonNull<osm_switch_t>>,
    /// The tables, with what lies around them.
    pub tables: Vec<Vec<u8>>,
    hops: Vec<Vec<*mut u8>>,
    masks: Vec<[u16; 16]>,
    memory: Vec<(NonNull<u8>, Layout)>,
}

impl World {
    /// The tree above, with nothing wrong in it.
    pub fn new() -> World {
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
        let ports = port_count(n);
        // The structure has room for one port.
        let (node, layout) = zeroed::<osm_node_t>((ports - 1) * size_of::<osm_physp_t>());
        self.memory.push((node.cast(), layout));
        self.nodes.push(node);
        let node_type = match n < SWITCHES {
            true => IB_NODE_TYPE_SWITCH,
            false => IB_NODE_TYPE_CA,
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
    pub fn port(&self, n: usize, number: u8) -> NonNull<osm_physp_t> {
        // SAFETY: the node was allocated with room for its ports, which stand in a row from
        // `physp_table` on.
        unsafe {
            let table = (&raw mut (*self.nodes[n].as_ptr()).physp_table).cast::<osm_physp_t>();
            NonNull::new_unchecked(table.add(number.into()))
        }
    }

    pub fn link(&mut self, a: (usize, u8), b: (usize, u8)) {
        let [a, b] = [a, b].map(|(n, port)| self.port(n, port));
        set!(a, p_remote_physp = b.as_ptr());
        set!(b, p_remote_physp = a.as_ptr());
    }

    /// Puts the first switches into OpenSM's map and routes.
    pub fn route(&mut self, dmodc: &Dmodc, switches: usize) -> Result<(), Failure> {
        // SAFETY: the map and the switches are the world's own.
        unsafe {
            let map = &raw mut (*self.osm.as_ptr()).subn.sw_guid_tbl;
            maps::init(map);
            for (s, switch) in self.switches[..switches].iter().enumerate() {
                maps::insert(map, guid(s).to_be(), switch.as_ptr().cast());
            }
        }
        let result = self.with_subnet(|subnet| dmodc.route(subnet, ptr::null()));
        self.check_tables(result.is_ok());
        result
    }

    /// Runs `body` on the subnet, as a callback does.
    pub fn with_subnet<T>(&mut self, body: impl FnOnce(&mut Subnet<'_>) -> T) -> T {
        // SAFETY: nobody else has the world meanwhile.
        unsafe { Subnet::under_lock(self.osm, SYMBOLS, body) }
    }

    /// Builds the tree of a group whose members hang off these ports of these switches.
    pub fn build_group(
        &mut self,
        dmodc: &Dmodc,
        mlid: u16,
        members: &[(usize, u8)],
    ) -> Result<(), McastError> {
        let switches = self.switches.clone();
        let member = |&(switch, port): &(usize, u8)| {
            // SAFETY: the switch exists as long as the world.
            let switch = unsafe { Live::new(switches[switch].as_ptr()) };
            (Switch::new(switch.expect("no NULL")), port)
        };
        let group = Group {
            mlid,
            size: members.len(),
            members: members.iter().map(member).collect(),
        };
        self.with_subnet(|subnet| mcast::build(dmodc, subnet, &group))
    }

    /// What comes after routing, routed or not: hop tables and a multicast tree.
    pub fn use_plan(&mut self, dmodc: &Dmodc, random: &mut Random) {
        self.with_subnet(|subnet| dmodc.fill_hop_tables(subnet));
        let members = [(); 3].map(|()| (random.below(SWITCHES), random.below(12) as u8));
        // What has no tree is an error, and nothing else.
        let _ = self.build_group(dmodc, 0xC000, &members);
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

/// How many entries the port table of a node has, port 0 included.
pub fn port_count(n: usize) -> usize {
    if n < SWITCHES { RADIX as usize + 1 } else { 2 }
}

pub fn guid(n: usize) -> u64 {
    (n as u64 + 1) * 0x100
}

pub fn engine() -> Dmodc {
    Dmodc::new(PluginOptions {
        threads: 1,
        ..PluginOptions::default()
    })
}
