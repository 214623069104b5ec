//! Handles on OpenSM's switches, ports and nodes, for as long as its lock is held.
//!
//! They are made from pointers that OpenSM's own structures hold, borrow the lifetime of the lock
//! (see [`live`](super::live)), and answer with plain values. C structures are read field by field
//! through raw pointers; no Rust reference to one is made.

use super::bindings::{
    IB_NODE_TYPE_CA, IB_NODE_TYPE_ROUTER, osm_node_t, osm_physp_t, osm_switch_t,
};
use super::live::Subnet;
use crate::fabric::{Guid, Lid, NodeKind};
use crate::lft::NO_PATH;
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::ptr::NonNull;

type Held<'a> = PhantomData<&'a ()>;

/// A switch.
#[derive(Clone, Copy)]
pub struct Switch<'a>(NonNull<osm_switch_t>, Held<'a>);

/// A physical port that OpenSM has initialised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Port<'a>(NonNull<osm_physp_t>, Held<'a>);

/// A node: what ports belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Node<'a>(NonNull<osm_node_t>, Held<'a>);

// SAFETY: what handles read, nobody writes while OpenSM's lock is held exclusively; what is written
// meanwhile, by us alone (forwarding, multicast and hop tables), no handle reads, and it takes the
// `Subnet`, which stays on the thread that holds the lock.
unsafe impl Send for Switch<'_> {}
// SAFETY: as for `Send`.
unsafe impl Sync for Switch<'_> {}

/// Reads a field of a C structure, packed ones included.
macro_rules! read {
    ($handle:expr, $($field:tt)+) => {
        // SAFETY: a handle points to a live object while the lock is held, and OpenSM changes
        // nothing meanwhile.
        unsafe { (&raw const (*$handle.as_ptr()).$($field)+).read_unaligned() }
    };
}

pub(super) use read;

/// Asks for the cache lines of some fields of a C structure.
macro_rules! prefetch {
    ($pointer:expr, $($field:ident $(. $more:ident)*),+) => {
        $(
            // SAFETY: only the address is computed, and a hint to fetch it reads nothing.
            #[cfg(target_arch = "x86_64")]
            unsafe {
                use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                let field = (&raw const (*$pointer).$field $(. $more)*).cast();
                _mm_prefetch::<_MM_HINT_T0>(field);
            }
        )+
    };
}

/// Copies a string.
///
/// # Safety
/// `pointer` is NULL or a C string.
pub unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the string.
    Some(
        unsafe { CStr::from_ptr(pointer) }
            .to_string_lossy()
            .into_owned(),
    )
}

impl<'a> Switch<'a> {
    /// The handle of a switch that OpenSM gave as a pointer.
    ///
    /// # Safety
    /// `switch` is a live `osm_switch_t`, and OpenSM's lock is held for all of `'a`.
    pub unsafe fn new(switch: NonNull<osm_switch_t>) -> Self {
        Switch(switch, PhantomData)
    }

    /// The pointer, for the subnet's own use.
    pub fn raw(self) -> NonNull<osm_switch_t> {
        self.0
    }

