//! The examples of docs/operations.md print what the page shows.

#[path = "../support/examples.rs"]
mod page;

use crate::support::has;

#[test]
fn the_examples_of_operations_print_what_it_shows() {
    let (page, examples, folder) = page::operations("console");
    let commands: Vec<&str> = examples.iter().map(|e| &*e.command).collect();
    let text = commands.join("\n");
    for subcommand in
        "route check analyze degrade diff trace whatif wiring suspects events export draw"
            .split(' ')
    {
        has(&text, &format!("dmodc {subcommand} "));
    }
    page::run(&page, &examples, folder.path());
    assert!(folder.path().join("hurt.html").exists());
}
