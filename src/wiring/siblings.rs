//! Compares a switch with its siblings in the design: the switches of its rank and number of ports with mostly the same
//! parents.
//!
//! If two thirds of the siblings, and at least two, have a link at the same port to the same switch above, this switch
//! should have it too. (Routes expect more: `lost` in the design; a wrong expectation costs them less than an alarm.) A
//! switch with at most half as many uplinks gets no finding: it is meant to have fewer. A link counts as missing only
//! where both switches have a dark port for it. A switch misses no more links than its siblings have more uplinks.

use super::{Difference, End, Kind};
use crate::dmodc::{Groups, Ranking, most_common, siblings};
use crate::fabric::{Fabric, Peer, counted};
use crate::netlist::Names;
use std::collections::BTreeMap;

/// How many links of a switch a log line names.
const NAMED: usize = 4;

/// An uplink that the siblings of a switch have and the switch lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// The switch that lacks it.
    pub switch: u32,
    /// The switch's port at which the siblings have the link.
    pub port: u8,
    /// The switch above.
    pub above: u32,
    /// The port of `above`, if that is free, and if most uplinks of this switch have the same port at their far ends.
    pub above_port: Option<u8>,
    /// How the link differs.
    pub kind: Kind,
    /// The link that the switch has instead, to the same switch above or at the same port: own port, and the switch and
    /// port at the other end.
    instead: Option<(u8, (u32, u8))>,
    /// How many siblings have the link.
    pub have: u32,
    /// How many siblings there are.
    pub siblings: u32,
}

/// An uplink: the switch's port, and the switch above.
type Up = (u8, u32);

/// A switch whose uplinks differ from its siblings' uplinks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unlike {
    /// The switch.
    pub switch: u32,
    /// The number of its uplinks.
    pub uplinks: u32,
    /// The links that its siblings have and it lacks.
    pub doubts: Vec<Doubt>,
}

impl Doubt {
    /// The link in a log line; `name` names a switch.
    fn describe(&self, name: &impl Fn(u32) -> String) -> String {
        let link = format!("[{}] -- {}", self.port, name(self.above));
        match (self.instead, self.above_port) {
            (Some((near, (other, far))), _) => {
                format!("{link}, found [{near}] -- {} [{far}]", name(other))
            }
            (None, Some(far)) => format!("{link} [{far}]"),
            (None, None) => link,
        }
    }
}

impl Unlike {
    /// How many links are missing, as opposed to links in a wrong place.
    pub fn missing(&self) -> u32 {
        let kinds = self.doubts.iter().map(|doubt| doubt.kind);
        kinds.filter(|kind| *kind == Kind::Missing).count() as u32
    }

    /// The switch in a log line, with the first few links; `name` names a switch.
    pub fn describe(&self, name: impl Fn(u32) -> String) -> String {
        let mut text = format!("{}: {} uplinks", name(self.switch), self.uplinks);
        let missing = self.missing();
        if missing > 0 {
            text += &format!(" where its siblings have {}", self.uplinks + missing);
        }
        let mut doubts: Vec<&Doubt> = self.doubts.iter().collect();
        doubts.sort_by_key(|doubt| doubt.kind);
        let more = doubts.len().saturating_sub(NAMED);
        doubts.truncate(NAMED);
        for of_kind in doubts.chunk_by(|a, b| a.kind == b.kind) {
            let links: Vec<String> = of_kind.iter().map(|d| d.describe(&name)).collect();
            text += &format!("; {}: {}", of_kind[0].kind, links.join(", "));
        }
        if more > 0 {
            text += &format!(", and {more} more");
        }
        text
    }
}

/// All uplinks that siblings have and a switch lacks, in the order of the fabric's switches.
pub fn doubts(fabric: &Fabric, ranking: &Ranking) -> Vec<Doubt> {
    let unlike = unlike_siblings(fabric, &Groups::of(fabric, ranking), ranking).into_iter();
    unlike.flat_map(|unlike| unlike.doubts).collect()
}

