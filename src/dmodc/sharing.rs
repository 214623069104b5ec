//! Rows that switches share.
//!
//! Two switches with the same divider, whose groups lead by the same ports to the same switches,
//! route alike: their rows differ in their own LIDs alone. The leaves of a pod are such, and the
//! top switches of one position in a complete tree. Where only the groups that lead *up* are the
//! same, as with the switches of one position in all pods, rows differ in what lies below; that is
//! worth patching where it is little.
//!
//! In a complete tree a few dozen rows are so computed, and all others copied.

use super::groups::{Group, Groups};
use super::partition::{Partition, mix, sort_by_small_key};

/// How much of a row is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// All but the switch's own LIDs.
    Whole,
    /// What the switch would route if nothing were below it.
    Upward,
}

/// Which rows are shared, and by whom.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    /// Per switch: the first of those that it shares a row with, and how much of it.
    source: Vec<Option<(u32, Part)>>,
    /// All switches, those that share a row side by side.
    order: Vec<u32>,
}

impl Sharing {
    /// Finds out which switches route alike. `little_below` tells whether patching what is below a
    /// switch costs less than computing its row.
    pub fn new(
        groups: &Groups,
        dividers: &[u32],
        path_dividers: &[u32],
        little_below: impl Fn(u32) -> bool,
    ) -> Self {
        let count = dividers.len();
        let key = |s: u32| {
            let s = s as usize;
            (dividers[s], path_dividers[s], groups.up_class(s as u32))
        };
        // The same switches are at the other ends: the classes say so.
        let same_ports = |a: &[Group], b: &[Group]| {
            let same = |(a, b): (&Group, &Group)| groups.ports(a) == groups.ports(b);
            a.iter().zip(b).all(same)
        };
        let hash_ports = |seed: u64, list: &[Group]| {
            let first = |hash, g: &Group| mix(hash, u64::from(groups.ports(g)[0]));
            list.iter().fold(seed, first)
        };
        let hash_up = |s: u32| {
            let (divider, _, class) = key(s);
            hash_ports(mix(u64::from(divider), u64::from(class)), groups.up(s))
        };
        let same_up = |a: u32, b: u32| key(a) == key(b) && same_ports(groups.up(a), groups.up(b));
        let mut sharing = Sharing {
            source: vec![None; count],
            order: Vec::new(),
        };
        let whole = Partition::new(
            count,
            0..count as u32,
            |s| mix(hash_up(s), u64::from(groups.down_class(s))),
            |a, b| {
                groups.down_class(a) == groups.down_class(b)
                    && same_up(a, b)
                    && same_ports(groups.down(a), groups.down(b))
            },
        );
        sharing.share(&whole, Part::Whole);
        let rest =
            (0..count as u32).filter(|&s| sharing.source[s as usize].is_none() && little_below(s));
        let upward = Partition::new(count, rest, hash_up, same_up);
        sharing.share(&upward, Part::Upward);
        // The longest work first: classes before what shares with no other.
        let all: Vec<u32> = (0..count as u32).collect();
        sharing.order = sort_by_small_key(&all, |s| match sharing.source(s) {
            Some((first, _)) => first,
            None => count as u32,
        });
        sharing
    }

    fn share(&mut self, alike: &Partition, part: Part) {
        let sizes = alike.sizes();
        for (s, source) in (0u32..).zip(&mut self.source) {
            if let Some(class) = alike.class(s)
                && sizes[class as usize] > 1
            {
                *source = Some((alike.firsts()[class as usize], part));
            }
        }
    }

    /// The row that a switch shares: the first switch that has it, and how much of it it is.
    pub fn source(&self, switch: u32) -> Option<(u32, Part)> {
        self.source[switch as usize]
    }

    /// All switches, those that share a row side by side.
    pub fn order(&self) -> &[u32] {
        &self.order
    }
}
