//! Makes a netlist of a snapshot, without names: for references.

use super::model::{Kind, Netlist, Node, Port};
use dmodc_fabric::{Fabric, Guid, NodeId, NodeKind, Peer, PortNumber, Speed, SwitchId};
use std::collections::HashSet;

impl Netlist {
    /// The netlist of a fabric, without LIDs. Each end node becomes a node of one port. Of several nodes with one GUID
    /// (a host, and the place that it has left), all but one get another GUID and thus another id.
    pub fn from_fabric(fabric: &Fabric) -> Netlist {
        let mut guids: HashSet<Guid> = fabric.switches().iter().map(|s| s.guid).collect();
        // In the netlist, the end nodes follow the switches.
        let switches = fabric.switches().len() as u32;
        let of_switch = |SwitchId(index)| index;
        let of_end_node = |NodeId(index)| switches + index;
        let port = |number, peer, peer_port, guid, speed: Speed| {
            let mut port = Port {
                guid,
                ..Port::new(number, peer, peer_port, "")
            };
            port.set_speed(speed);
            port
        };
        let mut nodes = Vec::with_capacity(fabric.switches().len() + fabric.end_nodes().len());
        for (s, switch) in fabric.switches().iter_enumerated() {
            let peers = fabric.ports_of(s);
            let speed = |number| fabric.link_speed(s, number);
            let ports = peers.filter_map(|(number, peer)| {
                let (far, far_port) = match peer {
                    Peer::None => return None,
                    Peer::Switch { index, port } => (of_switch(index), port),
                    Peer::EndNode(node) => (of_end_node(node), PortNumber(1)),
                };
                Some(port(number, far, far_port, None, speed(number)))
            });
            let id = Kind::Switch.id(switch.guid);
            nodes.push(Node {
                ports: ports.collect(),
                ..Node::new(Kind::Switch, id, switch.guid, switch.ports)
            });
        }
        for end_node in fabric.end_nodes() {
            let mut guid = end_node.guid;
            while !guids.insert(guid) {
                guid = Guid(guid.0.wrapping_add(1 << 32) | 1 << 63);
            }
            let kind = match end_node.kind {
                NodeKind::Router => Kind::Router,
                NodeKind::Ca | NodeKind::Aggregation => Kind::Ca,
            };
            let (switch, far) = (end_node.switch, end_node.port);
            let speed = fabric.link_speed(switch, far);
            let mut node = Node::new(kind, Kind::Ca.id(guid), guid, 1);
            let switch = of_switch(switch);
            node.ports
                .push(port(PortNumber(1), switch, far, Some(guid), speed));
            if end_node.kind == NodeKind::Aggregation {
                (node.vendor, node.device) = NodeKind::AGGREGATION_DEVICE;
            }
            nodes.push(node);
        }
        Netlist { nodes }
    }
}
