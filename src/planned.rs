//! Looks up the switches and end nodes of a plan in the live subnet.

use super::ffi::{Subnet, Switch};
use dmodc_fabric::{NodeId, SwitchId};
use dmodc_watch::sweeps::{Called, Planned};

/// OpenSM's handle of a planned switch, if the switch is still in the subnet.
pub fn live<'a>(planned: &Planned, subnet: &Subnet<'a>, switch: SwitchId) -> Option<Switch<'a>> {
    subnet.switch(planned.fabric.guid(switch))
}

/// Names the switches and end nodes of a plan from the live subnet. Gone ones get an empty name.
pub struct LiveNames<'a, 's> {
    pub subnet: &'s Subnet<'a>,
    pub planned: &'s Planned,
}

impl Called for LiveNames<'_, '_> {
    fn switch(&self, index: SwitchId) -> String {
        let switch = live(self.planned, self.subnet, index);
        switch.map(Switch::name).unwrap_or_default()
    }

    fn end_node(&self, index: NodeId) -> String {
        let node = &self.planned.fabric.end_nodes()[index];
        let switch = live(self.planned, self.subnet, node.switch);
        let remote = switch.and_then(|s| s.port(node.port)?.remote()?.node());
        remote.map(|node| node.name()).unwrap_or_default()
    }
}
