//! Which links are missing, by the vote of siblings.
//!
//! Switches of one rank whose parents are mostly the same are *siblings*: the leaves of a pod, the
//! switches of one position in all pods. In a whole PGFT siblings have the same parents. A parent that
//! a good part of the siblings has is a nominal parent of all of them.

use super::ports::Ports;
use crate::dmodc::tree::{Groups, Links, Ranking};
use std::collections::BTreeMap;

/// A parent is nominal if one sibling in so many has it.
const USUAL: usize = 4;

/// The links of the nominal fabric, or `None` if nothing is missing.
pub fn complete(groups: &Groups, ranking: &Ranking) -> Option<Links> {
    let mut families = Families::new(groups, ranking);
    let ports = Ports::new(groups, ranking);
    let mut missing: Vec<(u32, u32, usize)> = Vec::new();
    for family in families.find() {
        // Per parent: how many members have it, and by how many links each.
        let mut parents: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &member in &family {
            for group in groups.up(member).iter().filter(|g| !g.level) {
                parents.entry(group.remote).or_default().push(group.size());
            }
        }
        for (&parent, sizes) in &parents {
            if USUAL * sizes.len() < family.len() {
                continue;
            }
            let usual = most_common(sizes);
            if sizes.len() == family.len() && sizes.iter().all(|&size| size >= usual) {
                continue;
            }
            for &member in &family {
                let up = groups.up(member).iter();
                let size = up
                    .clone()
                    .find(|g| g.remote == parent)
                    .map_or(0, |g| g.size());
                if size < usual {
                    missing.push((member, parent, usual));
                }
            }
        }
    }
    (!missing.is_empty()).then(|| ports.with(&missing))
}

/// The most common number, the greatest of several.
fn most_common(numbers: &[usize]) -> usize {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a == b);
    runs.max_by_key(|run| run.len()).map_or(0, |run| run[0])
}

/// Finds siblings: classes of switches with the same parents, joined where these are mostly the same.
struct Families<'f> {
    groups: &'f Groups,
    ranking: &'f Ranking,
    /// Per up class, another of the same family, itself at the root.
    root: Vec<u32>,
}

impl<'f> Families<'f> {
    fn new(groups: &'f Groups, ranking: &'f Ranking) -> Self {
        Families {
            groups,
            ranking,
            root: (0..groups.up_classes().len() as u32).collect(),
        }
    }

    /// The members of each family that has more than one class, or more than one link to a parent.
    fn find(&mut self) -> Vec<Vec<u32>> {
        let groups = self.groups;
        let switches = 0..groups.switches() as u32;
        for parent in switches.clone() {
            let mut below: Vec<u32> = (groups.down(parent).iter())
                .filter(|g| !g.level)
                .map(|g| groups.up_class(g.remote))
                .collect();
            below.sort_unstable();
            below.dedup();
            // One with most parents is the measure, by rank.
            while let Some(&largest) =
                (below.iter()).max_by_key(|&&class| self.parents(class).count())
            {
                let rank = self.rank(largest);
                let (same_rank, rest) = below.iter().partition(|&&class| self.rank(class) == rank);
                below = rest;
                let same_rank: Vec<u32> = same_rank;
                for class in same_rank {
                    if self.alike(class, largest) {
                        self.join(class, largest);
                    }
                }
            }
        }
        let several_links = |s: u32| groups.up(s).iter().any(|g| g.size() > 1);
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for s in switches.filter(|&s| !groups.up(s).is_empty()) {
            let root = self.find_root(groups.up_class(s));
            members.entry(root).or_default().push(s);
        }
        let interesting = |family: &Vec<u32>| {
            let class = |s: u32| groups.up_class(s);
            family
                .iter()
                .any(|&s| class(s) != class(family[0]) || several_links(s))
        };
        members.into_values().filter(interesting).collect()
    }

    fn rank(&self, class: u32) -> u32 {
        self.ranking.rank(self.groups.up_classes()[class as usize])
    }

    fn parents(&self, class: u32) -> impl Iterator<Item = u32> + Clone {
        let first = self.groups.up_classes()[class as usize];
        let up = self.groups.up(first).iter();
        up.filter(|g| !g.level).map(|g| g.remote)
    }

    /// Whether more than half of the parents of the class with more of them are those of the other, or
    /// the other has none of its own, however many it has lost.
    fn alike(&self, class: u32, largest: u32) -> bool {
        let (mut of_class, mut of_largest) = (0, self.parents(largest).peekable());
        let (mut common, most) = (0, self.parents(largest).count());
        for parent in self.parents(class) {
            of_class += 1;
            while of_largest.next_if(|&p| p < parent).is_some() {}
            common += usize::from(of_largest.peek() == Some(&parent));
        }
        2 * common > most || common == of_class
    }

    fn find_root(&mut self, mut class: u32) -> u32 {
        while self.root[class as usize] != class {
            let next = self.root[self.root[class as usize] as usize];
            self.root[class as usize] = next;
            class = next;
        }
        class
    }

    /// The lower number is the root, so that the order of joining does not matter.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find_root(a), self.find_root(b));
        self.root[a.max(b) as usize] = a.min(b);
    }
}
