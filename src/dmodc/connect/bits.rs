//! Sets of a switch's groups that lead up.

/// A set of a switch's groups that lead up, by position. A switch has at most 254 ports.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Set(pub [u64; 4]);

impl Set {
    /// The set of one group.
    pub fn of(i: usize) -> Set {
        let mut set = Set::default();
        set.put(i);
        set
    }

    /// Puts a group in.
    pub fn put(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    /// Whether there are any, and all are in another set.
    pub fn is_within(&self, other: &Set) -> bool {
        let all = self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0);
        all && self.0 != [0; 4]
    }
}
