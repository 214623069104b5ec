//! Handles on OpenSM's switches, nodes and physical ports. Their methods return plain values.

use super::bindings::{
    IB_NODE_TYPE_CA, IB_NODE_TYPE_ROUTER, osm_node_t, osm_physp_t, osm_switch_t,
};
use super::live::{Live, prefetch, read, text};
use dmodc_fabric::{Guid, Lid, NodeKind, PortNumber, Speed};

/// The flag of an enhanced port 0 in a switch's SwitchInfo.
const ENHANCED_PORT_0: u8 = 0x08;

/// Bits of a port's CapabilityMask: the port has LinkSpeedExtActive; the port has a CapabilityMask2.
const EXTENDED_SPEEDS: u32 = 0x4000;
const MASK_2: u32 = 0x8000;

/// A bit of CapabilityMask2: the port has LinkSpeedExtActive2, with XDR and later speeds.
const EXTENDED_SPEEDS_2: u16 = 0x0800;

/// A bit of the active speed in Mellanox's ExtendedPortInfo.
const FDR10: u8 = 1;

#[derive(Clone, Copy)]
pub struct Switch<'a>(pub Live<'a, osm_switch_t>);

// SAFETY: no code writes the fields that handles read while OpenSM's lock is held exclusively. The plugin writes
// forwarding, multicast and hop tables meanwhile; handles read none of these, and writing takes the `Subnet`, which
// stays on the thread that holds the lock.
unsafe impl Send for Switch<'_> {}
// SAFETY: as for `Send`.
unsafe impl Sync for Switch<'_> {}

impl<'a> Switch<'a> {
    pub fn node(self) -> Option<Node<'a>> {
        let node = read!(self.0, p_node);
        // SAFETY: a switch's node is NULL or exists as long as the switch.
        unsafe { Live::new(node) }.map(Node)
    }

    /// Its node GUID: the key in OpenSM's map. A walk over the map reads this memory anyway; that of the node would be
    /// another cache miss.
    pub fn guid(self) -> Guid {
        Guid(u64::from_be(read!(self.0, map_item.key)))
    }

    pub fn name(self) -> String {
        self.node().map_or_else(String::new, Node::name)
    }

    /// Number of external ports. No route can use port 255: this entry means "no path".
    pub fn ports(self) -> u8 {
        let size = self.node().map_or(0, |node| read!(node.0, physp_tbl_size));
        let size = size.min(u32::from(read!(self.0, num_ports)));
        size.saturating_sub(1).min(254) as u8
    }

    /// Base LID of port 0; `Lid(0)` if it has none.
    pub fn lid(self) -> Lid {
        self.port(PortNumber::ZERO).map_or(Lid(0), Port::lid)
    }

    /// LMC of port 0: OpenSM sets it for enhanced ports alone, and only with `lmc_esp0` (see
    /// `osm_switch_sp0_is_lmc_capable` and lid_mgr_set_physp_pi).
    pub fn lmc(self, lmc_esp0: bool) -> u8 {
        let enhanced = read!(self.0, switch_info.flags) & ENHANCED_PORT_0 != 0;
        match self.port(PortNumber::ZERO) {
            Some(port) if enhanced && lmc_esp0 => port.lmc(),
            _ => 0,
        }
    }

    /// Whether the switch forwards multicast (`osm_switch_supports_mcast`).
    pub fn supports_multicast(self) -> bool {
        read!(self.0, switch_info.mcast_cap) != 0
    }

    /// A port of the switch, if OpenSM has initialised it.
    pub fn port(self, number: PortNumber) -> Option<Port<'a>> {
        self.node()?.port(number)
    }

    /// Prefetches the memory that a walk over all links of the switch reads. OpenSM's ports and nodes are scattered:
    /// one by one, each read waits for a cache miss. Prefetched, the misses overlap: 8,640 nodes take two thirds of the
    /// time.
    pub fn prefetch_links(self) {
        let Some(node) = self.node() else { return };
        let numbers = PortNumber::external(self.ports());
        for entry in numbers.clone().filter_map(|number| node.port_entry(number)) {
            prefetch!(entry, port_guid, healthy);
        }
        let remotes = || {
            let ports = numbers.clone().filter_map(|number| node.port(number));
            ports.filter_map(Port::remote_entry)
        };
        for remote in remotes() {
            prefetch!(
                remote,
                port_info.base_lid,
                port_info.link_speed_ext,
                port_guid,
                healthy
            );
        }
        for node in remotes().filter_map(node_of) {
            prefetch!(node, sw, node_info.device_id, node_desc.description);
        }
    }
}

