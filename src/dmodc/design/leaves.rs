//! The order of leaves, with free numbers for dead ones.
//!
//! A part of the fabric holds smaller parts at slots, a smallest one holds leaves. Slots that most parts of a
//! level use are *usual*. A usual slot that is dark in one part, and a dark slot between used ones, belong to
//! a dead leaf or pod. Leaves and pods at unusual slots come after all others, so that a leaf which is added
//! at the end of a pod moves no other; so do, where ports do not agree, those that a reference added later.
//! Where ports do not agree, a pod with fewer leaves than most have keeps numbers free behind its last one.

use super::cables::most_common;
use super::parts::Parts;
use crate::dmodc::tree::Ranking;
use crate::fabric::{Fabric, Peer};

/// A slot belongs to a dead leaf or pod if this many of four switches above have it dark.
const DARK: usize = 3;

/// The search for the order.
pub struct Leaves<'l> {
    fabric: &'l Fabric,
    ranking: &'l Ranking,
    parts: &'l [Parts],
    /// Per rank: part and switch of the rank, ascending.
    tops: Vec<Vec<(u32, u32)>>,
    /// By rank: the slots that most parts use for smaller parts; empty if parts are not alike.
    usual: Vec<Vec<u8>>,
    /// By rank: how many leaves most parts have; 0 if parts are not alike.
    size: Vec<usize>,
    /// Leaves at unusual slots.
    others: Vec<Option<u32>>,
}

impl<'l> Leaves<'l> {
    /// Collects the parts.
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
            size: vec![0; ranks],
            others: Vec::new(),
        };
        for rank in 1..ranks {
            leaves.usual[rank] = leaves.usual_slots(rank);
            leaves.size[rank] = leaves.usual_size(rank);
        }
        leaves
    }

    /// All leaves, dead ones as `None`.
    pub fn in_order(mut self) -> Vec<Option<u32>> {
        let rank = self.parts.len().saturating_sub(1);
        let part = |leaf: &u32| self.parts[rank].of[*leaf as usize];
        let mut all: Vec<u32> = self.ranking.leaves().collect();
        all.sort_by_key(part);
        let mut order = Vec::new();
        for leaves in all.chunk_by(|a, b| part(a) == part(b)) {
            order.extend(self.of_part(rank, part(&leaves[0]), leaves));
        }
        // What a reference came to know later stands later.
        let era = |leaf: &Option<u32>| leaf.map(|s| self.fabric.switches()[s as usize].era);
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

    /// The smaller part, of the rank below, that contains a leaf: slot and name.
    fn smaller(&self, rank: usize, leaf: u32) -> (u8, u32) {
        let part = self.parts[rank - 1].of[leaf as usize];
        (self.parts[rank - 1].slot[part as usize], part)
    }

    /// The slots that most parts of a rank use, if at least half of them use exactly these; else all.
    fn usual_slots(&self, rank: usize) -> Vec<u8> {
        let part = |leaf: u32| self.parts[rank].of[leaf as usize];
        let slots = self
            .ranking
            .leaves()
            .map(|leaf| (part(leaf), self.smaller(rank, leaf).0));
        let mut slots: Vec<(u32, u8)> = slots.collect();
        slots.sort_unstable();
        slots.dedup();
        let of_part = slots.chunk_by(|a, b| a.0 == b.0);
        let of_part = of_part.filter(|slots| !self.tops(rank, slots[0].0).is_empty());
        let set = |slots: &[(u32, u8)]| slots.iter().map(|&(_, slot)| slot).collect();
        let mut sets: Vec<Vec<u8>> = of_part.map(set).collect();
        let (usual, parts) = most_common(&mut sets);
        match 2 * parts >= sets.len() {
            true => usual,
            false => Vec::new(),
        }
    }

    /// How many leaves most parts of a rank have, if more than half of them have so many; else 0.
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
        let usual = self.usual[rank].clone();
        let has_tops = !self.tops(rank, part).is_empty();
        let mut laid: Vec<(u8, Vec<Option<u32>>)> = Vec::new();
        let mut used: Vec<u8> = Vec::new();
        let parts = self.parts;
        let part_of = |leaf: &u32| parts[rank - 1].of[*leaf as usize];
        for leaves in leaves.chunk_by(|a, b| part_of(a) == part_of(b)) {
            let (slot, part) = self.smaller(rank, leaves[0]);
            let mut order = self.of_part(rank - 1, part, leaves);
            if slot == 0 && order.len() < self.size[rank - 1] {
                // Ports do not tell which leaf is dead, but that one is.
                order.resize(self.size[rank - 1], None);
            }
            let is_new = slot == 0 && self.came_later(leaves);
            match !is_new && (!has_tops || usual.is_empty() || usual.contains(&slot)) {
                true => laid.push((slot, order)),
                false => self.others.extend(order),
            }
            used.push(slot);
        }
        used.dedup();
        let gone = self.gone(rank, part, &used, &usual);
        let mut sizes: Vec<usize> = laid.iter().map(|(_, order)| order.len()).collect();
        let size = most_common(&mut sizes).0;
        laid.extend(gone.into_iter().map(|slot| (slot, vec![None; size])));
        laid.sort_by_key(|&(slot, _)| slot);
        laid.into_iter().flat_map(|(_, order)| order).collect()
    }

    /// Whether a reference added all of these leaves later than others.
    fn came_later(&self, leaves: &[u32]) -> bool {
        let mut leaves = leaves.iter();
        leaves.all(|&leaf| self.fabric.switches()[leaf as usize].era > 0)
    }

    /// The slots of dead parts of a part whose smaller parts are at the slots in `used`.
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
        // Where several links join two switches, a slot is several ports: as many as that before it.
        let width = |slot: u8| {
            let of_one = |s: &u32| {
                let peers = &self.fabric.peers_of(*s)[usize::from(slot) - 1..];
                let to = |peer: &Peer| match *peer {
                    Peer::Switch { index, .. } => Some(index),
                    _ => None,
                };
                let first = peers.first().and_then(to)?;
                Some(
                    peers
                        .iter()
                        .take_while(|&peer| to(peer) == Some(first))
                        .count() as u8,
                )
            };
            let has = |s: &&u32| slot <= self.fabric.switches()[**s as usize].ports;
            tops.iter().filter(has).find_map(of_one)
        };
        let is_dark = |slot: u8| {
            let dark = |s: &&u32| {
                slot <= self.fabric.switches()[**s as usize].ports
                    && self.fabric.peer(**s, slot) == Peer::None
            };
            4 * tops.iter().filter(dark).count() >= DARK * tops.len()
        };
        let mut gone = Vec::new();
        let mut next = first;
        let mut before = used
            .iter()
            .filter(|&&slot| slot > 0)
            .find_map(|&slot| width(slot))
            .unwrap_or(1);
        for slot in first..=last {
            if used.contains(&slot) {
                before = width(slot).unwrap_or(before);
                next = slot.saturating_add(before);
            } else if slot >= next && is_dark(slot) {
                gone.push(slot);
                next = slot.saturating_add(before);
            }
        }
        if 2 * gone.len() > used.len() {
            // So many are dark by design.
            gone.retain(|slot| usual.contains(slot));
        }
        gone
    }
}
