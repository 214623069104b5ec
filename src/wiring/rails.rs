//! Servers with several ports, beside servers named alike: names that differ in digits alone. Of a server with one port
//! nobody knows which of its adapter's it should be.
//!
//! In a fabric with *rails* a switch has the same port of each of many servers, `mlx5_3` of all. Where nearly all ports
//! of such servers sit so, one that sits among those of another rail is told, and the switch where it should be, if
//! the servers beside it agree on one.
//!
//! With rails or without, two ports of one server at one switch are told where the other servers there that have as
//! many ports have but one.

use super::{Difference, End, Kind};
use crate::dmodc::most_common;
use crate::export::Labels;
use crate::fabric::Fabric;
use crate::netlist::{NameMap, Names};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Which of a server's ports one is: what the description has after the server's name, and the port of the adapter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Device<'n> {
    name: &'n str,
    port: u64,
}

/// The ports that an adapter may have.
const PORTS: std::ops::RangeInclusive<u64> = 1..=8;

impl fmt::Display for Device<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name, self.port) {
            ("", port) => write!(f, "port {port}"),
            (name, 1) => f.write_str(name),
            (name, port) => write!(f, "{name} port {port}"),
        }
    }
}

/// A port of a server that has a name and other ports.
struct Port<'n> {
    /// Its end node.
    node: u32,
    server: &'n str,
    device: Device<'n>,
    /// The servers that are named alike, and its switch.
    place: (usize, u32),
}

/// All of them, in the order of the end nodes; places in these lists name them.
struct Servers<'n> {
    ports: Vec<Port<'n>>,
    of: BTreeMap<&'n str, Vec<usize>>,
    at: BTreeMap<(usize, u32), Vec<usize>>,
}

/// What is odd about a port.
enum Doubt<'n> {
    /// It is among ports of another rail, so many; and where it should be.
    WrongRail(Device<'n>, usize, Option<u32>),
    /// This one of its server is at the same switch. So many other servers have one there.
    SameSwitch(usize, usize),
}

/// The ports of servers that are not where those of servers named alike are, in the order of the end nodes.
pub fn among_servers(fabric: &Fabric, names: &Names) -> Vec<Difference> {
    let labels = Labels::new(fabric, names, &NameMap::new());
    let servers = Servers::new(fabric, names, &labels);
    let mut doubts = servers.wrong_rails();
    let astray: BTreeSet<usize> = doubts.iter().map(|&(port, _)| port).collect();
    doubts.extend(servers.same_switches(&astray));
    doubts.sort_by_key(|&(port, _)| port);
    let node = |port: usize| servers.ports[port].node as usize;
    let host = |port| End {
        name: names.end_nodes[node(port)].clone(),
        guid: names.node_guids[node(port)],
        port: None,
    };
    let switch = |index: u32, port| End {
        name: names.switches[index as usize].clone(),
        guid: fabric.switches()[index as usize].guid,
        port,
    };
    let link = |port| {
        let node = &fabric.end_nodes()[node(port)];
        vec![host(port), switch(node.switch, Some(node.port))]
    };
    let difference = |(port, doubt)| match doubt {
        Doubt::WrongRail(device, others, expected) => Difference {
            kind: Kind::WrongRail,
            ends: [Some(host(port)), expected.map(|s| switch(s, None))]
                .into_iter()
                .flatten()
                .collect(),
            found: link(port),
            reason: format!("{others} such servers have {device} there"),
        },
        Doubt::SameSwitch(first, others) => Difference {
            kind: Kind::SameSwitch,
            ends: link(port),
            found: Vec::new(),
            reason: format!(
                "'{}' is there at [{}]; {others} such servers have one port there",
                host(first).name,
                fabric.end_nodes()[node(first)].port,
            ),
        },
    };
    doubts.into_iter().map(difference).collect()
}

/// Whether a part is most of a whole.
fn is_most(part: usize, whole: usize) -> bool {
    part >= 2 && 3 * part >= 2 * whole
}

