//! Settles what the lines of ports say of links.
//!
//! A claim is a port with the port at its other end. It holds if the other end makes the same claim of this port, and
//! neither makes another one that holds; or if it is the only claim of its port and the only one about the other end,
//! which makes none. Where two nodes name each other and one of them another port, each knows its own port best. All
//! other claims are left out: better no link than one that may not be there. So the links
//! depend on the lines, not on their order. Cost: a look-up for each line.

use super::error::{PortOf, Reason};
use super::model::{Node, Port};
use crate::input::Warnings;
use dmodc_fabric::{Guid, Lid, PortNumber, Speed};
use std::collections::{HashMap, HashSet};

type End = (u32, PortNumber);

/// The parts of a port line about the other end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct PortLine {
    pub line: u32,
    pub peer_guid: Option<Guid>,
    /// LID of the other end; 0 if the line has none.
    pub peer_lid: Lid,
}

/// A node under construction, with its ports beside it.
pub(super) struct Entry {
    pub node: Node,
    /// The line that describes it first.
    pub line: u32,
    pub ports: Vec<(Port, PortLine)>,
}

impl Entry {
    /// The index of a port in the sorted ports.
    pub fn find(&self, number: PortNumber) -> Option<usize> {
        let found = self.ports.binary_search_by_key(&number, |(p, _)| p.number);
        found.ok()
    }
}

/// What is no oddity in a text.
#[derive(Clone, Copy, Default)]
pub(super) struct Usual {
    /// All links are listed at one end alone.
    pub once: bool,
    /// The speeds are those that the ends could have, not the link's.
    pub enabled: bool,
}

/// Leaves the claims that hold, at both ends of their links, and warns of the others.
pub(super) fn settle(nodes: &mut [Entry], warnings: &mut Warnings<Reason>, usual: Usual) {
    let twice = merge(nodes);
    mend(nodes, warnings);
    let claims = Claims::new(nodes);
    let port_of = |(node, port): End| PortOf(port, nodes[node as usize].node.id.clone());
    for (end, first, line) in twice {
        warnings.add(line, Reason::PortTwice(port_of(end), first));
    }
    let (mut kept, mut added) = (HashSet::new(), Vec::new());
    for (here, port, line) in each(nodes) {
        let there = (port.peer, port.peer_port);
        if here == there {
            warnings.add(line, Reason::SelfLink(port_of(here), port_of(there)));
            continue;
        }
        if claims.is_mutual(here, there) {
            kept.insert((here, there));
            if here.0 == there.0 && here < there {
                warnings.remark(line, Reason::SelfLink(port_of(here), port_of(there)));
            }
            let back = nodes[there.0 as usize].find(there.1);
            let back = back.map(|at| &nodes[there.0 as usize].ports[at].0.link);
            let counts = here < there && !usual.enabled;
            if let Some(back) = back.filter(|back| counts && differ(&port.link, back)) {
                let links = [port.link.to_string(), back.to_string()];
                warnings.remark(line, Reason::Speeds(port_of(here), port_of(there), links));
            }
        } else if claims.is_alone(here, there) {
            kept.insert((here, there));
            if !usual.once {
                warnings.add(line, Reason::OneSided(port_of(here), port_of(there)));
            }
            let far = Port::new(port.peer_port, here.0, port.number, port.link.clone());
            let line = PortLine {
                line,
                ..PortLine::default()
            };
            added.push((there.0, far, line));
        } else {
            let other = claims.against(here, there);
            let reason = Reason::Contradiction(port_of(here), port_of(there), port_of(other));
            warnings.add(line, reason);
        }
    }
    for (index, entry) in (0..).zip(&mut *nodes) {
        (entry.ports).retain(|(p, _)| kept.contains(&((index, p.number), (p.peer, p.peer_port))));
    }
    for (node, port, line) in added {
        let entry = &mut nodes[node as usize];
        entry.node.port_count = entry.node.port_count.max(port.number.0);
        entry.ports.push((port, line));
    }
}

