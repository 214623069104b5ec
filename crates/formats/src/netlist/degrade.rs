//! Degraded fabrics: removes parts (`Directory::parts` finds them by name), random links or switches (section IV of the
//! paper), or makes links slow.
//!
//! The candidates are sorted by GUID and port, then shuffled by the seed (see [`dmodc_fabric::random`]); the first ones are
//! chosen. So the result depends on the fabric and the seed alone, not on the order of the file. With the same seed a
//! larger removal contains a smaller one. All other equipment keeps its GUIDs, ports and LIDs.

use super::model::{Kind, Netlist, Node, Port};
use dmodc_fabric::random::Random;
use dmodc_fabric::{PortNumber, Speed};
use std::collections::HashSet;

/// A part to remove.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A switch or a host, by index, with all its links.
    Node(u32),
    /// A link, by its two sides: node and port.
    Link([(u32, PortNumber); 2]),
}

/// A link that has become slow, and its speed before and now.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the first line has them")]
pub struct SlowedLink {
    pub link: Part,
    pub before: Speed,
    pub now: Speed,
}

/// There are fewer links or switches than wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot {verb} {wanted} {what}: there are {there}")]
#[expect(missing_docs, reason = "the message says what the fields are")]
pub struct NotEnough {
    pub verb: &'static str,
    pub what: &'static str,
    pub wanted: usize,
    pub there: usize,
}

/// A degraded fabric, and the parts that were removed or slowed down.
pub type Degraded<T> = Result<(Netlist, Vec<T>), NotEnough>;

impl Netlist {
    /// The netlist without these parts, and without end nodes that lose their last link with them.
    pub fn without(&self, parts: &[Part]) -> Netlist {
        let (mut nodes, mut ports) = (HashSet::new(), HashSet::new());
        for part in parts {
            match *part {
                Part::Node(node) => drop(nodes.insert(node)),
                Part::Link(sides) => ports.extend(sides),
            }
        }
        let keep_node = |node: u32| !nodes.contains(&node);
        let keep_port = |node: u32, port: PortNumber| !ports.contains(&(node, port));
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
        let mut kept_as: Vec<Option<u32>> = Vec::with_capacity(self.nodes.len());
        for index in 0..self.nodes.len() as u32 {
            let kept = keep_node(index) && linked(index);
            kept_as.push(kept.then_some(next));
            next += u32::from(kept);
        }
        let mut netlist = Netlist::default();
        for (index, node) in (0..).zip(&self.nodes) {
            if kept_as[index as usize].is_none() {
                continue;
            }
            let mut node = node.clone();
            node.ports.retain_mut(|port| {
                let peer = kept_as[port.peer as usize].filter(|_| keep_port(index, port.number));
                port.peer = peer.unwrap_or(port.peer);
                peer.is_some()
            });
            netlist.nodes.push(node);
        }
        netlist
    }

    /// A part in words.
    pub fn describe(&self, part: Part) -> String {
        let name = |node: u32| {
            let node = &self.nodes[node as usize];
            format!("{} '{}'", node.guid, node.description)
        };
        match part {
            Part::Node(node) => {
                format!("{} {}", self.nodes[node as usize].kind, name(node))
            }
            Part::Link([(a, a_port), (b, b_port)]) => {
                let port = |node: u32, port| self.nodes[node as usize].shown_port(port);
                let (p, q) = (port(a, a_port), port(b, b_port));
                format!("link {} [{p}] -- {} [{q}]", name(a), name(b))
            }
        }
    }

    /// Removes `count` random links between different switches.
    pub fn without_links(&self, count: usize, seed: u64) -> Degraded<Part> {
        let links = self.sorted(self.links_between_switches());
        let links = choose(links, count, seed, ("remove", "links between switches"))?;
        let links: Vec<Part> = links.into_iter().map(Part::Link).collect();
        Ok((self.without(&links), links))
    }

    /// Makes `count` random links between different switches slow: `part` of their speed, or the next lower
    /// speed. Links of unknown speed, and links without a lower speed, are not chosen.
    pub fn with_slow_links(&self, count: usize, part: f64, seed: u64) -> Degraded<SlowedLink> {
        let links = self.sorted(self.links_to_slow(part));
        let what = "links between switches with a speed that can be less";
        let links = choose(links, count, seed, ("slow down", what))?;
        let mut netlist = self.clone();
        let mut slowed = Vec::with_capacity(links.len());
        for sides in links {
            let before = self.speed_of(&sides);
            let now = before.part(part).expect("chosen for it");
            netlist.set_speed(sides, now);
            let link = Part::Link(sides);
            slowed.push(SlowedLink { link, before, now });
        }
        Ok((netlist, slowed))
    }

    fn sorted(&self, mut links: Vec<[(u32, PortNumber); 2]>) -> Vec<[(u32, PortNumber); 2]> {
        links.sort_by_key(|&[(node, port), _]| (self.nodes[node as usize].guid, port));
        links
    }

    /// The links that [`Netlist::with_slow_links`] chooses from.
    pub fn links_to_slow(&self, part: f64) -> Vec<[(u32, PortNumber); 2]> {
        let mut links = self.links_between_switches();
        links.retain(|link| self.speed_of(link).part(part).is_some());
        links
    }

    fn speed_of(&self, &[a, b]: &[(u32, PortNumber); 2]) -> Speed {
        let [a, b] = [a, b].map(|(node, number)| {
            let port = self.nodes[node as usize].port(number);
            port.map_or(Speed::UNKNOWN, Port::speed)
        });
        a.of_both_ends(b)
    }

    /// Removes `count` random switches with all their links. Switches that carry end nodes (other than aggregation
    /// nodes) stay, unless `leaves` is set. End nodes that lose their last link go, too.
    pub fn without_switches(&self, count: usize, seed: u64, leaves: bool) -> Degraded<Part> {
        let mut switches = self.removable_switches(leaves);
        switches.sort_by_key(|&index| self.nodes[index as usize].guid);
        let what = match leaves {
            true => "switches",
            false => "switches without end nodes",
        };
        let switches = choose(switches, count, seed, ("remove", what))?;
        let switches: Vec<Part> = switches.into_iter().map(Part::Node).collect();
        Ok((self.without(&switches), switches))
    }

    /// Removes these nodes, by index, with all their links. End nodes that lose their last link go, too.
    pub fn without_nodes(&self, nodes: &[u32]) -> Netlist {
        let nodes: Vec<Part> = nodes.iter().map(|&node| Part::Node(node)).collect();
        self.without(&nodes)
    }

    /// The links between different switches, each as its two sides (node and port).
    pub fn links_between_switches(&self) -> Vec<[(u32, PortNumber); 2]> {
        let mut links = Vec::new();
        for (index, node) in (0..).zip(&self.nodes) {
            for port in node.ports.iter().filter(|_| node.kind == Kind::Switch) {
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
        let nodes = nodes.filter(|(_, node)| candidate(node));
        nodes.map(|(index, _)| index).collect()
    }
}

fn choose<T>(
    mut candidates: Vec<T>,
    wanted: usize,
    seed: u64,
    (verb, what): (&'static str, &'static str),
) -> Result<Vec<T>, NotEnough> {
    let there = candidates.len();
    if wanted > there {
        return Err(NotEnough {
            verb,
            what,
            wanted,
            there,
        });
    }
    Random::new(seed).shuffle(&mut candidates);
    candidates.truncate(wanted);
    Ok(candidates)
}
