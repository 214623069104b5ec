//! Rows that switches share.
//!
//! Two switches with the same divider, whose groups lead by the same ports to the same switches,
//! route alike: their rows differ in their own LIDs alone. The leaves of a pod are such, and the
//! top switches of one position in a complete tree. Where only the groups that lead *up* are the
//! same, as with the switches of one position in all pods, rows differ in what lies below; that is
//! worth patching where it is little. And where a top switch has lost a link or two that the others
//! of its position have, its row differs from theirs in what was below these.
//!
//! In a complete tree a few dozen rows are so computed, and all others copied.

use super::groups::{Group, Groups};
use super::partition::{Partition, mix, sort_by_small_key};
use std::cmp::Ordering;

/// How much of a row is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// All but the switch's own LIDs.
    Whole,
    /// What the switch would route if nothing were below it.
    Upward,
    /// All but what is below the groups in which the switch differs from those that have the row,
    /// and its own LIDs.
    Near,
}

/// How many of the groups of a switch are asked for its likes, and how many of these are compared.
const POSITIONS: usize = 2;
const KNOWN: usize = 8;

/// The switches below one of two switches that are not below the other by the same ports.
pub fn differing(groups: &Groups, a: u32, b: u32) -> Vec<u32> {
    let (mut of_a, mut of_b) = (groups.down(a), groups.down(b));
    // Groups stand in ascending order of the remote switch.
    let remote = |list: &[Group]| list.first().map_or(u32::MAX, |g| g.remote);
    let mut found = Vec::new();
    while !(of_a.is_empty() && of_b.is_empty()) {
        match remote(of_a).cmp(&remote(of_b)) {
            Ordering::Less => {
                found.push(remote(of_a));
                of_a = &of_a[1..];
            }
            Ordering::Greater => {
                found.push(remote(of_b));
                of_b = &of_b[1..];
            }
            Ordering::Equal => {
                if groups.ports(&of_a[0]) != groups.ports(&of_b[0]) {
                    found.push(remote(of_a));
                }
                (of_a, of_b) = (&of_a[1..], &of_b[1..]);
            }
        }
    }
    found
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
        sharing.find_near(groups, |a, b| key(a) == key(b));
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

    /// Lets top switches that share with no other copy the row of one that is nearly the same.
    fn find_near(&mut self, groups: &Groups, comparable: impl Fn(u32, u32) -> bool) {
        let tops = (0..self.source.len() as u32).filter(|&s| groups.up(s).is_empty());
        let alone: Vec<u32> = tops
            .filter(|&s| self.source[s as usize].is_none())
            .collect();
        for s in alone {
            // Those of its position are the tops above whatever is below it.
            let below = groups.down(s);
            let mut known: Vec<u32> = Vec::new();
            for group in below.iter().take(POSITIONS) {
                for other in groups.up(group.remote).iter().map(|g| g.remote) {
                    if let Some((first, Part::Whole)) = self.source[other as usize]
                        && !known.contains(&first)
                        && known.len() < KNOWN
                    {
                        known.push(first);
                    }
                }
            }
            let tops = known.into_iter().filter(|&first| comparable(s, first));
            let nearest = tops
                .map(|first| (differing(groups, s, first).len(), first))
                .min();
            if let Some((differences, first)) = nearest
                && 4 * differences <= below.len()
            {
                self.source[s as usize] = Some((first, Part::Near));
            }
        }
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
