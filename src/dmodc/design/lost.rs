//! Lost links: links that the siblings of a switch have and the switch has not.
//!
//! A parent of one sibling in four is expected for all siblings, by the number of links that most have. In the design a
//! lost port has a number that no port of the switch has. Its position in the group decides which destinations use which
//! of the other ports. The whole groups of siblings that have all the ports that are left show this position. Without
//! such a group, lost ports come last. A cable that was moved to a spare port keeps its position in the group, which
//! siblings show, too.

use super::cables::most_common;
use super::siblings::siblings;
use crate::dmodc::tree::{Group, Groups, Links, Ranking};
use crate::fabric::{Fabric, counted};
use crate::lft::NO_PATH;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A parent is expected if at least one in this many siblings has it.
const USUAL: usize = 4;

/// Returns the links with all lost links added, and with moved links at their former positions; `None` if there are no
/// such links. `groups` are the port groups of `links`, the links of `fabric`.
pub fn with_lost(
    fabric: &Fabric,
    links: &Links,
    groups: &Groups,
    ranking: &Ranking,
) -> Option<Links> {
    let lost = find(groups, ranking);
    let ports = Ports { links, ranking };
    let both_ways = lost.into_iter().flat_map(|(member, parent, links)| {
        let ends = [(member, parent), (parent, member)];
        ends.map(|(s, to)| ((s, to), ports.expected(s, to, links)))
    });
    let mut expected = ports.moved();
    expected.extend(both_ways);
    number_lost(fabric, &mut expected);
    (!expected.is_empty()).then(|| links.with(&expected))
}

/// Gives the lost ports of each switch different numbers beyond its ports, as long as there are any. With one number
/// for all, shares cannot tell which of two lost links an entry had: a second lost link moved entries of others.
fn number_lost(fabric: &Fabric, expected: &mut BTreeMap<(u32, u32), Vec<u8>>) {
    let (mut of, mut beyond) = (None, 0..0);
    for (&(s, _), ports) in expected {
        if of.replace(s) != Some(s) {
            beyond = fabric.switches()[s as usize].ports.saturating_add(1)..NO_PATH;
        }
        for port in ports.iter_mut().filter(|port| **port == NO_PATH) {
            *port = beyond.next_back().unwrap_or(NO_PATH);
        }
    }
}

/// The groups that have lost links: switch, parent, and the expected number of links.
fn find(groups: &Groups, ranking: &Ranking) -> Vec<(u32, u32, usize)> {
    let mut lost = Vec::new();
    for family in siblings(groups, ranking) {
        let is_alike = |&s: &u32| groups.up_class(s) == groups.up_class(family[0]);
        let has_several = |&s: &u32| groups.up(s).iter().any(|g| g.size() > 1);
        if family.iter().all(is_alike) && !family.iter().any(has_several) {
            continue;
        }
        // By parent: the number of links from each sibling that has it.
        let mut parents: BTreeMap<u32, Vec<Reverse<usize>>> = BTreeMap::new();
        for group in family.iter().flat_map(|&s| groups.parents(s)) {
            let sizes = parents.entry(group.remote).or_default();
            sizes.push(Reverse(group.size()));
        }
        parents.retain(|_, sizes| USUAL * sizes.len() >= family.len());
        for (parent, mut sizes) in parents {
            let (Reverse(usual), _) = most_common(&mut sizes);
            let size = |s: u32| groups.to(s, parent).map_or(0, Group::size);
            let lacks = family.iter().filter(|&&s| size(s) < usual);
            lost.extend(lacks.map(|&s| (s, parent, usual)));
        }
    }
    lost
}

/// Finds the expected ports of groups, by the groups of siblings.
struct Ports<'p> {
    links: &'p Links,
    ranking: &'p Ranking,
}

