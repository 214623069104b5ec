//! Makes the snapshot that Dmodc routes, and its names, from a netlist; and for references a netlist of a snapshot.
//!
//! An end node is a CA or router port with a link to a switch. Links between two CAs, and from a switch to
//! itself, do not count. LIDs stay as the file has them. Ports without a LID get the lowest free ones in file
//! order, aligned to 2^LMC as OpenSM aligns them. The speed of a link is the lesser of its two ends'.

use super::model::{Kind, Netlist, Node, Port, shown_port};
use dmodc_fabric::{
    Builder, EndNode, Fabric, Guid, Lid, LidOwners, NodeId, NodeKind, Peer, PortNumber, Speed,
    SwitchId,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use typed_index_collections::TiVec;

/// Descriptions by the fabric's indices, and facts that a dump needs of the end nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Descriptions of the switches. Not unique.
    pub switches: TiVec<SwitchId, String>,
    /// Descriptions of the end nodes. Not unique.
    pub end_nodes: TiVec<NodeId, String>,
    /// Node GUIDs of the end nodes.
    pub node_guids: TiVec<NodeId, Guid>,
    /// Whether ibsim would give an end node's port GUID to another port. ibsim uses node GUID + port
    /// number as port GUID, and the two functions of one HCA often have consecutive node GUIDs. So
    /// one GUID can name one port on the fabric and another under ibsim.
    pub ambiguous: TiVec<NodeId, bool>,
    /// The labels of ports of switches, where the file has some.
    pub labels: PortLabels,
}

/// Labels of ports, such as `1/4/1`.
pub type PortLabels = HashMap<(SwitchId, PortNumber), Arc<str>>;

impl Names {
    /// A port of a switch for people: `7`, or `7 = 1/4/1` if it has a label.
    pub fn port(&self, switch: SwitchId, port: PortNumber) -> String {
        shown_port(port, self.labels.get(&(switch, port)).map(|label| &**label))
    }
}

/// The fabric needs more LIDs than there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the fabric needs more LIDs than InfiniBand has ({})",
    Lid::UNICAST_MAX
)]
pub struct TooManyLids;

