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
    /// Quotients after which the choice repeats; `None` where that is far.
    period: Option<usize>,
    /// Tables for offsets 0, 1, .. of one period each, or nothing while they are not needed.
    tables: Vec<u8>,
    offsets: usize,
}

impl<'a> Choice<'a> {
    /// No candidates yet. `offsets` is the greatest number of LIDs of a port.
    pub fn new(groups: &'a Groups, offsets: usize) -> Self {
        Choice {
            groups,
            candidates: Vec::new(),
            ways: 1,
            period: None,
            tables: Vec::new(),
            offsets,
        }
    }

    /// Sets the candidates, in ascending UUID of the remote switch. `ways` is the switch's path
    /// divider.
    pub fn set(&mut self, ways: u32, candidates: impl Iterator<Item = Group>) {
        self.candidates.clear();
        self.candidates.extend(candidates);
        self.ways = ways as usize;
        self.tables.clear();
        let (groups, n) = (self.groups, self.candidates.len());
        if self.candidates.iter().all(|g| g.size() == 1) {
            self.period = Some(n);
            if self.offsets == 1 {
                // What most switches have: one link to each switch, one LID a port.
                self.tables
                    .extend(self.candidates.iter().map(|g| groups.ports(g)[0]));
            }
            return;
        }
        let common = self.candidates.iter().try_fold(1, |all, g| {
            let common = lcm(all, g.size());
            (common * n <= MAX_PERIOD).then_some(common)
        });
        self.period = common.map(|common| common * n);
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
        let period = self.period?;
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

/// The last few choices of one switch. Leaves that have lost a link stand among others that have
/// not, so the candidates of a row come back again and again.
pub struct Choices<'a> {
    slots: Vec<(Option<GroupSet>, Choice<'a>)>,
    next: usize,
}

/// How many choices are kept.
const KEPT: usize = 8;

impl<'a> Choices<'a> {
    /// No choices yet. `offsets` is the greatest number of LIDs of a port.
    pub fn new(groups: &'a Groups, offsets: usize) -> Self {
        let slot = || (None, Choice::new(groups, offsets));
        Choices {
            slots: std::iter::repeat_with(slot).take(KEPT).collect(),
            next: 0,
        }
    }

    /// Forgets all choices: another switch is next.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|(set, _)| *set = None);
    }

    /// Where the choice among a set of groups is kept. `ways` is the switch's path divider, and
    /// `candidates` the groups of the set.
    pub fn slot<G: Iterator<Item = Group>>(
        &mut self,
        set: GroupSet,
        ways: u32,
        candidates: impl FnOnce() -> G,
    ) -> usize {
        if let Some(slot) = self.slots.iter().position(|(kept, _)| *kept == Some(set)) {
            return slot;
        }
        let slot = self.next;
        self.next = (slot + 1) % KEPT;
        self.slots[slot].0 = Some(set);
        self.slots[slot].1.set(ways, candidates());
        slot
    }

    /// The choice kept in a slot.
    pub fn at(&mut self, slot: usize) -> &mut Choice<'a> {
        &mut self.slots[slot].1
    }
}

/// A set of a switch's groups, either of those that lead down or of those that lead up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GroupSet {
    /// Whether they lead down.
    pub down: bool,
    /// One bit for each group, in their order. A switch has at most 254 ports.
    pub bits: [u64; 4],
}

impl GroupSet {
    /// Puts the `i`th group in, if `is_in`.
    pub fn put(&mut self, i: usize, is_in: bool) {
        self.bits[i / 64] |= u64::from(is_in) << (i % 64);
    }

    /// The groups that are in, by their position, ascending.
    pub fn positions(self) -> impl Iterator<Item = usize> {
        self.bits
            .into_iter()
            .enumerate()
            .flat_map(|(word, mut bits)| {
                std::iter::from_fn(move || {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits.wrapping_sub(1);
                    (bit < 64).then_some(64 * word + bit)
                })
            })
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
