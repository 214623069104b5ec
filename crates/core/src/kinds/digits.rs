//! One digit of the topological numbers: what each position adds.
//!
//! Positions are divided by their usual stride. The next digit weighs this weight times the positions, if these are
//! filled evenly. Else first numbers would come round to the same ways too often, so its weight is the next number that
//! is ± a golden step modulo the number of ways up. No weight is a product of port counts beyond the positions in use.
//!
//! *Switches*: a position counts if it has an eighth of the most votes; over half, if only switches have it that came after
//! all above them: the first leaf beyond the others of all pods renumbers nobody. Dark positions between are skipped if
//! the most is [`MANY`] votes or more, so that no single switch decides which are dark. Else they keep their numbers:
//! what comes later moves nobody.
//!
//! *Hosts* fill leaves up to some port, so positions end where votes fall most behind those that half of the leaves use,
//! and begin where they rise most. No single host decides this. If leaves end at no common position, all positions
//! count. Dark ones between are skipped if they are a third.

use crate::spread::{golden_step, most_common};

/// With this many votes a single element does not decide which positions are usual.
const MANY: u32 = 16;

/// One digit.
#[derive(Clone, Debug, Default)]
pub struct Digit {
    /// Usual positions are this far apart.
    stride: u32,
    /// The usual positions, if those between them are skipped.
    usual: Option<Vec<u32>>,
    /// What one position adds.
    weight: u32,
    /// The weight of the next digit.
    pub next: u32,
}

impl Digit {
    /// The digit of switches at these positions of parents that have `all`, and whether each came after all above it.
    /// `ways` is the number of ways up: numbers that far apart take the same.
    pub fn switches(
        switches: impl Iterator<Item = (u32, bool)> + Clone,
        all: u32,
        weight: u32,
        ways: u32,
    ) -> Self {
        let votes = count(switches.clone().map(|at| at.0));
        let old = count(switches.filter(|at| !at.1).map(|at| at.0));
        let most = votes.iter().copied().max().unwrap_or(0);
        let counts = |&&(at, votes): &&(u32, u32)| {
            let is_old = old.get(at as usize).is_some_and(|&old| old > 0);
            let least = if is_old {
                most.div_ceil(8)
            } else {
                most / 2 + 1
            };
            votes > 0 && votes >= least
        };
        let votes: Vec<(u32, u32)> = (0..).zip(votes).collect();
        let usual = votes.iter().filter(counts);
        let filled: u32 = usual.clone().map(|(_, votes)| votes).sum();
        // A switch that lost its first link to most parents is beside its place.
        let common = usual.clone().filter(|&&(_, votes)| 2 * votes >= most);
        let common: Vec<u32> = common.map(|&(at, _)| at).collect();
        let stride = usual_stride(&common);
        let at: Vec<u32> = usual.map(|&(at, _)| at).collect();
        let mut digit = Digit::new(&at, stride, most >= MANY, weight);
        let is_even = 8 * u64::from(filled) >= 7 * u64::from(digit.next) * u64::from(most);
        if !is_even {
            digit.next = digit.next.max(all / stride);
        }
        digit.find_next(is_even, ways);
        digit
    }

    /// The first digit, of hosts at these positions of each leaf; a leaf has `all` positions at most. Positions of few
    /// leaves end nowhere if cables do not tell which ports are uplinks.
    pub fn hosts(leaves: &[Vec<u32>], has_planes: bool, all: u32, ways: u32) -> Self {
        let mut votes = count(leaves.iter().flatten().copied());
        votes.resize(votes.len().max(all as usize) + 1, 0);
        let most = votes.iter().copied().max().unwrap_or(0);
        let Some((first, last)) = ends(&votes, most) else {
            return Digit {
                next: 1,
                ..Digit::default()
            };
        };
        let is_many = leaves.len() >= MANY as usize;
        let has_end = match is_many {
            true => do_many_end(&votes, last),
            false => has_planes && do_few_end(leaves, last),
        };
        if !has_end && last + 1 - first < all as usize {
            let mut digit = Digit::new(&(0..all).collect::<Vec<u32>>(), 1, false, 1);
            digit.find_next(false, ways);
            return digit;
        }
        let of_range = &votes[first..=last];
        let is_clear = most >= 5 && of_range.iter().all(|&votes| votes < 2 || 2 * votes >= most);
        let used = of_range.iter().filter(|&&votes| votes > 0).count();
        let skips = is_clear || 3 * (last + 1 - used) > last;
        let counts = |at: &usize| votes[*at] > 0 || !skips;
        let at: Vec<usize> = (first..=last).filter(counts).collect();
        let half = at.len() / 2;
        let sum = |part: &[usize]| part.iter().map(|&at| votes[at]).sum::<u32>();
        let (low, high) = (sum(&at[..half]), sum(&at[at.len() - half..]));
        let is_even = !is_many || half == 0 || 4 * low.max(high) < 7 * low.min(high);
        let at: Vec<u32> = at.iter().map(|&at| at as u32).collect();
        let stride = usual_stride(&at);
        let mut digit = Digit::new(&at, stride, skips, 1);
        digit.find_next(is_even, ways);
        digit
    }