/// The switches whose uplinks differ from their siblings' uplinks, in ascending index. `groups` are the port groups of
/// the fabric.
pub fn unlike_siblings(fabric: &Fabric, groups: &Groups, ranking: &Ranking) -> Vec<Unlike> {
    let links_up = |s: u32| -> Vec<Up> {
        let up = groups.parents(s);
        let ports = up.flat_map(|g| groups.ports(g).iter().map(|&port| (port, g.remote)));
        ports.collect()
    };
    let ports = |s: u32| fabric.switches()[s as usize].ports;
    let mut unlike = Vec::new();
    for mut siblings in siblings(groups, ranking) {
        siblings.sort_by_key(|&s| ports(s));
        for of_size in siblings.chunk_by(|&a, &b| ports(a) == ports(b)) {
            let links: Vec<Vec<Up>> = of_size.iter().map(|&s| links_up(s)).collect();
            let votes = counted(links.iter().flatten().copied());
            if votes.values().all(|&have| have == of_size.len()) {
                continue;
            }
            for (&switch, links) in of_size.iter().zip(&links) {
                let doubts = compare(fabric, switch, links, (&votes, of_size.len() - 1));
                if !doubts.is_empty() {
                    unlike.push(Unlike {
                        switch,
                        uplinks: links.len() as u32,
                        doubts,
                    });
                }
            }
        }
    }
    unlike.sort_by_key(|unlike| unlike.switch);
    unlike
}

/// The uplinks that a switch should have by its siblings and lacks. `votes` counts the switches with each link, the
/// switch itself included; `siblings` is the number of siblings.
fn compare(
    fabric: &Fabric,
    switch: u32,
    links: &[Up],
    (votes, siblings): (&BTreeMap<Up, usize>, usize),
) -> Vec<Doubt> {
    // The votes for an uplink of this switch include its own vote.
    let is_own = |link: &Up| usize::from(links.contains(link));
    let have = |link: &Up| votes[link] - is_own(link);
    let is_usual = |link: &&Up| have(link) >= 2 && 3 * votes[link] >= 2 * (siblings + is_own(link));
    let usual: Vec<Up> = votes.keys().filter(is_usual).copied().collect();
    if 2 * links.len() <= usual.len() {
        return Vec::new();
    }
    let mut fewer = usual.len().saturating_sub(links.len());
    let far = |port: u8| fabric.far(switch, port);
    // A link that siblings do not have may be a link that they have, at a wrong port.
    let mut spare: Vec<Up> = links.to_vec();
    spare.retain(|link| !usual.contains(link));
    let mut doubts = Vec::new();
    for (port, above) in usual.into_iter().filter(|link| !links.contains(link)) {
        let other = spare.iter().position(|&(_, a)| a == above);
        let other = other.map(|at| spare.remove(at).0);
        let (kind, near) = match (other, far(port)) {
            (Some(near), _) => (Kind::WrongPort, near),
            (None, Some(_)) => (Kind::Moved, port),
            (None, None) => (Kind::Missing, port),
        };
        let far_ends = links.iter().filter_map(|&(port, _)| far(port));
        let doubt = Doubt {
            switch,
            port,
            above,
            above_port: above_port(fabric, above, far_ends),
            kind,
            instead: far(near).map(|end| (near, end)),
            have: have(&(port, above)) as u32,
            siblings: siblings as u32,
        };
        if kind == Kind::Missing {
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

/// The port that most links have at their far ends, if that port of `above` is free.
fn above_port(fabric: &Fabric, above: u32, far: impl Iterator<Item = (u32, u8)>) -> Option<u8> {
    let mut far: Vec<u8> = far.map(|(_, port)| port).collect();
    let (port, most) = most_common(&mut far);
    let ports = fabric.switches()[above as usize].ports;
    let free = (1..=ports).contains(&port) && fabric.peer(above, port) == Peer::None;
    (2 * most > far.len() && free).then_some(port)
}

/// All uplinks that siblings have and a switch lacks, as differences with names.
pub fn among_siblings(fabric: &Fabric, names: &Names, ranking: &Ranking) -> Vec<Difference> {
    let end = |switch, port| End::of_switch(fabric, names, switch, port);
    let difference = |doubt: Doubt| {
        let instead = doubt.instead;
        let ends_of = |(near, (other, far))| [end(doubt.switch, Some(near)), end(other, Some(far))];
        Difference {
            kind: doubt.kind,
            ends: vec![
                end(doubt.switch, Some(doubt.port)),
                end(doubt.above, doubt.above_port.filter(|_| instead.is_none())),
            ],
            found: instead.into_iter().flat_map(ends_of).collect(),
            reason: format!("{} of {} siblings have it", doubt.have, doubt.siblings),
        }
    };
    let doubts = doubts(fabric, ranking).into_iter();
    doubts.map(difference).collect()
}
