//! Fabrics drawn node by node and cable by cable.

use dmodc_fabric::{Guid, NodeKind, PortNumber};
use dmodc_formats::names::Directory;
use dmodc_formats::netlist::generate::{Order, Pgft, build};
use dmodc_formats::netlist::{Kind, Netlist, Node, Port, PortZero};

/// The distance of node GUIDs. ibsim gives ports the GUIDs in between (node GUID + number).
const STEP: u64 = 0x100;

/// A whole PGFT by its name.
pub fn tree(shape: &str, order: Order) -> Netlist {
    let shape: Pgft = shape.parse().expect("a shape");
    build(&shape.into(), order)
}

/// Adds a node without links.
pub fn add(netlist: &mut Netlist, kind: Kind, description: String, port_count: u8) -> u32 {
    let index = netlist.nodes.len() as u32;
    let guid = Guid((u64::from(index) + 1) * STEP);
    netlist.nodes.push(Node {
        port_zero: (kind == Kind::Switch).then_some(PortZero::Base),
        description,
        ..Node::new(kind, kind.id(guid), guid, port_count)
    });
    index
}

/// Links two free ports.
pub fn link(netlist: &mut Netlist, a: (u32, PortNumber), b: (u32, PortNumber)) {
    for ((node, number), (peer, peer_port)) in [(a, b), (b, a)] {
        let node = &mut netlist.nodes[node as usize];
        node.port_count = node.port_count.max(number.0);
        let at = node.ports.partition_point(|port| port.number < number);
        assert!(node.ports.get(at).is_none_or(|p| p.number != number));
        node.ports
            .insert(at, Port::new(number, peer, peer_port, "4xEDR"));
    }
}

/// Adds a host at a port of a switch.
pub fn add_host(netlist: &mut Netlist, switch: u32, port: PortNumber) -> u32 {
    let place = format!("{}/{port}", netlist.nodes[switch as usize].description);
    let host = add(netlist, Kind::Ca, place, 1);
    link(netlist, (switch, port), (host, PortNumber(1)));
    host
}

/// The node with this description.
pub fn node_at(netlist: &Netlist, name: &str) -> u32 {
    let found = netlist.nodes.iter().position(|n| n.description == name);
    found.unwrap_or_else(|| panic!("no {name}")) as u32
}

/// As [`node_at`], to be changed.
pub fn named<'n>(netlist: &'n mut Netlist, name: &str) -> &'n mut Node {
    let at = node_at(netlist, name);
    &mut netlist.nodes[at as usize]
}

/// The netlist without the parts of these names.
pub fn without(netlist: &Netlist, names: &[&str]) -> Netlist {
    let directory = Directory::of_netlist(netlist);
    let parts = names.iter().map(|name| directory.parts(netlist, name));
    let parts: Vec<_> = parts.map(|found| found.expect("parts")).collect();
    netlist.without(&parts.concat())
}

/// Adds an aggregation node to every switch, at a new port after all others.
pub fn add_aggregation_nodes(netlist: &mut Netlist) {
    for switch in switches(netlist) {
        let port = PortNumber(netlist.nodes[switch as usize].port_count + 1);
        let node = add_host(netlist, switch, port) as usize;
        let node = &mut netlist.nodes[node];
        (node.vendor, node.device) = NodeKind::AGGREGATION_DEVICE;
        node.description = NodeKind::AGGREGATION_DESCRIPTION.into();
    }
}

/// The switches by index.
pub fn switches(netlist: &Netlist) -> Vec<u32> {
    let nodes = (0..).zip(&netlist.nodes);
    let switches = nodes.filter(|(_, n)| n.kind == Kind::Switch);
    switches.map(|(index, _)| index).collect()
}
