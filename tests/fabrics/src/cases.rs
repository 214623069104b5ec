//! The number of random cases of a test.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use std::env;

/// A quarter of `count` random cases, times `DMODC_CASES`; one case under Miri, which takes a minute for it. The cases
/// are the same in every run, or drawn anew with `DMODC_ANEW`.
pub fn cases(count: u32) -> ProptestConfig {
    let times = env::var("DMODC_CASES").map_or(1, |n| n.parse().expect("a number"));
    let is_anew = env::var_os("DMODC_ANEW").is_some();
    let count = if cfg!(miri) {
        1
    } else {
        (count * times).div_ceil(4)
    };
    ProptestConfig {
        rng_seed: if is_anew {
            RngSeed::Random
        } else {
            RngSeed::Fixed(1)
        },
        // A failure prints its seed.
        failure_persistence: None,
        ..ProptestConfig::with_cases(count)
    }
}
