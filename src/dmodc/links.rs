//! The links between switches, bundled by neighbour: what ranks are found from, and what port
//! groups are once it is known which of them lead up.

use super::groups::Group;
use crate::fabric::{Fabric, Peer};
use std::collections::VecDeque;

/// For every switch the groups of ports that lead to one neighbour each, ascending by neighbour.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub(super) groups: Vec<Group>,
    pub(super) ports: Vec<u8>,
    /// Per switch: where its groups are. There is room for one to each port.
    pub(super) span: Vec<(u32, u32)>,
}

impl Links {
    /// Distance of a switch that cannot be reached.
    pub const FAR: u32 = u32::MAX;

    /// Collects the links of a fabric in one pass: neighbours come by in ascending order, so no
    /// list needs sorting.
    pub fn new(fabric: &Fabric) -> Self {
        let mut room = 0;
        let mut span = Vec::with_capacity(fabric.switches().len());
        for switch in fabric.switches() {
            span.push((room, room));
            room += u32::from(switch.ports);
        }
        let mut linked: Vec<u32> = span.iter().map(|&(start, _)| start).collect();
        let mut groups = vec![Group::default(); room as usize];
        let mut ports = vec![0; room as usize];
        for remote in 0..fabric.switches().len() as u32 {
            for peer in fabric.peers_of(remote) {
                let Peer::Switch { index, port } = *peer else {
                    continue;
                };
                let (start, end) = &mut span[index as usize];
                let next = &mut linked[index as usize];
                ports[*next as usize] = port;
                if end > start && groups[*end as usize - 1].remote == remote {
                    let group = &mut groups[*end as usize - 1];
                    group.grow();
                    ports[group.range()].sort_unstable();
                } else {
                    groups[*end as usize] = Group::new(remote, *next);
                    *end += 1;
                }
                *next += 1;
            }
        }
        Links {
            groups,
            ports,
            span,
        }
    }

    /// Number of switches.
    pub fn switches(&self) -> usize {
        self.span.len()
    }

    /// The groups of a switch, ascending by neighbour.
    pub fn of(&self, switch: u32) -> &[Group] {
        let (start, end) = self.span[switch as usize];
        &self.groups[start as usize..end as usize]
    }

    /// The neighbours of a switch, ascending, each once.
    pub fn neighbours(&self, switch: u32) -> impl ExactSizeIterator<Item = u32> + Clone {
        self.of(switch).iter().map(|group| group.remote)
    }

    /// Hops from every switch to the nearest seed, [`Links::FAR`] where there is no way.
    pub fn distances(&self, seeds: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut distance = vec![Self::FAR; self.switches()];
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
