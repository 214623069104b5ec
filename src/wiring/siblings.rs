//! A switch beside its siblings: the switches of its rank and number of ports that share a switch
//! above it with it.
//!
//! A link that two thirds of the siblings have at the same port to the same switch above, and at least
//! two of them, is expected here too. A switch that has no more than half of such links is not like
//! them: it was meant to have fewer. A link can be missing only where both switches have a dark port for
//! it, and no more are missing than the switch has fewer links than its siblings.

use super::{Difference, End, Kind};
use crate::fabric::{Fabric, Peer};
use crate::netlist::Names;
use std::collections::{BTreeMap, HashMap};

/// How many links of a switch a sentence names.
const NAMED: usize = 4;

/// A link up that the siblings have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// The switch that lacks it.
    pub switch: u32,
    /// The port at which the siblings have it.
    pub port: u8,
    /// The switch above.
    pub above: u32,
    /// The port there, if that is free and this switch has the same port of most other switches
    /// above it.
    pub above_port: Option<u8>,
    /// Where the switch has a link to the one above instead: its port, and the port there.
    pub found: Option<(u8, u8)>,
    /// What the port leads to instead: a switch and its port.
    pub other: Option<(u32, u8)>,
    /// How many siblings have it.
    pub have: u32,
    /// How many siblings there are.
    pub siblings: u32,
}

/// A link up: its port, the switch above, the port there.
type Up = (u8, u32, u8);

/// A switch whose links up are not those of its siblings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unlike {
    /// The switch.
    pub switch: u32,
    /// The links up that it has.
    pub uplinks: u32,
    /// What its siblings have and it has not.
    pub doubts: Vec<Doubt>,
}

impl Doubt {
    /// How the link differs.
    pub fn kind(&self) -> Kind {
        match (self.found, self.other) {
            (Some(_), _) => Kind::WrongPort,
            (None, Some(_)) => Kind::Moved,
            (None, None) => Kind::Missing,
        }
    }

    /// The link in a few words; `name` names a switch.
    fn describe(&self, name: &impl Fn(u32) -> String) -> String {
        let (port, above) = (self.port, name(self.above));
        let link = format!("[{port}] -- {above}");
        match (self.found, self.other) {
            (Some((near, far)), _) => format!("{link}, found [{near}] -- {above} [{far}]"),
            (None, Some((other, far))) => {
                format!("{link}, found [{port}] -- {} [{far}]", name(other))
            }
            (None, None) => match self.above_port {
                Some(far) => format!("{link} [{far}]"),
                None => link,
            },
        }
    }
}

impl Unlike {
    /// How many links are missing: neither there nor elsewhere.
    pub fn missing(&self) -> u32 {
        let missing = self.doubts.iter().filter(|d| d.kind() == Kind::Missing);
        missing.count() as u32
    }

    /// The switch in a sentence, with the first few links; `name` names a switch.
    pub fn describe(&self, name: impl Fn(u32) -> String) -> String {
        let mut text = format!("{}: {} uplinks", name(self.switch), self.uplinks);
        let missing = self.missing();
        if missing > 0 {
            text += &format!(" where its siblings have {}", self.uplinks + missing);
        }
        let mut doubts: Vec<&Doubt> = self.doubts.iter().collect();
        doubts.sort_by_key(|doubt| doubt.kind());
        let more = doubts.len().saturating_sub(NAMED);
        doubts.truncate(NAMED);
        for of_kind in doubts.chunk_by(|a, b| a.kind() == b.kind()) {
            let links: Vec<String> = of_kind.iter().map(|d| d.describe(&name)).collect();
            text += &format!("; {}: {}", of_kind[0].kind(), links.join(", "));
        }
        if more > 0 {
            text += &format!(", and {more} more");
        }
        text
    }
}

/// All links up that siblings have and a switch has not, in the order of the fabric's switches.
/// `rank` gives the rank of a switch.
pub fn doubts(fabric: &Fabric, rank: impl Fn(u32) -> u32) -> Vec<Doubt> {
    let unlike = unlike_siblings(fabric, rank).into_iter();
    unlike.flat_map(|unlike| unlike.doubts).collect()
}

/// The links up of each switch.
fn links_up(fabric: &Fabric, rank: impl Fn(u32) -> u32) -> Vec<Vec<Up>> {
    let of_switch = |s: u32| {
        let peers = (1..).zip(fabric.peers_of(s));
        let up = peers.filter_map(|(port, peer)| match *peer {
            Peer::Switch { index, port: far } if rank(index) > rank(s) => Some((port, index, far)),
            _ => None,
        });
        up.collect()
    };
    (0..fabric.switches().len() as u32).map(of_switch).collect()
}

