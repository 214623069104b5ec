//! Parts: the connected parts of the fabric without its upper levels (pods, and pods of pods), and their slots.
//!
//! If all switches above a pod have it at the same port, that port is its slot. If the planes of a pod are cabled
//! differently (its second switch at the next port), each plane has slots of its own. Then one plane that has a switch
//! in most parts decides the slots.

use super::cables::{Cables, UsualGroup, most_voted};
use crate::dmodc::tree::{Group, Ranking, Sides, join, root};
use std::collections::BTreeMap;

/// The parts of one rank: the switches of that rank and below.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// By switch: the name of its part, which is one of the part's switches.
    pub of: Vec<u32>,
    /// By name of a part: its slot; 0 if it is unknown.
    pub slot: Vec<u8>,
    /// If each plane has slots of its own: the planes, by the class of their switches, and the class that decides.
    planes: BTreeMap<u32, Plane>,
    deciding: Option<u32>,
}

/// The switches of one class.
#[derive(Clone, Debug, Default)]
struct Plane {
    /// The part and the slot of each switch, ascending.
    slots: Vec<(u32, u8)>,
    /// The parents of at least half of the switches, each with the number of these switches below it.
    above: BTreeMap<u32, usize>,
}

impl Plane {
    fn slot(&self, part: u32) -> Option<u8> {
        let at = self.slots.binary_search_by_key(&part, |&(part, _)| part);
        at.ok().map(|at| self.slots[at].1)
    }
}

impl Parts {
    /// Finds the parts of all ranks by the links at usual ports, so a wrong cable joins none.
    pub fn of_ranks(groups: &Sides, ranking: &Ranking, cables: &Cables) -> Vec<Parts> {
        let count = groups.switches() as u32;
        // All links up: lower switch, upper switch, and whether both ends are at the usual ports.
        let mut links: Vec<(u32, u32, bool)> = Vec::new();
        let mut some_agree = vec![false; count as usize];
        // Upper switches come in ascending order, as in the groups of each lower switch.
        let mut next = vec![0; count as usize];
        for above in 0..count {
            for down in groups.down(above) {
                let s = down.remote as usize;
                let up = &groups.up(down.remote)[next[s]];
                next[s] += 1;
                if !down.level {
                    let is_at = |place: u8, group, of_rank: &[UsualGroup], rank: u32| {
                        let ports = groups.ports(group);
                        place == 0
                            || place == ports[0]
                            || place == of_rank[rank as usize].first_port(ports)
                    };
                    let (low, high) = (ranking.rank(down.remote), ranking.rank(above));
                    let agrees = is_at(cables.plane[above as usize], up, &cables.groups_up, low)
                        && is_at(cables.slot[s], down, &cables.groups_down, high);
                    links.push((down.remote, above, agrees));
                    some_agree[s] |= agrees;
                }
            }
        }
        let mut parent: Vec<u32> = (0..count).collect();
        let mut of_rank: Vec<Vec<(u32, u32)>> = vec![Vec::new(); ranking.per_rank().len()];
        for (s, above, agrees) in links {
            if agrees || !some_agree[s as usize] {
                of_rank[ranking.rank(above) as usize].push((s, above));
            }
        }
        let of_links = |(rank, links): (usize, Vec<(u32, u32)>)| {
            for (a, b) in links {
                join(&mut parent, a, b);
            }
            let of = (0..count).map(|s| root(&mut parent, s)).collect();
            Parts::new(groups, ranking, cables, rank, of)
        };
        of_rank.into_iter().enumerate().map(of_links).collect()
    }

