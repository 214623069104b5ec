//! Steps that spread numbers evenly.

/// The greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A step whose multiples, modulo `count`, take every value once before they repeat, and lie far apart: of the steps
/// without a common divisor with `count`, the nearest to the golden ratio of `count` (0.618 · `count`).
pub fn golden_step(count: u64) -> u64 {
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_895;
    let nearest = (count as f64 * GOLDEN_RATIO).round() as u64;
    let mut near = (0..nearest).flat_map(|by| [nearest + by, nearest - by]);
    near.find(|&step| gcd(step, count) == 1).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_steps_meet_every_residue() {
        for count in 1..400 {
            let step = golden_step(count);
            let mut met: Vec<u64> = (0..count).map(|i| i * step % count).collect();
            met.sort_unstable();
            assert!(met.into_iter().eq(0..count), "{step} of {count}");
        }
        assert_eq!([4, 24, 36, 40].map(golden_step), [3, 17, 23, 27]);
    }
}
