//! The closed-form choice of an output port (paper, equations (3) and (4)).
//!
//! With C the ordered candidate groups, t the destination's NID and Π the switch's divider: group `C[⌊t/Π⌋ mod #C]`,
//! and in that group port `g[⌊t/(Π·#C)⌋ mod #g]`. Both depend on the quotient `q = ⌊t/Π⌋` alone, since `⌊t/(Π·#C)⌋ =
//! ⌊q/#C⌋`; so the choice repeats with the period `#C · lcm(#g)` and is kept as a table where that is short.
//!
//! Where several groups lead *down* to one leaf, which no PGFT has, `q = t`: a divider that counts the paths up would
//! send all nodes of a leaf down by one group. (`faults=stable` uses module `mirror` instead.)
//!
//! *Further LIDs.* A port with LMC > 0 has LIDs base + k. Offset k rotates both choices by a digit of k, so that
//! consecutive LIDs take different groups at every switch, and the digits of the switches along a path take as many
//! combinations as there are paths: with D paths up to a switch and w candidates there, `k ↦ (k mod D, digit(k))` meets
//! every combination once before it repeats. For k = 0 every digit is 0: base LIDs have the paper's routes.

use crate::dmodc::numbers::gcd;
use crate::dmodc::tree::{Group, Groups};
use crate::lft::NO_PATH;
use std::iter::successors;

/// The longest period that is kept as a table.
const MAX_PERIOD: usize = 1024;
/// A table has at least this many entries beyond its period, so that short runs are one copy.
const STRETCH: usize = 64;

/// The length of a table: a run may start anywhere in the period, and at least a whole period follows.
fn stretched(period: usize) -> usize {
    period + period.max(STRETCH)
}

/// The ordered candidates of one switch for some destinations, and their ports as a table if the period is short.
#[derive(Default)]
pub struct Choice {
    candidates: Vec<Group>,
    paths: usize,
    /// The period of the choice in quotients; 0 if it is long, or without candidates.
    period: usize,
    /// Tables for offsets 0, 1, ..; empty until they are needed.
    tables: Vec<u8>,
}

/// The ports for quotients 0, 1, ..: the first period and more.
pub struct Table<'c> {
    /// The ports, at least one whole period of them beyond the first.
    pub ports: &'c [u8],
    /// Their period.
    pub period: usize,
}

impl Choice {
    /// Sets the candidates, in ascending UUID of the remote switch. `paths` is how many paths lead up to the switch.
    pub fn set(&mut self, paths: u32, candidates: Vec<Group>) {
        self.candidates = candidates;
        self.paths = paths as usize;
        self.tables.clear();
        let n = self.candidates.len();
        let common = self.candidates.iter().try_fold(1, |all, g| {
            let common = lcm(all, g.size());
            (common * n <= MAX_PERIOD).then_some(common)
        });
        self.period = common.map_or(0, |common| common * n);
    }

    /// Sets candidates of one port each, for ports of one LID each, the common case. The table alone then holds the
    /// choice; its period is the number of candidates. Without candidates it holds [`NO_PATH`].
    fn set_plain(&mut self, ports: &[u8], set: GroupSet) {
        self.candidates.clear();
        // All tables get the length of the longest, so that memory is allocated once.
        self.tables.resize(stretched(ports.len().max(1)), NO_PATH);
        self.tables[0] = NO_PATH;
        let mut known = 0;
        for i in set.positions() {
            self.tables[known] = ports[i];
            known += 1;
        }
        self.period = known.max(1);
        repeat(&mut self.tables[..stretched(self.period)], self.period);
    }

    /// The output port of a port's `offset`th LID, for quotient `q`; [`NO_PATH`] without candidates.
    pub fn port(&self, groups: &Groups, q: usize, offset: usize) -> u8 {
        let n = self.candidates.len();
        let (ports, rest) = match self.candidates.as_slice() {
            [] => return NO_PATH,
            [only] => (groups.ports(only), q),
            several => {
                let rotation = digit(offset, self.paths, n);
                (groups.ports(&several[(q + rotation) % n]), q / n)
            }
        };
        match ports {
            [only] => *only,
            _ => {
                let paths = self.paths.saturating_mul(n);
                ports[(rest + digit(offset, paths, ports.len())) % ports.len()]
            }
        }
    }