/// The switches whose links up are not those of their siblings, in ascending index. `rank` gives the
/// rank of a switch.
pub fn unlike_siblings(fabric: &Fabric, rank: impl Fn(u32) -> u32) -> Vec<Unlike> {
    let up = links_up(fabric, &rank);
    // Siblings with the same links are weighed together: in a whole fabric those are all.
    let mut shapes: HashMap<Vec<(u8, u32)>, u32> = HashMap::new();
    let mut of_shape: Vec<&[Up]> = Vec::new();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); up.len()];
    let mut shape = Vec::with_capacity(up.len());
    for (s, links) in (0..).zip(&up) {
        let known = links
            .iter()
            .map(|&(port, above, _)| (port, above))
            .collect();
        shape.push(*shapes.entry(known).or_insert_with(|| {
            of_shape.push(links);
            of_shape.len() as u32 - 1
        }));
        for &(_, above, _) in links {
            if below[above as usize].last() != Some(&s) {
                below[above as usize].push(s);
            }
        }
    }
    let ports = |s: u32| fabric.switches()[s as usize].ports;
    let mut counted_for = vec![u32::MAX; up.len()];
    let mut unlike = Vec::new();
    for (s, links) in (0..).zip(&up) {
        let mut siblings: BTreeMap<u32, u32> = BTreeMap::new();
        for &t in links
            .iter()
            .flat_map(|&(_, above, _)| &below[above as usize])
        {
            let is_new = std::mem::replace(&mut counted_for[t as usize], s) != s;
            if is_new && t != s && rank(t) == rank(s) && ports(t) == ports(s) {
                *siblings.entry(shape[t as usize]).or_default() += 1;
            }
        }
        if siblings.keys().all(|&other| other == shape[s as usize]) {
            continue;
        }
        let siblings: Vec<(&[Up], u32)> = (siblings.into_iter())
            .map(|(shape, count)| (of_shape[shape as usize], count))
            .collect();
        let doubts = compare(fabric, s, links, &siblings);
        if !doubts.is_empty() {
            unlike.push(Unlike {
                switch: s,
                uplinks: links.len() as u32,
                doubts,
            });
        }
    }
    unlike
}

/// Compares one switch with its siblings: links, and how many have just these.
fn compare(fabric: &Fabric, switch: u32, links: &[Up], siblings: &[(&[Up], u32)]) -> Vec<Doubt> {
    let all = siblings.iter().map(|&(_, count)| count).sum::<u32>();
    let mut at_port: BTreeMap<(u8, u32), u32> = BTreeMap::new();
    for &(links, count) in siblings {
        for &(port, above, _) in links {
            *at_port.entry((port, above)).or_default() += count;
        }
    }
    at_port.retain(|_, have| *have >= 2 && 3 * *have >= 2 * all);
    if 2 * links.len() <= at_port.len() {
        return Vec::new();
    }
    let mut fewer = at_port.len().saturating_sub(links.len());
    // Links that stand elsewhere than expected can stand for one that is not where it should be.
    let mut spare: Vec<Up> = links.to_vec();
    spare.retain(|&(port, above, _)| !at_port.contains_key(&(port, above)));
    let mut doubts = Vec::new();
    for (&(port, above), &have) in &at_port {
        if links.iter().any(|&(p, a, _)| (p, a) == (port, above)) {
            continue;
        }
        let instead = spare.iter().position(|&(_, a, _)| a == above);
        let instead = instead.map(|at| spare.remove(at));
        let doubt = Doubt {
            switch,
            port,
            above,
            above_port: above_port(fabric, above, links),
            found: instead.map(|(port, _, far)| (port, far)),
            other: match fabric.peer(switch, port) {
                Peer::Switch { index, port } => Some((index, port)),
                _ => None,
            },
            have,
            siblings: all,
        };
        if doubt.kind() == Kind::Missing {
            let dark = fabric.peer(switch, port) == Peer::None
                && fabric.peers_of(above).contains(&Peer::None);
            if !dark || fewer == 0 {
                continue;
            }
            fewer -= 1;
        }
        doubts.push(doubt);
    }
    doubts
}

/// The port that most links of a switch have at their other end, if that is free at `above`.
fn above_port(fabric: &Fabric, above: u32, links: &[Up]) -> Option<u8> {
    let mut count: BTreeMap<u8, usize> = BTreeMap::new();
    links
        .iter()
        .for_each(|&(_, _, far)| *count.entry(far).or_default() += 1);
    let (&port, &most) = count.iter().max_by_key(|&(_, &n)| n)?;
    let ports = fabric.switches()[above as usize].ports;
    let free = port <= ports && fabric.peer(above, port) == Peer::None;
    (2 * most > links.len() && free).then_some(port)
}

/// The same as differences, with names.
pub fn among_siblings(
    fabric: &Fabric,
    names: &Names,
    rank: impl Fn(u32) -> u32,
) -> Vec<Difference> {
    let end = |switch: u32, port| End {
        name: names.switches[switch as usize].clone(),
        guid: fabric.switches()[switch as usize].guid,
        port,
    };
    let difference = |doubt: Doubt| {
        let kind = doubt.kind();
        let found = match (doubt.found, doubt.other) {
            (Some((port, far)), _) => {
                vec![end(doubt.switch, Some(port)), end(doubt.above, Some(far))]
            }
            (None, Some((other, far))) => {
                vec![end(doubt.switch, Some(doubt.port)), end(other, Some(far))]
            }
            (None, None) => Vec::new(),
        };
        let above_port = doubt.above_port.filter(|_| kind == Kind::Missing);
        Difference {
            kind,
            ends: vec![
                end(doubt.switch, Some(doubt.port)),
                end(doubt.above, above_port),
            ],
            found,
            reason: format!("{} of {} siblings have it", doubt.have, doubt.siblings),
        }
    };
    doubts(fabric, rank).into_iter().map(difference).collect()
}
