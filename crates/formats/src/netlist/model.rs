//! The netlist in memory.

use dmodc_fabric::{Guid, Lid, NodeKind, PortNumber, Speed};
use std::fmt;
use std::sync::Arc;

/// All nodes in file order. Two netlists are equal if they describe the same fabric with the same
/// words in the same order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Netlist {
    /// The nodes; ports refer to them by index.
    pub nodes: Vec<Node>,
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A switch.
    Switch,
    /// A channel adapter.
    Ca,
    /// A router.
    Router,
}

/// Whether a switch's port 0 is a base or an enhanced port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortZero {
    /// Base port 0: LMC 0 only.
    Base,
    /// Enhanced port 0: a port in its own right, which may have an LMC.
    Enhanced,
}

/// A switch, CA or router.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The kind of the node.
    pub kind: Kind,
    /// The name by which links refer to it: `S-` or `H-` and a GUID, or any word in ibsim's files.
    pub id: String,
    /// Node description; the id if the file gives none. Not unique.
    pub description: String,
    /// Node GUID.
    pub guid: Guid,
    /// System image GUID, if the file gives one.
    pub system_guid: Option<Guid>,
    /// Vendor ID, 0 if unknown.
    pub vendor: u32,
    /// Device ID, 0 if unknown.
    pub device: u16,
    /// Number of external ports, linked or not.
    pub port_count: u8,
    /// The kind of a switch's port 0, if the file gives it.
    pub port_zero: Option<PortZero>,
    /// Base LID of a switch's port 0; 0 if the file gives none.
    pub lid: Lid,
    /// LMC of a switch's port 0.
    pub lmc: u8,
    /// The ports that have a link, in ascending order.
    pub ports: Vec<Port>,
}

/// A port with a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Port number, from 1 on.
    pub number: PortNumber,
    /// Index of the node at the other end.
    pub peer: u32,
    /// The other end's port number.
    pub peer_port: PortNumber,
    /// Port GUID of a CA or router port, if the file gives one.
    pub guid: Option<Guid>,
    /// Base LID of a CA or router port; 0 if the file gives none.
    pub lid: Lid,
    /// LMC of a CA or router port.
    pub lmc: u8,
    /// Width and speed of the link as the file has them at this end, such as `4xEDR`; empty if it has none.
    pub link: Arc<str>,
    /// The label on the box, such as `1/4/1`; if the file gives one.
    pub label: Option<Arc<str>>,
}

/// A port for people: its number, with its label if it has one: `7 = 1/4/1`.
pub fn shown_port(number: PortNumber, label: Option<&str>) -> String {
    match label {
        Some(label) => format!("{number} = {label}"),
        None => number.to_string(),
    }
}

/// The number of the port with a label such as `1/4/1`, on a switch whose cages have two ports each.
pub(super) fn cage_port(label: &str) -> Option<u8> {
    let parts: Option<Vec<u8>> = label.split('/').map(|part| part.parse().ok()).collect();
    match parts?[..] {
        [1, cage @ 1..=100, port @ 1..=2] => Some(2 * (cage - 1) + port),
        _ => None,
    }
}

impl Port {
    /// Width and speed of the link as this end has them.
    pub fn speed(&self) -> Speed {
        self.link.parse().unwrap_or_default()
    }

    /// Sets the speed at this end; an unknown speed is `4x`, since ibsim wants a width.
    pub fn set_speed(&mut self, speed: Speed) {
        self.link = match speed.is_known() {
            true => speed.to_string().into(),
            false => "4x".into(),
        };
    }

    /// A port with a link to a port of a node, and with no GUID or LID of its own.
    pub fn new(
        number: PortNumber,
        peer: u32,
        peer_port: PortNumber,
        link: impl Into<Arc<str>>,
    ) -> Port {
        Port {
            number,
            peer,
            peer_port,
            guid: None,
            lid: Lid(0),
            lmc: 0,
            link: link.into(),
            label: None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Switch => "switch",
            Kind::Ca => "host",
            Kind::Router => "router",
        })
    }
}

impl Kind {
    /// The id that ibnetdiscover gives such a node with this GUID.
    pub fn id(self, guid: Guid) -> String {
        let letter = match self {
            Kind::Switch => 'S',
            Kind::Ca => 'H',
            Kind::Router => 'R',
        };
        format!("{letter}-{:016x}", guid.0)
    }
}

impl Node {
    /// A node without links, described by its id. All else about it is unknown.
    pub fn new(kind: Kind, id: String, guid: Guid, port_count: u8) -> Node {
        Node {
            kind,
            description: id.clone(),
            id,
            guid,
            system_guid: None,
            vendor: 0,
            device: 0,
            port_count,
            port_zero: None,
            lid: Lid(0),
            lmc: 0,
            ports: Vec::new(),
        }
    }

    /// The port of this number, if it has a link.
    pub fn port(&self, number: PortNumber) -> Option<&Port> {
        self.ports.iter().find(|port| port.number == number)
    }

    /// A port for people: see [`shown_port`].
    pub fn shown_port(&self, number: PortNumber) -> String {
        let label = self.port(number).and_then(|port| port.label.as_deref());
        shown_port(number, label)
    }

    /// GUID of one of the node's ports. A switch's port has the node GUID. A CA's or router's port has the GUID of the
    /// file, else the GUID that ibsim gives it (node GUID + port number).
    pub fn port_guid(&self, port: &Port) -> Guid {
        match self.kind {
            Kind::Switch => self.guid,
            _ => port.guid.unwrap_or(self.simulated_port_guid(port.number)),
        }
    }

    /// The GUID that ibsim gives a CA or router port, even if the file has another.
    pub fn simulated_port_guid(&self, port: PortNumber) -> Guid {
        Guid(self.guid.0.wrapping_add(port.0.into()))
    }

    /// Whether this is a SHARP aggregation node: a CA inside a switch.
    pub fn is_aggregation(&self) -> bool {
        self.kind == Kind::Ca
            && ((self.vendor, self.device) == NodeKind::AGGREGATION_DEVICE
                || self.description == NodeKind::AGGREGATION_DESCRIPTION)
    }
}

impl Netlist {
    /// The switches, in file order.
    pub fn switches(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|n| n.kind == Kind::Switch)
    }

    /// Sets the speed at some ends of links: node and port.
    pub fn set_speed(&mut self, ends: impl IntoIterator<Item = (u32, PortNumber)>, speed: Speed) {
        for (node, number) in ends {
            let mut ports = self.nodes[node as usize].ports.iter_mut();
            if let Some(port) = ports.find(|port| port.number == number) {
                port.set_speed(speed);
            }
        }
    }
}
