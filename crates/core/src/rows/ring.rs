//! The next open port of a hashed number, or of a way down: the ports form a ring.
//!
//! The second port is counted on from the nominal one by the cycle, further ones are drawn by hash, until one is open.
//! So what is open elsewhere does not matter: a port that goes or comes moves only what draws it.

use super::open::Set;
use crate::spread::hash;

/// The most ports that are drawn by hash; then the first open port.
const DRAWS: u64 = 30;

/// The index of the port, of `n` with at least one open, for a number with this nominal port and cycle.
pub fn next(n: usize, open: &Set, nominal: usize, cycle: u32) -> Option<usize> {
    let second = (nominal + 1 + cycle as usize % (n - 1).max(1)) % n;
    let drawn = (1..=DRAWS).map(|nth| {
        (hash(u64::from(cycle) << 16 | (nominal as u64) << 8 | nth) % n as u64) as usize
    });
    let mut all = std::iter::once(second).chain(drawn);
    all.find(|&i| open.has(i)).or_else(|| open.iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a list of the open ports instead, a port that goes would move entries of all others.
    #[test]
    fn a_port_that_goes_moves_only_what_drew_it() {
        let [all, less] = [Set::new(12, |i| i > 1), Set::new(12, |i| i > 2)];
        let mut counts = [0; 12];
        for cycle in 0..1200 {
            let port = next(12, &all, 1, cycle).expect("open ports");
            counts[port] += 1;
            let then = next(12, &less, 1, cycle).expect("open ports");
            assert!(then == port || port == 2);
        }
        assert_eq!(counts[..2], [0, 0]);
        assert!(
            counts[2..].iter().all(|count| (90..150).contains(count)),
            "{counts:?}"
        );
        assert_eq!(next(3, &Set::new(3, |i| i == 2), 0, 5), Some(2));
    }
}
