//! Partitions of the switches: into classes of equal switches, and into connected parts.

use crate::spread;

/// A partition into classes, numbered from 0 in the order of their first members.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    class: Vec<u32>,
    first: Vec<u32>,
}

/// The class of a member that was left out.
const OUT: u32 = u32::MAX;

impl Partition {
    /// Partitions some of `0..count`. `hash` must be equal where `same` holds.
    pub fn new(
        count: usize,
        members: impl Iterator<Item = u32>,
        hash: impl Fn(u32) -> u64,
        same: impl Fn(u32, u32) -> bool,
    ) -> Self {
        let mut partition = Partition {
            class: vec![OUT; count],
            first: Vec::new(),
        };
        // An open hash table of classes, at most half full.
        let mut table = vec![(0, OUT); (2 * count).next_power_of_two()];
        let mask = table.len() - 1;
        for member in members {
            let hash = spread::hash(hash(member));
            let mut at = hash as usize & mask;
            let class = loop {
                let (known, class) = table[at];
                if class == OUT {
                    let new = partition.first.len() as u32;
                    partition.first.push(member);
                    table[at] = (hash, new);
                    break new;
                }
                if known == hash && same(partition.first[class as usize], member) {
                    break class;
                }
                at = (at + 1) & mask;
            };
            partition.class[member as usize] = class;
        }
        partition
    }

    /// The class of a member.
    pub fn class(&self, member: u32) -> Option<u32> {
        Some(self.class[member as usize]).filter(|&class| class != OUT)
    }

    /// The first member of each class.
    pub fn firsts(&self) -> &[u32] {
        &self.first
    }
}

/// Mixes one more number into a hash (FNV-1a, by word).
pub fn mix(hash: u64, number: u64) -> u64 {
    (hash ^ number)
        .wrapping_mul(0x0000_0100_0000_01b3)
        .rotate_left(23)
}

/// Sorts members by a small key, stably.
pub fn sort_by_small_key(members: &[u32], key: impl Fn(u32) -> u32) -> Vec<u32> {
    let most = members.iter().map(|&m| key(m)).max().unwrap_or(0);
    let mut next = vec![0u32; most as usize + 2];
    for &member in members {
        next[key(member) as usize + 1] += 1;
    }
    for k in 1..next.len() {
        next[k] += next[k - 1];
    }
    let mut sorted = vec![0; members.len()];
    for &member in members {
        let at = &mut next[key(member) as usize];
        sorted[*at as usize] = member;
        *at += 1;
    }
    sorted
}

/// By switch: the first switch of its connected part.
pub fn components<N: Iterator<Item = u32>>(
    switches: usize,
    neighbours: impl Fn(u32) -> N,
) -> Vec<u32> {
    let mut part = vec![u32::MAX; switches];
    for first in 0..switches as u32 {
        let mut open = vec![first];
        while let Some(s) = open.pop() {
            if part[s as usize] == u32::MAX {
                part[s as usize] = first;
                open.extend(neighbours(s));
            }
        }
    }
    part
}

/// By switch: whether it is left if switches with at most one neighbour are taken away, again and again. What is left
/// has all cycles, and the paths between them.
pub fn peel<N: Iterator<Item = u32>>(switches: usize, neighbours: impl Fn(u32) -> N) -> Vec<bool> {
    let all = 0..switches as u32;
    let mut others: Vec<usize> = all.clone().map(|s| neighbours(s).count()).collect();
    let mut open: Vec<u32> = all.filter(|&s| others[s as usize] <= 1).collect();
    let mut is_left = vec![true; switches];
    while let Some(s) = open.pop() {
        is_left[s as usize] = false;
        for other in neighbours(s).filter(|&other| is_left[other as usize]) {
            others[other as usize] -= 1;
            if others[other as usize] == 1 {
                open.push(other);
            }
        }
    }
    is_left
}

/// The root of a switch in a forest of parents (union-find); shortens paths on the way.
pub fn root(parent: &mut [u32], mut s: u32) -> u32 {
    while parent[s as usize] != s {
        parent[s as usize] = parent[parent[s as usize] as usize];
        s = parent[s as usize];
    }
    s
}

/// Joins the trees of two switches. The lower number is the root, so that the order of joining does not matter.
pub fn join(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}
