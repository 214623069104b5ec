//! Things that happen to a fabric.

use dmodc::fabric::{Guid, Lid};
use dmodc::netlist::{Kind, Netlist};
use dmodc::random::Random;

/// Some end nodes, drawn, of those whose switches keep another.
pub fn some_hosts(netlist: &Netlist, count: usize, random: &mut Random) -> Vec<u32> {
    let is_host = |i: u32| netlist.nodes[i as usize].kind != Kind::Switch;
    let mut hosts: Vec<u32> = (0..netlist.nodes.len() as u32)
        .filter(|&i| is_host(i))
        .collect();
    random.shuffle(&mut hosts);
    let switch_of = |host: u32| netlist.nodes[host as usize].ports[0].peer;
    let mut drawn: Vec<u32> = Vec::new();
    for host in hosts {
        let switch = switch_of(host);
        let ports = netlist.nodes[switch as usize].ports.iter();
        let on_switch = ports.filter(|p| is_host(p.peer)).count();
        let gone = drawn.iter().filter(|&&other| switch_of(other) == switch);
        if drawn.len() < count && gone.count() + 1 < on_switch {
            drawn.push(host);
        }
    }
    drawn
}

/// Moves a host to the port of another, which goes.
pub fn moved(netlist: &Netlist, host: u32, to_port_of: u32) -> Netlist {
    let mut netlist = netlist.clone();
    let first_port = |node: u32| netlist.nodes[node as usize].ports[0].clone();
    let (from, to) = (first_port(host), first_port(to_port_of));
    let switch = &mut netlist.nodes[from.peer as usize];
    switch.ports.retain(|port| port.number != from.peer_port);
    let mut ports = netlist.nodes[to.peer as usize].ports.iter_mut();
    let port = ports.find(|port| port.number == to.peer_port);
    let port = port.expect("a link has two ends");
    (port.peer, port.peer_port) = (host, from.number);
    let port = &mut netlist.nodes[host as usize].ports[0];
    (port.peer, port.peer_port) = (to.peer, to.peer_port);
    netlist.nodes[to_port_of as usize].ports.clear();
    netlist.without_nodes(&[to_port_of])
}

/// Puts another machine in the place of a host: other GUIDs, and a LID that nobody has.
pub fn replaced(netlist: &Netlist, host: u32) -> Netlist {
    let mut netlist = netlist.clone();
    let ports = netlist.nodes.iter().flat_map(|n| &n.ports).map(|p| p.lid);
    let switches = netlist.switches().map(|n| n.lid);
    let highest = ports.chain(switches).max().expect("LIDs");
    let node = &mut netlist.nodes[host as usize];
    node.guid = Guid(node.guid.0 ^ 0x0f00_0000_0000_0000);
    node.id = format!("H-{:016x}", node.guid.0);
    for port in &mut node.ports {
        (port.guid, port.lid) = (None, Lid(highest.0 + 1));
    }
    netlist
}

/// The same fabric as another discovery might list it.
pub fn listed_otherwise(netlist: &Netlist, random: &mut Random) -> Netlist {
    let mut order: Vec<u32> = (0..netlist.nodes.len() as u32).collect();
    random.shuffle(&mut order);
    let mut place = vec![0; order.len()];
    (0..)
        .zip(&order)
        .for_each(|(to, &from)| place[from as usize] = to);
    let mut other = Netlist::default();
    for from in order {
        let mut node = netlist.nodes[from as usize].clone();
        node.ports
            .iter_mut()
            .for_each(|p| p.peer = place[p.peer as usize]);
        random.shuffle(&mut node.ports);
        other.nodes.push(node);
    }
    other
}
