//! [`Planned`]: what a sweep leaves for the callbacks and dumps that come after it.

use super::ffi::{Subnet, Switch};
use crate::dmodc::{Options, Plan};
use crate::fabric::{End, Fabric, Guid};
use std::collections::HashMap;

/// A snapshot of the subnet and what was planned for it. It holds GUIDs and indices, no pointers.
pub struct Planned {
    /// The snapshot.
    pub fabric: Fabric,
    /// Ranks, costs, order.
    pub plan: Plan,
    /// What it was planned with.
    pub options: Options,
    /// Whether each switch forwards multicast.
    pub multicast: Vec<bool>,
}

impl Planned {
    /// OpenSM's handle of a switch, if the switch is still in the subnet.
    pub fn live<'a>(&self, subnet: &Subnet<'a>, switch: u32) -> Option<Switch<'a>> {
        subnet.switch(self.fabric.switches()[switch as usize].guid)
    }

    /// The handles of all switches, by index.
    pub fn all_live<'a>(&self, subnet: &Subnet<'a>) -> Vec<Option<Switch<'a>>> {
        let switches = 0..self.fabric.switches().len() as u32;
        switches.map(|s| self.live(subnet, s)).collect()
    }

    /// What OpenSM calls an end node; nothing if it is no longer there. `live` are the handles of all
    /// switches.
    pub fn host_name(&self, live: &[Option<Switch<'_>>], node: u32) -> String {
        let node = &self.fabric.end_nodes()[node as usize];
        let port = live[node.switch as usize].and_then(|switch| switch.port(node.port));
        let remote = port.and_then(|port| port.remote()?.node());
        remote.map(|node| node.name()).unwrap_or_default()
    }

    /// What OpenSM calls switches and end nodes, by GUID.
    pub fn names(&self, subnet: &Subnet<'_>) -> HashMap<Guid, String> {
        let live = self.all_live(subnet);
        let switches = self.fabric.switches().iter().zip(&live);
        let switches = switches.filter_map(|(s, live)| Some((s.guid, (*live)?.name())));
        let nodes = (0u32..).zip(self.fabric.end_nodes());
        let nodes = nodes.map(|(index, node)| (node.guid, self.host_name(&live, index)));
        switches.chain(nodes).collect()
    }

    /// A switch as log lines name it: GUID and name.
    pub fn name(&self, subnet: &Subnet<'_>, switch: u32) -> String {
        let guid = self.fabric.switches()[switch as usize].guid;
        let name = self.live(subnet, switch).map(Switch::name);
        format!("{guid} ({})", name.unwrap_or_default())
    }

    /// One that sends and receives, as log lines name it: what it is, GUID and name.
    pub fn end(&self, subnet: &Subnet<'_>, end: End) -> String {
        let node = match end {
            End::Switch(switch) => return format!("{} {}", end.word(), self.name(subnet, switch)),
            End::Host(node) | End::AggregationNode(node) => node,
        };
        let node = &self.fabric.end_nodes()[node as usize];
        let port = self
            .live(subnet, node.switch)
            .and_then(|s| s.port(node.port));
        let remote = port.and_then(|port| port.remote()?.node());
        let name = remote.map(|node| node.name()).unwrap_or_default();
        format!("{} {} ({name})", end.word(), node.guid)
    }
}
