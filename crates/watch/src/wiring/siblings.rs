//! Compares a switch with its siblings: the switches of its rank and number of ports with mostly the same
//! parents.
//!
//! If three in four of at least four siblings, this switch among them, have a link at the same port to the same switch
//! above, this switch should have it too: two against two is no usual place. (Routes expect
//! more: a wrong expectation costs them less than an alarm.) A switch with at most half as many uplinks gets no finding: it
//! is meant to have fewer. A link counts as missing only where both switches have a dark port for it. A switch misses
//! no more links than its siblings have more uplinks.

use super::families::families;
use super::{Difference, End, Kind, is_majority};
use dmodc_core::{Groups, Ranking, most_common};
use dmodc_fabric::{Fabric, Peer, PortNumber, SwitchId, counted};
use dmodc_formats::netlist::Names;
use std::collections::BTreeMap;

/// How many links of a switch a log line names.
const NAMED: usize = 4;

/// An uplink that the siblings of a switch have and the switch lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// The switch that lacks it.
    pub switch: SwitchId,
    /// The switch's port at which the siblings have the link.
    pub port: PortNumber,
    /// The switch above.
    pub above: SwitchId,
    /// The port of `above`, if that is free, and if most uplinks of this switch have the same port at their far ends.
    pub above_port: Option<PortNumber>,
    /// How the link differs.
    pub kind: Kind,
    /// The link that the switch has instead, to the same switch above or at the same port: own port, and the switch and
    /// port at the other end.
    instead: Option<(PortNumber, (SwitchId, PortNumber))>,
    pub have: usize,
    pub siblings: usize,
}

/// An uplink: the switch's port, and the switch above.
type Up = (PortNumber, SwitchId);

/// A switch whose uplinks differ from its siblings' uplinks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unlike {
    pub switch: SwitchId,
    pub uplinks: usize,
    /// The links that its siblings have and it lacks.
    pub doubts: Vec<Doubt>,
}

impl Doubt {
    /// The link in a log line; `name` names a switch.
    fn describe(&self, name: &impl Fn(SwitchId) -> String) -> String {
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
    /// How many links are missing, as opposed to links in a wrong place, without those at idle ports. `is_idle` is
    /// asked for the port below, and for the switch above.
    pub fn missing(&self, is_idle: impl Fn(SwitchId, Option<PortNumber>) -> bool) -> usize {
        let missing = self.doubts.iter().filter(|doubt| {
            let below = is_idle(self.switch, Some(doubt.port));
            doubt.kind == Kind::Missing && !below && !is_idle(doubt.above, doubt.above_port)
        });
        missing.count()
    }

    /// The switch in a log line, with the first few links; `name` names a switch.
    pub fn describe(&self, name: impl Fn(SwitchId) -> String) -> String {
        let mut text = format!("{}: {} uplinks", name(self.switch), self.uplinks);
        let missing = self.missing(|_, _| false);
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

/// The switches whose uplinks differ from their siblings' uplinks, in ascending index. `groups` are the port groups of
/// the fabric.
pub fn unlike_siblings(fabric: &Fabric, groups: &Groups, ranking: &Ranking) -> Vec<Unlike> {
    let links_up = |s: SwitchId| -> Vec<Up> {
        let up = groups.parents(s);
        let ports = up.flat_map(|g| {
            let ports = groups.ports(g).iter();
            ports.map(|&port| (PortNumber(port), g.remote))
        });
        ports.collect()
    };
    let ports = |s: SwitchId| fabric.switches()[s].ports;
    let mut unlike = Vec::new();
    for mut siblings in families(groups, ranking) {
        siblings.sort_by_key(|&s| ports(s));
        for of_size in siblings.chunk_by(|&a, &b| ports(a) == ports(b)) {
            let links: Vec<Vec<Up>> = of_size.iter().map(|&s| links_up(s)).collect();
            let votes = counted(links.iter().flatten().copied());
            for (&switch, links) in of_size.iter().zip(&links) {
                let doubts = compare(fabric, switch, links, (&votes, of_size.len() - 1));
                if !doubts.is_empty() {
                    unlike.push(Unlike {
                        switch,
                        uplinks: links.len(),
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
    switch: SwitchId,
    links: &[Up],
    (votes, siblings): (&BTreeMap<Up, usize>, usize),
) -> Vec<Doubt> {
    let is_usual = |link: &&Up| is_majority(votes[*link], siblings + 1);
    let usual: Vec<Up> = votes.keys().filter(is_usual).copied().collect();
    if 2 * links.len() <= usual.len() {
        return Vec::new();
    }
    let mut fewer = usual.len().saturating_sub(links.len());
    let far = |port: PortNumber| fabric.far(switch, port);
    // A link that siblings do not have may be a link that they have, at a wrong port.
    let mut spare: Vec<Up> = links.to_vec();
    spare.retain(|link| !usual.contains(link));
    let mut doubts = Vec::new();
    // Several links to one switch have different far ports: those at one place of their pairs vote, if there are two.
    let place = |link: &Up| usual.iter().filter(|u| u.1 == link.1 && u <= &link).count();
    for &(port, above) in usual.iter().filter(|link| !links.contains(link)) {
        let other = spare.iter().position(|&(_, a)| a == above);
        let other = other.map(|at| spare.remove(at).0);
        let (kind, near) = match (other, far(port)) {
            (Some(near), _) => (Kind::WrongPort, near),
            (None, Some(_)) => (Kind::Moved, port),
            (None, None) => (Kind::Missing, port),
        };
        let alike = |link: &&Up| place(link) == place(&(port, above));
        let mut voters: Vec<Up> = links.iter().filter(alike).copied().collect();
        if voters.len() < 2 {
            voters = links.to_vec();
        }
        let far_ends = voters.iter().filter_map(|link| far(link.0));
        let doubt = Doubt {
            switch,
            port,
            above,
            above_port: above_port(fabric, above, far_ends),
            kind,
            instead: far(near).map(|end| (near, end)),
            have: votes[&(port, above)],
            siblings,
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
fn above_port(
    fabric: &Fabric,
    above: SwitchId,
    far: impl Iterator<Item = (SwitchId, PortNumber)>,
) -> Option<PortNumber> {
    let mut far: Vec<PortNumber> = far.map(|(_, port)| port).collect();
    let (port, most) = most_common(&mut far);
    let mut ports = fabric.ports_of(above);
    let free = ports.any(|end| end == (port, Peer::None));
    (2 * most > far.len() && free).then_some(port)
}

/// All uplinks that siblings have and a switch lacks, as differences with names.
pub fn among_siblings(fabric: &Fabric, names: &Names, ranking: &Ranking) -> Vec<Difference> {
    let end = |switch, port| End::of_switch(fabric, names, switch, port);
    let difference = |doubt: Doubt| {
        let instead = doubt.instead;
        let ends_of = |(near, (other, far))| [end(doubt.switch, Some(near)), end(other, Some(far))];
        let ends = vec![
            end(doubt.switch, Some(doubt.port)),
            end(doubt.above, doubt.above_port.filter(|_| instead.is_none())),
        ];
        let found = instead.into_iter().flat_map(ends_of).collect();
        let reason = format!("{} of {} siblings have it", doubt.have, doubt.siblings);
        Difference::link(doubt.kind, ends, found, reason)
    };
    let unlike = unlike_siblings(fabric, &Groups::of_fabric(fabric, ranking), ranking);
    let doubts = unlike.into_iter().flat_map(|unlike| unlike.doubts);
    doubts.map(difference).collect()
}
