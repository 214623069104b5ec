//! The order of leaves, with free numbers for dead leaves.
//!
//! A part of the fabric holds smaller parts at slots; a smallest part holds leaves. Slots that most parts of a level
//! use are *usual*. A usual slot that is dark in one part, or a dark slot between used slots, belongs to a dead leaf or
//! pod. Parts that end at the same slot are *alike*: leaves and pods at unusual slots come after all others, so a leaf
//! added at the end of a pod moves no other leaf. Parts that are not alike have numbers for each port, so a part that
//! grows moves no other. Where ports do not agree, leaves that a reference added later come after all others, and a pod
//! with fewer leaves than most keeps numbers free behind its last leaf.

use super::cables::most_common;
use super::parts::Parts;
use crate::dmodc::tree::Ranking;
use crate::fabric::{Fabric, Peer, counted};

/// A slot belongs to a dead leaf or pod if it is dark on at least this many of four switches above.
const DARK: usize = 3;

/// The search for the order.
pub struct Leaves<'l> {
    fabric: &'l Fabric,
    ranking: &'l Ranking,
    parts: &'l [Parts],
    /// By rank: its switches, ascending, each as its part and the switch.
    tops: Vec<Vec<(u32, u32)>>,
    /// By rank: the slots that most parts use for smaller parts.
    usual: Vec<Vec<u8>>,
    /// By rank: for how many smaller parts each part has numbers; 0 if parts are alike.
    room: Vec<usize>,
    /// By rank: the number of leaves that more than half of the parts have; 0 if there is none.
    size: Vec<usize>,
    /// Leaves that come after all others: at unusual slots, or added later by a reference.
    others: Vec<Option<u32>>,
}

impl<'l> Leaves<'l> {
    /// Collects the switches, the usual slots and the usual sizes of the parts of each rank.
    pub fn new(fabric: &'l Fabric, ranking: &'l Ranking, parts: &'l [Parts]) -> Self {
        let ranks = parts.len();
        let mut tops = vec![Vec::new(); ranks];
        for s in 0..fabric.switches().len() as u32 {
            let rank = ranking.rank(s) as usize;
            tops[rank].push((parts[rank].of[s as usize], s));
        }
        tops.iter_mut().for_each(|tops| tops.sort_unstable());
        let mut leaves = Leaves {
            fabric,
            ranking,
            parts,
            tops,
            usual: vec![Vec::new(); ranks],
            room: vec![0; ranks],
            size: vec![0; ranks],
            others: Vec::new(),
        };
        for rank in 1..ranks {
            leaves.find_usual(rank);
            leaves.size[rank] = leaves.usual_size(rank);
        }
        leaves
    }

    /// All leaves in order, dead leaves as `None`.
    pub fn in_order(mut self) -> Vec<Option<u32>> {
        let rank = self.parts.len().saturating_sub(1);
        let part = |leaf: &u32| self.parts[rank].of[*leaf as usize];
        let mut all: Vec<u32> = self.ranking.leaves().collect();
        all.sort_by_key(part);
        let mut order = Vec::new();
        for leaves in all.chunk_by(|a, b| part(a) == part(b)) {
            order.extend(self.of_part(rank, part(&leaves[0]), leaves));
        }
        // Leaves that the reference added later come later.
        let era = |leaf: &Option<u32>| leaf.map_or(0, |s| self.fabric.switches()[s as usize].era);
        self.others.sort_by_key(era);
        order.append(&mut self.others);
        order
    }

    /// The switches of a rank in a part.
    fn tops(&self, rank: usize, part: u32) -> &[(u32, u32)] {
        let tops = &self.tops[rank];
        let first = tops.partition_point(|&(of, _)| of < part);
        let count = tops[first..].partition_point(|&(of, _)| of == part);
        &tops[first..first + count]
    }

    /// The smaller part, of the rank below, that contains a leaf: its slot and its name.
    fn smaller(&self, rank: usize, leaf: u32) -> (u8, u32) {
        let part = self.parts[rank - 1].of[leaf as usize];
        (self.parts[rank - 1].slot[part as usize], part)
    }

