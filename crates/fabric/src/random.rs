//! Seeded randomness that is the same on every machine and in every release.
//!
//! `generate --seed` and `degrade --seed` are part of published results: the same seed must give the same
//! fabric for ever. So nothing here depends on code that a library may change: the generator is ChaCha8 by name,
//! its 256-bit key is the seed as a little-endian number, and this file has the code from its 64-bit words to
//! a bounded number and to a shuffle.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

/// A frozen stream of random numbers.
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Random(ChaCha8Rng::from_seed(key))
    }

    /// One of many independent streams of a seed, so that they can be drawn in any order. Stream 0 is the stream of
    /// [`Random::new`].
    pub fn stream(seed: u64, number: u64) -> Self {
        let mut random = Random::new(seed);
        random.0.set_stream(number);
        random
    }

    /// A number below `bound` (above 0), each equally likely: words at or above the greatest multiple of `bound` are
    /// thrown away, all others are taken modulo `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        let fair = u64::MAX - u64::MAX % bound;
        loop {
            let word = self.0.next_u64();
            if word < fair {
                return (word % bound) as usize;
            }
        }
    }

    /// Shuffles in place (Fisher and Yates, from the last place down).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
