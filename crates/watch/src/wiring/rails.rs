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
    /// What the names of similar servers have in common, and the switch of the port.
    place: (String, SwitchId),
}

/// All ports, in the order of the end nodes. The lists of `of` and `at` have indices into `ports`.
struct Servers<'n> {
    fabric: &'n Fabric,
    names: &'n Names,
    ports: Vec<Port<'n>>,
    of: BTreeMap<&'n str, Vec<usize>>,
    at: BTreeMap<(String, SwitchId), Vec<usize>>,
}

/// Odd ports of servers, by comparison with servers of similar names, in the order of the end nodes.
pub fn among_servers(fabric: &Fabric, names: &Names) -> Vec<Difference> {
    let labels = Labels::new(fabric, names, &NameMap::new());
    let servers = Servers::new(fabric, names, &labels);
    let all = servers.of.keys().flat_map(|server| servers.astray(server));
    let mut odd: Vec<(usize, Difference)> = all.collect();
    odd.sort_by_key(|&(port, _)| port);
    odd.into_iter().map(|(_, difference)| difference).collect()
}

impl<'n> Servers<'n> {
    fn new(fabric: &'n Fabric, names: &'n Names, labels: &'n Labels) -> Servers<'n> {
        let unnamed: BTreeSet<NodeId> = labels.unnamed.iter().copied().collect();
        let mut ports = Vec::new();
        for (node, end_node) in fabric.end_nodes().iter_enumerated() {
            let server = match &labels.hosts[node] {
                Some(server) if !unnamed.contains(&node) => server,
                _ => continue,
            };
            let alike = server.replace(|c: char| c.is_ascii_digit(), "");
            ports.push(Port {
                node,
                server,
                place: (alike, end_node.switch),
            });
        }
        let count = counted(ports.iter().map(|port: &Port| port.server));
        ports.retain(|port: &Port| count[port.server] > 1);
        let (mut of, mut at) = (BTreeMap::new(), BTreeMap::new());
        for (index, port) in ports.iter().enumerate() {
            of.entry(port.server).or_insert_with(Vec::new).push(index);
            at.entry(port.place.clone())
                .or_insert_with(Vec::new)
                .push(index);
        }
        Servers {
            fabric,
            names,
            ports,
            of,
            at,
        }
    }

    /// The switches of a server's ports, ascending.
    fn switches(&self, server: &str) -> Vec<SwitchId> {
        let ports = self.of[server].iter();
        let mut switches: Vec<SwitchId> = ports.map(|&p| self.ports[p].place.1).collect();
        switches.sort_unstable();
        switches
    }

    /// The ports of a server at other switches than those of the servers cabled alike: servers with as many ports, at
    /// least half of them at the same switches. By switch alone: which adapter has which number is no evidence.
    fn astray(&self, server: &str) -> Vec<(usize, Difference)> {
        let own = self.switches(server);
        let places = self.of[server].iter().map(|&p| &self.ports[p].place);
        let near = BTreeSet::from_iter(places)
            .into_iter()
            .flat_map(|place| &self.at[place]);
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
        let node = |port: usize| &self.fabric.end_nodes()[self.ports[port].node];
        let host = |port: usize| End::of_host(self.names, self.ports[port].node);
        let end = |switch, port| End::of_switch(self.fabric, self.names, switch, port);
        let link = |port| vec![host(port), end(node(port).switch, Some(node(port).port))];
        let difference = |switch: SwitchId| {
            let here = |&&p: &&usize| self.ports[p].place.1 == switch;
            let here: Vec<usize> = self.of[server].iter().filter(here).copied().collect();
            if let (true, &[first, second, ..]) = (usual.contains(&switch), &here[..]) {
                let reason = format!(
                    "'{}' is there at [{}]; {votes} servers cabled alike have one port there",
                    host(first).name,
                    node(first).port,
                );
                let beside = lacking.iter().map(|&s| self.fabric.guid(s)).collect();
                let same = Difference::link(Kind::SameSwitch, link(second), Vec::new(), reason);
                return (second, Difference { beside, ..same });
            }
            let mut ends = vec![host(here[0])];
            // Which of several wrong ports belongs where is unknown.
            if let [right] = lacking[..] {
                ends.push(end(right, None));
            }
            let reason = format!("{votes} servers cabled alike have no port there");
            let wrong = Difference::link(Kind::WrongRail, ends, link(here[0]), reason);
            (here[0], wrong)
        };
        wrong.into_iter().map(difference).collect()
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
