//! Which parts of a test are too long for `make test`.

/// How many times as many random cases are wanted: `DMODC_CASES`.
pub fn times() -> u32 {
    std::env::var("DMODC_CASES").map_or(1, |n| n.parse().expect("a number"))
}

/// Whether the long parts run: with `DMODC_CASES=4` or more, as in CI. Says so if they do not.
pub fn runs(what: &str) -> bool {
    let is_long = times() >= 4;
    if !is_long {
        crate::skip::skipped(format_args!("{what}; DMODC_CASES=4 runs it"));
    }
    is_long
}
