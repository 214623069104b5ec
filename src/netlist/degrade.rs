//! Degraded fabrics: removes random links or switches (section IV of the paper).
//!
//! The seed shuffles the candidates (see [`crate::random`]), which were sorted by GUID and port, and
//! the first ones go. So the outcome depends on the fabric and the seed alone, not on the order of
//! the file. With the same seed a larger removal contains a smaller one. All else keeps its GUIDs,
//! ports and LIDs, as on a fabric where things fail.

use super::model::{Kind, Netlist, Node};
use crate::fabric::Guid;
use crate::random::Random;
use std::collections::HashSet;

/// A removed switch, by its names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedSwitch {
    /// Node GUID.
    pub guid: Guid,
    /// Description.
    pub name: String,
}

/// A link between two switches, with the port at each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedLink {
    /// The two sides, the one with the lower (GUID, port) first.
    pub sides: [(NamedSwitch, u8); 2],
}

/// The caller wants to remove more than there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot remove {wanted} {what}: there are {there}")]
pub struct NotEnough {
    /// The kind: links or switches.
    pub what: &'static str,
    /// How many to remove.
    pub wanted: usize,
    /// How many there are.
    pub there: usize,
}

impl Netlist {
    /// Removes `count` random links between different switches.
    pub fn without_links(
        &self,
        count: usize,
        seed: u64,
    ) -> Result<(Netlist, Vec<NamedLink>), NotEnough> {
        let mut links = self.links_between_switches();
        links.sort_by_key(|&[(node, port), _]| (self.nodes[node as usize].guid, port));
        choose(&mut links, count, seed, "links between switches")?;
        let gone: HashSet<(u32, u8)> = links.iter().flatten().copied().collect();
        let name = |(node, port): (u32, u8)| (named(&self.nodes[node as usize]), port);
        let names = links
            .iter()
            .map(|sides| NamedLink {
                sides: sides.map(name),
            })
            .collect();
        Ok((
            self.keeping(|_| true, |node, port| !gone.contains(&(node, port))),
            names,
        ))
    }

    /// Removes `count` random switches with all their links. Switches that carry end nodes (other
    /// than aggregation nodes) stay, unless `leaves` is set. End nodes without a link go, too.
    pub fn without_switches(
        &self,
        count: usize,
        seed: u64,
        leaves: bool,
    ) -> Result<(Netlist, Vec<NamedSwitch>), NotEnough> {
        let mut switches = self.removable_switches(leaves);
        switches.sort_by_key(|&index| self.nodes[index as usize].guid);
        let what = if leaves {
            "switches"
        } else {
            "switches without end nodes"
        };
        choose(&mut switches, count, seed, what)?;
        let names = switches
            .iter()
            .map(|&index| named(&self.nodes[index as usize]))
            .collect();
        Ok((self.without_nodes(&switches), names))
    }

    /// Removes these nodes, by index, with all their links. End nodes without a link go, too.
    pub fn without_nodes(&self, nodes: &[u32]) -> Netlist {
        let gone: HashSet<u32> = nodes.iter().copied().collect();
        self.keeping(|node| !gone.contains(&node), |_, _| true)
    }

    /// The links between different switches, each as its two sides (node and port).
    pub fn links_between_switches(&self) -> Vec<[(u32, u8); 2]> {
        let mut links = Vec::new();
        for (index, node) in (0..)
            .zip(&self.nodes)
            .filter(|(_, n)| n.kind == Kind::Switch)
        {
            for port in &node.ports {
                let peer = &self.nodes[port.peer as usize];
                if peer.kind == Kind::Switch && node.guid < peer.guid {
                    links.push([(index, port.number), (port.peer, port.peer_port)]);
                }
            }
        }
        links
    }

    /// The switches that [`Netlist::without_switches`] chooses from, by index.
    pub fn removable_switches(&self, leaves: bool) -> Vec<u32> {
        let carries = |node: &Node| {
            let mut peers = node.ports.iter().map(|p| &self.nodes[p.peer as usize]);
            peers.any(|peer| peer.kind != Kind::Switch && !peer.is_aggregation())
        };
        let candidate = |node: &Node| node.kind == Kind::Switch && (leaves || !carries(node));
        let nodes = (0..).zip(&self.nodes);
        nodes
            .filter(|(_, node)| candidate(node))
            .map(|(index, _)| index)
            .collect()
    }

