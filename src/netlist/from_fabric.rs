//! Makes a netlist of a snapshot, without names: for references.

use super::model::{Kind, Netlist, Node, Port};
use crate::fabric::{Fabric, Guid, NodeKind, Peer, Speed};
use std::collections::HashSet;

impl Netlist {
    /// The netlist of a fabric, without LIDs. Each end node becomes a node of one port. Of several nodes with one GUID
    /// (a host, and the place that it has left), all but one get another GUID and thus another id.
    pub fn from_fabric(fabric: &Fabric) -> Netlist {
        let mut guids: HashSet<Guid> = fabric.switches().iter().map(|s| s.guid).collect();
        let switches = fabric.switches().len() as u32;
        let port = |number, peer, peer_port, guid, speed: Speed| {
            let mut port = Port {
                guid,
                ..Port::new(number, peer, peer_port, "")
            };
            port.set_speed(speed);
            port
        };
        let mut nodes = Vec::with_capacity(fabric.switches().len() + fabric.end_nodes().len());
        for (s, switch) in (0u32..).zip(fabric.switches()) {
            let peers = fabric.peers_of(s).iter().zip(1u8..);
            let speed = |number| fabric.link_speed(s, number);
            let ports = peers.filter_map(|(peer, number)| match *peer {
                Peer::None => None,
                Peer::Switch { index, port: far } => {
                    Some(port(number, index, far, None, speed(number)))
                }
                Peer::EndNode(node) => Some(port(number, switches + node, 1, None, speed(number))),
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
            node.ports.push(port(1, switch, far, Some(guid), speed));
            if end_node.kind == NodeKind::Aggregation {
                (node.vendor, node.device) = NodeKind::AGGREGATION_DEVICE;
            }
            nodes.push(node);
        }
        Netlist { nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, EndNode, Lid};

    #[test]
    fn nodes_of_one_guid_are_read_back_as_several() {
        let mut b = Builder::default();
        let switch = b.switch(Guid(3), Lid(3), 0, 4);
        for port in 1..=3 {
            b.end_node(EndNode {
                guid: Guid(7),
                lid: Lid(10 + u16::from(port)),
                lmc: 0,
                kind: NodeKind::Ca,
                switch,
                port,
            });
        }
        let fabric = b.finish().0;
        let mut text = Vec::new();
        let netlist = Netlist::from_fabric(&fabric);
        netlist.write(&mut text).expect("memory");
        let read = Netlist::parse(&text).expect("a netlist");
        assert!(
            read.to_fabric(None)
                .expect("LIDs")
                .0
                .has_equipment_of(&fabric)
        );
    }
}
