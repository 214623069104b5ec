//! Which parts of a test are too long for `make test`.

/// The factor on the number of random cases: `DMODC_CASES`, else 1.
pub fn times() -> u32 {
    std::env::var("DMODC_CASES").map_or(1, |n| n.parse().expect("a number"))
}

/// Whether a long part runs: with `DMODC_CASES=4` or more, as in CI. Else reports a skip.
pub fn runs(what: &str) -> bool {
    let is_long = times() >= 4;
    if !is_long {
        crate::skip::skipped(format_args!("{what}; DMODC_CASES=4 runs it"));
    }
    is_long
}
