//! Compares servers with several ports with servers of similar names: names that differ in digits alone. A server with
//! one port takes no part, since that could be any port of its adapters.
//!
//! In a fabric with *rails* each switch has the same port, such as `mlx5_3`, of many servers. Where nearly all ports of
//! servers with similar names are connected so, a port at a switch of another rail is wrong. The finding names the
//! right switch if the servers beside this server agree on one for that port.
//!
//! With rails or without, two ports of one server at one switch are odd where the other servers there, with as many
//! ports, have one port there.

use super::{Difference, End, Kind};
use crate::dmodc::most_common;
use crate::export::Labels;
use crate::fabric::{Fabric, counted};
use crate::netlist::{NameMap, Names};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The identity of a server's port: the description without the server's name, and the adapter's port.
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
    node: u32,
    server: &'n str,
    device: Device<'n>,
    /// The set of servers with similar names, and the switch of the port.
    place: (usize, u32),
}

/// All ports, in the order of the end nodes. The lists of `of` and `at` have indices into `ports`.
struct Servers<'n> {
    ports: Vec<Port<'n>>,
    of: BTreeMap<&'n str, Vec<usize>>,
    at: BTreeMap<(usize, u32), Vec<usize>>,
}

/// An oddity of a port.
enum Oddity<'n> {
    /// The port is at a switch with this many ports of another rail; its right switch, if known.
    WrongRail(Device<'n>, usize, Option<u32>),
    /// The port is at the switch of another port of its server, where this many other servers have one port.
    SameSwitch(usize, usize),
}

/// Odd ports of servers, by comparison with servers of similar names, in the order of the end nodes.
pub fn among_servers(fabric: &Fabric, names: &Names) -> Vec<Difference> {
    let labels = Labels::new(fabric, names, &NameMap::new());
    let servers = Servers::new(fabric, names, &labels);
    let mut oddities = servers.wrong_rails();
    let astray: BTreeSet<usize> = oddities.iter().map(|&(port, _)| port).collect();
    oddities.extend(servers.same_switches(&astray));
    oddities.sort_by_key(|&(port, _)| port);
    let host = |port: usize| End::of_host(names, servers.ports[port].node);
    let switch = |index, port| End::of_switch(fabric, names, index, port);
    let node = |port: usize| &fabric.end_nodes()[servers.ports[port].node as usize];
    let link = |port| {
        let node = node(port);
        vec![host(port), switch(node.switch, Some(node.port))]
    };
    let difference = |(port, oddity)| match oddity {
        Oddity::WrongRail(device, others, expected) => Difference {
            kind: Kind::WrongRail,
            ends: {
                let expected = expected.map(|s| switch(s, None));
                [host(port)].into_iter().chain(expected).collect()
            },
            found: link(port),
            reason: format!("{others} such servers have {device} there"),
        },
        Oddity::SameSwitch(first, others) => Difference {
            kind: Kind::SameSwitch,
            ends: link(port),
            found: Vec::new(),
            reason: format!(
                "'{}' is there at [{}]; {others} such servers have one port there",
                host(first).name,
                node(first).port,
            ),
        },
    };
    oddities.into_iter().map(difference).collect()
}

/// The same port of many servers: a fabric with rails connects each such port to switches of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rail {
    /// The name of the port, such as `mlx5_3`.
    pub name: String,
    /// The end nodes of the rail, ascending, including end nodes at a switch of another rail.
    pub nodes: Vec<u32>,
}

/// The rails of a fabric, by name; none where the ports of servers are not connected by rail.
pub fn rails(fabric: &Fabric, names: &Names) -> Vec<Rail> {
    let labels = Labels::new(fabric, names, &NameMap::new());
    let servers = Servers::new(fabric, names, &labels);
    let of_kind = servers.rails();
    let known: BTreeSet<(usize, Device)> =
        of_kind.iter().map(|(at, rail)| (at.0, rail.0)).collect();
    let mut nodes: BTreeMap<Device, Vec<u32>> = BTreeMap::new();
    for port in &servers.ports {
        if known.contains(&(port.place.0, port.device)) {
            nodes.entry(port.device).or_default().push(port.node);
        }
    }
    let rail = |(device, nodes): (Device, _)| Rail {
        name: device.to_string(),
        nodes,
    };
    nodes.into_iter().map(rail).collect()
}