/// Sets the other end right where it alone is wrong: the port that is named is silent, and another port of its node
/// names this one.
fn mend(nodes: &mut [Entry], warnings: &mut Warnings<Reason>) {
    let claims = Claims::new(nodes);
    let port_of = |(node, port): End| PortOf(port, nodes[node as usize].node.id.clone());
    let mut found = Vec::new();
    for (here, port, line) in each(nodes) {
        let there = (port.peer, port.peer_port);
        let Some(&[other]) = claims.about.get(&here).map(Vec::as_slice) else {
            continue;
        };
        let is_alone = claims.by[&here].len() == 1 && claims.about[&there].len() == 1;
        let is_silent = !claims.by.contains_key(&there);
        if is_alone && is_silent && other.0 == there.0 && claims.by[&other].len() == 1 {
            let [a, b, c] = [here, there, other].map(port_of);
            warnings.add(line, Reason::OtherPort(a, b, c));
            found.push((here, other.1));
        }
    }
    for ((node, number), right) in found {
        let entry = &mut nodes[node as usize];
        if let Some(at) = entry.find(number) {
            entry.ports[at].0.peer_port = right;
        }
    }
}

/// Whether both speeds are known and differ.
fn differ(a: &str, b: &str) -> bool {
    let speed = |text: &str| text.parse::<Speed>().ok().filter(|speed| speed.is_known());
    a != b && speed(a).zip(speed(b)).is_some_and(|(a, b)| a != b)
}

/// All ports with their lines, of sorted nodes.
fn each(nodes: &[Entry]) -> impl Iterator<Item = (End, &Port, u32)> {
    (0..).zip(nodes).flat_map(|(index, entry)| {
        let ports = entry.ports.iter();
        ports.map(move |(port, at)| ((index, port.number), port, at.line))
    })
}

/// Makes one claim of equal ones. Returns the ports that have several lines, with the first line and each further one.
fn merge(nodes: &mut [Entry]) -> Vec<(End, u32, u32)> {
    let mut twice = Vec::new();
    for (index, Entry { ports, .. }) in (0..).zip(&mut *nodes) {
        let several = ports.windows(2).any(|p| p[0].0.number == p[1].0.number);
        if !several {
            continue;
        }
        ports.sort_by_cached_key(|(p, at)| {
            let claim = (p.number, p.peer, p.peer_port);
            let lid = (p.lid.0 == 0, p.lid, p.lmc);
            let link = (p.link.is_empty(), p.link.clone());
            (claim, p.guid.is_none(), p.guid, lid, link, at.line)
        });
        for same in ports.chunk_by(|(a, _), (b, _)| a.number == b.number) {
            let mut lines: Vec<u32> = same.iter().map(|(_, at)| at.line).collect();
            lines.sort_unstable();
            let end = (index, same[0].0.number);
            twice.extend(lines[1..].iter().map(|&line| (end, lines[0], line)));
        }
        let claim = |p: &Port| (p.number, p.peer, p.peer_port);
        ports.dedup_by(|(b, _), (a, _)| claim(a) == claim(b));
    }
    twice
}

/// The claims by port, and about each port.
struct Claims {
    by: HashMap<End, Vec<End>>,
    about: HashMap<End, Vec<End>>,
}

impl Claims {
    fn new(nodes: &[Entry]) -> Claims {
        let (mut by, mut about): (HashMap<_, Vec<_>>, HashMap<_, Vec<_>>) = Default::default();
        for (here, port, _) in each(nodes) {
            let there = (port.peer, port.peer_port);
            by.entry(here).or_default().push(there);
            about.entry(there).or_default().push(here);
        }
        Claims { by, about }
    }

    /// The ends that a port and its other end agree on.
    fn agreed(&self, end: End) -> impl Iterator<Item = End> {
        let there = self.by.get(&end).into_iter().flatten().copied();
        there.filter(move |there| self.by.get(there).is_some_and(|by| by.contains(&end)))
    }

    /// Whether both ends make this claim, and neither agrees with another port.
    fn is_mutual(&self, here: End, there: End) -> bool {
        self.agreed(here).eq([there]) && self.agreed(there).eq([here])
    }

    /// Whether nothing else is said of either end.
    fn is_alone(&self, here: End, there: End) -> bool {
        let about = |end: End| self.about.get(&end).map_or(0, Vec::len);
        self.by[&here].len() == 1
            && !self.by.contains_key(&there)
            && about(there) == 1
            && self.agreed(here).next().is_none()
            && !self.about.contains_key(&here)
    }

    /// The end that stands against a claim that does not hold.
    fn against(&self, here: End, there: End) -> End {
        let of = |claims: &HashMap<End, Vec<End>>, end: End, but: End| {
            let mut ends = claims.get(&end).into_iter().flatten().copied();
            ends.find(|&other| other != but)
        };
        let other = of(&self.by, there, here).or_else(|| of(&self.about, there, here));
        let own = || of(&self.by, here, there).or_else(|| of(&self.about, here, there));
        other.or_else(own).unwrap_or(there)
    }
}
