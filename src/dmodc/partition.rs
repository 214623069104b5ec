//! Partitions of the switches: which are alike in some respect.

use std::collections::HashMap;

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
        let mut known: HashMap<u64, Vec<u32>> = HashMap::new();
        for member in members {
            let classes = known.entry(hash(member)).or_default();
            let alike = |&&class: &&u32| same(partition.first[class as usize], member);
            let class = classes.iter().find(alike).copied();
            partition.class[member as usize] = class.unwrap_or_else(|| {
                let new = partition.first.len() as u32;
                classes.push(new);
                partition.first.push(member);
                new
            });
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

    /// How many members each class has.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.first.len()];
        for &class in self.class.iter().filter(|&&class| class != OUT) {
            sizes[class as usize] += 1;
        }
        sizes
    }
}

/// Mixes one more number into a hash (FNV-1a, by word).
pub fn mix(hash: u64, number: u64) -> u64 {
    (hash ^ number)
        .wrapping_mul(0x0000_0100_0000_01b3)
        .rotate_left(23)
}
