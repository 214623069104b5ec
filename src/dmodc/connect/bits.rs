//! Sets of small numbers.

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

    /// Whether a group is in.
    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    /// Whether all of it is in another.
    pub fn is_within(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// Whether any of it is in another.
    pub fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// The groups in it, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..)
            .zip(self.0)
            .flat_map(|(i, word)| ones(word).map(move |b| 64 * i + b as usize))
    }
}

/// A set of any numbers, as long as the greatest.
#[derive(Clone, Default, Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Puts a number in.
    pub fn put(&mut self, i: u32) {
        let word = i as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (i % 64);
    }

    /// Whether a number is in.
    pub fn contains(&self, i: u32) -> bool {
        let word = self.0.get(i as usize / 64);
        word.is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Whether nothing is in.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts all of another in.
    pub fn add(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    /// Whether any of it is in another.
    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// The places of the ones in a word, ascending.
fn ones(word: u64) -> impl Iterator<Item = u32> {
    let next = |&word: &u64| Some(word & (word - 1)).filter(|&word| word != 0);
    let words = std::iter::successors(Some(word).filter(|&word| word != 0), next);
    words.map(u64::trailing_zeros)
}
