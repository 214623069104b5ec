//! The links that there should be, by the vote of siblings.

use super::graph::Graph;
use dmodc::lft::NO_PATH;
use std::collections::{BTreeMap, BTreeSet};

/// The nominal fabric.
pub fn complete(present: &Graph) -> Graph {
    let switches: Vec<u32> = (0..present.rank.len() as u32).collect();
    let parents = |s: u32| present.parents(s).collect::<BTreeSet<u32>>();
    // Switches with the same neighbours above are one, by the first of them.
    let above = |s: u32| present.up(s).collect::<Vec<u32>>();
    let first = |s: u32| {
        switches
            .iter()
            .copied()
            .find(|&other| above(other) == above(s))
    };
    let class: Vec<u32> = switches.iter().filter_map(|&s| first(s)).collect();
    let mut family: Vec<u32> = switches.clone();
    for &parent in &switches {
        let below = present
            .below(parent)
            .filter(|&s| parents(s).contains(&parent));
        let classes: BTreeSet<u32> = below.map(|s| class[s as usize]).collect();
        let ranks: BTreeSet<usize> = classes.iter().map(|&c| present.rank[c as usize]).collect();
        for rank in ranks {
            let of_rank = || {
                classes
                    .iter()
                    .copied()
                    .filter(|&c| present.rank[c as usize] == rank)
            };
            let largest = of_rank()
                .max_by_key(|&c| (parents(c).len(), c))
                .expect("one");
            for c in of_rank() {
                let common = parents(c).intersection(&parents(largest)).count();
                if common == parents(c).len() || 2 * common > parents(largest).len() {
                    let (a, b) = (family[c as usize], family[largest as usize]);
                    let joined = |f: &mut u32| *f = if *f == a || *f == b { a.min(b) } else { *f };
                    family.iter_mut().for_each(joined);
                }
            }
        }
    }
    let mut ports = present.ports.clone();
    for &name in &switches {
        let is_member = |&&s: &&u32| family[class[s as usize] as usize] == name;
        let members: Vec<u32> = switches.iter().filter(is_member).copied().collect();
        let all: BTreeSet<u32> = members.iter().flat_map(|&s| parents(s)).collect();
        for parent in all {
            let size = |s: u32| present.ports[s as usize].get(&parent).map_or(0, Vec::len);
            let sizes: Vec<usize> = (members.iter().map(|&s| size(s)).filter(|&n| n > 0)).collect();
            let times = |n: usize| sizes.iter().filter(|&&other| other == n).count();
            let usual = sizes
                .iter()
                .copied()
                .max_by_key(|&n| (times(n), n))
                .unwrap_or(0);
            if 4 * sizes.len() < members.len() {
                continue;
            }
            for &s in members
                .iter()
                .filter(|&&s| size(s) < usual && !above(s).is_empty())
            {
                let [up, down] =
                    [(s, parent), (parent, s)].map(|(a, b)| nominal(present, a, b, usual));
                ports[s as usize].insert(parent, up);
                ports[parent as usize].insert(s, down);
            }
        }
    }
    Graph::new(present.rank.clone(), ports)
}

/// The ports of a switch to a neighbour to which it should have so many links.
fn nominal(present: &Graph, s: u32, neighbour: u32, links: usize) -> Vec<u8> {
    let here = present.ports[s as usize]
        .get(&neighbour)
        .cloned()
        .unwrap_or_default();
    let mut padded = here.clone();
    padded.resize(links, NO_PATH);
    if here.is_empty() {
        return padded;
    }
    let is_up = present.up(s).any(|r| r == neighbour);
    let siblings: Vec<u32> = match is_up {
        true => present.below(neighbour).collect(),
        false => present.up(neighbour).collect(),
    };
    let of_siblings = siblings
        .iter()
        .map(|&r| &present.ports[r as usize][&neighbour]);
    let alike = (0..present.rank.len()).filter(|&r| present.rank[r] == present.rank[s as usize]);
    let of_rank = alike.flat_map(|r| present.ports[r].values());
    for voters in [of_siblings.collect::<Vec<_>>(), of_rank.collect()] {
        let mut votes: BTreeMap<&Vec<u8>, usize> = BTreeMap::new();
        for ports in voters {
            if ports.len() == links && here.iter().all(|port| ports.contains(port)) {
                *votes.entry(ports).or_default() += 1;
            }
        }
        if let Some((elected, _)) = votes.into_iter().max_by_key(|&(_, count)| count) {
            let lost = |port: &u8| if here.contains(port) { *port } else { NO_PATH };
            return elected.iter().map(lost).collect();
        }
    }
    padded
}
