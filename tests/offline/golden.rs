//! The tool's output for Figure 1, and for the commands in `tests/data/answers`, is as in the files of `tests/data`.

#[path = "../support/golden.rs"]
mod files;

use crate::support::*;
use files::{answers, golden};
use std::fs::File;

#[test]
fn figure_1() {
    golden("figure-1.net", &ok(["generate", FIGURE_1]));
    let piped = |args: &[&str]| {
        let file = File::open(data("figure-1.net")).unwrap();
        done(tool(args).stdin(file))
    };
    golden("figure-1.lfts", &piped(&["route", "-", "--lfts", "-"]));
    golden("figure-1.order", &piped(&["route", "-", "--order", "-"]));
    let removed = |what| piped(&["degrade", "-", what, "4", "--seed", "1", "--list"]);
    golden("figure-1.links", &removed("--links"));
    golden("figure-1.switches", &removed("--switches"));
}

#[test]
fn commands_print_the_golden_output() {
    answers("answers");
}
