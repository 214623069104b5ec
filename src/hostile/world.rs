//! A subnet in C structures, laid out as OpenSM's headers have them.

use crate::engine::Dmodc;
use crate::failure::{Failure, McastError};
use crate::ffi::bindings::{
    IB_NODE_TYPE_CA, IB_NODE_TYPE_SWITCH, cl_map_item_t, cl_qmap_t, cl_status_t,
    external_routing_engine_module_t, osm_mcast_tbl_t, osm_node_t, osm_opensm_t, osm_physp_t,
    osm_switch_t, osm_ucast_mgr_t,
};
use crate::ffi::{Group, Live, Subnet, Switch, Symbols, qmap};
use crate::mcast;
use crate::options::PluginOptions;
use dmodc_fabric::random::Random;
use dmodc_fabric::{NO_PATH, PortNumber};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

/// Four leaves, two spines, two CAs on each leaf, in this order. A leaf has its CAs at ports 1 and 2 and its spines at
/// ports 3 and 4; a spine has leaf `l` at port `l + 1`. Node `n` has LID `n + 1`.
pub const SWITCHES: usize = 6;
pub const NODES: usize = SWITCHES + 8;
/// External ports of a switch.
pub const RADIX: u8 = 8;
/// Entries of a table as OpenSM allocates them: a multiple of 64.
pub const TABLE: usize = 64;
/// The byte that fills the margins around each table, and the length of a margin.
const CANARY: u8 = 0xA5;
pub const MARGIN: usize = 64;
const ROOM: usize = MARGIN + TABLE + MARGIN;

/// Writes a field of the C structure behind a pointer.
macro_rules! set {
    ($object:expr, $($field:ident).+ = $value:expr) => {
        // SAFETY: the world's pointers point to live objects of its own, which no other code reads meanwhile.
        unsafe { (&raw mut (*$object.as_ptr()).$($field).+).write_unaligned($value) }
    };
}
pub(super) use set;

/// The functions of OpenSM and its complib that the plugin calls, in Rust, since Miri runs no C. The daemon tests have
/// the real functions.
pub static SYMBOLS: Symbols = Symbols {
    register_engine,
    qmap_get,
    mcast_tbl_set,
    cache_invalidate,
};

thread_local! {
    /// The context of the engine that this thread has registered.
    pub static KEPT: Cell<*mut c_void> = const { Cell::new(ptr::null_mut()) };
}

/// Accepts the first engine of a thread and refuses others, as OpenSM does with engines of one name.
unsafe extern "C" fn register_engine(
    _: *mut osm_opensm_t,
    module: *const external_routing_engine_module_t,
    context: *mut c_void,
) -> cl_status_t {
    // SAFETY: the module is the caller's own.
    assert_eq!(unsafe { (*module).context }, context);
    if !KEPT.get().is_null() {
        return 1;
    }
    KEPT.set(context);
    0
}

unsafe extern "C" fn qmap_get(map: *const cl_qmap_t, key: u64) -> *mut cl_map_item_t {
    // SAFETY: the map is the caller's own; nothing is written.
    unsafe {
        let found = qmap::map::<cl_map_item_t>(map).find(|item| (*item.as_ptr()).key == key);
        found.map_or((&raw const (*map).nil).cast_mut(), NonNull::as_ptr)
    }
}

unsafe extern "C" fn cache_invalidate(_: *mut osm_ucast_mgr_t) {}

/// Checks the assertions of `osm_mcast_tbl_set`, which release builds of OpenSM leave out.
unsafe extern "C" fn mcast_tbl_set(table: *mut osm_mcast_tbl_t, mlid: u16, _port: u8) {
    // SAFETY: the table belongs to a live switch.
    let table = unsafe { table.read() };
    assert!(!table.p_mask_tbl.is_null() && mlid <= table.max_mlid_ho);
    assert!((0xC000..0xC000 + u32::from(table.mft_depth)).contains(&mlid.into()));
}

