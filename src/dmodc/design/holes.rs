//! Holes: the places of dead switches, found by dark ports.
//!
//! Here *siblings* are the switches of one part and one class (equal planes on the path up to them), or of classes that
//! have most of their parents in common. They should have the same parents, at the same ports. A dark uplink port on
//! three of four siblings belonged to a dead parent, if other switches of the rank use the port or it lies between used
//! ports. The search adds that parent to the design, rank by rank, so it finds a whole dead plane as well.
//!
//! A dead leaf or pod needs no switch in the design: no route goes through it. Module `leaves` keeps its numbers free.

use super::cables::most_common;
use super::places::Places;
use crate::dmodc::tree::{Group, Ranking, Sides};
use crate::fabric::{Fabric, Peer};
use std::collections::{BTreeMap, BTreeSet};

/// A dead switch that the search adds to the design.
#[derive(Clone, Debug)]
pub struct Hole {
    /// Its rank.
    pub rank: u32,
    /// Its links: its own port, the switch at the other end, and the port there. The indices of holes follow the
    /// indices of the fabric's switches.
    pub links: Vec<(u8, u32, u8)>,
    /// Its slot: the port at which its parents had it.
    slot: u8,
    class: u32,
    /// A switch of the fabric in the same part.
    anchor: u32,
}

/// A port is usual if at least one in this many switches of a rank uses it.
const USUAL: usize = 4;
/// One plane may be dead as a whole, or one for each this many planes that are left.
const FEW: usize = 4;
/// A parent is dead if its port is dark on at least this many of four siblings.
const DARK: usize = 3;

/// The search for holes.
struct Search<'s> {
    fabric: &'s Fabric,
    groups: &'s Sides,
    ranking: &'s Ranking,
    places: &'s Places,
    holes: Vec<Hole>,
    /// Classes that have no switch, by the class below and the uplink port there; `first_class` has number 0.
    classes: BTreeMap<(u32, u8), u32>,
    first_class: u32,
}

/// Finds all holes, lower ranks first.
pub fn find(fabric: &Fabric, groups: &Sides, ranking: &Ranking, places: &Places) -> Vec<Hole> {
    let mut search = Search {
        fabric,
        groups,
        ranking,
        places,
        holes: Vec::new(),
        classes: BTreeMap::new(),
        first_class: places.cables.class.iter().max().map_or(0, |&most| most + 1),
    };
    for rank in 1..ranking.per_rank().len() as u32 {
        search.rank(rank);
    }
    search.holes
}

/// The ports of one group at both ends, as offsets from the first port.
type Ends = [Vec<u8>; 2];

/// How the switches of a rank are linked to their parents.
#[derive(Default)]
struct Uplinks {
    /// The usual ports ([`USUAL`]).
    usual: BTreeSet<u8>,
    /// The most common ports to one parent, at the switch and at the parent.
    ports: Ends,
    /// By class and port: the class of the parent.
    above: BTreeMap<(u32, u8), u32>,
}

/// The uplink ports that siblings should use: ports that more than half of the similar sets of siblings use. A set is
/// similar if it has more than half of the `known` ports. Without known ports, the usual ports.
fn usual(known: &BTreeMap<u8, u32>, all: &[BTreeMap<u8, u32>], uplinks: &Uplinks) -> BTreeSet<u8> {
    if known.is_empty() {
        return uplinks.usual.clone();
    }
    let alike = |other: &&BTreeMap<u8, u32>| {
        2 * known.keys().filter(|port| other.contains_key(port)).count() > known.len()
    };
    let (mut votes, mut voters) = ([0usize; 256], 0);
    for other in all.iter().filter(alike) {
        voters += 1;
        other.keys().for_each(|&port| votes[usize::from(port)] += 1);
    }
    let usual = (1..=254u8).filter(|&port| 2 * votes[usize::from(port)] > voters);
    usual.collect()
}

