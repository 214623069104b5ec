//! The one hash, and the most common of several values.

/// The finalizer of SplitMix64: each bit of the result depends on each bit of the number.
pub fn hash(number: u64) -> u64 {
    let mut h = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ (h >> 31)
}

/// The most common value, the least of several, and how often it occurs. Sorts the values.
pub fn most_common<T: Ord + Clone + Default>(values: &mut [T]) -> (T, usize) {
    if let [first, others @ ..] = &*values
        && others.iter().all(|value| value == first)
    {
        return (first.clone(), values.len());
    }
    values.sort_unstable();
    let runs = values.chunk_by(|a, b| a == b);
    let runs = runs.map(|run| (run[0].clone(), run.len()));
    runs.rev()
        .max_by_key(|&(_, count)| count)
        .unwrap_or_default()
}

/// Whether so many of all votes agree that they are known: three of four.
pub fn do_agree(agree: usize, all: usize) -> bool {
    4 * agree >= 3 * all
}

/// The greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The step coprime to `n` that is nearest to its golden section. Its multiples modulo `n` take every value once, and lie
/// far apart.
pub fn golden_step(n: u32) -> u32 {
    let ideal = f64::from(n) * 0.381_966;
    let near = (0..n).flat_map(|by| {
        let below = (ideal as u32).saturating_sub(by);
        let above = (ideal as u32).saturating_add(by + 1);
        if ideal.fract() <= 0.5 {
            [below, above]
        } else {
            [above, below]
        }
    });
    let mut steps = near.filter(|&step| step > 0 && step < n);
    steps
        .find(|&step| gcd(step.into(), n.into()) == 1)
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_the_most_common_wins() {
        assert_eq!(most_common(&mut [3, 1, 3, 1, 2]), (1, 2));
        assert_eq!(most_common::<u8>(&mut []), (0, 0));
    }

    #[test]
    fn golden_steps_meet_every_residue() {
        for n in 2..400 {
            let step = golden_step(n);
            let mut met: Vec<u32> = (0..n).map(|i| i * step % n).collect();
            met.sort_unstable();
            assert!(met.into_iter().eq(0..n), "{step} of {n}");
        }
        assert_eq!([1, 4, 24, 36, 90].map(golden_step), [1, 1, 11, 13, 37]);
    }
}