    fn new(groups: &Sides, ranking: &Ranking, cables: &Cables, rank: usize, of: Vec<u32>) -> Parts {
        let above = |s: u32| {
            let is_above = ranking.rank(s) as usize > rank;
            let down = if is_above { groups.down(s) } else { &[] };
            let below = |g: &&Group| !g.level && ranking.rank(g.remote) as usize <= rank;
            let usual = cables.groups_down[ranking.rank(s) as usize];
            let port = move |g| usual.first_port(groups.ports(g));
            let of = &of;
            down.iter()
                .filter(below)
                .map(move |g| (of[g.remote as usize], port(g)))
        };
        // At rank 0 each switch is a part.
        let of_switch = |s| match ranking.rank(s) {
            0 => cables.slot[s as usize],
            _ => 0,
        };
        let mut parts = Parts {
            slot: match rank {
                0 => (0..of.len() as u32).map(of_switch).collect(),
                _ => most_voted(of.len(), above, 1, |_| 0),
            },
            ..Parts::default()
        };
        if parts.slot.iter().all(|&slot| slot == 0) {
            let switches = 0..of.len() as u32;
            for s in switches.filter(|&s| ranking.rank(s) as usize == rank) {
                let (part, slot) = (of[s as usize], cables.slot[s as usize]);
                if slot != 0 {
                    let plane = parts.planes.entry(cables.class[s as usize]).or_default();
                    plane.slots.push((part, slot));
                    let parents = groups.parents(s).map(|g| g.remote);
                    parents.for_each(|parent| *plane.above.entry(parent).or_default() += 1);
                }
            }
            parts.find_slots();
        }
        parts.of = of;
        parts
    }

    /// Takes the slots of all parts from the plane with most slots.
    fn find_slots(&mut self) {
        self.planes.retain(|_, Plane { slots, above }| {
            above.retain(|_, below| 2 * *below >= slots.len());
            slots.sort_unstable();
            let mut by_slot: Vec<u8> = slots.iter().map(|&(_, slot)| slot).collect();
            by_slot.sort_unstable();
            // A plane with two switches in a part, or with two parts at one slot, cannot decide.
            let is_double = slots.windows(2).any(|two| two[0].0 == two[1].0);
            !is_double && by_slot.windows(2).all(|two| two[0] != two[1]) && slots.len() > 1
        });
        let planes = self.planes.iter().rev();
        let most = planes.max_by_key(|(_, plane)| plane.slots.len());
        let Some((&class, plane)) = most else { return };
        self.deciding = Some(class);
        for &(part, slot) in &plane.slots {
            self.slot[part as usize] = slot;
        }
    }

    /// Whether the slots of the parts are ports of this switch.
    pub fn has_slots(&self, switch: u32) -> bool {
        let deciding = self.deciding.and_then(|class| self.planes.get(&class));
        deciding.is_none_or(|plane| plane.above.contains_key(&switch))
    }

    /// The port at which its parents should have a switch of this class in this part; 0 if unknown. `is_dark` returns
    /// whether a port is dark on the given parents.
    pub fn slot_of(
        &self,
        part: u32,
        class: u32,
        is_dark: impl Fn(&BTreeMap<u32, usize>, u8) -> bool,
    ) -> u8 {
        if self.deciding.is_none() {
            return self.slot[part as usize];
        }
        let Some(plane) = self.planes.get(&class) else {
            return 0;
        };
        if let Some(slot) = plane.slot(part) {
            return slot;
        }
        // All planes have the parts in one order: the slot is between the slots of the next parts at another plane.
        let others = self.planes.values();
        let others = others.filter_map(|other| Some((other, other.slot(part)?)));
        let Some((other, own)) = others.max_by_key(|(other, _)| other.slots.len()) else {
            return 0;
        };
        let (mut below, mut above) = (None::<(u8, u8)>, None::<(u8, u8)>);
        for &(part, slot) in &plane.slots {
            match other.slot(part) {
                Some(there) if there < own => below = below.max(Some((there, slot))),
                Some(there) if above.is_none_or(|above| (there, slot) < above) => {
                    above = Some((there, slot));
                }
                _ => {}
            }
        }
        let as_far = [
            below.and_then(|(there, slot)| slot.checked_add(own - there)),
            above.and_then(|(there, slot)| slot.checked_sub(there - own)),
        ];
        let first = below.map_or(1, |(_, slot)| slot.saturating_add(1));
        let last = above.map_or(254, |(_, slot)| slot.saturating_sub(1));
        let fits = |slot: &u8| is_dark(&plane.above, *slot);
        // A slot between used slots is likelier than a slot behind all of them.
        let used = self.planes.values().flat_map(|plane| &plane.slots);
        let most = used.map(|&(_, slot)| slot).max().unwrap_or(0);
        let near = as_far
            .into_iter()
            .flatten()
            .filter(|slot| (first..=last).contains(slot));
        let mut near = near
            .chain(first..=last.min(most))
            .chain(1..=most)
            .chain(first..=last);
        near.find(fits).unwrap_or(0)
    }
}
