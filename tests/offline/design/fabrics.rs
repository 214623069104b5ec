//! Fabrics drawn cable by cable: a switch sits at the same port of all its parents, and a parent at the same port
//! of all its children.

use super::names;
use ::fabrics::tree;
pub use ::fabrics::{add, add_aggregation_nodes, add_host, link, node_at, switches};
use dmodc_fabric::PortNumber;
use dmodc_fabric::random::Random;
use dmodc_formats::netlist::generate::{Order, Pgft};
use dmodc_formats::netlist::{Kind, Netlist, Node};

pub const SPARE: u8 = 8;

/// A whole PGFT, places in order, some ports of each switch free. LIDs at random, GUIDs in order.
pub fn pgft(shape: &str) -> Netlist {
    let mut netlist = tree(shape, Order::default());
    for node in netlist.nodes.iter_mut().filter(|n| n.kind == Kind::Switch) {
        node.port_count += SPARE;
    }
    names::with_lids(&netlist, 0, 1)
}

/// The level and the number in it of a switch of a PGFT.
pub fn level_and_index(node: &Node) -> Option<(usize, usize)> {
    let (level, index) = node.description.strip_prefix('L')?.split_once('-')?;
    Some((level.parse().ok()?, index.parse().ok()?))
}

/// The digits of an element of a PGFT, digit 1 first: see the generator.
pub fn digits(shape: &Pgft, level: usize, mut index: usize) -> Vec<usize> {
    let bases = (1..=shape.levels()).map(|i| match i <= level {
        true => shape.parents(i),
        false => shape.children(i),
    });
    let digits = bases.map(|base| {
        let digit = index % base;
        index /= base;
        digit
    });
    digits.collect()
}

pub fn add_gateway(netlist: &mut Netlist, switch: u32, port: PortNumber) -> u32 {
    let host = add_host(netlist, switch, port);
    netlist.nodes[host as usize].kind = Kind::Router;
    host
}

/// The end nodes of a switch by index, without aggregation nodes.
pub fn hosts_of(netlist: &Netlist, switch: u32) -> Vec<u32> {
    let ports = netlist.nodes[switch as usize].ports.iter();
    let is_host = |&n: &u32| {
        let node = &netlist.nodes[n as usize];
        node.kind != Kind::Switch && !node.is_aggregation()
    };
    ports.map(|port| port.peer).filter(is_host).collect()
}

pub fn carriers(netlist: &Netlist) -> Vec<u32> {
    let mut carriers = switches(netlist);
    carriers.retain(|&s| !hosts_of(netlist, s).is_empty());
    carriers
}

/// Pods of leaves under planes of mid switches; the mids of one plane share its spines.
#[derive(Clone, Debug)]
pub struct Pods {
    /// Leaves of each pod.
    pub leaves: Vec<usize>,
    /// Mids of a pod.
    pub planes: usize,
    /// Spines of a plane.
    pub spines: usize,
    /// Links between a leaf and a mid.
    pub links: usize,
    /// The fewest and the most hosts of a leaf.
    pub hosts: (usize, usize),
    /// Leaves that are linked to every spine.
    pub on_spines: usize,
}

