//! Compares servers with several ports with servers of similar names: names that differ in digits alone. A server with
//! one port takes no part, since that could be any port of its adapters.
//!
//! Where three in four of at least four servers have their ports at the same switches, a port elsewhere is on the wrong
//! rail, or beside another port of its server. The numbers of adapters are no evidence, for they differ from server to
//! server: two swapped cables of one server are not found.

use super::{Difference, End, Kind, is_majority};
use dmodc_core::most_common;
use dmodc_fabric::{Fabric, NodeId, SwitchId, grouped};
use dmodc_formats::export::Labels;
use dmodc_formats::netlist::{NameMap, Names};
use std::collections::{BTreeMap, BTreeSet};

/// The servers that have names and several ports.
struct Servers<'n> {
    fabric: &'n Fabric,
    names: &'n Names,
    /// By server, its end nodes, in order.
    ports: BTreeMap<&'n str, Vec<NodeId>>,
    /// By what the names of similar servers have in common, and by switch: the servers that have a port there.
    at: BTreeMap<(String, SwitchId), BTreeSet<&'n str>>,
}

/// Odd ports of servers, by comparison with servers of similar names, in the order of the end nodes.
pub fn among_servers(fabric: &Fabric, names: &Names) -> Vec<Difference> {
    let labels = Labels::new(fabric, names, &NameMap::new());
    let servers = Servers::new(fabric, names, &labels);
    let all = servers.ports.keys();
    let all = all.flat_map(|server| servers.astray(server));
    let mut odd: Vec<(NodeId, Difference)> = all.collect();
    odd.sort_by_key(|&(port, _)| port);
    odd.into_iter().map(|(_, difference)| difference).collect()
}

/// What the names of similar servers have in common.
fn alike(server: &str) -> String {
    server.replace(|c: char| c.is_ascii_digit(), "")
}

impl<'n> Servers<'n> {
    fn new(fabric: &'n Fabric, names: &'n Names, labels: &'n Labels) -> Servers<'n> {
        let unnamed: BTreeSet<NodeId> = labels.unnamed.iter().copied().collect();
        let named = labels.hosts.iter_enumerated();
        let named = named.filter(|(node, _)| !unnamed.contains(node));
        let mut ports = grouped(named.filter_map(|(node, name)| Some((name.as_deref()?, node))));
        ports.retain(|_, nodes| nodes.len() > 1);
        let mut servers = Servers {
            fabric,
            names,
            ports,
            at: BTreeMap::new(),
        };
        for &server in servers.ports.keys() {
            for switch in servers.switches(server) {
                let at = servers.at.entry((alike(server), switch)).or_default();
                at.insert(server);
            }
        }
        servers
    }

    /// The switches of a server's ports, ascending as the end nodes are.
    fn switches(&self, server: &str) -> Vec<SwitchId> {
        let nodes = self.ports[server].iter();
        nodes.map(|&n| self.fabric.end_nodes()[n].switch).collect()
    }

    /// The ports of a server at other switches than those of the servers cabled alike: servers with as many ports, at
    /// least half of them at the same switches. By switch alone: which adapter has which number is no evidence.
    fn astray(&self, server: &str) -> Vec<(NodeId, Difference)> {
        let own = self.switches(server);
        let near = own.iter().flat_map(|&s| &self.at[&(alike(server), s)]);
        let near: BTreeSet<&&str> = near.collect();
        let near = near.into_iter().map(|other| self.switches(other));
        let alike = near.filter(|other| {
            let shared = own.len() - without(&own, other).len();
            other.len() == own.len() && 2 * shared >= own.len()
        });
        let mut alike: Vec<Vec<SwitchId>> = alike.collect();
        let voters = alike.len();
        let (usual, votes) = most_common(&mut alike);
        let (wrong, lacking) = (without(&own, &usual), without(&usual, &own));
        if wrong.is_empty() || !is_majority(votes, voters) {
            return Vec::new();
        }
        let node = |port: NodeId| &self.fabric.end_nodes()[port];
        let host = |port| End::of_host(self.names, port);
        let end = |switch, port| End::of_switch(self.fabric, self.names, switch, port);
        let link = |port| vec![host(port), end(node(port).switch, Some(node(port).port))];
        let difference = |switch: SwitchId| {
            let here = self.ports[server].iter().copied();
            let here: Vec<NodeId> = here.filter(|&n| node(n).switch == switch).collect();
            if let (true, &[first, second, ..]) = (usual.contains(&switch), &here[..]) {
                let (name, port) = (host(first).name, node(first).port);
                let alike = format!("{votes} servers cabled alike have one port there");
                let reason = format!("'{name}' is there at [{port}]; {alike}");
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
