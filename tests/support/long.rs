//! Which parts of a test are too long for `make test`.

/// Whether the long parts run: with `DMODC_CASES=4` or more, as in CI. Says so if they do not.
pub fn runs(what: &str) -> bool {
    let times = std::env::var("DMODC_CASES").map_or(1, |n| n.parse().expect("a number"));
    if times < 4 {
        println!("skipped: {what}; DMODC_CASES=4 runs it");
    }
    times >= 4
}