    /// The node that the switch is.
    pub fn node(self) -> Option<Node<'a>> {
        NonNull::new(read!(self.0, p_node)).map(|n| Node(n, PhantomData))
    }

    /// Node GUID.
    pub fn guid(self) -> Guid {
        self.node().map_or(Guid(0), Node::guid)
    }

    /// Name, as OpenSM prints it.
    pub fn name(self) -> String {
        self.node().map_or_else(String::new, Node::name)
    }

    /// Number of external ports. Port 255 cannot be routed to: it is the mark of "no path".
    pub fn ports(self) -> u8 {
        let size = self.node().map_or(0, |n| n.port_table_size());
        size.min(u32::from(read!(self.0, num_ports)))
            .saturating_sub(1)
            .min(254) as u8
    }

    /// Base LID of port 0; `Lid(0)` if it has none.
    pub fn lid(self) -> Lid {
        self.port(0).map_or(Lid(0), Port::lid)
    }

    /// LMC of port 0: OpenSM gives one to enhanced ports alone, and only under `lmc_esp0` (see
    /// `osm_switch_sp0_is_lmc_capable` and lid_mgr_set_physp_pi).
    pub fn lmc(self, lmc_esp0: bool) -> u8 {
        let enhanced = read!(self.0, switch_info.flags) & 0x08 != 0;
        match self.port(0) {
            Some(port) if enhanced && lmc_esp0 => port.lmc(),
            _ => 0,
        }
    }

    /// Whether the switch forwards multicast (`osm_switch_supports_mcast`).
    pub fn supports_multicast(self) -> bool {
        read!(self.0, switch_info.mcast_cap) != 0
    }

    /// One of its ports, if OpenSM has initialised it.
    pub fn port(self, number: u8) -> Option<Port<'a>> {
        self.node()?.port(number)
    }

    /// Asks for the memory that a look at all links of the switch reads. OpenSM's ports and nodes
    /// lie far apart: met one by one, each is waited for; asked for together, they come together.
    pub fn prefetch_links(self) {
        let Some(node) = self.node() else { return };
        for number in 1..=self.ports() {
            // SAFETY: only the address is computed, of an entry of the table: `ports` is less than
            // its size.
            let port = unsafe { node.port_table().add(usize::from(number)) };
            prefetch!(port, port_guid, healthy);
        }
        let ports = || (1..=self.ports()).filter_map(|number| self.port(number));
        let remotes = || ports().filter_map(|p| NonNull::new(read!(p.0, p_remote_physp)));
        for remote in remotes() {
            prefetch!(remote.as_ptr(), port_info.base_lid, port_guid, healthy);
        }
        for node in remotes().filter_map(|r| NonNull::new(read!(r, p_node))) {
            prefetch!(
                node.as_ptr(),
                sw,
                node_info.node_guid,
                node_desc.description
            );
        }
    }

    /// Sets `port`'s bit for this multicast LID. Returns whether the switch's table has room.
    pub fn set_multicast(self, subnet: &Subnet<'a>, mlid: u16, port: u8) -> bool {
        // SAFETY: the table is this switch's own; `osm_mcast_tbl_set` indexes it unchecked, so the
        // bounds that OpenSM's assertions name are checked here (16 masks of 16 ports hold any
        // port number).
        unsafe {
            let table = &raw mut (*self.0.as_ptr()).mcast_tbl;
            let room = !(*table).p_mask_tbl.is_null()
                && (0xC000..=(*table).max_mlid_ho).contains(&mlid)
                && usize::from(mlid - 0xC000) < (*table).mft_depth as usize;
            if room {
                (subnet.symbols.mcast_tbl_set)(table, mlid, port);
            }
            room
        }
    }

    /// Sets the hop counts to `lid`, one for each port from 0 on; missing ones become "no path".
    /// Returns false if OpenSM has no room for that LID or memory has run out.
    pub fn set_hops(self, _subnet: &Subnet<'a>, lid: Lid, hops: &[u8]) -> bool {
        let ports = usize::from(read!(self.0, num_ports));
        let table = read!(self.0, hops);
        if table.is_null() || lid.index() >= usize::from(read!(self.0, num_hops)) {
            return false;
        }
        // SAFETY: `hops` has `num_hops` pointers, each NULL or a row of `num_ports` bytes from
        // malloc, which OpenSM frees (osm_switch_set_hops, osm_switch_delete).
        unsafe {
            let slot = table.add(lid.index());
            if (*slot).is_null() {
                *slot = libc::malloc(ports.max(1)).cast();
            }
            if (*slot).is_null() {
                return false;
            }
            for port in 0..ports {
                *(*slot).add(port) = hops.get(port).copied().unwrap_or(NO_PATH);
            }
        }
        true
    }
}

impl<'a> Port<'a> {
    /// The handle of a port that OpenSM gave as a pointer.
    ///
    /// # Safety
    /// `port` is NULL or a live `osm_physp_t`, and OpenSM's lock is held for all of `'a`.
    pub unsafe fn from_raw(port: *mut osm_physp_t) -> Option<Self> {
        NonNull::new(port)
            .map(|p| Port(p, PhantomData))
            .filter(|p| read!(p.0, port_guid) != 0)
    }

