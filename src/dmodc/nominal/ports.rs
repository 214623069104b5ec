//! The ports of groups that have lost links.
//!
//! A lost port stands in the nominal group as [`NO_PATH`]. Where in the group tells which of the
//! others are chosen for what: whole groups that have all the ports that are left say which port is gone,
//! those of siblings first, then those of any switch of the same rank. Where none does, the lost ones come
//! last.

use crate::dmodc::tree::{Group, Groups, Links, Ranking};
use crate::lft::NO_PATH;
use std::collections::BTreeMap;

/// The port groups as they are.
pub struct Ports<'p> {
    groups: &'p Groups,
    ranking: &'p Ranking,
}

impl<'p> Ports<'p> {
    /// The ports of some groups.
    pub fn new(groups: &'p Groups, ranking: &'p Ranking) -> Self {
        Ports { groups, ranking }
    }

    /// The links with what is missing: (member, parent, links that there should be).
    pub fn with(&self, missing: &[(u32, u32, usize)]) -> Links {
        // The nominal ports of each group that is not whole, by switch and neighbour.
        let mut nominal: BTreeMap<(u32, u32), Vec<u8>> = BTreeMap::new();
        for &(member, parent, links) in missing {
            nominal.insert((member, parent), self.nominal(member, parent, links));
            nominal.insert((parent, member), self.nominal(parent, member, links));
        }
        let mut links = Links::default();
        let (mut completed, mut all) = (Vec::new(), Vec::new());
        for s in 0..self.groups.switches() as u32 {
            let of_switch = nominal.range((s, 0)..=(s, u32::MAX));
            completed.clear();
            completed.extend(of_switch.map(|(&(_, remote), ports)| (remote, ports.as_slice())));
            let stays = |g: &Group| completed.iter().all(|&(remote, _)| remote != g.remote);
            let groups = self.all(s).filter(|(g, _)| stays(g));
            all.clear();
            all.extend(groups.map(|(g, ports)| (g.remote, ports)));
            all.extend(&completed);
            all.sort_unstable_by_key(|&(remote, _)| remote);
            links.add_switch(all.iter().copied());
        }
        links
    }

    /// The groups of a switch, with their ports.
    fn all(&self, switch: u32) -> impl Iterator<Item = (&Group, &[u8])> {
        let groups = self
            .groups
            .down(switch)
            .iter()
            .chain(self.groups.up(switch));
        groups.map(|g| (g, self.groups.ports(g)))
    }

    /// The ports of a group, lost ones as [`NO_PATH`] where they should be.
    fn nominal(&self, switch: u32, neighbour: u32, links: usize) -> Vec<u8> {
        let here = self.ports(switch, neighbour);
        if here.is_empty() {
            return vec![NO_PATH; links];
        }
        let whole =
            |ports: &&[u8]| ports.len() == links && here.iter().all(|port| ports.contains(port));
        // Siblings are on the same side of the neighbour.
        let siblings = match self.ranking.is_up(switch, neighbour) {
            true => self.groups.down(neighbour),
            false => self.groups.up(neighbour),
        };
        let of_siblings = siblings.iter().map(|g| self.ports(g.remote, neighbour));
        let rank = self.ranking.rank(switch);
        let of_rank = || {
            let switches = 0..self.groups.switches() as u32;
            let alike = switches.filter(|&s| self.ranking.rank(s) == rank);
            alike.flat_map(|s| self.all(s).map(|(_, ports)| ports))
        };
        let elected = elect(of_siblings.filter(whole));
        match elected.or_else(|| elect(of_rank().filter(whole))) {
            Some(ports) => {
                let lost = |port: &u8| if here.contains(port) { *port } else { NO_PATH };
                ports.iter().map(lost).collect()
            }
            None => {
                let mut ports = here.to_vec();
                ports.resize(links, NO_PATH);
                ports
            }
        }
    }

    fn ports(&self, switch: u32, neighbour: u32) -> &[u8] {
        let group = self.all(switch).find(|(g, _)| g.remote == neighbour);
        group.map_or(&[], |(_, ports)| ports)
    }
}

/// The most common list of ports.
fn elect<'p>(lists: impl Iterator<Item = &'p [u8]>) -> Option<&'p [u8]> {
    let mut votes: BTreeMap<&[u8], usize> = BTreeMap::new();
    lists.for_each(|ports| *votes.entry(ports).or_default() += 1);
    votes
        .into_iter()
        .max_by_key(|&(_, count)| count)
        .map(|(ports, _)| ports)
}
