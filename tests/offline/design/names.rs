//! New GUIDs, LIDs and port numbers. The nodes of a netlist are in the order of places, and their descriptions name the
//! places; all other marks of a box are random.

use dmodc_fabric::random::Random;
use dmodc_fabric::{Guid, Lid, PortNumber};
use dmodc_formats::netlist::{Kind, Netlist, Node};
use std::collections::HashMap;

/// Bases so far apart that no port GUID (node GUID + port number) equals a node GUID.
const HOSTS: u64 = 0x0001_0000_0000_0000;
const SWITCHES: u64 = 0x0002_0000_0000_0000;
/// GUIDs of boxes that come later: some below all others, some above.
const LATER: [u64; 2] = [0x0000_0000_0000_1000, 0xfff0_0000_0000_0000];

/// GUIDs in the order of places.
pub fn in_order(netlist: &Netlist) -> Netlist {
    with_guids(netlist, None)
}

/// GUIDs at random; LIDs stay.
pub fn at_random(netlist: &Netlist, seed: u64) -> Netlist {
    with_guids(netlist, Some(&mut Random::new(seed)))
}

fn with_guids(netlist: &Netlist, mut random: Option<&mut Random>) -> Netlist {
    let mut netlist = netlist.clone();
    for (is_switch, base) in [(true, SWITCHES), (false, HOSTS)] {
        let of_kind = |n: &&mut Node| (n.kind == Kind::Switch) == is_switch;
        let count = netlist.nodes.iter_mut().filter(of_kind).count() as u64;
        let mut guids: Vec<u64> = (0..count).map(|i| base + i * 0x100).collect();
        if let Some(random) = &mut random {
            random.shuffle(&mut guids);
        }
        let nodes = netlist.nodes.iter_mut().filter(of_kind);
        nodes
            .zip(guids)
            .for_each(|(node, guid)| rename(node, Guid(guid)));
    }
    netlist
}

fn rename(node: &mut Node, guid: Guid) {
    node.id = node.kind.id(guid);
    (node.guid, node.system_guid) = (guid, Some(guid));
    if node.kind != Kind::Switch {
        for port in &mut node.ports {
            port.guid = Some(Guid(guid.0 + u64::from(port.number.0)));
        }
    }
}

/// LIDs at random, aligned to this LMC. End nodes have the LMC, switches have one LID.
pub fn with_lids(netlist: &Netlist, lmc: u8, seed: u64) -> Netlist {
    let mut netlist = netlist.clone();
    let ends: usize = netlist.nodes.iter().map(|n| n.ports.len().max(1)).sum();
    let mut lids: Vec<Lid> = (1..=ends as u16).map(|i| Lid(i << lmc)).collect();
    lids.truncate(netlist.nodes.len() + 64);
    Random::stream(seed, 1).shuffle(&mut lids);
    for node in &mut netlist.nodes {
        match node.kind {
            Kind::Switch => node.lid = lids.pop().expect("enough"),
            _ => node.ports.iter_mut().for_each(|port| {
                (port.lid, port.lmc) = (lids.pop().expect("enough"), lmc);
            }),
        }
    }
    netlist
}

/// The lowest LID above all others, aligned to 8.
pub fn next_lid(netlist: &Netlist) -> Lid {
    let ports = netlist.nodes.iter().flat_map(|n| &n.ports);
    let ports = ports.map(|p| p.lid.0 + (1 << p.lmc));
    let switches = netlist.switches().map(|n| n.lid.0 + (1 << n.lmc));
    let highest = ports.chain(switches).max().expect("LIDs");
    Lid(highest.next_multiple_of(8))
}

/// Another box at the same place with the same cables: another GUID, below all others or above, and another
/// LID. For a host, another adapter.
pub fn replaced(netlist: &Netlist, node: u32, above: bool) -> Netlist {
    let lid = next_lid(netlist);
    let mut netlist = netlist.clone();
    let node = &mut netlist.nodes[node as usize];
    let guid = LATER[usize::from(above)] + (node.guid.0 & 0xffff_ff00);
    rename(node, Guid(guid));
    match node.kind {
        Kind::Switch => node.lid = lid,
        _ => node.ports[0].lid = lid,
    }
    netlist
}

pub fn name_new(netlist: &mut Netlist, node: u32, above: bool) {
    let guid = LATER[usize::from(above)] + 0x0000_1000_0000_0000 + u64::from(node) * 0x100;
    rename(&mut netlist.nodes[node as usize], Guid(guid));
}

/// The same cables at other ports: `new` is the number of a node's port.
pub fn renumbered(netlist: &Netlist, new: impl Fn(u32, PortNumber) -> PortNumber) -> Netlist {
    let mut netlist = netlist.clone();
    for (index, node) in (0..).zip(&mut netlist.nodes) {
        for port in &mut node.ports {
            port.number = new(index, port.number);
            port.peer_port = new(port.peer, port.peer_port);
        }
        node.ports.sort_by_key(|port| port.number);
    }
    netlist
}

/// Cables at random: shuffles the numbers of the cabled ports of every switch.
pub fn with_ports_shuffled(netlist: &Netlist, seed: u64) -> Netlist {
    let mut random = Random::stream(seed, 2);
    let shuffled = netlist.nodes.iter().map(|node| {
        let old: Vec<PortNumber> = node.ports.iter().map(|port| port.number).collect();
        let mut new = old.clone();
        if node.kind == Kind::Switch {
            random.shuffle(&mut new);
        }
        old.into_iter().zip(new).collect()
    });
    let shuffled: Vec<HashMap<PortNumber, PortNumber>> = shuffled.collect();
    renumbered(netlist, |node, port| shuffled[node as usize][&port])
}
