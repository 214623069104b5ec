//! The usual positions of nodes on leaves, and their slots.

use crate::dmodc::numbers::golden_step;

/// A position is usual if it has at least one in this many of the votes of the position with most votes.
const USUAL: u32 = 4;
/// Positions that are not usual are dark by design if at least one position in this many is not usual.
const DARK: usize = 3;
/// Leaves are filled unequally if half of the positions have at least this many votes for four of the other half.
const UNEQUAL: u32 = 7;

/// The usual positions.
#[derive(Default)]
pub struct Usual {
    /// The number of slots of a leaf.
    pub slots: u32,
    /// The position behind the last usual one.
    end: usize,
    /// Whether the position of a node is its count on the leaf, not the position of its port.
    pub counts: bool,
    /// By position: its slot.
    slot: Vec<Option<u32>>,
    /// By how much the slots rotate from one leaf to the next.
    rotation: u32,
}

impl Usual {
    /// Finds the usual positions by the votes of many or few leaves.
    pub fn new(votes: &[u32; 256], is_many: bool) -> Self {
        let most = votes.iter().copied().max().unwrap_or(0);
        let mut usual = Usual::default();
        if most == 0 {
            return usual;
        }
        // The steepest fall (the last of several) and the steepest rise before it, outside the positions that half of
        // the leaves use: the ends of all, not of a gap between such positions.
        let steeper =
            |low: usize, high: usize| f64::from(votes[high] + 1) / f64::from(votes[low] + 1);
        let is_common = |&at: &usize| 2 * votes[at] > most;
        let last_common = (0..256).rfind(is_common).unwrap_or(0);
        let first_common = (0..256).find(is_common).unwrap_or(0);
        let last =
            (last_common..255).max_by(|&a, &b| steeper(a + 1, a).total_cmp(&steeper(b + 1, b)));
        let last = last.unwrap_or(last_common);
        let rise = |at: usize| match at {
            0 => f64::from(votes[0] + 1),
            _ => steeper(at - 1, at),
        };
        let first = (0..=first_common)
            .rev()
            .max_by(|&a, &b| rise(a).total_cmp(&rise(b)));
        let mut positions: Vec<usize> = (first.unwrap_or(0)..=last).collect();
        let is_usual = |&at: &usize| USUAL * votes[at] >= most;
        let dark = positions.len() - positions.iter().filter(|at| is_usual(at)).count();
        if DARK * dark >= positions.len() {
            positions.retain(is_usual);
        }
        usual.slot.resize(last + 1, None);
        for (slot, &at) in (0..).zip(&positions) {
            usual.slot[at] = Some(slot);
        }
        usual.slots = positions.len() as u32;
        let sum = |part: &[usize]| part.iter().map(|&at| votes[at]).sum::<u32>();
        let half = positions.len() / 2;
        let (low, high) = (&positions[..half], &positions[positions.len() - half..]);
        let (low, high) = (sum(low), sum(high));
        let is_unequal = is_many && 4 * low.max(high) >= UNEQUAL * low.min(high);
        if is_unequal {
            usual.rotation = rotation(usual.slots);
        }
        usual.end = last + 1;
        usual
    }

    /// A slot for each of these positions. Nodes are at the first positions; where leaves are many, further slots make
    /// the first numbers of one leaf after the other go round the ways up evenly.
    pub fn all(positions: usize, ways: Option<u64>) -> Self {
        let positions = positions as u32;
        let (slots, rotation) = match ways {
            Some(ways) => {
                let step = golden_step(ways);
                let is_even =
                    |&slots: &u32| [step, ways - step].contains(&(u64::from(slots) % ways));
                ((positions..).find(is_even).unwrap_or(positions), 0)
            }
            None => (positions, rotation(positions)),
        };
        Usual {
            slots,
            slot: (0..slots).map(Some).collect(),
            rotation,
            ..Usual::default()
        }
    }

    /// Whether half as many leaves as use a position end at the last position: then no host decides where slots end.
    pub fn ends_sharply(&self, votes: &[u32; 256]) -> bool {
        let behind = votes.get(self.end).copied().unwrap_or(0);
        let end_here = votes[self.end - 1].saturating_sub(behind);
        2 * self.slots * end_here >= votes[..self.end].iter().sum()
    }

    /// Whether leaves with nodes at these positions end elsewhere than the slots. One may: the last of a real fat-tree.
    pub fn is_uneven(&self, leaves: Vec<Vec<Option<usize>>>) -> bool {
        let (mut nodes, mut between, mut all_away, mut most) = (0, 0, 0, 0);
        for leaf in &leaves {
            let before = || leaf.iter().flatten().filter(|&&at| at < self.end);
            let (count, end) = (before().count(), before().max().map_or(0, |at| at + 1));
            let away = self.end - end + leaf.len() - count;
            nodes += count;
            between += end.saturating_sub(count);
            all_away += away;
            most = most.max(away);
        }
        // If hosts are off by chance, as many are behind the last host of a leaf as before each.
        4 * (all_away - most) * nodes > leaves.len() * (nodes + 8 * between)
    }

    /// This many nodes on each leaf, at any ports.
    pub fn counted(slots: u32) -> Self {
        Usual {
            slots,
            counts: true,
            slot: (0..slots).map(Some).collect(),
            ..Usual::default()
        }
    }

    /// The slot of a node on the `nth` leaf, at a position and port, and whether the slot is its own. A node at an
    /// unusual position takes a slot by the number of its port alone, so it moves no other node.
    pub fn slot(&self, nth: usize, position: Option<usize>, port: usize) -> (u32, bool) {
        let (slot, is_own) = match position.and_then(|at| *self.slot.get(at)?) {
            Some(slot) => (slot, true),
            None => (port as u32 % self.slots.max(1), false),
        };
        let rotated = u64::from(slot) + u64::from(self.rotation) * nth as u64;
        ((rotated % u64::from(self.slots.max(1))) as u32, is_own)
    }
}

/// By how much the slots rotate from one leaf to the next.
fn rotation(slots: u32) -> u32 {
    match slots {
        0..=2 => 0,
        _ => golden_step(slots.into()) as u32,
    }
}