impl Pods {
    /// Draws the fabric, GUIDs in the order of places, LIDs at random; `seed` draws the number of hosts of each leaf.
    pub fn draw(&self, seed: u64) -> Netlist {
        let mut random = Random::stream(seed, 3);
        let mut net = Netlist::default();
        let most_leaves = self.leaves.iter().copied().max().expect("pods");
        let down = (most_leaves * self.links) as u8;
        let mut leaves = Vec::new();
        for (pod, &count) in self.leaves.iter().enumerate() {
            let named = (0..count).map(|leaf| format!("leaf {pod}.{leaf}"));
            leaves.push(named.map(|place| self.leaf(&mut net, place)).collect());
        }
        let others = (0..self.on_spines).map(|leaf| format!("leaf on spines {leaf}"));
        let others: Vec<u32> = others.map(|place| self.leaf(&mut net, place)).collect();
        let all: Vec<u32> = leaves.iter().flat_map(|l: &Vec<u32>| l.clone()).collect();
        let mut mids = Vec::new();
        for pod in 0..leaves.len() {
            let mid = |plane| format!("mid {pod}.{plane}");
            let mid = (0..self.planes).map(|plane| {
                let ports = down + self.spines as u8 + SPARE;
                add(&mut net, Kind::Switch, mid(plane), ports)
            });
            mids.push(mid.collect::<Vec<u32>>());
        }
        for plane in 0..self.planes {
            for spine in 0..self.spines {
                let ports = (leaves.len() + self.on_spines) as u8 + SPARE;
                let top = format!("spine {plane}.{spine}");
                let top = add(&mut net, Kind::Switch, top, ports);
                for (pod, mids) in mids.iter().enumerate() {
                    let mid = (mids[plane], PortNumber(down + spine as u8 + 1));
                    link(&mut net, mid, (top, PortNumber(pod as u8 + 1)));
                }
                for (nth, &leaf) in others.iter().enumerate() {
                    let port = PortNumber((leaves.len() + nth) as u8 + 1);
                    let uplink = self.hosts.1 + plane * self.spines + spine;
                    let uplink = PortNumber(uplink as u8 + 1);
                    link(&mut net, (leaf, uplink), (top, port));
                }
            }
        }
        for (leaves, mids) in leaves.iter().zip(&mids) {
            for (nth, &leaf) in leaves.iter().enumerate() {
                for (plane, &mid) in mids.iter().enumerate() {
                    for parallel in 0..self.links {
                        let port = PortNumber((nth * self.links + parallel) as u8 + 1);
                        link(&mut net, (leaf, self.uplink(plane, parallel)), (mid, port));
                    }
                }
            }
        }
        for leaf in all.into_iter().chain(others) {
            let count = self.hosts.0 + random.below(self.hosts.1 - self.hosts.0 + 1);
            for port in PortNumber::external(count as u8) {
                add_host(&mut net, leaf, port);
            }
        }
        names::with_lids(&names::in_order(&net), 0, seed)
    }

    fn leaf(&self, net: &mut Netlist, place: String) -> u32 {
        let ports = self.hosts.1 + self.planes * self.links;
        add(net, Kind::Switch, place, ports as u8 + SPARE)
    }

    fn uplink(&self, plane: usize, parallel: usize) -> PortNumber {
        PortNumber((self.hosts.1 + plane * self.links + parallel) as u8 + 1)
    }
}

/// 2 to 10 leaves a pod, four planes of three spines, 6 to 12 hosts a leaf.
pub fn uneven(seed: u64, on_spines: usize) -> Pods {
    let mut random = Random::stream(seed, 4);
    let pods = 6 + random.below(5);
    Pods {
        leaves: (0..pods).map(|_| 2 + random.below(9)).collect(),
        planes: 4,
        spines: 3,
        links: 1,
        hosts: (6, 12),
        on_spines,
    }
}

/// The switches of a pod of leaves and mids.
pub fn pod(netlist: &Netlist, pod: usize) -> Vec<u32> {
    let in_pod = |&s: &u32| {
        let place = &netlist.nodes[s as usize].description;
        let of = |word: &str| place.starts_with(&format!("{word} {pod}."));
        of("leaf") || of("mid")
    };
    switches(netlist).into_iter().filter(in_pod).collect()
}

/// Interleaves ports at the switches above: of each two neighbouring leaves one gets the odd ports, one the even ones.
pub fn interleaved(netlist: &Netlist, links: u8) -> Netlist {
    let is_top = |node: u32| netlist.nodes[node as usize].description.starts_with("L2-");
    names::renumbered(netlist, |node, port| {
        let before = port.0 - 1;
        let (block, within) = (before / (2 * links), before % (2 * links));
        match is_top(node) {
            true => PortNumber(block * 2 * links + within % links * 2 + within / links + 1),
            false => port,
        }
    })
}

pub fn a_host(netlist: &Netlist, random: &mut Random) -> u32 {
    let is_host = |&n: &u32| {
        let node = &netlist.nodes[n as usize];
        node.kind == Kind::Ca && !node.is_aggregation()
    };
    let hosts: Vec<u32> = (0..netlist.nodes.len() as u32).filter(is_host).collect();
    hosts[random.below(hosts.len())]
}

/// Moves the end of a cable to another port of the same node.
pub fn moved_to_port(netlist: &Netlist, node: u32, from: PortNumber, to: PortNumber) -> Netlist {
    let is_it = |end| end == (node, from);
    names::renumbered(netlist, |n, port| if is_it((n, port)) { to } else { port })
}

/// The highest port of a switch: a spare one.
pub fn spare(netlist: &Netlist, switch: u32) -> PortNumber {
    PortNumber(netlist.nodes[switch as usize].port_count)
}
