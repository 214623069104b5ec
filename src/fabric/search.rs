//! Breadth-first search over the links between switches, whichever way they lead.

use super::snapshot::{Fabric, Peer};
use std::collections::VecDeque;

impl Fabric {
    /// Distance of a switch that cannot be reached.
    pub const FAR: u32 = u32::MAX;

    /// The switches linked to a switch, in port order, once for each link.
    pub fn neighbours(&self, switch: u32) -> impl Iterator<Item = u32> {
        self.peers_of(switch).iter().filter_map(|peer| match *peer {
            Peer::Switch { index, .. } => Some(index),
            _ => None,
        })
    }

    /// Hops from every switch to the nearest seed, [`Fabric::FAR`] where there is no way.
    pub fn distances(&self, seeds: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut distance = vec![Self::FAR; self.switches().len()];
        self.extend_distances(&mut distance, seeds);
        distance
    }

    /// Searches on from further seeds, which get distance 0; what has a distance keeps it.
    pub fn extend_distances(&self, distance: &mut [u32], seeds: impl IntoIterator<Item = u32>) {
        let start = |s: &u32| distance[*s as usize] = 0;
        let mut queue: VecDeque<u32> = seeds.into_iter().inspect(start).collect();
        while let Some(s) = queue.pop_front() {
            for other in self.neighbours(s) {
                if distance[other as usize] == Self::FAR {
                    distance[other as usize] = distance[s as usize] + 1;
                    queue.push_back(other);
                }
            }
        }
    }
}
