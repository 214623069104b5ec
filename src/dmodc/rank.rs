//! Rank: on which level of the tree each switch stands (paper, section III.A, "Rank").
//!
//! Leaves are the switches that carry end nodes; every other switch has the rank of its distance
//! from the nearest leaf. SHARP aggregation nodes sit inside switches of every level and so make no
//! leaf. Two neighbours of equal rank are ordered by UUID, the greater above, which makes
//! (rank, UUID) a total order: every link goes up or down, and none goes round.

use crate::fabric::{Fabric, NodeKind, Peer};
use std::collections::VecDeque;

/// The levels of a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    rank: Vec<u32>,
    leaf: Vec<bool>,
}

impl Ranking {
    /// Ranks a fabric by distance from the switches that carry end nodes.
    pub fn new(fabric: &Fabric) -> Self {
        let mut leaf = vec![false; fabric.switches().len()];
        for node in fabric.end_nodes() {
            leaf[node.switch as usize] |= node.kind != NodeKind::Aggregation;
        }
        let seeds = (0..leaf.len() as u32).filter(|&s| leaf[s as usize]);
        let rank = distances(fabric, seeds);
        Ranking { rank, leaf }
    }

    /// The rank of a switch; 0 is the lowest.
    pub fn rank(&self, switch: u32) -> u32 {
        self.rank[switch as usize]
    }

    /// Whether a switch is a leaf.
    pub fn is_leaf(&self, switch: u32) -> bool {
        self.leaf[switch as usize]
    }

    /// The leaves in ascending UUID.
    pub fn leaves(&self) -> impl Iterator<Item = u32> {
        (0..self.leaf.len() as u32).filter(|&s| self.is_leaf(s))
    }

    /// Whether a link from switch `from` to its neighbour `to` goes up.
    pub fn is_up(&self, from: u32, to: u32) -> bool {
        (self.rank(to), to) > (self.rank(from), from)
    }

    /// How many switches there are of each rank.
    pub fn per_rank(&self) -> Vec<usize> {
        let levels = self.rank.iter().max().map_or(0, |&r| r as usize + 1);
        let mut count = vec![0; levels];
        for &r in &self.rank {
            count[r as usize] += 1;
        }
        count
    }
}

/// Distance of every switch from the nearest seed. A part of the fabric without a seed is ranked
/// from its switch of lowest UUID, so that every switch has a rank.
fn distances(fabric: &Fabric, seeds: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rank = vec![u32::MAX; fabric.switches().len()];
    let mut queue: VecDeque<u32> = seeds.inspect(|&s| rank[s as usize] = 0).collect();
    let mut next_unseen = 0;
    loop {
        while let Some(s) = queue.pop_front() {
            for peer in fabric.peers_of(s) {
                if let Peer::Switch { index, .. } = *peer
                    && rank[index as usize] == u32::MAX
                {
                    rank[index as usize] = rank[s as usize] + 1;
                    queue.push_back(index);
                }
            }
        }
        match rank[next_unseen..].iter().position(|&r| r == u32::MAX) {
            Some(offset) => {
                next_unseen += offset;
                rank[next_unseen] = 0;
                queue.push_back(next_unseen as u32);
            }
            None => return rank,
        }
    }
}