    /// The digit whose next weight is the number of positions.
    fn new(at: &[u32], stride: u32, skips: bool, weight: u32) -> Self {
        let mut usual: Vec<u32> = at.iter().map(|at| at / stride).collect();
        usual.dedup();
        let range = match (usual.first(), usual.last()) {
            (Some(first), Some(last)) => last - first + 1,
            _ => 1,
        };
        let skips = skips && usual.len() < range as usize;
        Digit {
            stride,
            weight,
            next: if skips { usual.len() as u32 } else { range },
            usual: skips.then_some(usual),
        }
    }

    /// Makes the number of positions the weight of the next digit.
    fn find_next(&mut self, is_even: bool, ways: u32) {
        let least = self.weight.saturating_mul(self.next.max(1));
        let step = golden_step(ways);
        let is_golden = |n: &u32| [step, ways - step].contains(&(n % ways));
        self.next = match is_even {
            true => least,
            false => (least..=u32::MAX).find(is_golden).unwrap_or(least),
        };
    }

    /// What a position adds to a number.
    pub fn value(&self, position: u32) -> u32 {
        let at = position / self.stride.max(1);
        let nth = match &self.usual {
            Some(usual) => usual.partition_point(|&known| known < at) as u32,
            None => at,
        };
        nth.saturating_mul(self.weight)
    }
}

/// How many elements are at each position.
fn count(positions: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut votes: Vec<u32> = Vec::new();
    for at in positions {
        let at = at as usize;
        votes.resize(votes.len().max(at + 1), 0);
        votes[at] += 1;
    }
    votes
}

/// How far apart positions usually are.
fn usual_stride(at: &[u32]) -> u32 {
    let mut strides: Vec<u32> = at.windows(2).map(|two| two[1] - two[0]).collect();
    most_common(&mut strides).0.max(1)
}

/// The first and the last usual position of hosts. The last of `votes` is 0.
fn ends(votes: &[u32], most: u32) -> Option<(usize, usize)> {
    let is_common = |&at: &usize| 2 * votes[at] > most;
    let first_common = (0..votes.len()).find(is_common)?;
    let last_common = (0..votes.len()).rfind(is_common)?;
    // Ratios, compared without division: votes differ by their order of magnitude.
    let steeper = |high: u32, low: u32, than: (u32, u32)| {
        u64::from(high + 1) * u64::from(than.1 + 1) > u64::from(low + 1) * u64::from(than.0 + 1)
    };
    let mut last = last_common;
    for at in last_common + 1..votes.len() - 1 {
        if !steeper(votes[last], votes[last + 1], (votes[at], votes[at + 1])) {
            last = at;
        }
    }
    let before = |at: usize| at.checked_sub(1).map_or(0, |before| votes[before]);
    let mut first = first_common;
    for at in (0..first_common).rev() {
        if steeper(votes[at], before(at), (votes[first], before(first))) {
            first = at;
        }
    }
    Some((first, last))
}

/// Whether half as many leaves as use a position end at the last.
fn do_many_end(votes: &[u32], last: usize) -> bool {
    let end_here = votes[last].saturating_sub(votes[last + 1]);
    2 * (last + 1) as u32 * end_here >= votes[..=last].iter().sum()
}

