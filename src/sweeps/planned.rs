//! [`Planned`]: the results of a sweep for later stages, and names for log lines.

use crate::dmodc::{Options, Plan};
use crate::fabric::{Endpoint, Fabric, Guid};
use crate::netlist::Names;
use std::collections::HashMap;

/// A snapshot of the subnet and its plan. It holds GUIDs and indices, no pointers.
pub struct Planned {
    /// The snapshot.
    pub fabric: Fabric,
    /// Ranks, costs, order.
    pub plan: Plan,
    /// The options of the plan.
    pub options: Options,
    /// By switch, whether it forwards multicast; empty where there are no multicast trees.
    pub multicast: Vec<bool>,
}

/// The names of switches and end nodes, by index. An empty name is unknown.
pub trait Called {
    /// The name of a switch.
    fn switch(&self, index: u32) -> String;
    /// The name of an end node.
    fn end_node(&self, index: u32) -> String;
}

impl Called for Names {
    fn switch(&self, index: u32) -> String {
        self.switches[index as usize].clone()
    }

    fn end_node(&self, index: u32) -> String {
        self.end_nodes[index as usize].clone()
    }
}

impl Planned {
    /// The names of switches and end nodes, by GUID, without switches of unknown name.
    pub fn names(&self, called: &dyn Called) -> HashMap<Guid, String> {
        let switches = (0u32..).zip(self.fabric.switches());
        let switches = switches.map(|(index, s)| (s.guid, called.switch(index)));
        let switches = switches.filter(|(_, name)| !name.is_empty());
        let nodes = (0u32..).zip(self.fabric.end_nodes());
        let nodes = nodes.map(|(index, node)| (node.guid, called.end_node(index)));
        switches.chain(nodes).collect()
    }

    /// A switch as log lines name it: GUID and name.
    pub fn name(&self, called: &dyn Called, switch: u32) -> String {
        let guid = self.fabric.guid(switch);
        format!("{guid} ({})", called.switch(switch))
    }

    /// A sender or receiver in a log line: kind, GUID and name.
    pub fn end(&self, called: &dyn Called, end: Endpoint) -> String {
        match end {
            Endpoint::Switch(switch) => format!("{} {}", end.word(), self.name(called, switch)),
            Endpoint::Host(node) | Endpoint::AggregationNode(node) => {
                let guid = self.fabric.end_nodes()[node as usize].guid;
                format!("{} {guid} ({})", end.word(), called.end_node(node))
            }
        }
    }
}
