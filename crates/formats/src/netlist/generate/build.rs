//! Builds a shape into a netlist.
//!
//! The digits of an element are its number in its level, digit 1 the least significant. So the nodes of a leaf and the
//! leaves of a subtree have consecutive numbers. Ports of a switch: down first, then up, in the order of the other
//! side's digit, parallel links side by side.

use super::pgft::Pgft;
use super::rlft::Rlft;
use crate::netlist::model::{Kind, Netlist, Node, Port, PortZero};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Guid, Lid, PortNumber, Rate, Speed};
use std::sync::Arc;

/// The bases of the node GUIDs of CAs and of switches: so far apart that no port GUID (node GUID +
/// port number) equals a node GUID.
const CA_GUIDS: u64 = 0x0001_0000_0000_0000;
const SWITCH_GUIDS: u64 = 0x0002_0000_0000_0000;

/// The choice of GUIDs and LIDs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// The seed that shuffles node GUIDs and LIDs; without one they are in order.
    pub seed: Option<u64>,
    /// Whether the netlist has LIDs.
    pub lids: bool,
}

impl Default for Order {
    fn default() -> Self {
        Order {
            seed: None,
            lids: true,
        }
    }
}

impl From<Pgft> for Rlft {
    /// The full tree; every port is in use.
    fn from(shape: Pgft) -> Rlft {
        Rlft {
            nodes: shape.elements(0),
            shape,
            radix: 0,
        }
    }
}

/// Builds a tree of 4xEDR links: switches level by level from the leaves on, then the nodes.
pub fn build(tree: &Rlft, order: Order) -> Netlist {
    build_with_speeds(tree, order, &[Speed::new(4, Rate::Edr)])
}

/// Builds a tree with a speed for the links of each level, the nodes' links first. Levels beyond the list have its last
/// speed.
pub fn build_with_speeds(tree: &Rlft, order: Order, speeds: &[Speed]) -> Netlist {
    let shape = &tree.shape;
    let present = present(tree);
    let mut netlist = Netlist::default();
    let mut place: Vec<Vec<u32>> = Vec::new();
    for level in (1..=shape.levels()).chain([0]) {
        let mut places = vec![0; shape.elements(level)];
        for index in (0..shape.elements(level)).filter(|&i| present[level][i]) {
            places[index] = netlist.nodes.len() as u32;
            netlist.nodes.push(element(tree, level, index));
        }
        place.push(places);
    }
    place.rotate_right(1);
    for level in 1..=shape.levels() {
        let speed = speeds.get(level - 1).or(speeds.last());
        let link: Arc<str> = speed.map_or_else(String::new, Speed::to_string).into();
        for cable in cables(shape, level) {
            if !(present[level - 1][cable.child] && present[level][cable.parent]) {
                continue;
            }
            let down = (place[level - 1][cable.child], cable.child_port);
            let up = (place[level][cable.parent], cable.parent_port);
            for (here, there) in [(down, up), (up, down)] {
                let port = Port::new(here.1, there.0, there.1, link.clone());
                netlist.nodes[here.0 as usize].ports.push(port);
            }
        }
    }
    for node in &mut netlist.nodes {
        node.ports.sort_by_key(|port| port.number);
    }
    let mut random = order.seed.map(Random::new);
    name_by_guid(&mut netlist, random.as_mut());
    if order.lids {
        give_lids(&mut netlist, random.as_mut());
    }
    netlist
}

/// By level, whether each element exists: the first nodes, and the switches above one of them.
fn present(tree: &Rlft) -> Vec<Vec<bool>> {
    let shape = &tree.shape;
    let nodes = (0..shape.elements(0)).map(|i| i < tree.nodes);
    let mut present: Vec<Vec<bool>> = vec![nodes.collect()];
    for level in 1..=shape.levels() {
        let mut here = vec![false; shape.elements(level)];
        for cable in cables(shape, level) {
            here[cable.parent] |= present[level - 1][cable.child];
        }
        present.push(here);
    }
    present
}

/// A cable between an element of level i-1 and one of level i.
struct Cable {
    child: usize,
    child_port: PortNumber,
    parent: usize,
    parent_port: PortNumber,
}

/// All cables between levels `level` - 1 and `level`.
fn cables(shape: &Pgft, level: usize) -> impl Iterator<Item = Cable> {
    let [m, w, p] = [&shape.m, &shape.w, &shape.p].map(|list| list[level - 1]);
    let low_digits: usize = shape.w[..level - 1].iter().product();
    let below = shape.down_ports(level - 1);
    (0..shape.elements(level - 1)).flat_map(move |child| {
        let (low, rest) = (child % low_digits, child / low_digits);
        let (digit, high) = (rest % m, rest / m);
        (0..w * p).map(move |up| Cable {
            child,
            child_port: PortNumber((below + up + 1) as u8),
            parent: low + low_digits * (up / p + w * high),
            parent_port: PortNumber((digit * p + up % p + 1) as u8),
        })
    })
}

/// An element without its links, with GUID and id in order.
fn element(tree: &Rlft, level: usize, index: usize) -> Node {
    let shape = &tree.shape;
    let used = (shape.down_ports(level) + shape.up_ports(level)) as u8;
    if level == 0 {
        // ibsim reserves a GUID for the node and one for each port.
        let guid = CA_GUIDS + 1 + index as u64 * (u64::from(used) + 1);
        return Node::new(Kind::Ca, format!("node-{index}"), Guid(guid), used);
    }
    let guid = Guid(SWITCH_GUIDS + ((level as u64) << 32) + index as u64);
    let (name, ports) = (format!("L{level}-{index}"), used.max(tree.radix));
    Node {
        port_zero: Some(PortZero::Base),
        ..Node::new(Kind::Switch, name, guid, ports)
    }
}

/// Shuffles node GUIDs, separately for switches and CAs, and makes ids and port GUIDs from them.
fn name_by_guid(netlist: &mut Netlist, mut random: Option<&mut Random>) {
    for kind in [Kind::Switch, Kind::Ca] {
        let nodes = netlist.nodes.iter_mut().filter(|n| n.kind == kind);
        let mut nodes: Vec<&mut Node> = nodes.collect();
        let mut guids: Vec<Guid> = nodes.iter().map(|n| n.guid).collect();
        if let Some(random) = &mut random {
            random.shuffle(&mut guids);
        }
        for (node, guid) in nodes.iter_mut().zip(guids) {
            node.id = kind.id(guid);
            node.guid = guid;
            node.system_guid = Some(guid);
            for port in node.ports.iter_mut().filter(|_| kind == Kind::Ca) {
                port.guid = Some(Guid(guid.0 + u64::from(port.number.0)));
            }
        }
    }
}

/// Assigns LIDs from 1 on, in file order or shuffled.
fn give_lids(netlist: &mut Netlist, random: Option<&mut Random>) {
    let takers = netlist.nodes.iter_mut().flat_map(|node| {
        let ports = node.ports.iter_mut().map(|port| &mut port.lid);
        match node.kind {
            Kind::Switch => vec![&mut node.lid],
            _ => ports.collect(),
        }
    });
    let takers: Vec<&mut Lid> = takers.collect();
    let mut lids: Vec<Lid> = (1..=takers.len() as u16).map(Lid).collect();
    if let Some(random) = random {
        random.shuffle(&mut lids);
    }
    for (taker, lid) in takers.into_iter().zip(lids) {
        *taker = lid;
    }
}
