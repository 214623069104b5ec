//! What unit tests of several folders share.

use proptest::prelude::ProptestConfig;

/// So many random cases; one under Miri, which takes a minute for it.
pub fn cases(count: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if cfg!(miri) { 1 } else { count })
}
