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
use std::collections::HashMap;
use std::hash::Hash;

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
    /// Rows to compute: a switch that has such a row, and how much of it.
    rows: Vec<(u32, Part)>,
    /// Per switch: the shared row to copy.
    source: Vec<Option<u32>>,
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
        let switches = || 0..dividers.len() as u32;
        let divider = |s: u32| (dividers[s as usize], path_dividers[s as usize]);
        let wiring = |list: &[Group]| -> Vec<(u32, Vec<u8>)> {
            list.iter()
                .map(|g| (g.remote, groups.ports(g).to_vec()))
                .collect()
        };
        let mut sharing = Sharing {
            rows: Vec::new(),
            source: vec![None; dividers.len()],
        };
        let whole = |s: u32| (divider(s), wiring(groups.up(s)), wiring(groups.down(s)));
        sharing.share(switches(), Part::Whole, whole);
        let rest: Vec<u32> = switches()
            .filter(|&s| sharing.source[s as usize].is_none() && little_below(s))
            .collect();
        sharing.share(rest.into_iter(), Part::Upward, |s| {
            (divider(s), wiring(groups.up(s)))
        });
        sharing
    }

    fn share<K: Hash + Eq>(
        &mut self,
        switches: impl Iterator<Item = u32>,
        part: Part,
        key: impl Fn(u32) -> K,
    ) {
        let mut alike: HashMap<K, Vec<u32>> = HashMap::new();
        for s in switches {
            alike.entry(key(s)).or_default().push(s);
        }
        for members in alike.into_values().filter(|members| members.len() > 1) {
            for &s in &members {
                self.source[s as usize] = Some(self.rows.len() as u32);
            }
            self.rows.push((members[0], part));
        }
    }

    /// Rows to compute: a switch that has such a row, and how much of it.
    pub fn rows(&self) -> &[(u32, Part)] {
        &self.rows
    }

    /// The shared row that a switch copies: its index in [`Sharing::rows`], and how much it has.
    pub fn source(&self, switch: u32) -> Option<(usize, Part)> {
        let row = self.source[switch as usize]? as usize;
        Some((row, self.rows[row].1))
    }
}