/// A zeroed C structure with room for `extra` bytes behind it, and nothing more.
fn zeroed<T>(memory: &mut Vec<Vec<u64>>, extra: usize) -> NonNull<T> {
    let size = size_of::<T>() + extra;
    assert!(align_of::<T>() <= align_of::<u64>() && size.is_multiple_of(8));
    let mut words = vec![0; size / 8];
    let object = NonNull::new(words.as_mut_ptr()).expect("memory");
    memory.push(words);
    object.cast()
}

/// A subnet in C structures.
pub struct World {
    pub osm: NonNull<osm_opensm_t>,
    pub nodes: Vec<NonNull<osm_node_t>>,
    pub switches: Vec<NonNull<osm_switch_t>>,
    /// The tables, each with a margin before and behind it.
    tables: Vec<NonNull<[u8; ROOM]>>,
    hops: Vec<Vec<*mut u8>>,
    masks: Vec<[u16; 16]>,
    memory: Vec<Vec<u64>>,
}

impl World {
    /// The subnet that [`SWITCHES`] describes, without faults.
    pub fn new() -> World {
        let mut memory = Vec::new();
        let mut world = World {
            osm: zeroed(&mut memory, 0),
            nodes: Vec::new(),
            switches: Vec::new(),
            tables: Vec::new(),
            hops: vec![vec![ptr::null_mut(); NODES + 2]; SWITCHES],
            masks: vec![[0; 16]; SWITCHES],
            memory,
        };
        (0..NODES).for_each(|n| world.add_node(n));
        (0..SWITCHES).for_each(|s| world.add_switch(s));
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
        let extra = (ports - 1) * size_of::<osm_physp_t>();
        let node = zeroed::<osm_node_t>(&mut self.memory, extra);
        self.nodes.push(node);
        let types = [IB_NODE_TYPE_CA, IB_NODE_TYPE_SWITCH];
        let node_type = types[usize::from(n < SWITCHES)];
        set!(node, node_info.node_type = node_type as u8);
        set!(node, physp_tbl_size = ports as u32);
        for number in 0..ports as u8 {
            let port = self.port(n, number);
            set!(port, port_guid = (guid(n) + u64::from(number)).to_be());
            set!(port, port_num = number);
            set!(port, p_node = node.as_ptr());
            set!(port, healthy = 1);
            if n >= SWITCHES || number == 0 {
                self.set_lid((n, number), n as u16 + 1);
            }
        }
    }