    /// The table of an offset, or `None` if the period is long. `offsets` is the greatest number of LIDs of a port.
    pub fn table(&mut self, groups: &Groups, offset: usize, offsets: usize) -> Option<Table<'_>> {
        let period = self.period;
        if period == 0 {
            return None;
        }
        if self.tables.is_empty() {
            for offset in 0..offsets {
                let start = self.tables.len();
                for q in 0..period {
                    let port = self.port(groups, q, offset);
                    self.tables.push(port);
                }
                self.tables.resize(start + stretched(period), NO_PATH);
                repeat(&mut self.tables[start..], period);
            }
        }
        let length = stretched(period);
        Some(Table {
            ports: &self.tables[offset * length..][..length],
            period,
        })
    }
}

/// Repeats the period at the table's start up to its end.
fn repeat(table: &mut [u8], period: usize) {
    let mut known = period;
    while known < table.len() {
        let more = known.min(table.len() - known);
        table.copy_within(..more, known);
        known += more;
    }
}

/// The last choices of one switch, by set of groups. Leaves that have lost a link stand among leaves that have not, so
/// the same candidates return again and again.
pub struct Choices {
    slots: Vec<(Option<GroupSet>, Choice)>,
}

/// The binary logarithm of the number of kept choices.
const KEPT: u32 = 8;

impl Default for Choices {
    fn default() -> Self {
        let slots = std::iter::repeat_with(Default::default);
        Choices {
            slots: slots.take(1 << KEPT).collect(),
        }
    }
}

impl Choices {
    /// Forgets all choices, before the next switch.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|(set, _)| *set = None);
    }

    /// The choice among a set of groups. `paths` is how many paths lead up to the switch, and `candidates`
    /// makes the groups of the set.
    pub fn of(
        &mut self,
        set: GroupSet,
        paths: u32,
        candidates: impl FnOnce() -> Vec<Group>,
    ) -> &mut Choice {
        self.kept_or(set, |choice| choice.set(paths, candidates()))
    }

    /// The table of a choice among groups of one port each, for ports of one LID each: `ports` has the ports
    /// of all groups.
    pub fn plain(&mut self, set: GroupSet, ports: &[u8]) -> Table<'_> {
        let choice = self.kept_or(set, |choice| choice.set_plain(ports, set));
        Table {
            ports: &choice.tables[..stretched(choice.period)],
            period: choice.period,
        }
    }

    fn kept_or(&mut self, set: GroupSet, make: impl FnOnce(&mut Choice)) -> &mut Choice {
        let [a, b, c, d] = set.bits;
        let bits = a ^ b.rotate_left(16) ^ c.rotate_left(32) ^ d.rotate_left(48);
        let hash = (bits ^ u64::from(set.down)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (kept, choice) = &mut self.slots[(hash >> (64 - KEPT)) as usize];
        if *kept != Some(set) {
            *kept = Some(set);
            make(choice);
        }
        choice
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
    /// Adds the `i`th group, if `is_in`.
    pub fn put(&mut self, i: usize, is_in: bool) {
        self.bits[i / 64] |= u64::from(is_in) << (i % 64);
    }

    /// q of the closed form for NID t at a switch of this divider.
    pub fn quotient(self, t: usize, divider: usize) -> usize {
        if self.down && self.is_several() {
            t
        } else {
            t / divider
        }
    }

    /// Whether it has several groups.
    pub fn is_several(self) -> bool {
        self.bits.iter().map(|word| word.count_ones()).sum::<u32>() > 1
    }

    /// The positions of its groups, ascending.
    pub fn positions(self) -> impl Iterator<Item = usize> + Clone {
        let words = (0..).step_by(64).zip(self.bits);
        words.flat_map(|(first, bits)| {
            let some = |bits: u64| (bits != 0).then_some(bits);
            let left = successors(some(bits), move |bits| some(bits & (bits - 1)));
            left.map(move |bits| first + bits.trailing_zeros() as usize)
        })
    }
}

/// The digit, below `w`, by which offset `k` rotates a choice among `w` at a switch with `paths` paths up to it.
pub fn digit(k: usize, paths: usize, w: usize) -> usize {
    if k == 0 {
        return 0;
    }
    let repeat = paths.saturating_mul(w);
    (k + (k % repeat.max(1)) / lcm(paths, w).max(1)) % w.max(1)
}

fn lcm(a: usize, b: usize) -> usize {
    let common = gcd(a as u64, b as u64).max(1) as usize;
    (a / common).saturating_mul(b)
}
