//! The hosts that the loss of a link or switch cuts off, or leaves with half their ways, by links alone.

use dmodc_fabric::{Fabric, SwitchId};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// A fabric before a loss.
pub struct Losses<'f> {
    fabric: &'f Fabric,
    ranks: TiVec<SwitchId, u32>,
    /// The part of each switch.
    parts: TiVec<SwitchId, Option<SwitchId>>,
    /// The number of ways of each switch's hosts before.
    pub ways_before: TiVec<SwitchId, usize>,
}

impl<'f> Losses<'f> {
    /// `rank` gives the rank of a switch, 0 for the lowest.
    pub fn new(fabric: &'f Fabric, rank: impl Fn(SwitchId) -> u32) -> Self {
        let mut losses = Losses {
            fabric,
            ranks: fabric.switches().keys().map(rank).collect(),
            parts: fabric.parts(|_| true),
            ways_before: TiVec::new(),
        };
        let ways = fabric.switches().keys().map(|s| losses.ways(fabric, s));
        losses.ways_before = ways.collect();
        losses
    }

    /// The ways of a switch's hosts: its links to switches that are not below it, or if it has none, all its links to
    /// switches.
    pub fn ways(&self, after: &Fabric, switch: SwitchId) -> usize {
        let below = |s: SwitchId| self.ranks[s] < self.ranks[switch];
        let is_top = self.fabric.neighbours(switch).all(below);
        let links = after.neighbours(switch);
        links.filter(|&s| is_top || !below(s)).count()
    }

    /// The switches whose hosts a loss cuts off: of each part that it splits, those not in the piece with the most
    /// hosts. `after` is the fabric without the links of the loss; a `lost` switch does not count itself.
    pub fn cut_off(&self, after: &Fabric, lost: Option<SwitchId>) -> Vec<SwitchId> {
        let pieces = after.parts(|s| Some(s) != lost);
        let mut leaves = Vec::new();
        let mut hosts: BTreeMap<(SwitchId, SwitchId), usize> = BTreeMap::new();
        for (s, &piece) in pieces.iter_enumerated() {
            let count = self.fabric.hosts_of(s).count();
            if let (1.., Some(part), Some(piece)) = (count, self.parts[s], piece) {
                leaves.push((s, part, piece));
                *hosts.entry((part, piece)).or_default() += count;
            }
        }
        let mut most: BTreeMap<SwitchId, (usize, Reverse<SwitchId>)> = BTreeMap::new();
        for ((part, piece), count) in hosts {
            let best = most.entry(part).or_insert((count, Reverse(piece)));
            *best = (*best).max((count, Reverse(piece)));
        }
        leaves.retain(|(_, part, piece)| most[part].1 != Reverse(*piece));
        leaves.into_iter().map(|(s, ..)| s).collect()
    }
}
