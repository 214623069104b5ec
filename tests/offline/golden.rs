//! Goldens: files that hold what the tool printed when it was right, for all to read.
//!
//! `DMODC_BLESS=1 cargo test golden` writes them anew; what changed then shows in the diff.

use crate::support::*;

/// Compares a text with a file of `tests/data`, or makes it that file.
fn golden(name: &str, text: &str) {
    let file = data(name);
    if std::env::var_os("DMODC_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&file, text).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    let mut lines = text.lines().zip(expected.lines()).enumerate();
    let first = lines.find(|(_, (a, b))| a != b);
    let blessed = "DMODC_BLESS=1 writes it anew";
    assert!(
        text == expected,
        "{name} differs, first at {first:?}; {blessed}"
    );
}

#[test]
fn figure_1() {
    let net = ok(&["generate", FIGURE_1]);
    golden("figure-1.net", &net);
    let piped = |args: &[&str]| ok_with_input(args, net.as_bytes());
    golden("figure-1.lfts", &piped(&["route", "-", "--lfts", "-"]));
    golden("figure-1.order", &piped(&["route", "-", "--order", "-"]));
    let removed = |what| piped(&["degrade", "-", what, "4", "--seed", "1", "--list"]);
    golden("figure-1.links", &removed("--links"));
    golden("figure-1.switches", &removed("--switches"));
}
