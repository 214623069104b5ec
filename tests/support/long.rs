//! Which parts of a test are too long for `make test`, and other numbers that the environment has.

use std::env;
use std::str::FromStr;

/// A number that a variable of the environment may replace.
pub fn number<N: FromStr>(variable: &str, or: N) -> N {
    let parsed = |text: String| text.parse().ok().expect("a number");
    env::var(variable).map_or(or, parsed)
}

/// The factor on the number of random cases: `DMODC_CASES`, else 1.
pub fn times() -> u32 {
    number("DMODC_CASES", 1)
}

/// Whether a long part runs: with `DMODC_CASES=4` or more, as in CI. Else reports a skip.
pub fn runs(what: &str) -> bool {
    let is_long = times() >= 4;
    if !is_long {
        crate::skip::skipped(format_args!("{what}; DMODC_CASES=4 runs it"));
    }
    is_long
}