/// The node of a port.
fn node_of(port: Live<'_, osm_physp_t>) -> Option<Live<'_, osm_node_t>> {
    let node = read!(port, p_node);
    // SAFETY: a port's node is NULL or exists as long as the port.
    unsafe { Live::new(node) }
}

/// A node: the owner of ports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Node<'a>(pub(super) Live<'a, osm_node_t>);

/// A physical port that OpenSM has initialised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Port<'a>(Live<'a, osm_physp_t>);

impl<'a> Node<'a> {
    /// The switch object, if the node is a switch that OpenSM can route.
    pub fn switch(self) -> Option<Switch<'a>> {
        let switch = read!(self.0, sw);
        // SAFETY: a node's switch is NULL or exists as long as the node.
        unsafe { Live::new(switch) }.map(Switch)
    }

    /// The kind of an end node; `None` if this is neither a CA nor a router.
    pub fn kind(self) -> Option<NodeKind> {
        match u32::from(read!(self.0, node_info.node_type)) {
            IB_NODE_TYPE_ROUTER => return Some(NodeKind::Router),
            IB_NODE_TYPE_CA => {}
            _ => return None,
        }
        let vendor = u32::from_be(read!(self.0, node_info.port_num_vendor_id)) & 0x00FF_FFFF;
        let device = u16::from_be(read!(self.0, node_info.device_id));
        let description = read!(self.0, node_desc.description);
        let is_aggregation = (vendor, device) == NodeKind::AGGREGATION_DEVICE
            || description.starts_with(NodeKind::AGGREGATION_DESCRIPTION.as_bytes());
        Some(match is_aggregation {
            true => NodeKind::Aggregation,
            false => NodeKind::Ca,
        })
    }

    /// Name, as OpenSM prints it: from the node name map, else the node description.
    pub fn name(self) -> String {
        let name = read!(self.0, print_desc);
        // SAFETY: `print_desc` is NULL or a C string that the node owns.
        unsafe { text(name) }.unwrap_or_default()
    }

    /// A port of the node, if OpenSM has initialised it.
    pub fn port(self, number: PortNumber) -> Option<Port<'a>> {
        self.port_entry(number).and_then(Port::new)
    }

    /// An entry of the port table, initialised or not.
    fn port_entry(self, number: PortNumber) -> Option<Live<'a, osm_physp_t>> {
        if u32::from(number.0) >= read!(self.0, physp_tbl_size) {
            return None;
        }
        // SAFETY: the port table, the node's last member, has `physp_tbl_size` entries, which
        // exist as long as the node.
        unsafe {
            let table: *mut osm_physp_t = (&raw mut (*self.0.as_ptr()).physp_table).cast();
            Live::new(table.add(usize::from(number.0)))
        }
    }
}

impl<'a> Port<'a> {
    /// The handle of a port; `None` if OpenSM has not initialised it (`osm_physp_is_valid`).
    pub(super) fn new(port: Live<'a, osm_physp_t>) -> Option<Self> {
        (read!(port, port_guid) != 0).then_some(Port(port))
    }

    pub fn number(self) -> PortNumber {
        PortNumber(read!(self.0, port_num))
    }

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

    /// Width and speed of the port's link, from the PortInfo fields that the port has.
    pub fn speed(self) -> Speed {
        // LinkSpeedActive is in the bits above LinkSpeedEnabled, LinkSpeedExtActive above LinkSpeedExtSupported. In
        // OpenSM's headers LinkSpeedExtActive2 is reserved bits above the link's latency.
        let speed = read!(self.0, port_info.link_speed) >> 4;
        let mut extended = read!(self.0, port_info.link_speed_ext) >> 4;
        let mut extended_2 =
            (u32::from_be(read!(self.0, port_info.link_rt_latency)) >> 29) as u8 & 3;
        if (extended, extended_2) != (0, 0) {
            let (mask, mask_2) = self.capabilities();
            if mask & EXTENDED_SPEEDS == 0 {
                extended = 0;
            }
            if mask & EXTENDED_SPEEDS == 0 || mask & MASK_2 == 0 || mask_2 & EXTENDED_SPEEDS_2 == 0
            {
                extended_2 = 0;
            }
        }
        let fdr10 = (speed, extended, extended_2) == (4, 0, 0)
            && read!(self.0, ext_port_info.link_speed_active) & FDR10 != 0;
        let width = read!(self.0, port_info.link_width_active);
        Speed::of_port_info(width, speed, fdr10, extended, extended_2)
    }

    /// CapabilityMask and CapabilityMask2. Port 0 of a switch has them for all ports of the switch.
    fn capabilities(self) -> (u32, u16) {
        let node = self.node().filter(|node| node.switch().is_some());
        let zero = node.and_then(|node| node.port(PortNumber::ZERO));
        let Port(port) = zero.unwrap_or(self);
        let mask = read!(port, port_info.capability_mask);
        let mask_2 = read!(port, port_info.capability_mask2);
        (u32::from_be(mask), u16::from_be(mask_2))
    }

    /// False if traps have marked the port as bad.
    pub fn is_healthy(self) -> bool {
        read!(self.0, healthy) != 0
    }

    pub fn node(self) -> Option<Node<'a>> {
        node_of(self.0).map(Node)
    }

    /// The port at the other end of the link.
    pub fn remote(self) -> Option<Port<'a>> {
        self.remote_entry().and_then(Port::new)
    }

    /// The port at the other end of the link, initialised or not.
    fn remote_entry(self) -> Option<Live<'a, osm_physp_t>> {
        let remote = read!(self.0, p_remote_physp);
        // SAFETY: the pointer is NULL or points to a port of a node that OpenSM has.
        unsafe { Live::new(remote) }
    }
}
