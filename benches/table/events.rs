//! What happens to a fabric: things that go, come and move, drawn by fixed seeds.

use super::support::{LINKS_SEED, SWITCHES_SEED};
use dmodc::netlist::{Kind, Netlist, Part};
use dmodc::random::Random;
use std::error::Error;

/// Fabrics, and what leads from one to another.
pub struct Events {
    /// The whole fabric first.
    pub fabrics: Vec<Netlist>,
    /// Name, and the fabrics before and after.
    pub events: Vec<(&'static str, usize, usize)>,
}

impl Events {
    /// The events on a whole tree of three levels, as `generate` names its switches.
    pub fn new(whole: &Netlist) -> Result<Events, Box<dyn Error>> {
        let mut all = Events {
            fabrics: vec![whole.clone()],
            events: Vec::new(),
        };
        let mut random = Random::new(SWITCHES_SEED);
        let mut draw = |of: Vec<u32>| of[random.below(of.len())];
        let host = draw(named(whole, "node-"));
        let other = draw(named(whole, "node-"));
        let without_host = all.add(whole.without(&[Part::Node(host)]));
        all.events.push(("a host goes", 0, without_host));
        all.events.push(("a host comes back", without_host, 0));
        let moved = all.add(moved(whole, other, host));
        all.events
            .push(("another host moves there", without_host, moved));
        let leaf = draw(named(whole, "L1-"));
        let rack = peers(whole, leaf, |kind| kind != Kind::Switch);
        all.goes("all hosts of a leaf", whole.without(&nodes(&rack)));
        all.goes(
            "a leaf uplink",
            whole.without(&[link(whole, "L1-", "L2-")?]),
        );
        all.goes(
            "an upper link",
            whole.without(&[link(whole, "L2-", "L3-")?]),
        );
        let ten = all.goes("10 links", whole.without_links(10, LINKS_SEED)?.0);
        let eleven = all.add(whole.without_links(11, LINKS_SEED)?.0);
        all.events.push(("one link more", ten, eleven));
        all.goes("100 links", whole.without_links(100, LINKS_SEED)?.0);
        for (name, level) in [
            ("a top switch", "L3-"),
            ("an upper switch", "L2-"),
            ("a leaf", "L1-"),
        ] {
            let switch = draw(named(whole, level));
            all.goes(name, whole.without(&[Part::Node(switch)]));
        }
        all.goes("a pod", whole.without(&nodes(&pod(whole, leaf))));
        Ok(all)
    }

    fn add(&mut self, fabric: Netlist) -> usize {
        self.fabrics.push(fabric);
        self.fabrics.len() - 1
    }

    /// Something of the whole fabric goes.
    fn goes(&mut self, name: &'static str, fabric: Netlist) -> usize {
        let less = self.add(fabric);
        self.events.push((name, 0, less));
        less
    }
}

/// The nodes whose descriptions begin like this.
fn named(netlist: &Netlist, prefix: &str) -> Vec<u32> {
    let nodes = (0..).zip(&netlist.nodes);
    let named = nodes.filter(|(_, node)| node.description.starts_with(prefix));
    named.map(|(index, _)| index).collect()
}

fn nodes(nodes: &[u32]) -> Vec<Part> {
    nodes.iter().map(|&node| Part::Node(node)).collect()
}

/// The first link, in random order, between two levels.
fn link(netlist: &Netlist, lower: &str, upper: &str) -> Result<Part, Box<dyn Error>> {
    let mut links = netlist.links_between_switches();
    Random::new(LINKS_SEED).shuffle(&mut links);
    let level =
        |(node, _): (u32, u8), prefix| netlist.nodes[node as usize].description.starts_with(prefix);
    let joins = |&[a, b]: &[(u32, u8); 2]| {
        (level(a, lower) && level(b, upper)) || (level(a, upper) && level(b, lower))
    };
    let found = links.into_iter().find(joins);
    Ok(Part::Link(found.ok_or("the tree has too few levels")?))
}

/// The neighbours of a node that are of some kind.
fn peers(netlist: &Netlist, node: u32, is: impl Fn(Kind) -> bool) -> Vec<u32> {
    let ports = netlist.nodes[node as usize].ports.iter().map(|p| p.peer);
    ports
        .filter(|&peer| is(netlist.nodes[peer as usize].kind))
        .collect()
}

/// The switches above a leaf, and all leaves below those.
fn pod(netlist: &Netlist, leaf: u32) -> Vec<u32> {
    let switches = |node| peers(netlist, node, |kind| kind == Kind::Switch);
    let mut pod = switches(leaf);
    let below = pod.iter().flat_map(|&above| switches(above));
    let is_leaf = |&s: &u32| netlist.nodes[s as usize].description.starts_with("L1-");
    let leaves: Vec<u32> = below.filter(is_leaf).collect();
    pod.extend(leaves);
    pod
}

/// Moves a host to the port of another, which goes.
fn moved(netlist: &Netlist, host: u32, to_port_of: u32) -> Netlist {
    let mut netlist = netlist.clone();
    let port = |node: u32| netlist.nodes[node as usize].ports[0].clone();
    let (from, to) = (port(host), port(to_port_of));
    let switch = &mut netlist.nodes[from.peer as usize];
    switch.ports.retain(|port| port.number != from.peer_port);
    for port in &mut netlist.nodes[to.peer as usize].ports {
        if port.number == to.peer_port {
            port.peer = host;
        }
    }
    let port = &mut netlist.nodes[host as usize].ports[0];
    (port.peer, port.peer_port) = (to.peer, to.peer_port);
    netlist.nodes[to_port_of as usize].ports.clear();
    netlist.without(&[Part::Node(to_port_of)])
}
