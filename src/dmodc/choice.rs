//! The closed-form choice of an output port (paper, equations (3) and (4)).
//!
//! With C the ordered candidate groups, t the destination's NID and Π the switch's divider:
//! group `C[⌊t/Π⌋ mod #C]`, and in that group port `g[⌊t/(Π·#C)⌋ mod #g]`. Both depend on the
//! quotient `q = ⌊t/Π⌋` alone, since `⌊t/(Π·#C)⌋ = ⌊q/#C⌋`; so the choice repeats with the period
//! `#C · lcm(#g)` and is kept as a table where that is short.
//!
//! *Extra LIDs.* A port with LMC > 0 has LIDs base + k. Offset k turns both choices by a digit of
//! k, so that consecutive LIDs take different groups at every switch, and the digits of the
//! switches along a way differ in as many combinations as there are paths: with D different ways
//! below a switch and w ways out of it, `k ↦ (k mod D, digit(k))` meets every combination once
//! before it repeats. For k = 0 every digit is 0: base LIDs are the paper's.

use super::groups::{Group, Groups};
use crate::lft::NO_PATH;

/// Tables longer than this are not worth building.
const MAX_PERIOD: usize = 1024;

/// The ordered candidates of one switch for some destinations.
pub struct Choice<'a> {
    groups: &'a Groups,
    candidates: Vec<Group>,
    ways: usize,
    /// Tables for offsets 0, 1, .. of one period each, or nothing while they are not needed.
    tables: Vec<u8>,
    offsets: usize,
    /// Set aside while the candidates are compared with those before.
    next: Vec<Group>,
}

impl<'a> Choice<'a> {
    /// No candidates yet. `offsets` is the greatest number of LIDs of a port.
    pub fn new(groups: &'a Groups, offsets: usize) -> Self {
        let (candidates, next, tables) = Default::default();
        Choice {
            groups,
            candidates,
            ways: 1,
            tables,
            offsets,
            next,
        }
    }

    /// Sets the candidates, in ascending UUID of the remote switch. `ways` is the switch's path
    /// divider.
    pub fn set(&mut self, ways: u32, candidates: impl Iterator<Item = Group>) {
        self.next.clear();
        self.next.extend(candidates);
        if self.next != self.candidates || self.ways != ways as usize {
            std::mem::swap(&mut self.next, &mut self.candidates);
            self.ways = ways as usize;
            self.tables.clear();
        }
    }

    /// The candidates.
    pub fn candidates(&self) -> &[Group] {
        &self.candidates
    }

    /// The output port, if there is but one.
    pub fn only_port(&self) -> Option<u8> {
        match self.candidates.as_slice() {
            [only] if only.size() == 1 => self.groups.ports(only).first().copied(),
            _ => None,
        }
    }

    /// The output port of a port's `offset`th LID, for quotient `q`; [`NO_PATH`] without
    /// candidates.
    pub fn port(&self, q: usize, offset: usize) -> u8 {
        let n = self.candidates.len();
        let (ports, turn) = match self.candidates.as_slice() {
            [] => return NO_PATH,
            [only] => (self.groups.ports(only), q),
            several => {
                let turn = digit(offset, self.ways, n);
                (self.groups.ports(&several[(q + turn) % n]), q / n)
            }
        };
        match ports {
            [only] => *only,
            _ => {
                let ways = self.ways.saturating_mul(n);
                ports[(turn + digit(offset, ways, ports.len())) % ports.len()]
            }
        }
    }

    /// The ports for quotients 0, 1, .. up to where they repeat, or `None` where that is far.
    pub fn table(&mut self, offset: usize) -> Option<&[u8]> {
        let n = self.candidates.len();
        let period = self
            .candidates
            .iter()
            .map(Group::size)
            .try_fold(1, |all, size| {
                let common = lcm(all, size);
                (common * n <= MAX_PERIOD).then_some(common)
            })?
            * n;
        if self.tables.is_empty() {
            for offset in 0..self.offsets {
                for q in 0..period {
                    let port = self.port(q, offset);
                    self.tables.push(port);
                }
            }
        }
        Some(&self.tables[offset * period..][..period])
    }
}

/// The digit, below `w`, by which offset `k` turns a choice among `w` above `ways` different ways.
fn digit(k: usize, ways: usize, w: usize) -> usize {
    if k == 0 {
        return 0;
    }
    let repeat = ways.saturating_mul(w);
    (k + (k % repeat.max(1)) / lcm(ways, w).max(1)) % w.max(1)
}

fn lcm(a: usize, b: usize) -> usize {
    (a / gcd(a, b).max(1)).saturating_mul(b)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn digits_meet_every_combination_once() {
        for (w1, w2, w3) in [(1, 3, 5), (2, 2, 2), (6, 15, 1), (4, 6, 3), (2, 3, 4)] {
            let paths: HashSet<_> = (0..w1 * w2 * w3)
                .map(|k| (digit(k, 1, w1), digit(k, w1, w2), digit(k, w1 * w2, w3)))
                .collect();
            assert_eq!(paths.len(), w1 * w2 * w3, "arities {w1} {w2} {w3}");
        }
    }

    #[test]
    fn consecutive_lids_take_different_groups() {
        for (ways, w) in [(1, 4), (4, 4), (6, 15), (90, 7)] {
            let seen: HashSet<_> = (0..w).map(|k| digit(k, ways, w)).collect();
            assert_eq!(seen.len(), w);
            assert_eq!(digit(0, ways, w), 0);
        }
    }
}
