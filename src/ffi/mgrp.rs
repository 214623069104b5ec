//! A multicast group of `mcast_build_stree`: the member ports of one multicast LID, each once
//! (`osm_mcast_make_port_list_and_map`).

use super::bindings::{osm_mcm_port_t, osm_mgrp_box_t, osm_mgrp_t};
use super::live::Live;
use super::objects::{Node, Port, Switch};
use super::qmap;
use super::subnet::Subnet;
use dmodc_fabric::{Guid, PortNumber};
use std::collections::BTreeMap;
use std::mem::offset_of;
use std::ptr::NonNull;

pub struct Group<'a> {
    pub mlid: u16,
    /// The number of ports that have joined.
    pub size: usize,
    /// The members, in ascending port GUID, as a switch and a port of it: port 0 if the switch itself has joined.
    /// Members without a link to a switch are left out.
    pub members: Vec<(Switch<'a>, PortNumber)>,
}

impl<'a> Group<'a> {
    /// Reads the group.
    ///
    /// # Safety
    /// `mbox` is the box that OpenSM passed to the callback under the lock that `_subnet` stands for.
    pub unsafe fn read(_subnet: &Subnet<'a>, mbox: NonNull<osm_mgrp_box_t>) -> Self {
        let mut members: BTreeMap<Guid, Option<(Switch<'a>, PortNumber)>> = BTreeMap::new();
        // SAFETY: the box links groups by `list_item`; a group's port table holds member ports,
        // map item first; `port` is NULL or a port that exists, and so are its node and its
        // physical port. The lock is held.
        unsafe {
            let groups = &raw const (*mbox.as_ptr()).mgrp_list;
            for group in qmap::list::<osm_mgrp_t>(groups, offset_of!(osm_mgrp_t, list_item)) {
                let ports = &raw const (*group.as_ptr()).mcm_port_tbl;
                for member in qmap::map::<osm_mcm_port_t>(ports) {
                    let Some(port) = NonNull::new((*member.as_ptr()).port) else {
                        continue;
                    };
                    let guid = Guid(u64::from_be((*port.as_ptr()).guid));
                    let node = Live::new((*port.as_ptr()).p_node).map(Node);
                    let physical = Live::new((*port.as_ptr()).p_physp).and_then(Port::new);
                    let member = members.entry(guid);
                    member.or_insert_with(|| attachment(node, physical));
                }
            }
            Group {
                mlid: (*mbox.as_ptr()).mlid,
                size: members.len(),
                members: members.into_values().flatten().collect(),
            }
        }
    }
}

/// The switch and the switch port of a member.
fn attachment<'a>(
    node: Option<Node<'a>>,
    port: Option<Port<'a>>,
) -> Option<(Switch<'a>, PortNumber)> {
    if let Some(switch) = node?.switch() {
        return Some((switch, PortNumber::ZERO));
    }
    let remote = port?.remote()?;
    Some((remote.node()?.switch()?, remote.number()))
}
