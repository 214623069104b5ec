//! Partitions of the switches: into classes of equal switches, and into connected parts.

use crate::ids::{BySwitch, ClassId, SwitchId};
use crate::spread;
use typed_index_collections::{TiSlice, TiVec};

/// A partition into classes, numbered in the order of their first members.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    class: BySwitch<ClassId>,
    first: TiVec<ClassId, SwitchId>,
}

/// The class of a switch that was left out: beyond all others.
const OUT: ClassId = ClassId(u32::MAX);

impl Partition {
    /// Partitions some of `count` switches. `hash` must be equal where `same` holds.
    pub fn new(
        count: usize,
        members: impl Iterator<Item = SwitchId>,
        hash: impl Fn(SwitchId) -> u64,
        same: impl Fn(SwitchId, SwitchId) -> bool,
    ) -> Self {
        let mut partition = Partition {
            class: vec![OUT; count].into(),
            first: TiVec::new(),
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
                    let new = partition.first.push_and_get_key(member);
                    table[at] = (hash, new);
                    break new;
                }
                if known == hash && same(partition.first[class], member) {
                    break class;
                }
                at = (at + 1) & mask;
            };
            partition.class[member] = class;
        }
        partition
    }

    /// The class of a switch; that of one left out is beyond all others.
    pub fn class(&self, switch: SwitchId) -> ClassId {
        self.class[switch]
    }

    /// The first member of each class.
    pub fn firsts(&self) -> &TiSlice<ClassId, SwitchId> {
        &self.first
    }
}

/// Mixes one more number into a hash (FNV-1a, by word).
pub fn mix(hash: u64, number: u64) -> u64 {
    (hash ^ number)
        .wrapping_mul(0x0000_0100_0000_01b3)
        .rotate_left(23)
}

/// Sorts switches by a small key, stably.
pub fn sort_by_small_key(members: &[SwitchId], key: impl Fn(SwitchId) -> u32) -> Vec<SwitchId> {
    let most = members.iter().map(|&m| key(m)).max().unwrap_or(0);
    let mut next = vec![0u32; most as usize + 2];
    for &member in members {
        next[key(member) as usize + 1] += 1;
    }
    for k in 1..next.len() {
        next[k] += next[k - 1];
    }
    let mut sorted = vec![SwitchId(0); members.len()];
    for &member in members {
        let at = &mut next[key(member) as usize];
        sorted[*at as usize] = member;
        *at += 1;
    }
    sorted
}

/// By switch: the first switch of its connected part.
pub fn components<N: Iterator<Item = SwitchId>>(
    switches: usize,
    neighbours: impl Fn(SwitchId) -> N,
) -> BySwitch<SwitchId> {
    let mut part: BySwitch<Option<SwitchId>> = vec![None; switches].into();
    for first in part.keys() {
        let mut open = vec![first];
        while let Some(s) = open.pop() {
            if part[s].is_none() {
                part[s] = Some(first);
                open.extend(neighbours(s));
            }
        }
    }
    part.into_iter().flatten().collect()
}

/// By switch: whether it is left if switches with at most one neighbour are taken away, again and again. What is left
/// has all cycles, and the paths between them.
pub fn peel<N: Iterator<Item = SwitchId>>(
    switches: usize,
    neighbours: impl Fn(SwitchId) -> N,
) -> BySwitch<bool> {
    let mut is_left: BySwitch<bool> = vec![true; switches].into();
    let mut others: BySwitch<usize> = is_left.keys().map(|s| neighbours(s).count()).collect();
    let mut open: Vec<SwitchId> = others.keys().filter(|&s| others[s] <= 1).collect();
    while let Some(s) = open.pop() {
        is_left[s] = false;
        for other in neighbours(s).filter(|&other| is_left[other]) {
            others[other] -= 1;
            if others[other] == 1 {
                open.push(other);
            }
        }
    }
    is_left
}

/// The root of an element in a forest of parents (union-find); shortens paths on the way.
pub fn root<T: Copy + Eq>(parent: &mut TiSlice<T, T>, mut of: T) -> T
where
    usize: From<T>,
{
    while parent[of] != of {
        parent[of] = parent[parent[of]];
        of = parent[of];
    }
    of
}

/// Joins the trees of two elements. The lesser one is the root, so that the order of joining does not matter.
pub fn join<T: Copy + Ord>(parent: &mut TiSlice<T, T>, a: T, b: T)
where
    usize: From<T>,
{
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}
