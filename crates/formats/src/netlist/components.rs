//! Several fabrics in one file: components of switches that no link joins.
//!
//! Subnets of their own, such as rails with a subnet manager each, have LIDs in common, since each manager counts from
//! 1: then each component is a fabric of its own, and LIDs belong to it. Components without a common LID may as well be
//! one fabric that is broken; they stay together, so that the hosts between which there is no way are counted. A host
//! with ports at two components is in both.

use super::degrade::Part;
use super::model::{Kind, Netlist, Node};
use dmodc_fabric::{Guid, Lid, grouped, lid_range};
use std::collections::HashMap;

/// The component of each node that is a switch: the least GUID of its switches. `peers` gives the nodes that a node has
/// links to.
pub(super) fn components<'n, I: Iterator<Item = u32>>(
    nodes: impl Iterator<Item = &'n Node>,
    peers: impl Fn(usize) -> I,
) -> Vec<Option<Guid>> {
    let nodes: Vec<&Node> = nodes.collect();
    let is_switch = |at: usize| nodes[at].kind == Kind::Switch;
    let mut starts: Vec<usize> = (0..nodes.len()).filter(|&at| is_switch(at)).collect();
    starts.sort_by_key(|&at| nodes[at].guid);
    let mut component = vec![None; nodes.len()];
    for start in starts {
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if is_switch(at) && component[at].is_none() {
                component[at] = Some(nodes[start].guid);
                open.extend(peers(at).map(|peer| peer as usize));
            }
        }
    }
    component
}

impl Netlist {
    /// The component of each switch; `None` for other nodes.
    fn components(&self) -> Vec<Option<Guid>> {
        let peers = |at: usize| self.nodes[at].ports.iter().map(|port| port.peer);
        components(self.nodes.iter(), peers)
    }

    /// Whether [`Netlist::fabrics`] are several.
    pub fn has_several_fabrics(&self) -> bool {
        self.has_common_lid(&self.components())
    }

    /// The fabrics of this netlist, by the least GUIDs of their switches: its components if two of them have a LID in
    /// common, else the netlist as it is.
    pub fn fabrics(&self) -> Vec<Netlist> {
        let component = self.components();
        let parts = component.iter().zip(0..);
        let switches = grouped(parts.filter_map(|(guid, at)| Some(((*guid)?, Part::Node(at)))));
        if switches.len() < 2 || !self.has_common_lid(&component) {
            return vec![self.clone()];
        }
        let others = |own: &Guid| -> Vec<Part> {
            let others = switches.iter().filter(|(guid, _)| *guid != own);
            others.flat_map(|(_, parts)| parts).copied().collect()
        };
        let own = switches.keys();
        own.map(|own| self.without(&others(own))).collect()
    }

    /// Whether ports of two components have a LID in common.
    fn has_common_lid(&self, component: &[Option<Guid>]) -> bool {
        let mut owners: HashMap<u16, Guid> = HashMap::new();
        let mut claim = |lid: Lid, lmc: u8, of: Option<Guid>| {
            let lids = lid_range(lid, lmc).filter(|_| lid != Lid(0)).into_iter();
            let mut is_taken = |of: Guid, lid: u16| *owners.entry(lid).or_insert(of) != of;
            of.is_some_and(|of| lids.flatten().any(|lid| is_taken(of, lid)))
        };
        self.nodes.iter().zip(component).any(|(node, own)| {
            let of = |peer: u32| component[peer as usize];
            let mut ports = node.ports.iter();
            claim(node.lid, node.lmc, *own)
                || ports.any(|port| claim(port.lid, port.lmc, of(port.peer)))
        })
    }

    /// The number of hosts' ports that virtual ports may share, in a file of ibdiagnet (which labels hosts' ports): of
    /// ConnectX-4, BlueField and later, and where the file does not say which.
    pub fn shareable_ports(&self) -> usize {
        let is_new = |node: &&Node| matches!(node.device, 0 | 0x1013..=0x10ff | 0xa2d2..=0xa2ff);
        let hosts = self.nodes.iter().filter(|node| node.kind == Kind::Ca);
        let ports = hosts.filter(is_new).flat_map(|node| &node.ports);
        ports.filter(|port| port.label.is_some()).count()
    }

    /// The hosts and routers that no link joins to a switch: nothing routes to them.
    pub fn without_switch(&self) -> impl Iterator<Item = &Node> {
        let is_joined = |node: &Node| {
            let mut peers = node.ports.iter().map(|p| &self.nodes[p.peer as usize]);
            peers.any(|peer| peer.kind == Kind::Switch)
        };
        let nodes = self.nodes.iter();
        nodes.filter(move |node| node.kind != Kind::Switch && !is_joined(node))
    }
}