    /// Finds the usual slots of a rank, by the parts that reach so far, and whether its parts are alike: all but one,
    /// or all but a third, end at the same slot.
    fn find_usual(&mut self, rank: usize) {
        let part = |leaf: u32| self.parts[rank].of[leaf as usize];
        let slots = self
            .ranking
            .leaves()
            .map(|leaf| (part(leaf), self.smaller(rank, leaf).0));
        let mut slots: Vec<(u32, u8)> = slots.collect();
        slots.sort_unstable();
        slots.dedup();
        slots.retain(|&(part, _)| !self.tops(rank, part).is_empty());
        let last = |slots: &[(u32, u8)]| slots[slots.len() - 1].1;
        let mut ends: Vec<u8> = slots.chunk_by(|a, b| a.0 == b.0).map(last).collect();
        let (end, parts) = most_common(&mut ends);
        let are_alike = parts + (ends.len() / 3).max(1) >= ends.len();
        let votes = counted(slots.iter().map(|&(_, slot)| slot));
        let is_usual = |&(slot, votes): &(u8, usize)| {
            let so_far = ends.iter().filter(|&&end| end >= slot).count();
            2 * votes >= so_far && (!are_alike || slot <= end)
        };
        let usual = votes.into_iter().filter(is_usual);
        self.usual[rank] = usual.map(|(slot, _)| slot).collect();
        if !are_alike {
            // An odd number lets the parts begin at any uplink.
            let tops = self.tops[rank].iter();
            let ports = tops.map(|&(_, s)| self.fabric.switches()[s as usize].ports);
            let ports = most_common(&mut ports.collect::<Vec<u8>>()).0;
            self.room[rank] = usize::from(ports) | 1;
        }
    }

    /// The number of leaves that more than half of the parts of a rank have; else 0.
    fn usual_size(&self, rank: usize) -> usize {
        let part = |leaf: u32| self.parts[rank].of[leaf as usize];
        let mut of_leaves: Vec<u32> = self.ranking.leaves().map(part).collect();
        of_leaves.sort_unstable();
        let sizes = of_leaves.chunk_by(|a, b| a == b).map(<[u32]>::len);
        let mut sizes: Vec<usize> = sizes.collect();
        match most_common(&mut sizes) {
            (size, parts) if 2 * parts > sizes.len() => size,
            _ => 0,
        }
    }

    /// The leaves of a part of a rank, in order.
    fn of_part(&mut self, rank: usize, part: u32, leaves: &[u32]) -> Vec<Option<u32>> {
        if rank == 0 {
            return leaves.iter().copied().map(Some).collect();
        }
        let mut leaves = leaves.to_vec();
        leaves.sort_by_cached_key(|&leaf| self.smaller(rank, leaf));
        let (usual, room) = (self.usual[rank].clone(), self.room[rank]);
        let has_tops = !self.tops(rank, part).is_empty();
        // By smaller part: its slot, whether its leaves have their numbers here, and the leaves.
        let mut laid: Vec<(u8, bool, Vec<Option<u32>>)> = Vec::new();
        let is_place = |slot: u8| !has_tops || room > 0 || usual.contains(&slot);
        let parts = self.parts;
        let part_of = |leaf: &u32| parts[rank - 1].of[*leaf as usize];
        for leaves in leaves.chunk_by(|a, b| part_of(a) == part_of(b)) {
            let (slot, part) = self.smaller(rank, leaves[0]);
            let mut order = self.of_part(rank - 1, part, leaves);
            if slot == 0 && order.len() < self.size[rank - 1] {
                // A leaf is dead, but ports do not show which.
                order.resize(self.size[rank - 1], None);
            }
            let is_new = slot == 0 && self.came_later(leaves);
            laid.push((slot, !is_new && is_place(slot), order));
        }
        let mut used: Vec<u8> = laid.iter().map(|&(slot, ..)| slot).collect();
        used.dedup();
        let gone = self.gone(rank, part, &used, &usual);
        let mut sizes: Vec<usize> = laid.iter().map(|(.., order)| order.len()).collect();
        let size = most_common(&mut sizes).0;
        let end = usual.last().copied().unwrap_or(0);
        let dead = |slot| (slot, slot <= end || is_place(slot), vec![None; size]);
        laid.extend(gone.into_iter().map(dead));
        laid.sort_by_key(|&(slot, ..)| slot);
        let mut order = Vec::new();
        for (_, is_here, leaves) in laid {
            match is_here {
                true => order.extend(leaves),
                false => self.others.extend(leaves),
            }
        }
        order.resize(order.len().max(room * size), None);
        order
    }

