//! Places: the position of each switch in the design, by the ports of its cables and not by its GUID.
//!
//! People and chassis makers cable by rule: a switch is at the same port of all its parents (its *slot*), and a parent
//! at the same port of all its children (its *plane*). Three orders follow:
//! - *Planes*: the switches of one rank, by the planes on the path up to them. So all pods have their parents in the
//!   same order.
//! - *Pods*: without the top level the fabric falls into parts; without the next level each part falls into smaller
//!   parts. Parts are ordered by their slots, and so are the leaves of a smallest part.
//! - *Places*: all switches by rank, leaves by pods, others by planes.
//!
//! Where the ports of a level do not agree (cables at random), GUIDs decide the order, as in the paper. A replaced box
//! keeps its place, and two subnet managers find the same places.

use super::cables::{Cables, most_common};
use super::leaves::Leaves;
use super::parts::Parts;
use crate::dmodc::tree::{Ranking, Sides, mix};
use crate::fabric::Fabric;

/// The places of switches by ports. Majorities decide, so one wrong cable moves no place.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The plane, slot and class of each switch.
    pub cables: Cables,
    /// By rank: the parts of the fabric without all switches of higher rank.
    pub parts: Vec<Parts>,
    /// The leaves in the order of their numbers, by pods and slots; `None` for a dead leaf.
    pub leaves: Vec<Option<u32>>,
    /// All switches in the order of their places.
    pub order: Vec<u32>,
    /// By switch: a number for its place, made of the ports on the paths to it.
    pub name: Vec<u64>,
}

impl Places {
    /// Finds the places of all switches.
    pub fn new(fabric: &Fabric, groups: &Sides, ranking: &Ranking) -> Self {
        let cables = Cables::new(groups, ranking);
        let parts = Parts::of_ranks(groups, ranking, &cables);
        let leaves = Leaves::new(fabric, ranking, &parts).in_order();
        let mut places = Places {
            cables,
            parts,
            leaves,
            ..Places::default()
        };
        let ascending = ranking.ascending();
        places.find_order(groups, ranking, &ascending);
        places.find_names(fabric, groups, &ascending);
        places
    }

    /// Orders all switches by rank and class, then by the first leaf below them; where planes are unknown, by GUID.
    fn find_order(&mut self, groups: &Sides, ranking: &Ranking, ascending: &[u32]) {
        let count = groups.switches() as u32;
        let mut first = vec![(u32::MAX, 0u8); count as usize];
        for (nth, leaf) in (0..).zip(self.leaves.iter().flatten()) {
            first[*leaf as usize] = (nth, 0);
        }
        for &s in ascending {
            let (leaf, _) = first[s as usize];
            for group in groups.parents(s) {
                let above = &mut first[group.remote as usize];
                *above = (leaf, groups.ports(group)[0]).min(*above);
            }
        }
        let key = |s: u32| {
            let trusted = ranking.is_leaf(s) || self.cables.plane[s as usize] != 0;
            let first = trusted.then_some(first[s as usize]);
            (ranking.rank(s), self.cables.class[s as usize], first, s)
        };
        let mut order: Vec<_> = (0..count).map(key).collect();
        order.sort_unstable();
        self.order = order.into_iter().map(|(.., s)| s).collect();
    }

    /// Finds the names: hashes of the planes below and the slots above, or of GUIDs where ports do not agree.
    fn find_names(&mut self, fabric: &Fabric, groups: &Sides, ascending: &[u32]) {
        let count = self.cables.plane.len();
        let guid = |s: u32| fabric.switches()[s as usize].key;
        let (mut planes, mut slots) = (vec![0u64; count], vec![0u64; count]);
        let mut near: Vec<u64> = Vec::new();
        for &s in ascending {
            let children = groups.children(s);
            near.clear();
            near.extend(children.map(|g| planes[g.remote as usize]));
            let own = match (near.is_empty(), self.cables.plane[s as usize]) {
                (true, _) => 1,
                (false, 0) => guid(s),
                (false, plane) => plane.into(),
            };
            planes[s as usize] = mix(most_common(&mut near).0, own);
        }
        for &s in ascending.iter().rev() {
            let parents = groups.parents(s);
            near.clear();
            near.extend(parents.map(|g| slots[g.remote as usize]));
            let own = match (near.is_empty(), self.cables.slot[s as usize]) {
                (true, _) => 1,
                (false, 0) => guid(s),
                (false, slot) => slot.into(),
            };
            slots[s as usize] = mix(most_common(&mut near).0, own);
        }
        let names = planes.iter().zip(&slots);
        self.name = names.map(|(&planes, &slots)| mix(planes, slots)).collect();
    }
}