impl<'n> Servers<'n> {
    fn new(fabric: &Fabric, names: &'n Names, labels: &'n Labels) -> Servers<'n> {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        let unnamed: BTreeSet<u32> = labels.unnamed.iter().copied().collect();
        let mut ports = Vec::new();
        for (node, end_node) in (0..).zip(fabric.end_nodes()) {
            let index = node as usize;
            let server = match &labels.hosts[index] {
                Some(server) if !unnamed.contains(&node) => server,
                _ => continue,
            };
            let alike = server.replace(|c: char| c.is_ascii_digit(), "");
            let next = kinds.len();
            let kind = *kinds.entry(alike).or_insert(next);
            let name = names.end_nodes[index].trim_start();
            let name = name.split_once(char::is_whitespace).unwrap_or_default().1;
            // The GUID of a port is that of its adapter plus its number, or the same where there is one port.
            let number = end_node.guid.0.wrapping_sub(names.node_guids[index].0);
            ports.push(Port {
                node,
                server,
                device: Device {
                    name: name.trim(),
                    port: if PORTS.contains(&number) { number } else { 1 },
                },
                place: (kind, end_node.switch),
            });
        }
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        ports
            .iter()
            .for_each(|port: &Port| *count.entry(port.server).or_default() += 1);
        ports.retain(|port| count[port.server] > 1);
        let (mut of, mut at) = (BTreeMap::new(), BTreeMap::new());
        for (index, port) in ports.iter().enumerate() {
            of.entry(port.server).or_insert_with(Vec::new).push(index);
            at.entry(port.place).or_insert_with(Vec::new).push(index);
        }
        Servers { ports, of, at }
    }

    /// The rail of each place that has one, and how many of its ports are of it.
    fn rails(&self) -> BTreeMap<(usize, u32), (Device<'n>, usize)> {
        let mut rails = BTreeMap::new();
        let mut fit: BTreeMap<usize, (BTreeSet<Device>, usize, usize)> = BTreeMap::new();
        for (&place, ports) in &self.at {
            let mut devices: Vec<Device> = ports.iter().map(|&p| self.ports[p].device).collect();
            let (device, count) = most_common(&mut devices);
            let (of_kind, fitting, all) = fit.entry(place.0).or_default();
            *all += ports.len();
            if is_most(count, ports.len()) {
                rails.insert(place, (device, count));
                of_kind.insert(device);
                *fitting += count;
            }
        }
        rails.retain(|place, _| {
            let (devices, fitting, all) = &fit[&place.0];
            devices.len() > 1 && 5 * fitting >= 4 * all
        });
        rails
    }

    fn wrong_rails(&self) -> Vec<(usize, Doubt<'n>)> {
        let rails = self.rails();
        let known: BTreeSet<(usize, Device)> =
            rails.iter().map(|(at, rail)| (at.0, rail.0)).collect();
        let rail = |port: &Port| rails.get(&port.place).map(|&(device, _)| device);
        let is_right = |port: &Port<'n>| rail(port) == Some(port.device);
        let mut doubts = Vec::new();
        for (index, port) in self.ports.iter().enumerate() {
            let Some(&(device, count)) = rails.get(&port.place) else {
                continue;
            };
            // What is on no rail anywhere has a number of its own, as in servers of another model.
            if device == port.device || !known.contains(&(port.place.0, port.device)) {
                continue;
            }
            // The servers at the same switches have this port there.
            let of_server = || self.of[port.server].iter().map(|&p| &self.ports[p]);
            let beside = of_server().filter(|p| is_right(p)).flat_map(|right| {
                let ports = self.at[&right.place].iter().map(|&p| &self.ports[p]);
                ports.filter(|p| p.device == right.device)
            });
            let theirs = beside.flat_map(|p| self.of[p.server].iter().map(|&p| &self.ports[p]));
            let theirs = theirs.filter(|p| p.device == port.device && is_right(p));
            let mut switches: Vec<u32> = theirs.map(|p| p.place.1).collect();
            let expected = match switches.len() {
                // Two cables swapped, and the server has no others.
                0 => of_server()
                    .find(|p| rail(p) == Some(port.device))
                    .map(|p| p.place.1),
                all => {
                    let (switch, count) = most_common(&mut switches);
                    is_most(count, all).then_some(switch)
                }
            };
            doubts.push((index, Doubt::WrongRail(device, count, expected)));
        }
        doubts
    }

    /// Ports beside another one of their server, unless one of these is astray already.
    fn same_switches(&self, astray: &BTreeSet<usize>) -> Vec<(usize, Doubt<'n>)> {
        let mut doubts = Vec::new();
        for ports in self.at.values() {
            let mut here: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for &port in ports {
                here.entry(self.ports[port].server).or_default().push(port);
            }
            for (server, ports) in here.iter().filter(|(_, ports)| ports.len() > 1) {
                let as_many = |other: &str| self.of[other].len() == self.of[server].len();
                let others = here
                    .iter()
                    .filter(|(other, _)| *other != server && as_many(other));
                let others: Vec<usize> = others.map(|(_, ports)| ports.len()).collect();
                let alone = others.iter().filter(|&&ports| ports == 1).count();
                if is_most(alone, others.len()) && !ports.iter().any(|port| astray.contains(port)) {
                    doubts.push((ports[1], Doubt::SameSwitch(ports[0], alone)));
                }
            }
        }
        doubts
    }
}
