//! What unit tests of several folders share.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use std::env;

/// So many random cases, the same in every run; one under Miri, which takes a minute for it. With
/// `DMODC_CASES` that many times as many, drawn anew.
pub fn cases(count: u32) -> ProptestConfig {
    let times = env::var("DMODC_CASES").map(|n| n.parse().expect("a number"));
    let (times, rng_seed) = match times {
        Ok(times) => (times, RngSeed::Random),
        Err(_) => (1, RngSeed::Fixed(1)),
    };
    ProptestConfig {
        rng_seed,
        ..ProptestConfig::with_cases(if cfg!(miri) { 1 } else { count * times })
    }
}