    /// The nodes and ports to keep, less links that lost an end and end nodes that lost all links.
    pub(super) fn keeping(
        &self,
        keep_node: impl Fn(u32) -> bool,
        keep_port: impl Fn(u32, u8) -> bool,
    ) -> Netlist {
        let linked = |index: u32| {
            let node = &self.nodes[index as usize];
            let mut ports = node.ports.iter();
            let keeps_a_link = ports.any(|port| {
                let sides = [(index, port.number), (port.peer, port.peer_port)];
                keep_node(port.peer) && sides.iter().all(|&(node, port)| keep_port(node, port))
            });
            node.kind == Kind::Switch || node.ports.is_empty() || keeps_a_link
        };
        let mut next = 0;
        let mut places: Vec<Option<u32>> = Vec::with_capacity(self.nodes.len());
        for index in 0..self.nodes.len() as u32 {
            let kept = keep_node(index) && linked(index);
            places.push(kept.then_some(next));
            next += u32::from(kept);
        }
        let mut netlist = Netlist::default();
        for (index, node) in (0..).zip(&self.nodes) {
            if places[index as usize].is_none() {
                continue;
            }
            let mut node = node.clone();
            node.ports.retain_mut(|port| {
                let place = places[port.peer as usize].filter(|_| keep_port(index, port.number));
                port.peer = place.unwrap_or(port.peer);
                place.is_some()
            });
            netlist.nodes.push(node);
        }
        netlist
    }
}

fn choose<T>(
    candidates: &mut Vec<T>,
    wanted: usize,
    seed: u64,
    what: &'static str,
) -> Result<(), NotEnough> {
    let there = candidates.len();
    if wanted > there {
        return Err(NotEnough {
            what,
            wanted,
            there,
        });
    }
    Random::new(seed).shuffle(candidates);
    candidates.truncate(wanted);
    Ok(())
}

fn named(node: &Node) -> NamedSwitch {
    NamedSwitch {
        guid: node.guid,
        name: node.description.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::generate::{Order, Pgft, build};

    fn figure_1() -> Netlist {
        build(
            &"PGFT(3;2,2,3;1,2,2;1,2,1)".parse::<Pgft>().unwrap().into(),
            Order::default(),
        )
    }

    fn counts(netlist: &Netlist) -> (usize, usize, usize) {
        let (fabric, _) = netlist.to_fabric(None).unwrap();
        (
            fabric.switches().len(),
            fabric.end_nodes().len(),
            fabric.switch_links(),
        )
    }

    #[test]
    fn links_go_from_both_sides_and_nothing_else_does() {
        let whole = figure_1();
        let (less, removed) = whole.without_links(5, 1).unwrap();
        assert_eq!(counts(&whole), (16, 12, 36));
        assert_eq!(counts(&less), (16, 12, 31));
        assert_eq!(removed.len(), 5);
        for link in removed {
            for (switch, port) in link.sides {
                let node = less.nodes.iter().find(|n| n.guid == switch.guid).unwrap();
                assert!(node.ports.iter().all(|p| p.number != port));
            }
        }
    }

    #[test]
    fn the_larger_removal_contains_the_smaller_whatever_the_file_s_order() {
        let whole = figure_1();
        let (_, five) = whole.without_links(5, 9).unwrap();
        let (_, six) = whole.without_links(6, 9).unwrap();
        assert_eq!(six[..5], five);
        let last = whole.nodes.len() as u32 - 1;
        let mut reversed = whole.clone();
        reversed.nodes.reverse();
        for node in &mut reversed.nodes {
            node.ports
                .iter_mut()
                .for_each(|port| port.peer = last - port.peer);
        }
        assert_eq!(reversed.without_links(5, 9).unwrap().1, five);
        let switches = whole.without_switches(4, 9, true).unwrap().1;
        assert_eq!(reversed.without_switches(4, 9, true).unwrap().1, switches);
    }

    #[test]
    fn leaves_stay_unless_asked_for_and_take_their_nodes_along() {
        let whole = figure_1();
        let (less, _) = whole.without_switches(10, 2, false).unwrap();
        assert_eq!(counts(&less), (6, 12, 0));
        let refused = whole.without_switches(11, 2, false).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "cannot remove 11 switches without end nodes: there are 10"
        );
        let (less, removed) = whole.without_switches(8, 2, true).unwrap();
        let leaves = removed.iter().filter(|s| s.name.starts_with("L1-")).count();
        assert!(leaves > 0);
        let (switches, nodes, _) = counts(&less);
        assert_eq!((switches, nodes), (8, 12 - 2 * leaves));
    }
}