/// A port with LIDs: port 0 of a switch, or a CA or router port linked to a switch.
struct Endport<'a> {
    index: u32,
    node: &'a Node,
    port: Option<&'a Port>,
    lid: Lid,
    lmc: u8,
}

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

    /// The fabric to route. With `lmc`, every end node gets that LMC instead of the file's. A LID of the file that does
    /// not suit the LMC (not aligned, or in the range of another) is replaced.
    pub fn to_fabric(&self, lmc: Option<u8>) -> Result<(Fabric, Names), TooManyLids> {
        let mut endports = self.endports(lmc);
        assign_lids(&mut endports, lmc.is_some())?;
        let mut builder = Builder::default();
        let mut handles = vec![SwitchId(0); self.nodes.len()];
        for e in endports.iter().filter(|e| e.port.is_none()) {
            handles[e.index as usize] =
                builder.switch(e.node.guid, e.lid, e.lmc, e.node.port_count);
        }
        for e in &endports {
            let Some(port) = e.port else {
                self.add_links(e, &handles, &mut builder);
                continue;
            };
            builder.end_node(EndNode {
                guid: e.node.port_guid(port),
                lid: e.lid,
                lmc: e.lmc,
                kind: kind(e.node),
                switch: handles[port.peer as usize],
                port: port.peer_port,
            });
            builder.speed(handles[port.peer as usize], port.peer_port, port.speed());
        }
        let (fabric, placement) = builder.finish();
        // GUIDs, ports and LIDs are unique: the builder keeps all nodes, in the order of GUIDs and ports.
        debug_assert_eq!(placement.defects, []);
        let (mut nodes, mut switches): (Vec<&Endport>, Vec<&Endport>) =
            endports.iter().partition(|e| e.port.is_some());
        switches.sort_by_key(|e| e.node.guid);
        let place = |p: &Port| (self.nodes[p.peer as usize].guid, p.peer_port);
        nodes.sort_by_key(|e| e.port.map(place));
        let simulated = endports.iter().filter_map(|e| {
            let port = e.port?.number;
            Some((e.node.simulated_port_guid(port), (e.index, port)))
        });
        let simulated: HashMap<Guid, (u32, PortNumber)> = simulated.collect();
        let is_ambiguous = |e: &&Endport| {
            let holder = |port: &Port| simulated.get(&e.node.port_guid(port)).copied();
            let is_other = |port: &Port| holder(port).is_some_and(|h| h != (e.index, port.number));
            e.port.is_some_and(is_other)
        };
        let mut labels = PortLabels::new();
        for (s, e) in (0..).map(SwitchId).zip(&switches) {
            for port in &e.node.ports {
                labels.extend(port.label.clone().map(|label| ((s, port.number), label)));
            }
        }
        let description = |e: &&Endport| e.node.description.clone();
        let names = Names {
            switches: switches.iter().map(description).collect(),
            end_nodes: nodes.iter().map(description).collect(),
            node_guids: nodes.iter().map(|e| e.node.guid).collect(),
            ambiguous: nodes.iter().map(is_ambiguous).collect(),
            labels,
        };
        Ok((fabric, names))
    }

    /// The netlist with the LIDs of the fabric that was made of it.
    pub fn with_lids(&self, fabric: &Fabric) -> Netlist {
        let mut netlist = self.clone();
        let switch = |node: &Node| match node.kind {
            Kind::Switch => fabric.switch_by_guid(node.guid),
            _ => None,
        };
        let switches: Vec<Option<SwitchId>> = self.nodes.iter().map(switch).collect();
        for (node, switch) in netlist.nodes.iter_mut().zip(&switches) {
            if let Some(switch) = switch {
                node.lid = fabric.switches()[*switch].lid;
                continue;
            }
            for port in &mut node.ports {
                let leaf = switches[port.peer as usize];
                if let Some(Peer::EndNode(end)) = leaf.map(|s| fabric.peer(s, port.peer_port)) {
                    port.lid = fabric.end_nodes()[end].lid;
                }
            }
        }
        netlist
    }

    fn endports(&self, lmc: Option<u8>) -> Vec<Endport<'_>> {
        let mut endports = Vec::new();
        for (index, node) in (0..).zip(&self.nodes) {
            let endport = |port, lid, lmc| Endport {
                index,
                node,
                port,
                lid,
                lmc,
            };
            if node.kind == Kind::Switch {
                endports.push(endport(None, node.lid, node.lmc));
                continue;
            }
            let ports = node.ports.iter();
            let linked = ports.filter(|p| self.nodes[p.peer as usize].kind == Kind::Switch);
            let lmc = |port: &Port| lmc.unwrap_or(port.lmc);
            endports.extend(linked.map(|port| endport(Some(port), port.lid, lmc(port))));
        }
        endports
    }

    /// Adds the links of a switch to other switches, each link from one of its sides, and the speeds of all its links.
    fn add_links(&self, switch: &Endport, handles: &[SwitchId], builder: &mut Builder) {
        for port in &switch.node.ports {
            builder.speed(handles[switch.index as usize], port.number, port.speed());
            let (here, there) = ((switch.index, port.number), (port.peer, port.peer_port));
            if here < there && self.nodes[port.peer as usize].kind == Kind::Switch {
                let handle = |(node, port): (u32, PortNumber)| (handles[node as usize], port);
                builder.link(handle(here), handle(there));
            }
        }
    }
}

fn kind(node: &Node) -> NodeKind {
    match node.kind {
        Kind::Router => NodeKind::Router,
        _ if node.is_aggregation() => NodeKind::Aggregation,
        _ => NodeKind::Ca,
    }
}

/// Keeps the LIDs of the file where possible and assigns the others. LIDs that are not aligned also stay if the LMC is
/// the file's own.
fn assign_lids(endports: &mut [Endport], lmc_chosen: bool) -> Result<(), TooManyLids> {
    let mut owners = LidOwners::default();
    let mut take = |lid: Lid, lmc: u8| owners.claim(lid, lmc, ()).is_ok();
    for e in endports.iter_mut() {
        let aligned = e.lid.0.trailing_zeros() >= e.lmc.into();
        let suits = aligned || !(lmc_chosen && e.port.is_some());
        if !(suits && take(e.lid, e.lmc)) {
            e.lid = Lid(0);
        }
    }
    let mut next = [0, 1, 2, 3, 4, 5, 6, 7].map(|lmc| 1u16 << lmc);
    for e in endports.iter_mut().filter(|e| e.lid == Lid(0)) {
        let candidate = &mut next[usize::from(e.lmc.min(7))];
        while !take(Lid(*candidate), e.lmc) {
            if *candidate > Lid::UNICAST_MAX.0 {
                return Err(TooManyLids);
            }
            *candidate += 1 << e.lmc;
        }
        e.lid = Lid(*candidate);
    }
    Ok(())
}