    /// Whether a reference added all of these leaves later than others.
    fn came_later(&self, leaves: &[u32]) -> bool {
        let mut leaves = leaves.iter();
        leaves.all(|&leaf| self.fabric.switches()[leaf as usize].era > 0)
    }

    /// The slots of the dead smaller parts of a part. `used` has the slots of the smaller parts that are left.
    fn gone(&self, rank: usize, part: u32, used: &[u8], usual: &[u8]) -> Vec<u8> {
        let tops = self.tops(rank, part);
        if tops.is_empty() {
            return Vec::new();
        }
        let tops = tops.iter().map(|&(_, s)| s);
        let has_slots = |s: &u32| self.parts[rank - 1].has_slots(*s);
        let tops: Vec<u32> = tops.filter(has_slots).collect();
        let mut slots: Vec<u8> = used
            .iter()
            .chain(usual)
            .copied()
            .filter(|&s| s > 0)
            .collect();
        slots.sort_unstable();
        let (Some(&first), Some(&last)) = (slots.first(), slots.last()) else {
            return Vec::new();
        };
        // With parallel links a slot is several ports, and ports of other slots may lie between them.
        let to = |peer: &Peer| match *peer {
            Peer::Switch { index, .. } => Some(index),
            _ => None,
        };
        let shape = |&slot: &u8| {
            let peers = tops.iter().map(|&s| self.fabric.peers_of(s));
            let mut peers = peers.filter_map(|peers| peers.get(usize::from(slot) - 1..));
            let peers = peers.find(|peers| peers.first().is_some_and(|p| to(p).is_some()))?;
            let same = (0..)
                .zip(peers)
                .filter(|(_, peer)| to(peer) == to(&peers[0]));
            Some(same.map(|(more, _)| more).collect())
        };
        let used_slots = used.iter().filter(|&&slot| slot > 0);
        let shaped: Vec<(u8, Vec<u8>)> = used_slots
            .filter_map(|slot| Some((*slot, shape(slot)?)))
            .collect();
        let ports = |slot: u8, shape: &[u8]| -> Vec<u8> {
            shape
                .iter()
                .map(|more| slot.saturating_add(*more))
                .collect()
        };
        let mut taken = [false; 256];
        for port in shaped.iter().flat_map(|(slot, own)| ports(*slot, own)) {
            taken[usize::from(port)] = true;
        }
        // A shape counts if a third of the slots have it: two kinds of switches may differ; one lost link makes none.
        let mut shapes: Vec<&[u8]> = shaped.iter().map(|(_, own)| own.as_slice()).collect();
        shapes.sort_unstable();
        let kinds = shapes
            .chunk_by(|a, b| a == b)
            .filter(|of| 3 * of.len() >= shapes.len());
        let kinds: Vec<&[u8]> = kinds.map(|of| of[0]).collect();
        // A port to a host counts as dark, too.
        let is_dark = |slot: u8| {
            let dark = |s: &&u32| {
                slot <= self.fabric.switches()[**s as usize].ports
                    && to(&self.fabric.peer(**s, slot)).is_none()
            };
            4 * tops.iter().filter(dark).count() >= DARK * tops.len()
        };
        let mut gone = Vec::new();
        for dark in first..=last {
            // The dark port may be any port of the slot.
            let mut starts = kinds.iter().flat_map(|shape| {
                let starts = shape
                    .iter()
                    .rev()
                    .filter_map(|more| dark.checked_sub(*more));
                starts.map(|slot| (slot, ports(slot, shape)))
            });
            let is_free = |&port: &u8| !taken[usize::from(port)] && is_dark(port);
            let fits = |(slot, ports): &(u8, Vec<u8>)| *slot > 0 && ports.iter().all(is_free);
            if let Some((slot, ports)) = starts.find(fits) {
                gone.push(slot);
                ports
                    .iter()
                    .for_each(|&port| taken[usize::from(port)] = true);
            }
        }
        if 3 * gone.len() > 2 * used.len() {
            // So many slots are dark by design.
            gone.retain(|slot| usual.contains(slot));
        }
        gone
    }
}
