//! Compares servers with several ports with servers of similar names: names that differ in digits alone. A server with
//! one port takes no part, since that could be any port of its adapters.
//!
//! Where three in four of at least four servers have their ports at the same switches, a port elsewhere is on the wrong
//! rail, or beside another port of its server. The numbers of adapters are no evidence, for they differ from server to
//! server: two swapped cables of one server are not found.

use super::{Difference, End, Kind, is_majority};
use dmodc_core::most_common;
use dmodc_fabric::{Fabric, NodeId, SwitchId, counted};
use dmodc_formats::export::Labels;
use dmodc_formats::netlist::{NameMap, Names};
use std::collections::{BTreeMap, BTreeSet};

/// A port of a server that has a name and other ports.
struct Port<'n> {
    node: NodeId,
    server: &'n str,
    /// The set of servers with similar names, and the switch of the port.
    place: (usize, SwitchId),
}

/// All ports, in the order of the end nodes. The lists of `of` and `at` have indices into `ports`.
struct Servers<'n> {
    ports: Vec<Port<'n>>,
    of: BTreeMap<&'n str, Vec<usize>>,
    at: BTreeMap<(usize, SwitchId), Vec<usize>>,
}

/// An oddity of a port.
enum Oddity {
    /// The port is at a switch where this many servers cabled alike have none; its right switch, if known.
    WrongRail(usize, Option<SwitchId>),
    /// The port is at the switch of another port of its server, where this many servers cabled alike have one port.
    SameSwitch(usize, usize, Vec<SwitchId>),
}

/// Odd ports of servers, by comparison with servers of similar names, in the order of the end nodes.
pub fn among_servers(fabric: &Fabric, names: &Names) -> Vec<Difference> {
    let labels = Labels::new(fabric, names, &NameMap::new());
    let servers = Servers::new(fabric, &labels);
    let mut oddities = servers.oddities();
    oddities.sort_by_key(|&(port, _)| port);
    let host = |port: usize| End::of_host(names, servers.ports[port].node);
    let switch = |index, port| End::of_switch(fabric, names, index, port);
    let node = |port: usize| &fabric.end_nodes()[servers.ports[port].node];
    let link = |port| {
        let node = node(port);
        vec![host(port), switch(node.switch, Some(node.port))]
    };
    let difference = |(port, oddity)| match oddity {
        Oddity::WrongRail(others, right) => {
            let right = right.map(|s| switch(s, None));
            let ends = [host(port)].into_iter().chain(right).collect();
            let reason = format!("{others} servers cabled alike have no port there");
            Difference::link(Kind::WrongRail, ends, link(port), reason)
        }
        Oddity::SameSwitch(first, others, lacking) => {
            let reason = format!(
                "'{}' is there at [{}]; {others} servers cabled alike have one port there",
                host(first).name,
                node(first).port,
            );
            Difference {
                beside: lacking.into_iter().map(|s| fabric.guid(s)).collect(),
                ..Difference::link(Kind::SameSwitch, link(port), Vec::new(), reason)
            }
        }
    };
    oddities.into_iter().map(difference).collect()
}

impl<'n> Servers<'n> {
    fn new(fabric: &Fabric, labels: &'n Labels) -> Servers<'n> {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        let unnamed: BTreeSet<NodeId> = labels.unnamed.iter().copied().collect();
        let mut ports = Vec::new();
        for (node, end_node) in fabric.end_nodes().iter_enumerated() {
            let server = match &labels.hosts[node] {
                Some(server) if !unnamed.contains(&node) => server,
                _ => continue,
            };
            let alike = server.replace(|c: char| c.is_ascii_digit(), "");
            let next = kinds.len();
            let kind = *kinds.entry(alike).or_insert(next);
            ports.push(Port {
                node,
                server,
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

    /// Ports that are not where such servers have one, by switch alone: which adapter has which number is no evidence.
    fn oddities(&self) -> Vec<(usize, Oddity)> {
        self.of
            .keys()
            .flat_map(|server| self.astray(server))
            .collect()
    }

    /// The switches of a server's ports, ascending.
    fn switches(&self, server: &str) -> Vec<SwitchId> {
        let ports = self.of[server].iter();
        let mut switches: Vec<SwitchId> = ports.map(|&p| self.ports[p].place.1).collect();
        switches.sort_unstable();
        switches
    }

    /// The ports of a server at other switches than those of the servers cabled alike: servers with as many ports, at
    /// least half of them at the same switches.
    fn astray(&self, server: &str) -> Vec<(usize, Oddity)> {
        let own = self.switches(server);
        let places = self.of[server].iter().map(|&p| self.ports[p].place);
        let near = BTreeSet::from_iter(places)
            .into_iter()
            .flat_map(|place| &self.at[&place]);
        let near: BTreeSet<&str> = near.map(|&p| self.ports[p].server).collect();
        let near = near.into_iter().map(|other| self.switches(other));
        let mut alike: Vec<Vec<SwitchId>> = near
            .filter(|other| {
                let shared = own.len() - without(&own, other).len();
                other.len() == own.len() && 2 * shared >= own.len()
            })
            .collect();
        let voters = alike.len();
        let (usual, votes) = most_common(&mut alike);
        let (wrong, lacking) = (without(&own, &usual), without(&usual, &own));
        if wrong.is_empty() || !is_majority(votes, voters) {
            return Vec::new();
        }
        // Which of several wrong ports belongs where is unknown.
        let right = match lacking[..] {
            [one] => Some(one),
            _ => None,
        };
        let oddity = |switch: SwitchId| {
            let here = |&&p: &&usize| self.ports[p].place.1 == switch;
            let here: Vec<usize> = self.of[server].iter().filter(here).copied().collect();
            match (usual.contains(&switch), &here[..]) {
                (true, &[first, second, ..]) => {
                    (second, Oddity::SameSwitch(first, votes, lacking.clone()))
                }
                _ => (here[0], Oddity::WrongRail(votes, right)),
            }
        };
        wrong.into_iter().map(oddity).collect()
    }
}

/// The items of `all` without one of each item of `taken`; both are ascending.
fn without(all: &[SwitchId], taken: &[SwitchId]) -> Vec<SwitchId> {
    let mut taken = taken.iter().peekable();
    let mut left = all.to_vec();
    left.retain(|item| {
        while taken.next_if(|t| *t < item).is_some() {}
        taken.next_if(|t| *t == item).is_none()
    });
    left
}
