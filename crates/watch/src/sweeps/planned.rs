//! [`Planned`]: the results of a sweep for later stages, and names for log lines.

use dmodc_core::{Options, Plan};
use dmodc_fabric::{Drained, Endpoint, Fabric, Guid, Merged, SwitchId};
use dmodc_formats::netlist::Names;
use std::collections::HashMap;
use typed_index_collections::TiVec;

/// A snapshot of the subnet and its plan. It holds GUIDs and indices, no pointers.
pub struct Planned {
    /// The snapshot.
    pub fabric: Fabric,
    /// Ranks, costs, order.
    pub plan: Plan,
    /// The options of the plan.
    pub options: Options,
    /// Equipment that is to be drained, and is out.
    pub out: Vec<Drained>,
    /// By switch, whether it forwards multicast; empty where there are no multicast trees.
    pub multicast: TiVec<SwitchId, bool>,
}

impl Planned {
    /// The fabric merged with its reference; `None` without a reference, or if that is no tree.
    pub fn known(&self) -> Option<Merged> {
        let reference = self.options.reference.as_deref();
        let reference = reference.filter(|_| self.plan.remembers());
        reference.map(|reference| Merged::new(&self.fabric, reference))
    }

    /// The names of switches and end nodes, by GUID, without switches of unknown name.
    pub fn names(&self, names: &Names) -> HashMap<Guid, String> {
        let switches = self.fabric.switches().iter_enumerated();
        let switches = switches.map(|(index, s)| (s.guid, names.switches[index].clone()));
        let switches = switches.filter(|(_, name)| !name.is_empty());
        let nodes = self.fabric.end_nodes().iter_enumerated();
        let nodes = nodes.map(|(index, node)| (node.guid, names.end_nodes[index].clone()));
        switches.chain(nodes).collect()
    }

    /// A switch as log lines name it: GUID and name.
    pub fn name(&self, names: &Names, switch: SwitchId) -> String {
        let guid = self.fabric.guid(switch);
        format!("{guid} ({})", names.switches[switch])
    }

    /// A sender or receiver in a log line: kind, GUID and name.
    pub fn end(&self, names: &Names, end: Endpoint) -> String {
        match end {
            Endpoint::Switch(switch) => format!("{} {}", end.word(), self.name(names, switch)),
            Endpoint::Host(node) | Endpoint::AggregationNode(node) => {
                let guid = self.fabric.end_nodes()[node].guid;
                format!("{} {guid} ({})", end.word(), names.end_nodes[node])
            }
        }
    }
}