    fn add_switch(&mut self, s: usize) {
        let switch = zeroed::<osm_switch_t>(&mut self.memory, 0);
        self.switches.push(switch);
        set!(self.nodes[s], sw = switch.as_ptr());
        set!(switch, map_item.key = guid(s).to_be());
        set!(switch, p_node = self.nodes[s].as_ptr());
        set!(switch, num_ports = RADIX + 1);
        set!(switch, switch_info.mcast_cap = 1);
        let mut table = [CANARY; ROOM];
        table[MARGIN..][..TABLE].fill(NO_PATH);
        let room = zeroed::<[u8; ROOM]>(&mut self.memory, 0);
        // SAFETY: nobody else has this memory yet.
        unsafe { room.write(table) };
        self.tables.push(room);
        set!(switch, new_lft = self.new_lft(s));
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

    /// The table of a switch, with its margins.
    pub fn table(&self, s: usize) -> &[u8; ROOM] {
        // SAFETY: the memory is the world's own, and no callback runs while the world is borrowed.
        unsafe { self.tables[s].as_ref() }
    }

    /// The table of a switch, as OpenSM has it.
    pub fn new_lft(&self, s: usize) -> *mut u8 {
        self.tables[s].as_ptr().cast::<u8>().wrapping_add(MARGIN)
    }

    /// A port of a node.
    pub fn port(&self, n: usize, number: u8) -> NonNull<osm_physp_t> {
        // SAFETY: the node was allocated with room for its ports, which stand in a row from `physp_table` on.
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

    /// Unlinks links between leaves and spines, at both ends.
    pub fn cut(&mut self, links: &[(usize, usize)]) {
        for &(leaf, spine) in links {
            for (n, port) in [(leaf, spine as u8 - 1), (spine, leaf as u8 + 1)] {
                set!(self.port(n, port), p_remote_physp = ptr::null_mut());
            }
        }
    }

    /// Sets the LID of a port.
    pub fn set_lid(&mut self, (n, port): (usize, u8), lid: u16) {
        set!(self.port(n, port), port_info.base_lid = lid.to_be());
    }

    /// Puts the first switches into OpenSM's map and routes.
    pub fn route(&mut self, dmodc: &Dmodc, switches: usize) -> Result<(), Failure> {
        // SAFETY: the map and the switches are the world's own; a switch begins with its map item, and a map item with
        // its list item.
        unsafe {
            let map = &raw mut (*self.osm.as_ptr()).subn.sw_guid_tbl;
            (*map).count = switches;
            let mut last = &raw mut (*map).nil;
            for switch in &self.switches[..switches] {
                let item: *mut cl_map_item_t = switch.as_ptr().cast();
                (*last).pool_item.list_item.p_next = item.cast();
                last = item;
            }
            (*last).pool_item.list_item.p_next = (&raw mut (*map).nil).cast();
        }
        let result = self.with_subnet(|subnet| dmodc.route(subnet, ptr::null()));
        self.check_tables(result.is_ok());
        result
    }

    /// Damages OpenSM's map: after its last switch the first comes again.
    pub fn repeat_first(&mut self) {
        let [first, last] = [0, self.switches.len() - 1].map(|at| self.switches[at]);
        set!(self.osm, subn.sw_guid_tbl.count = self.switches.len() + 1);
        let item = last.cast::<cl_map_item_t>();
        set!(item, pool_item.list_item.p_next = first.as_ptr().cast());
    }

    /// Runs `body` on the subnet, as a callback does.
    pub fn with_subnet<T>(&mut self, body: impl FnOnce(&mut Subnet<'_>) -> T) -> T {
        // SAFETY: `self` is borrowed mutably, so no other code uses the world meanwhile.
        unsafe { Subnet::under_lock(self.osm, SYMBOLS, body) }
    }

    /// Builds the tree of a group with members at these ports of these switches.
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
            (Switch(switch.expect("no NULL")), PortNumber(port))
        };
        let group = Group {
            mlid,
            size: members.len(),
            members: members.iter().map(member).collect(),
        };
        self.with_subnet(|subnet| mcast::build(dmodc, subnet, &group))
    }

    /// Runs what follows routing, also after a refusal: hop tables and a multicast tree.
    pub fn use_plan(&mut self, dmodc: &Dmodc, random: &mut Random) {
        self.with_subnet(|subnet| dmodc.fill_hop_tables(subnet));
        let members = [(); 3].map(|()| (random.below(SWITCHES), random.below(12) as u8));
        // A group without a tree gives an error; it must not panic.
        let _ = self.build_group(dmodc, 0xC000, &members);
    }

    /// Checks that every entry is a port or "no path", that a refusal has written nothing, and that the margins are as
    /// before.
    fn check_tables(&self, routed: bool) {
        for table in (0..SWITCHES).map(|s| self.table(s)) {
            let fine = |(at, &byte): (usize, &u8)| match (MARGIN..MARGIN + TABLE).contains(&at) {
                true => byte == NO_PATH || (routed && byte <= RADIX),
                false => byte == CANARY,
            };
            assert!(table.iter().enumerate().all(fine), "{table:?}");
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for row in self.hops.iter().flatten() {
            // SAFETY: rows of hops are NULL or come from malloc, as OpenSM's do.
            unsafe { libc::free(row.cast()) };
        }
    }
}

/// The number of entries in the port table of a node, port 0 included.
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
