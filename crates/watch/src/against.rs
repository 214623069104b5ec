//! Compares the cables of a fabric with a reference, a netlist.
//!
//! Two nodes are the same if they have the same GUID, or a port of the same GUID; or else the same description, if no other
//! new or lost node has it: a replaced switch or host keeps its place. Aggregation nodes are part of their switch and do not
//! count.

use crate::wiring::{Difference, End, Kind};
use dmodc_fabric::{Guid, Lid, PortNumber, replaced};
use dmodc_formats::netlist::{Kind as NodeType, Netlist, Node, Port};
use std::collections::{BTreeSet, HashMap};

/// A link: its two sides, node and port, the lower one first.
type Link = [(u32, PortNumber); 2];

/// All differences from a reference, missing parts first.
pub fn against(now: &Netlist, reference: &Netlist) -> Vec<Difference> {
    let places = places(now, reference);
    let here = |node: u32| places[node as usize];
    let counts = |node: &Node| !node.is_aggregation();
    let mut differences = Vec::new();
    let mut matched = vec![false; now.nodes.len()];
    for (index, node) in (0..).zip(&reference.nodes).filter(|(_, n)| counts(n)) {
        match here(index) {
            Some(place) => matched[place as usize] = true,
            None => differences.push(whole_node(Kind::Missing, reference, node)),
        }
    }
    for (node, _) in now.nodes.iter().zip(&matched).filter(|(_, m)| !**m) {
        if counts(node) {
            differences.push(whole_node(Kind::Extra, now, node));
        }
    }
    let wanted = wanted(reference, &places);
    let known = |&[(a, _), (b, _)]: &Link| matched[a as usize] && matched[b as usize];
    let there: BTreeSet<Link> = links(now).filter(known).collect();
    let mut extra: Vec<Link> = there.difference(&wanted).copied().collect();
    let missing: Vec<Link> = wanted.difference(&there).copied().collect();
    // The better match first: an extra link between the same nodes, then one with an end in its place.
    let (mut wrong, mut left) = (Vec::new(), Vec::new());
    let share = |link: &Link, other: &Link| link.iter().any(|end| other.contains(end));
    for link in missing {
        let found = take(&mut extra, |other| {
            same_nodes(&link, other) && share(&link, other)
        });
        match found.or_else(|| take(&mut extra, |other| same_nodes(&link, other))) {
            Some(found) => wrong.push((Kind::WrongPort, link, vec![found])),
            None => left.push(link),
        }
    }
    for link in left {
        let found = take(&mut extra, |other| share(&link, other));
        let kind = found.map_or(Kind::Missing, |_| Kind::Moved);
        wrong.push((kind, link, Vec::from_iter(found)));
    }
    // All other links are extra.
    wrong.extend(extra.into_iter().map(|link| (Kind::Extra, link, vec![])));
    let ends = |link: Link| link.map(|(node, port)| end(&now.nodes[node as usize], Some(port)));
    differences.extend(wrong.into_iter().map(|(kind, link, found)| {
        let found = found.into_iter().flat_map(ends).collect();
        Difference::link(kind, ends(link).into(), found, String::new())
    }));
    differences.sort();
    differences
}

/// A fabric and the nodes that only a reference has, without aggregation nodes, with those of their links
/// whose two ports are free.
pub fn with_missing(mut whole: Netlist, reference: &Netlist) -> Netlist {
    let mut places = places(&whole, reference);
    let known = whole.nodes.len();
    let nodes = places.iter_mut().zip(&reference.nodes);
    for (place, node) in nodes.filter(|(place, node)| place.is_none() && !node.is_aggregation()) {
        *place = Some(whole.nodes.len() as u32);
        whole.nodes.push(Node {
            ports: Vec::new(),
            lid: Lid(0),
            ..node.clone()
        });
    }
    let is_new = |node: u32| node as usize >= known;
    let port = |(node, number): (u32, PortNumber)| reference.nodes[node as usize].port(number);
    for link in links(reference) {
        let ends = link.map(|(node, port)| places[node as usize].map(|node| (node, port)));
        let [Some(a), Some(b)] = ends else { continue };
        let is_free = |(node, number)| whole.nodes[node as usize].port(number).is_none();
        if (is_new(a.0) || is_new(b.0)) && a != b && is_free(a) && is_free(b) {
            for (near, far, port) in [(a, b, port(link[0])), (b, a, port(link[1]))] {
                let ports = &mut whole.nodes[near.0 as usize].ports;
                let at = ports.partition_point(|port| port.number < near.1);
                let as_known = port.map(|port| Port {
                    peer: far.0,
                    peer_port: far.1,
                    lid: Lid(0),
                    ..port.clone()
                });
                ports.splice(at..at, as_known);
            }
        }
    }
    whole
}