/// Whether a part is nearly the whole.
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
            // A port's GUID is its adapter's GUID plus the port's number, or the adapter's GUID if it has one port.
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
        let count = counted(ports.iter().map(|port: &Port| port.server));
        ports.retain(|port: &Port| count[port.server] > 1);
        let (mut of, mut at) = (BTreeMap::new(), BTreeMap::new());
        for (index, port) in ports.iter().enumerate() {
            of.entry(port.server).or_insert_with(Vec::new).push(index);
            at.entry(port.place).or_insert_with(Vec::new).push(index);
        }
        Servers { ports, of, at }
    }

    /// The rail of each switch that has one, and how many of the switch's ports belong to the rail.
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

    fn wrong_rails(&self) -> Vec<(usize, Oddity<'n>)> {
        let rails = self.rails();
        let known: BTreeSet<(usize, Device)> =
            rails.iter().map(|(at, rail)| (at.0, rail.0)).collect();
        let rail = |port: &Port| rails.get(&port.place).map(|&(device, _)| device);
        let is_right = |port: &Port<'n>| rail(port) == Some(port.device);
        let mut oddities = Vec::new();
        for (index, port) in self.ports.iter().enumerate() {
            let Some(&(device, count)) = rails.get(&port.place) else {
                continue;
            };
            // Servers of another model may number a port otherwise: such a port is on no rail anywhere.
            if device == port.device || !known.contains(&(port.place.0, port.device)) {
                continue;
            }
            // The switches at which the servers beside this one have this port.
            let of_server = || self.of[port.server].iter().map(|&p| &self.ports[p]);
            let beside = of_server().filter(|p| is_right(p)).flat_map(|right| {
                let ports = self.at[&right.place].iter().map(|&p| &self.ports[p]);
                ports.filter(|p| p.device == right.device)
            });
            let theirs = beside.flat_map(|p| self.of[p.server].iter().map(|&p| &self.ports[p]));
            let theirs = theirs.filter(|p| p.device == port.device && is_right(p));
            let mut switches: Vec<u32> = theirs.map(|p| p.place.1).collect();
            let expected = match switches.len() {
                // Without such servers: if two cables are swapped, the server's other port is at the right switch.
                0 => of_server()
                    .find(|p| rail(p) == Some(port.device))
                    .map(|p| p.place.1),
                all => {
                    let (switch, count) = most_common(&mut switches);
                    is_most(count, all).then_some(switch)
                }
            };
            oddities.push((index, Oddity::WrongRail(device, count, expected)));
        }
        oddities
    }

    /// Ports at the switch of another port of their server, unless one of these is on a wrong rail (`astray`).
    fn same_switches(&self, astray: &BTreeSet<usize>) -> Vec<(usize, Oddity<'n>)> {
        let mut oddities = Vec::new();
        for ports in self.at.values() {
            let mut here: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for &port in ports {
                here.entry(self.ports[port].server).or_default().push(port);
            }
            for (server, ports) in here.iter().filter(|(_, ports)| ports.len() > 1) {
                let as_many = |other: &str| self.of[other].len() == self.of[server].len();
                let mut others = here.clone();
                others.retain(|other, _| other != server && as_many(other));
                let others: Vec<usize> = others.values().map(Vec::len).collect();
                let alone = others.iter().filter(|&&ports| ports == 1).count();
                if is_most(alone, others.len()) && !ports.iter().any(|port| astray.contains(port)) {
                    oddities.push((ports[1], Oddity::SameSwitch(ports[0], alone)));
                }
            }
        }
        oddities
    }
}