impl Search<'_> {
    fn count(&self) -> u32 {
        self.places.cables.plane.len() as u32
    }

    fn hole(&self, s: u32) -> Option<&Hole> {
        let nth = s.checked_sub(self.count())?;
        self.holes.get(nth as usize)
    }

    /// The parents that a switch has at the port of their plane: port and parent.
    fn parents(&self, s: u32) -> impl Iterator<Item = (u8, u32)> {
        let rank = self.ranking.rank(s) + 1;
        let up = self.groups.up(s).iter();
        let up = up.filter(move |g| self.ranking.rank(g.remote) == rank);
        let up = up.map(|g| (self.groups.ports(g)[0], g.remote));
        up.filter(|&(port, parent)| port == self.places.cables.plane[parent as usize])
    }

    fn is_dark(&self, s: u32, port: u8, more: &[u8]) -> bool {
        let ports = more.iter().map(|more| port.saturating_add(*more));
        self.hole(s).is_some()
            || ports.into_iter().all(|port| {
                port != 0
                    && port <= self.fabric.switches()[s as usize].ports
                    && self.fabric.peer(s, port) == Peer::None
            })
    }

    /// The port at which parents should have a switch of this class in this part; 0 if unknown.
    fn part_slot(&self, rank: u32, part: u32, class: u32) -> u8 {
        self.places.parts[rank as usize].slot_of(part, class, |parents, slot| {
            let dark = parents.keys().filter(|&&s| self.is_dark(s, slot, &[0]));
            4 * dark.count() >= DARK * parents.len()
        })
    }

    /// The port at which its parents have a switch, or should have it if it has none.
    fn slot(&self, s: u32) -> u8 {
        if let Some(hole) = self.hole(s) {
            return hole.slot;
        }
        let cables = &self.places.cables;
        if !self.groups.up(s).is_empty() {
            return cables.slot[s as usize];
        }
        let rank = self.ranking.rank(s);
        let part = self.places.parts[rank as usize].of[s as usize];
        self.part_slot(rank, part, cables.class[s as usize])
    }

    /// Adds the holes of a rank: parents that the switches of the rank below should have.
    fn rank(&mut self, rank: u32) {
        let below = |s: &u32| self.ranking.rank(*s) + 1 == rank;
        let children: Vec<u32> = (0..self.count()).filter(below).collect();
        if self.is_whole(&children) && !self.holes.iter().any(|hole| hole.rank + 1 == rank) {
            return;
        }
        let part = &self.places.parts[rank as usize].of;
        let families = self.families(&children);
        let family = |class: u32| families.get(&class).copied().unwrap_or(class);
        let uplinks = self.uplinks(&children, family);
        if uplinks.ports[0].is_empty() {
            return;
        }
        // By part and family of classes: the present switches, and the holes.
        let mut siblings: BTreeMap<(u32, u32), (Vec<u32>, Vec<u32>)> = BTreeMap::new();
        for &s in &children {
            let key = (
                part[s as usize],
                family(self.places.cables.class[s as usize]),
            );
            siblings.entry(key).or_default().0.push(s);
        }
        for (s, hole) in (self.count()..).zip(&self.holes) {
            if hole.rank + 1 == rank {
                let key = (part[hole.anchor as usize], family(hole.class));
                siblings.entry(key).or_default().1.push(s);
            }
        }
        let known = |there: &Vec<u32>| -> BTreeMap<u8, u32> {
            let mut at: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
            for (port, parent) in there.iter().flat_map(|&s| self.parents(s)) {
                at.entry(port).or_default().push(parent);
            }
            let most = at
                .into_iter()
                .map(|(port, mut parents)| (port, most_common(&mut parents).0));
            most.collect()
        };
        let all: Vec<BTreeMap<u8, u32>> =
            siblings.values().map(|(there, _)| known(there)).collect();
        for (nth, ((part, class), (there, holes))) in siblings.into_iter().enumerate() {
            let usual = usual(&all[nth], &all, &uplinks);
            self.above(
                rank,
                (part, class),
                (&there, &holes),
                (&all[nth], &usual),
                &uplinks,
            );
        }
    }

    /// By class: the lowest class of its family. A family is of classes that have most of their parents in common.
    fn families(&self, children: &[u32]) -> BTreeMap<u32, u32> {
        let mut above: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for &s in children {
            let parents = self.parents(s).map(|(_, parent)| parent);
            let of_class = above
                .entry(self.places.cables.class[s as usize])
                .or_default();
            of_class.extend(parents);
        }
        let mut family = BTreeMap::new();
        for (&class, parents) in &above {
            let joins = |other: &u32| {
                let most = parents.len().max(above[other].len());
                2 * parents.intersection(&above[other]).count() > most
            };
            let first = above.range(..class).map(|(other, _)| *other).find(joins);
            let first = first.map_or(class, |first| family[&first]);
            family.insert(class, first);
        }
        family
    }

    /// The ports of a group up at both ends, as offsets from the first port.
    fn ends(&self, s: u32, up: &Group) -> Ends {
        let from_first = |ports: &[u8]| ports.iter().map(|port| port - ports[0]).collect();
        let back = self.groups.to(up.remote, s).map(|g| self.groups.ports(g));
        [self.groups.ports(up), back.unwrap_or(&[])].map(from_first)
    }

    /// Whether no port between the first and the last port to parents is dark on any of the children.
    fn is_whole(&self, children: &[u32]) -> bool {
        let ports = || children.iter().flat_map(|&s| self.parents(s));
        let (first, last) = ports().fold((255, 0), |(first, last), (port, _)| {
            (port.min(first), port.max(last))
        });
        let in_range = usize::from(first).saturating_sub(1)..usize::from(last);
        children.iter().all(|&s| {
            let peers = self.fabric.peers_of(s);
            let range = in_range.start..in_range.end.min(peers.len()).max(in_range.start);
            peers
                .get(range)
                .is_none_or(|peers| !peers.contains(&Peer::None))
        })
    }

    fn uplinks(&self, children: &[u32], family: impl Fn(u32) -> u32) -> Uplinks {
        let mut all = Uplinks::default();
        let (mut votes, mut voters) = ([0usize; 256], 0);
        for &s in children {
            let class = family(self.places.cables.class[s as usize]);
            let mut is_voter = false;
            for (port, parent) in self.parents(s) {
                is_voter = true;
                votes[usize::from(port)] += 1;
                let of_parent = self.places.cables.class[parent as usize];
                all.above.insert((class, port), of_parent);
            }
            voters += usize::from(is_voter);
        }
        let usual = (1..=254).filter(|&port| votes[port] > 0 && USUAL * votes[port] >= voters);
        all.usual = usual.map(|port| port as u8).collect();
        all.ports = self.usual_ends(children);
        all
    }

    /// The most common ends of the groups up of some switches; no ports if there are no groups.
    fn usual_ends(&self, switches: &[u32]) -> Ends {
        let all = switches
            .iter()
            .flat_map(|&s| self.groups.up(s).iter().map(move |up| (s, up)));
        let (single, several): (Vec<_>, Vec<_>) = all.partition(|(_, up)| up.size() == 1);
        let mut several: Vec<Ends> = several
            .into_iter()
            .map(|(s, up)| self.ends(s, up))
            .collect();
        let (ends, votes) = most_common(&mut several);
        match single.len() >= votes.max(1) {
            true => [vec![0], vec![0]],
            false => ends,
        }
    }

    /// Links the holes among siblings to the known parents, then adds the dead parents of these siblings.
    fn above(
        &mut self,
        rank: u32,
        (part, class): (u32, u32),
        (there, holes): (&[u32], &[u32]),
        (known, usual): (&BTreeMap<u8, u32>, &BTreeSet<u8>),
        uplinks: &Uplinks,
    ) {
        // Other switches of the rank may have more or fewer links to a parent.
        let own = self.usual_ends(there);
        let ends = if own[0].is_empty() {
            &uplinks.ports
        } else {
            &own
        };
        for &hole in holes {
            for (&port, &parent) in known {
                self.link(hole, port, parent, ends);
            }
        }
        if there.len() == 1 {
            // On a single switch a dark port may as well be a lost link.
            return;
        }
        let mut expected: BTreeSet<u8> = usual.iter().chain(known.keys()).copied().collect();
        if let (Some(&first), Some(&last)) = (expected.first(), expected.last()) {
            expected.extend(first..=last);
        }
        let [near, _] = ends;
        let mut missing: Vec<u8> = Vec::new();
        let mut taken = [false; 256];
        let take = |taken: &mut [bool; 256], port: u8| {
            let ports = near.iter().map(|more| port.saturating_add(*more));
            ports.for_each(|port| taken[usize::from(port)] = true);
        };
        known.keys().for_each(|&port| take(&mut taken, port));
        for port in expected {
            let dark = |s: &&u32| self.is_dark(**s, port, near);
            let dark = there.iter().filter(dark).count();
            if !taken[usize::from(port)] && 4 * dark >= DARK * there.len() {
                missing.push(port);
                take(&mut taken, port);
            }
        }
        if there.is_empty() {
            // No switch of the family is left: its parents are at the usual ports of the rank.
            missing.retain(|port| usual.contains(port));
        } else {
            // A port that is not usual belongs to a plane that is dead as a whole, if such ports are few.
            let nowhere = |port: &&u8| !usual.contains(port);
            let unused = missing.iter().filter(nowhere).count();
            if unused > (known.len() / FEW).max(1) {
                missing.retain(|port| !nowhere(&port));
            }
            let has_parents = there.iter().any(|&s| !self.groups.up(s).is_empty());
            if has_parents && missing.len() > known.len() {
                // So many ports are dark by design.
                return;
            }
        }
        let with_slot = |&&s: &&u32| self.slot(s) != 0;
        if !there.iter().chain(holes).any(|s| with_slot(&s)) {
            return;
        }
        for port in missing {
            let above = uplinks.above.get(&(class, port)).copied();
            let above = above.unwrap_or_else(|| {
                let next = self.classes.len() as u32;
                self.first_class + *self.classes.entry((class, port)).or_insert(next)
            });
            let parent = self.count() + self.holes.len() as u32;
            let anchor = |s: u32| self.hole(s).map_or(s, |hole| hole.anchor);
            let Some(&first) = there.first().or(holes.first()) else {
                return;
            };
            self.holes.push(Hole {
                rank,
                links: Vec::new(),
                slot: self.part_slot(rank, part, above),
                class: above,
                anchor: anchor(first),
            });
            for &s in there.iter().chain(holes) {
                self.link(s, port, parent, ends);
            }
        }
    }

    /// Links a switch to a parent at a port, if the ports are dark at both ends. One of the two switches is a hole.
    fn link(&mut self, s: u32, port: u8, parent: u32, ports: &Ends) {
        let slot = self.slot(s);
        if slot == 0 || !self.is_dark(s, port, &ports[0]) || !self.is_dark(parent, slot, &ports[1])
        {
            return;
        }
        for (near, far) in ports[0].iter().zip(&ports[1]) {
            let (near, far) = (port.saturating_add(*near), slot.saturating_add(*far));
            let (hole, own, other, there) = match self.hole(s).is_some() {
                true => (s, near, parent, far),
                false => (parent, far, s, near),
            };
            let nth = (hole - self.count()) as usize;
            self.holes[nth].links.push((own, other, there));
        }
    }
}
