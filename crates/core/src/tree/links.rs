//! The links between switches, bundled by neighbour: the input of the ranking and, with the ranks, of the port groups.

use crate::ids::{BySwitch, SwitchId};
use dmodc_fabric::Fabric;
use std::collections::VecDeque;
use std::ops::Range;

/// The ports of one switch that lead to one remote switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// The remote switch: Ω of the paper.
    pub remote: SwitchId,
    /// The two ends have the same rank. Such a group does not count in the divider.
    pub level: bool,
    pub(super) first: u32,
    pub(super) size: u8,
}

impl Group {
    /// Its range in the list of all ports.
    #[inline]
    pub(super) fn range(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.size()
    }

    /// Number of ports: #g of the paper.
    #[inline]
    pub fn size(&self) -> usize {
        usize::from(self.size)
    }
}

/// For every switch its groups of ports, one for each neighbour, ascending by neighbour. All groups are in one flat
/// list, fast to walk; [`Links::filtered`] copies it.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub(super) groups: Vec<Group>,
    pub(super) ports: Vec<u8>,
    /// By switch: the end of its groups, where the groups of the next switch start.
    end: BySwitch<u32>,
}

impl Links {
    /// Distance of a switch that cannot be reached.
    pub const FAR: u32 = u32::MAX;

    /// Collects the links of a fabric. Neighbours come in ascending order, so the list of each switch is sorted, except
    /// for parallel links that cross.
    pub fn new(fabric: &Fabric) -> Self {
        // Per switch: where its part of the list starts, and ends so far.
        let mut part: BySwitch<[usize; 2]> = BySwitch::with_capacity(fabric.switches().len());
        let mut length = 0;
        for switch in fabric.switches() {
            part.push([length, length]);
            length += usize::from(switch.ports);
        }
        let mut list = vec![(SwitchId(0), 0); length];
        for remote in part.keys() {
            for (_, index, port) in fabric.links_of(remote) {
                let [_, end] = &mut part[index];
                list[*end] = (remote, port.0);
                *end += 1;
            }
        }
        let ports = part.iter().map(|[start, end]| end - start).sum();
        let mut links = Links {
            groups: Vec::with_capacity(ports),
            ports: Vec::with_capacity(ports),
            end: BySwitch::with_capacity(part.len()),
        };
        for [start, end] in part {
            let of_switch = &mut list[start..end];
            of_switch.sort_unstable();
            for to_one in of_switch.chunk_by(|a, b| a.0 == b.0) {
                links.add(to_one[0].0, to_one.iter().map(|&(_, port)| port));
            }
            links.end_switch();
        }
        links
    }

    /// Adds a group to the current switch, which [`Links::end_switch`] closes.
    fn add(&mut self, remote: SwitchId, ports: impl ExactSizeIterator<Item = u8>) {
        self.groups.push(Group {
            remote,
            level: false,
            first: self.ports.len() as u32,
            size: ports.len() as u8,
        });
        self.ports.extend(ports);
    }

    fn end_switch(&mut self) {
        self.end.push(self.groups.len() as u32);
    }

    /// The links for which `stays` returns true; it gets the switch, the neighbour and the port.
    pub fn filtered(&self, stays: impl Fn(SwitchId, SwitchId, u8) -> bool) -> Self {
        let mut links = Links::default();
        let mut ports: Vec<u8> = Vec::new();
        for s in self.switches() {
            for group in self.groups_of(s) {
                let all = self.ports(group).iter().copied();
                ports.clear();
                ports.extend(all.filter(|&port| stays(s, group.remote, port)));
                if !ports.is_empty() {
                    links.add(group.remote, ports.iter().copied());
                }
            }
            links.end_switch();
        }
        links
    }

    /// All switches.
    pub fn switches(&self) -> impl ExactSizeIterator<Item = SwitchId> + Clone + use<> {
        self.end.keys()
    }

    /// The groups of a switch, ascending by neighbour.
    #[inline]
    pub fn groups_of(&self, switch: SwitchId) -> &[Group] {
        &self.groups[self.numbers_of(switch)]
    }

    /// The numbers of the groups of a switch, in the list of all groups.
    #[inline]
    pub fn numbers_of(&self, switch: SwitchId) -> Range<usize> {
        let start = match usize::from(switch) {
            0 => 0,
            at => self.end.raw[at - 1],
        };
        start as usize..self.end[switch] as usize
    }

    /// The ports of a group, ascending.
    #[inline]
    pub fn ports(&self, group: &Group) -> &[u8] {
        &self.ports[group.range()]
    }

    /// The ports of a switch to a neighbour, in the order of [`Links::ports`]; none if no link joins the two.
    pub fn to(&self, switch: SwitchId, neighbour: SwitchId) -> &[u8] {
        let groups = self.groups_of(switch);
        let group = groups.binary_search_by_key(&neighbour, |g| g.remote);
        group.map_or(&[], |at| self.ports(&groups[at]))
    }

    /// The neighbours of a switch, ascending, each once.
    pub fn neighbours(&self, switch: SwitchId) -> impl ExactSizeIterator<Item = SwitchId> + Clone {
        self.groups_of(switch).iter().map(|group| group.remote)
    }

    /// The neighbours that two switches have in common, ascending.
    pub fn common(&self, a: SwitchId, b: SwitchId) -> impl Iterator<Item = SwitchId> {
        let mut others = self.neighbours(b).peekable();
        self.neighbours(a).filter(move |&n| {
            while others.next_if(|&other| other < n).is_some() {}
            others.peek() == Some(&n)
        })
    }

    /// Hops from every switch to the nearest seed, [`Links::FAR`] without a path.
    pub fn distances(&self, seeds: impl IntoIterator<Item = SwitchId>) -> BySwitch<u32> {
        let mut distance: BySwitch<u32> = vec![Self::FAR; self.end.len()].into();
        self.extend_distances(&mut distance, seeds);
        distance
    }

    /// Continues the search from further seeds, which get distance 0; known distances stay.
    pub fn extend_distances(
        &self,
        distance: &mut BySwitch<u32>,
        seeds: impl IntoIterator<Item = SwitchId>,
    ) {
        let start = |s: &SwitchId| distance[*s] = 0;
        let mut queue: VecDeque<SwitchId> = seeds.into_iter().inspect(start).collect();
        while let Some(s) = queue.pop_front() {
            for other in self.neighbours(s) {
                if distance[other] == Self::FAR {
                    distance[other] = distance[s] + 1;
                    queue.push_back(other);
                }
            }
        }
    }

    /// Gives parts of the fabric without a seed their distances from their first switch.
    pub fn extend_to_the_rest(&self, distance: &mut BySwitch<u32>) {
        for s in self.switches() {
            if distance[s] == Self::FAR {
                self.extend_distances(distance, [s]);
            }
        }
    }
}