/// Whether a reference is of another fabric: it lacks most of this fabric's switches by GUID, and most of its
/// links, with nodes matched by description as well.
pub fn is_of_another(now: &Netlist, reference: &Netlist) -> bool {
    let known: BTreeSet<Guid> = reference.switches().map(|node| node.guid).collect();
    let old = now.switches().filter(|node| known.contains(&node.guid));
    if 2 * old.count() >= now.switches().count() {
        return false;
    }
    let wanted = wanted(reference, &places(now, reference));
    let there = links(now).filter(|link| wanted.contains(link)).count();
    2 * there < links(now).count()
}

/// The links of the reference between present nodes, by their present indices.
fn wanted(reference: &Netlist, places: &[Option<u32>]) -> BTreeSet<Link> {
    let here = |node: u32| places[node as usize];
    let placed = |[(a, p), (b, q)]: Link| {
        let (a, b) = ((here(a)?, p), (here(b)?, q));
        Some([a.min(b), a.max(b)])
    };
    links(reference).filter_map(placed).collect()
}

/// Per node of the reference: the same node in the present fabric.
fn places(now: &Netlist, reference: &Netlist) -> Vec<Option<u32>> {
    let by_guid: HashMap<Guid, u32> = (0..).zip(&now.nodes).map(|(i, n)| (n.guid, i)).collect();
    // `iblinkinfo` has no GUIDs of hosts but those of their ports.
    let nodes = (0..).zip(&now.nodes);
    let ports = nodes.flat_map(|(i, n)| n.ports.iter().map(move |port| (port.guid, i)));
    let by_port: HashMap<Guid, u32> = ports.filter_map(|(guid, i)| Some((guid?, i))).collect();
    let guids: BTreeSet<Guid> = reference.nodes.iter().map(|n| n.guid).collect();
    let lost = |node: &&Node| !by_guid.contains_key(&node.guid);
    let new = |node: &&Node| !guids.contains(&node.guid);
    let lost = alone(reference.nodes.iter().filter(lost));
    let new = alone(now.nodes.iter().filter(new));
    // Boxes in the places of others, by their cables: names need not be unique.
    let boxes: HashMap<Guid, Guid> = match [now, reference].map(|net| net.to_fabric(None)) {
        [Ok((now, _)), Ok((reference, _))] => {
            let boxes = replaced(&now, &reference).into_iter();
            let guids = boxes.map(|(s, place)| (reference.guid(place), now.guid(s)));
            guids.collect()
        }
        _ => HashMap::new(),
    };
    let place = |node: &Node| {
        let by_name = || {
            let key = (node.kind.to_string(), &*node.description);
            lost.get(&key)?.as_ref()?;
            *new.get(&key)?
        };
        let by_guid = |guid: Guid| by_guid.get(&guid).copied();
        let other = || by_guid(by_name().or_else(|| boxes.get(&node.guid).copied())?);
        let by_port = || {
            let mut ports = node.ports.iter();
            ports.find_map(|port| by_port.get(&port.guid?).copied())
        };
        by_guid(node.guid).or_else(by_port).or_else(other)
    };
    reference.nodes.iter().map(place).collect()
}

/// The GUIDs of nodes by kind and description; `None` for several.
fn alone<'a>(nodes: impl Iterator<Item = &'a Node>) -> HashMap<(String, &'a str), Option<Guid>> {
    let mut alone = HashMap::new();
    for node in nodes {
        let key = (node.kind.to_string(), &*node.description);
        let entry = alone.entry(key).or_insert(Some(node.guid));
        *entry = entry.filter(|guid| *guid == node.guid);
    }
    alone
}

/// All links except the links of aggregation nodes.
fn links(netlist: &Netlist) -> impl Iterator<Item = Link> + '_ {
    let counts = |node: u32| !netlist.nodes[node as usize].is_aggregation();
    (0..).zip(&netlist.nodes).flat_map(move |(index, node)| {
        let sides = node.ports.iter().map(move |port| {
            let far = (port.peer, port.peer_port);
            ((index, port.number), far)
        });
        let once = sides.filter(move |&(near, far)| near <= far && counts(near.0) && counts(far.0));
        once.map(|(near, far)| [near, far])
    })
}

fn same_nodes(a: &Link, b: &Link) -> bool {
    a.map(|(node, _)| node) == b.map(|(node, _)| node)
}

fn take(links: &mut Vec<Link>, fits: impl Fn(&Link) -> bool) -> Option<Link> {
    let at = links.iter().position(fits)?;
    Some(links.remove(at))
}

fn end(node: &Node, port: Option<PortNumber>) -> End {
    End {
        name: node.description.clone(),
        guid: node.guid,
        port,
        label: port.and_then(|port| node.port(port)?.label.clone()),
    }
}

fn whole_node(kind: Kind, netlist: &Netlist, node: &Node) -> Difference {
    let peers = node.ports.iter().map(|p| &netlist.nodes[p.peer as usize]);
    let beside = peers.filter(|peer| !peer.is_aggregation());
    let reason = format!("{} with {} links", node.kind, node.ports.len());
    Difference {
        beside: beside.map(|peer| peer.guid).collect(),
        is_host: node.kind != NodeType::Switch,
        ..Difference::link(kind, vec![end(node, None)], Vec::new(), reason)
    }
}