impl<'p> Ports<'p> {
    /// The ports of a group with this many links, lost ports as [`NO_PATH`] at their positions.
    fn expected(&self, switch: u32, neighbour: u32, links: usize) -> Vec<u8> {
        let here = self.links.to(switch, neighbour);
        if here.is_empty() {
            return vec![NO_PATH; links];
        }
        let whole =
            |ports: &&[u8]| ports.len() == links && here.iter().all(|port| ports.contains(port));
        let side = self.ranking.is_up(switch, neighbour);
        // Siblings here are the switches on the same side of the neighbour.
        let siblings = self.links.neighbours(neighbour);
        let siblings = siblings.filter(|&s| self.ranking.is_up(s, neighbour) == side);
        let of_siblings = siblings.map(|s| self.links.to(s, neighbour));
        match elect(of_siblings.filter(whole)) {
            Some(ports) => in_order_of(ports, here),
            None => {
                let mut ports = here.to_vec();
                ports.resize(links, NO_PATH);
                ports
            }
        }
    }

    /// By switch and neighbour: the ports of groups with moved cables, in the order of the ports on most siblings.
    fn moved(&self) -> BTreeMap<(u32, u32), Vec<u8>> {
        let mut moved = BTreeMap::new();
        for to in 0..self.links.switches() as u32 {
            if self.links.of(to).iter().all(|g| g.size() == 1) {
                continue;
            }
            for side in [false, true] {
                let siblings = self.links.neighbours(to);
                let siblings = siblings.filter(|&s| self.ranking.is_up(s, to) == side);
                let all: Vec<&[u8]> = siblings.clone().map(|s| self.links.to(s, to)).collect();
                let (usual, count) = most_common(&mut all.clone());
                if count == all.len() || 2 * count <= all.len() {
                    continue;
                }
                for (s, here) in siblings.zip(all) {
                    let stays = here.iter().filter(|port| usual.contains(port)).count();
                    if here.len() == usual.len() && (1..here.len()).contains(&stays) {
                        moved.insert((s, to), in_order_of(usual, here));
                    }
                }
            }
        }
        moved
    }
}

/// Ports in the usual order. The positions of usual ports that are missing get the other ports (of moved cables), then
/// [`NO_PATH`] (lost links).
fn in_order_of(usual: &[u8], ports: &[u8]) -> Vec<u8> {
    let mut others = ports.iter().filter(|port| !usual.contains(port));
    let port = |port: &u8| match ports.contains(port) {
        true => *port,
        false => others.next().copied().unwrap_or(NO_PATH),
    };
    usual.iter().map(port).collect()
}

/// The most common list of ports.
fn elect<'p>(lists: impl Iterator<Item = &'p [u8]>) -> Option<&'p [u8]> {
    let most = counted(lists).into_iter().max_by_key(|&(_, count)| count);
    most.map(|(ports, _)| ports)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dmodc::Options;
    use crate::netlist::generate::{Order, Pgft, build};
    use crate::wiring::doubts;

    #[test]
    fn routes_and_wiring_find_the_same_lost_links() {
        let shape: Pgft = "PGFT(2;4,6;1,4;1,2)".parse().expect("a shape");
        let order = Order {
            seed: Some(3),
            lids: true,
        };
        let whole = build(&shape.into(), order);
        for seed in 0..20 {
            let (less, _) = whole.without_links(3, seed).expect("it has more");
            let (fabric, _) = less.to_fabric(None).expect("LIDs are right");
            let ranking = Ranking::new(&fabric, &Options::default());
            let groups = Groups::of(&fabric, &ranking);
            let expected =
                with_lost(&fabric, &Links::new(&fabric), &groups, &ranking).expect("lost links");
            let mut lost: BTreeMap<(u32, u32), usize> = BTreeMap::new();
            for leaf in ranking.leaves() {
                for group in expected.of(leaf) {
                    let there = groups.to(leaf, group.remote).map_or(0, Group::size);
                    let ports = expected.ports(group).iter();
                    let last = fabric.switches()[leaf as usize].ports;
                    assert_eq!(ports.filter(|&&port| port <= last).count(), there);
                    if there < group.size() {
                        lost.insert((leaf, group.remote), group.size() - there);
                    }
                }
            }
            let mut told: BTreeMap<(u32, u32), usize> = BTreeMap::new();
            for doubt in doubts(&fabric, &ranking) {
                *told.entry((doubt.switch, doubt.above)).or_default() += 1;
            }
            assert_eq!(lost, told, "seed {seed}");
            assert_eq!(lost.values().sum::<usize>(), 3, "seed {seed}");
        }
    }
}
