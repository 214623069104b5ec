//! [`Planned`]: what a sweep leaves for the callbacks and dumps that come after it.

use super::ffi::{Subnet, Switch};
use crate::dmodc::Plan;
use crate::fabric::{End, Fabric};

/// A snapshot of the subnet and what was planned for it. It holds GUIDs and indices, no pointers.
pub struct Planned {
    /// The snapshot.
    pub fabric: Fabric,
    /// Ranks, costs, order.
    pub plan: Plan,
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
