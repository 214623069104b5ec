//! Looks up the switches and end nodes of a plan in the live subnet.

use super::ffi::{Subnet, Switch};
use crate::sweeps::{Called, Planned};

impl Planned {
    /// OpenSM's handle of a switch, if the switch is still in the subnet.
    pub(super) fn live<'a>(&self, subnet: &Subnet<'a>, switch: u32) -> Option<Switch<'a>> {
        subnet.switch(self.fabric.guid(switch))
    }
}

/// Names the switches and end nodes of a plan from the live subnet. Gone ones get an empty name.
pub struct LiveNames<'a, 's> {
    pub subnet: &'s Subnet<'a>,
    pub planned: &'s Planned,
}

impl Called for LiveNames<'_, '_> {
    fn switch(&self, index: u32) -> String {
        let live = self.planned.live(self.subnet, index);
        live.map(Switch::name).unwrap_or_default()
    }

    fn end_node(&self, index: u32) -> String {
        let node = &self.planned.fabric.end_nodes()[index as usize];
        let switch = self.planned.live(self.subnet, node.switch);
        let remote = switch.and_then(|s| s.port(node.port)?.remote()?.node());
        remote.map(|node| node.name()).unwrap_or_default()
    }
}
