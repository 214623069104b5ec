//! A fabric with the places that a reference knows of beside those that are taken.
//!
//! Places are switches, links and ports of end nodes. What is there counts: a link or node of the
//! reference at a port where something else is now gives way.

use super::ids::{Guid, Lid};
use super::snapshot::{EndNode, Fabric, Peer, Switch};

/// A fabric and a reference, as two fabrics over the same switches: those of both.
pub struct Merged {
    /// Everything: what is there, and the places where nothing is now. An end node that is not there
    /// has LID 0, and so has such a switch.
    pub nominal: Fabric,
    /// What is there. A switch that is not has no links.
    pub there: Fabric,
    /// Per switch of the fabric: which it is of the merged ones.
    pub switch: Vec<u32>,
    /// Per end node of `nominal`: which it is of the fabric's, if it is there.
    pub node: Vec<Option<u32>>,
    /// Per merged switch: whether the reference does not know it.
    pub is_new: Vec<bool>,
}

impl Merged {
    /// Merges a fabric with a reference.
    pub fn new(fabric: &Fabric, reference: &Fabric) -> Self {
        let mut guids: Vec<Guid> = [fabric, reference]
            .iter()
            .flat_map(|f| f.switches().iter().map(|s| s.guid))
            .collect();
        guids.sort_unstable();
        guids.dedup();
        let place = |of: &Fabric| -> Vec<u32> {
            let switches = of.switches().iter();
            let found = switches.map(|s| guids.binary_search(&s.guid).unwrap_or_default() as u32);
            found.collect()
        };
        let (switch, known) = (place(fabric), place(reference));
        let mut there = Fabric {
            max_lid: fabric.max_lid(),
            ..Fabric::default()
        };
        let mut is_new = Vec::with_capacity(guids.len());
        for guid in guids {
            let here = fabric.switch_by_guid(guid);
            let here = here.map(|s| &fabric.switches()[s as usize]);
            let before = reference.switch_by_guid(guid);
            let before = before.map(|s| &reference.switches()[s as usize]);
            is_new.push(before.is_none());
            let ports = |s: Option<&Switch>| s.map_or(0, |s| s.ports);
            let first_port = there.peers.len() as u32;
            let ports = ports(here).max(ports(before));
            there
                .peers
                .resize(there.peers.len() + usize::from(ports), Peer::None);
            there.switches.push(Switch {
                guid,
                lid: here.map_or(Lid(0), |s| s.lid),
                lmc: here.map_or(0, |s| s.lmc),
                ports,
                first_port,
                end_nodes: (0, 0),
            });
        }
        for (&of, s) in switch.iter().zip(0u32..) {
            let first = there.switches[of as usize].first_port as usize;
            for (i, peer) in fabric.peers_of(s).iter().enumerate() {
                there.peers[first + i] = match *peer {
                    Peer::Switch { index, port } => Peer::Switch {
                        index: switch[index as usize],
                        port,
                    },
                    other => other,
                };
            }
        }
        let mut nominal = there.clone();
        let slot = |s: u32, port: u8| {
            there.switches[s as usize].first_port as usize + usize::from(port) - 1
        };
        // End nodes of the reference count on from those of the fabric.
        let nodes = fabric.end_nodes().len() as u32;
        for (&of, s) in known.iter().zip(0u32..) {
            for (peer, number) in reference.peers_of(s).iter().zip(1u8..) {
                let here = slot(of, number);
                if nominal.peers[here] != Peer::None {
                    continue;
                }
                match *peer {
                    Peer::None => {}
                    Peer::EndNode(node) => nominal.peers[here] = Peer::EndNode(nodes + node),
                    Peer::Switch { index, port } => {
                        let (index, far) =
                            (known[index as usize], slot(known[index as usize], port));
                        if nominal.peers[far] == Peer::None {
                            nominal.peers[here] = Peer::Switch { index, port };
                            nominal.peers[far] = Peer::Switch {
                                index: of,
                                port: number,
                            };
                        }
                    }
                }
            }
        }
        there.settle(|node| fabric.end_nodes()[node as usize].clone());
        let node = nominal.settle(|node| match node.checked_sub(nodes) {
            None => fabric.end_nodes()[node as usize].clone(),
            Some(node) => EndNode {
                lid: Lid(0),
                lmc: 0,
                ..reference.end_nodes()[node as usize].clone()
            },
        });
        Merged {
            nominal,
            there,
            switch,
            node: node.into_iter().map(|n| (n < nodes).then_some(n)).collect(),
            is_new,
        }
    }
}

