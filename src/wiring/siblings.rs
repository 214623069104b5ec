//! A switch beside its siblings: the switches of its rank and number of ports that share a switch
//! above it with it.
//!
//! What two thirds of the siblings have, and at least two of them, is expected here too: at the same
//! port to the same switch above, else as many links to that switch at any port.

use super::{Difference, End, Kind};
use crate::fabric::{Fabric, Peer};
use crate::netlist::Names;
use std::collections::{BTreeMap, BTreeSet};

/// A link up that the siblings have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// The switch that lacks it.
    pub switch: u32,
    /// The port at which the siblings have it; `None` where they do not agree.
    pub port: Option<u8>,
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

/// All links up that siblings have and a switch has not, in the order of the fabric's switches.
/// `rank` gives the rank of a switch.
pub fn doubts(fabric: &Fabric, rank: impl Fn(u32) -> u32) -> Vec<Doubt> {
    let up: Vec<Vec<Up>> = (0..fabric.switches().len() as u32)
        .map(|s| {
            let peers = (1..).zip(fabric.peers_of(s));
            peers
                .filter_map(|(port, peer)| match *peer {
                    Peer::Switch { index, port: far } if rank(index) > rank(s) => {
                        Some((port, index, far))
                    }
                    _ => None,
                })
                .collect()
        })
        .collect();
    let mut below: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); up.len()];
    for (s, links) in (0..).zip(&up) {
        for &(_, above, _) in links {
            below[above as usize].insert(s);
        }
    }
    let mut doubts = Vec::new();
    for (s, links) in (0..).zip(&up) {
        let alike = |t: &u32| {
            let ports = |s: u32| fabric.switches()[s as usize].ports;
            *t != s && rank(*t) == rank(s) && ports(*t) == ports(s)
        };
        let above: BTreeSet<u32> = links.iter().map(|&(_, above, _)| above).collect();
        let siblings = above.iter().flat_map(|&above| &below[above as usize]);
        let siblings: BTreeSet<u32> = siblings.copied().filter(alike).collect();
        let siblings: Vec<&[Up]> = siblings.iter().map(|&t| &*up[t as usize]).collect();
        compare(fabric, s, links, &siblings, &mut doubts);
    }
    doubts
}

/// Compares one switch with its siblings.
fn compare(
    fabric: &Fabric,
    switch: u32,
    links: &[Up],
    siblings: &[&[Up]],
    doubts: &mut Vec<Doubt>,
) {
    let all = siblings.len() as u32;
    let usual = |have: u32| have >= 2 && 3 * have >= 2 * all;
    let mut at_port: BTreeMap<(u8, u32), u32> = BTreeMap::new();
    let mut number: BTreeMap<(u32, usize), u32> = BTreeMap::new();
    for links in siblings {
        let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
        for &(port, above, _) in *links {
            *at_port.entry((port, above)).or_default() += 1;
            let links = seen.entry(above).or_default();
            *links += 1;
            *number.entry((above, *links)).or_default() += 1;
        }
    }
    let expected: Vec<((u8, u32), u32)> = at_port.into_iter().filter(|e| usual(e.1)).collect();
    // Links that stand elsewhere than expected can stand for one that is not where it should be.
    let mut spare: Vec<Up> = links.to_vec();
    spare.retain(|&(port, above, _)| !expected.iter().any(|&(e, _)| e == (port, above)));
    let doubt = |port, above, have| Doubt {
        switch,
        port,
        above,
        above_port: above_port(fabric, above, links),
        found: None,
        other: port.and_then(|port| match fabric.peer(switch, port) {
            Peer::Switch { index, port } => Some((index, port)),
            _ => None,
        }),
        have,
        siblings: all,
    };
    let mut lacking: BTreeMap<u32, usize> = BTreeMap::new();
    for &((port, above), have) in &expected {
        if links.iter().any(|&(p, a, _)| (p, a) == (port, above)) {
            continue;
        }
        let mut found = doubt(Some(port), above, have);
        if let Some(at) = spare.iter().position(|&(_, a, _)| a == above) {
            let (port, _, far) = spare.remove(at);
            found.found = Some((port, far));
        } else {
            *lacking.entry(above).or_default() += 1;
        }
        doubts.push(found);
    }
    for ((above, count), have) in number {
        let mine = links.iter().filter(|&&(_, a, _)| a == above).count();
        let told = lacking.get(&above).copied().unwrap_or(0);
        if usual(have) && count > mine + told {
            doubts.push(doubt(None, above, have));
        }
    }
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
        let mut found = Vec::new();
        let mut kind = Kind::Missing;
        if let Some((port, far)) = doubt.found {
            kind = Kind::WrongPort;
            found = vec![end(doubt.switch, Some(port)), end(doubt.above, Some(far))];
        } else if let Some((other, far)) = doubt.other {
            kind = Kind::Moved;
            found = vec![end(doubt.switch, doubt.port), end(other, Some(far))];
        }
        let what = match doubt.port {
            Some(_) => "it",
            None => "more links to it",
        };
        let above_port = doubt.above_port.filter(|_| kind == Kind::Missing);
        Difference {
            kind,
            ends: vec![end(doubt.switch, doubt.port), end(doubt.above, above_port)],
            found,
            reason: format!("{} of {} siblings have {what}", doubt.have, doubt.siblings),
        }
    };
    doubts(fabric, rank).into_iter().map(difference).collect()
}