/// Whether few leaves end at the last position: dark ones up to it, and hosts behind it, are a quarter of the leaves at
/// most. The last leaf of a fabric may be half full.
fn do_few_end(leaves: &[Vec<u32>], last: usize) -> bool {
    let (mut away, mut most) = (0, 0);
    for leaf in leaves {
        let usual = leaf.iter().map(|&at| at as usize).filter(|&at| at <= last);
        let end = usual.clone().max().map_or(0, |at| at + 1);
        let of_leaf = last + 1 - end + leaf.len() - usual.count();
        away += of_leaf;
        most = most.max(of_leaf);
    }
    4 * (away - most) <= leaves.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What positions add, and the next weight.
    fn digit(votes: &[(u32, usize)], weight: u32, ways: u32) -> (Vec<u32>, u32) {
        let positions = votes.iter().flat_map(|&(at, count)| vec![at; count]);
        let leaves = votes.iter().map(|vote| vote.1).max().unwrap_or(0);
        let leaf = |nth| {
            let here = votes.iter().filter(|vote| vote.1 > nth);
            here.map(|vote| vote.0).collect::<Vec<u32>>()
        };
        let leaves: Vec<Vec<u32>> = (0..leaves).map(leaf).collect();
        let digit = match weight {
            1 => Digit::hosts(&leaves, true, 12, ways),
            _ => Digit::switches(positions.map(|at| (at, false)), 0, weight, ways),
        };
        let values = votes.iter().map(|&(at, _)| digit.value(at));
        (values.collect(), digit.next)
    }

    #[test]
    fn positions_are_digits() {
        // Four places of four leaves each.
        assert_eq!(
            digit(&[(0, 4), (1, 4), (2, 4), (3, 4)], 1, 6),
            (vec![0, 1, 2, 3], 4)
        );
        // Every third port.
        assert_eq!(
            digit(&[(0, 4), (3, 4), (6, 4)], 10, 6),
            (vec![0, 10, 20], 30)
        );
        // A host a leaf: its two halves are empty, and so even.
        assert_eq!(digit(&[(0, 64)], 1, 16), (vec![0], 1));
        // A host at a spare port is behind the last place.
        assert_eq!(digit(&[(0, 16), (1, 16), (30, 1)], 1, 6).1, 2);
    }

    #[test]
    fn dark_places_keep_their_numbers_unless_many_agree_that_they_are_none() {
        assert_eq!(
            digit(&[(0, 4), (1, 4), (2, 4), (4, 4)], 10, 1).0,
            [0, 10, 20, 40]
        );
        assert_eq!(
            digit(&[(0, 16), (1, 16), (2, 16), (4, 16)], 10, 1).0,
            [0, 10, 20, 30]
        );
        // Hosts: every second pair of ports.
        assert_eq!(
            digit(&[(0, 4), (1, 4), (4, 4), (5, 4)], 1, 1).0,
            [0, 1, 2, 3]
        );
    }

    /// By an eighth of the most votes, the first of eight hosts at a new port would make a position.
    #[test]
    fn no_single_host_decides_where_positions_end() {
        let next = |votes: &[usize]| {
            let votes: Vec<(u32, usize)> = (0..).zip(votes.iter().copied()).collect();
            digit(&votes, 1, 4).1
        };
        for at_new_port in 0..2 {
            assert_eq!(next(&[8, 8, 8, 8, at_new_port]), 4);
        }
        for at_last in 5..8 {
            assert_eq!(next(&[8, 8, 8, at_last]), 4);
        }
        // Many leaves that are filled by chance have no end: all twelve positions count, and 13 is 5 modulo 8.
        let falling = [32, 30, 27, 23, 20, 16, 13, 10, 6, 3];
        let falling: Vec<(u32, usize)> = (0..).zip(falling).collect();
        assert_eq!(digit(&falling, 1, 8).1, 13);
    }

    #[test]
    fn uneven_places_go_round_the_ways_by_golden_steps() {
        // Half of the leaves are half full: weight 8 of 8 ways would give all leaves the same ways.
        let half: Vec<(u32, usize)> = (0..8)
            .map(|at| (at, if at < 4 { 40 } else { 20 }))
            .collect();
        let (_, next) = digit(&half, 1, 8);
        assert_eq!(next, 11);
        assert!([3, 5].contains(&(next % 8)));
    }
}
