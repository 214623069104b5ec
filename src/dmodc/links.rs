//! The links between switches, bundled by neighbour: what ranks are found from, and what port
//! groups are once it is known which of them lead up.

use super::crew::Muster;
use super::groups::{Group, MAX_PORTS};
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

/// So many threads pass over all links to pick out those of their switches.
const PARTS: usize = 4;

/// Consecutive switches, and where their groups and ports go.
struct Part<'l> {
    /// The first of the switches, and the first of all groups that is theirs.
    first: u32,
    start: u32,
    span: &'l mut [(u32, u32)],
    groups: &'l mut [Group],
    ports: &'l mut [u8],
}

impl Part<'_> {
    fn collect(mut self, fabric: &Fabric) {
        let mut fronts: Vec<Front> = (self.span.iter())
            .map(|&(start, _)| Front {
                ports: start - self.start,
                groups: start - self.start,
                remote: u32::MAX,
            })
            .collect();
        let mut found = [(0, 0); MAX_PORTS];
        for remote in 0..fabric.switches().len() as u32 {
            // Theirs and others' come in no order that a processor could guess.
            let mut count = 0;
            for peer in fabric.peers_of(remote) {
                let (switch, port) = match *peer {
                    Peer::Switch { index, port } => (index, port),
                    Peer::EndNode(_) | Peer::None => (u32::MAX, 0),
                };
                let s = switch.wrapping_sub(self.first) as usize;
                found[count] = (s, port);
                count += usize::from(s < fronts.len());
            }
            for &(s, port) in &found[..count] {
                self.take_in(&mut fronts[s], remote, port);
            }
        }
        for ((_, end), front) in self.span.iter_mut().zip(fronts) {
            *end = self.start + front.groups;
        }
    }

    fn take_in(&mut self, front: &mut Front, remote: u32, port: u8) {
        let at = front.ports as usize;
        self.ports[at] = port;
        if front.remote == remote {
            let group = &mut self.groups[front.groups as usize - 1];
            group.grow();
            self.ports[at + 1 - group.size()..=at].sort_unstable();
        } else {
            self.groups[front.groups as usize] = Group::new(remote, self.start + front.ports);
            front.groups += 1;
            front.remote = remote;
        }
        front.ports += 1;
    }
}

/// How far the lists of a switch have come.
struct Front {
    ports: u32,
    groups: u32,
    /// The neighbour that the last group leads to.
    remote: u32,
}

impl Links {
    /// Distance of a switch that cannot be reached.
    pub const FAR: u32 = u32::MAX;

    /// Collects the links of a fabric in one pass: neighbours come by in ascending order, so no
    /// list needs sorting.
    ///
    /// Each thread does it for some of the switches.
    pub fn new(fabric: &Fabric, muster: &Muster<'_>) -> Self {
        let mut room = 0;
        let mut span = Vec::with_capacity(fabric.switches().len());
        for switch in fabric.switches() {
            span.push((room, room));
            room += u32::from(switch.ports);
        }
        let mut groups = vec![Group::default(); room as usize];
        let mut ports = vec![0; room as usize];
        let share = span.len().div_ceil(muster.threads().min(PARTS)).max(1);
        let (mut groups_left, mut ports_left) = (&mut groups[..], &mut ports[..]);
        let parts: Vec<_> = (0u32..)
            .step_by(share)
            .zip(span.chunks_mut(share))
            .map(|(first, span)| {
                let start = span[0].0;
                let end = fabric.switches()[first as usize..][..span.len()].iter();
                let room = end.map(|switch| usize::from(switch.ports)).sum();
                Part {
                    first,
                    start,
                    span,
                    groups: groups_left.split_off_mut(..room).unwrap_or_default(),
                    ports: ports_left.split_off_mut(..room).unwrap_or_default(),
                }
            })
            .collect();
        muster.share_out(parts.into_iter(), |part, _| part.collect(fabric));
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