    /// Port number.
    pub fn number(self) -> u8 {
        read!(self.0, port_num)
    }

    /// Port GUID.
    pub fn guid(self) -> Guid {
        Guid(u64::from_be(read!(self.0, port_guid)))
    }

    /// Base LID; `Lid(0)` if it has none.
    pub fn lid(self) -> Lid {
        Lid(u16::from_be(read!(self.0, port_info.base_lid)))
    }

    /// LMC (`ib_port_info_get_lmc`).
    pub fn lmc(self) -> u8 {
        read!(self.0, port_info.mkey_lmc) & 0x07
    }

    /// Whether traps have marked the port as bad.
    pub fn is_healthy(self) -> bool {
        read!(self.0, healthy) != 0
    }

    /// The node that the port belongs to.
    pub fn node(self) -> Option<Node<'a>> {
        NonNull::new(read!(self.0, p_node)).map(|n| Node(n, PhantomData))
    }

    /// The port at the other end of the link.
    pub fn remote(self) -> Option<Port<'a>> {
        let remote = read!(self.0, p_remote_physp);
        // SAFETY: the pointer is NULL or a live port, and the lock is held.
        unsafe { Port::from_raw(remote) }
    }
}

impl<'a> Node<'a> {
    /// The handle of a node that OpenSM gave as a pointer.
    ///
    /// # Safety
    /// `node` is NULL or a live `osm_node_t`, and OpenSM's lock is held for all of `'a`.
    pub unsafe fn from_raw(node: *mut osm_node_t) -> Option<Self> {
        NonNull::new(node).map(|n| Node(n, PhantomData))
    }

    /// Node GUID.
    pub fn guid(self) -> Guid {
        Guid(u64::from_be(read!(self.0, node_info.node_guid)))
    }

    /// The switch object, if the node is a switch that OpenSM can route.
    pub fn switch(self) -> Option<Switch<'a>> {
        NonNull::new(read!(self.0, sw)).map(|s| Switch(s, PhantomData))
    }

    /// Whether this is a CA or a router.
    pub fn is_end_node(self) -> bool {
        let node_type = u32::from(read!(self.0, node_info.node_type));
        matches!(node_type, IB_NODE_TYPE_CA | IB_NODE_TYPE_ROUTER)
    }

    /// What kind of end node this is, were it one.
    pub fn kind(self) -> NodeKind {
        let vendor = u32::from_be(read!(self.0, node_info.port_num_vendor_id)) & 0x00FF_FFFF;
        let device = u16::from_be(read!(self.0, node_info.device_id));
        let description = read!(self.0, node_desc.description);
        if u32::from(read!(self.0, node_info.node_type)) == IB_NODE_TYPE_ROUTER {
            NodeKind::Router
        } else if (vendor, device) == NodeKind::AGGREGATION_DEVICE
            || description.starts_with(NodeKind::AGGREGATION_DESCRIPTION.as_bytes())
        {
            NodeKind::Aggregation
        } else {
            NodeKind::Ca
        }
    }

    /// Name, as OpenSM prints it: from the node name map, else the node description.
    pub fn name(self) -> String {
        let name = read!(self.0, print_desc);
        // SAFETY: `print_desc` is NULL or a C string that the node owns.
        unsafe { text(name) }.unwrap_or_default()
    }

    fn port_table_size(self) -> u32 {
        read!(self.0, physp_tbl_size)
    }

    /// One of its ports, if OpenSM has initialised it.
    pub fn port(self, number: u8) -> Option<Port<'a>> {
        if u32::from(number) >= self.port_table_size() {
            return None;
        }
        // SAFETY: the port table, the node's last member, has `physp_tbl_size` entries.
        unsafe { Port::from_raw(self.port_table().add(usize::from(number))) }
    }

    fn port_table(self) -> *mut osm_physp_t {
        // SAFETY: only the address is computed.
        unsafe { (&raw mut (*self.0.as_ptr()).physp_table).cast() }
    }
}
