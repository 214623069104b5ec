//! The examples of docs/operations.md print what the page shows.

#[path = "../support/examples.rs"]
mod page;

use crate::support::data;
use std::fs;
use std::path::Path;

#[test]
fn the_examples_of_operations_print_what_it_shows() {
    let page = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("docs/operations.md");
    let folder = tempfile::tempdir().expect("a folder");
    let fabric = data("production/leaf-to-leaf-8sw.ibnetdiscover");
    fs::copy(fabric, folder.path().join("fabric.net")).expect("the capture");
    let examples = page::examples(&page, "console");
    let text: String = examples
        .iter()
        .map(|e| format!("{}\n", e.command))
        .collect();
    for subcommand in [
        "route", "check", "analyze", "degrade", "diff", "trace", "whatif", "wiring", "export",
        "draw",
    ] {
        assert!(
            text.contains(&format!("dmodc {subcommand} ")),
            "no {subcommand}"
        );
    }
    page::run(&page, &examples, folder.path());
    let svg = fs::read_to_string(folder.path().join("fabric.svg")).expect("the drawing");
    assert!(svg.contains("switch-8"));
}