impl Fabric {
    /// Lists the end nodes that the ports name, which are then named by their place in the list.
    /// Returns by what they were named.
    fn settle(&mut self, node: impl Fn(u32) -> EndNode) -> Vec<u32> {
        let mut named = Vec::new();
        for (index, s) in (0u32..).zip(&mut self.switches) {
            let first = named.len() as u32;
            let ports = &mut self.peers[s.first_port as usize..][..usize::from(s.ports)];
            for (peer, port) in ports.iter_mut().zip(1u8..) {
                if let Peer::EndNode(name) = *peer {
                    *peer = Peer::EndNode(named.len() as u32);
                    named.push(name);
                    self.end_nodes.push(EndNode {
                        switch: index,
                        port,
                        ..node(name)
                    });
                }
            }
            if first < named.len() as u32 {
                s.end_nodes = (first, named.len() as u32);
            }
        }
        named
    }

    /// Whether most switches of a fabric are not in this one, so that it is no reference for it.
    pub fn is_of_another_fabric(&self, fabric: &Fabric) -> bool {
        let known = |s: &&Switch| self.switch_by_guid(s.guid).is_some();
        2 * fabric.switches.iter().filter(known).count() < fabric.switches.len()
    }

    /// Whether two fabrics have the same places: switches, links, and ports of end nodes.
    pub fn has_places_of(&self, other: &Fabric) -> bool {
        let switch = |s: &Switch| (s.guid, s.ports);
        let peer = |p: &Peer| match *p {
            Peer::EndNode(_) => Peer::EndNode(0),
            other => other,
        };
        self.switches
            .iter()
            .map(switch)
            .eq(other.switches.iter().map(switch))
            && self.peers.iter().map(peer).eq(other.peers.iter().map(peer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, NodeKind};

    /// Leaves 1 and 3 under spine 2; `cut` leaves out the spine.
    fn fabric(cut: bool) -> Fabric {
        let mut b = Builder::default();
        let leaves = [1, 3].map(|guid| b.switch(Guid(guid), Lid(guid as u16), 0, 4));
        if !cut {
            let spine = b.switch(Guid(2), Lid(2), 0, 4);
            b.link((leaves[0], 4), (spine, 1));
            b.link((leaves[1], 4), (spine, 2));
        }
        for (i, &switch) in leaves.iter().enumerate() {
            b.end_node(EndNode {
                guid: Guid(10 + i as u64),
                lid: Lid(10 + i as u16),
                lmc: 0,
                kind: NodeKind::Ca,
                switch,
                port: if cut && i == 0 { 2 } else { 1 },
            });
        }
        b.finish().0
    }

    #[test]
    fn what_is_gone_leaves_its_place() {
        let merged = Merged::new(&fabric(true), &fabric(false));
        assert_eq!(merged.switch, [0, 2]);
        assert_eq!(merged.there.switch_links(), 0);
        assert_eq!(merged.nominal.switch_links(), 2);
        let lids: Vec<u16> = merged.nominal.end_nodes().iter().map(|n| n.lid.0).collect();
        assert_eq!(
            lids,
            [0, 10, 11],
            "the node that moved, and the place that it left"
        );
        assert_eq!(merged.node, [None, Some(0), Some(1)]);
        assert_eq!(merged.is_new, [false; 3]);
    }

    #[test]
    fn a_fabric_is_its_own_reference() {
        let whole = fabric(false);
        let merged = Merged::new(&whole, &whole);
        assert_eq!(merged.nominal, whole);
        assert_eq!(merged.there, whole);
        assert!(merged.nominal.has_places_of(&whole));
        assert!(!whole.has_places_of(&fabric(true)));
    }
}
