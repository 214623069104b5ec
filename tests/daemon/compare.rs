//! `dmodc compare` with the stock OpenSM and ibsim on fabrics of a few switches.

#[path = "../support/golden.rs"]
mod golden;
#[path = "../support/examples.rs"]
mod page;

use crate::support::opensm::plugin_dir;
use std::fs;

/// The examples of docs/operations.md that need OpenSM print what the page shows.
#[test]
fn the_examples_of_operations_print_what_it_shows() {
    let (page, mut examples, folder) = page::operations("console opensm");
    for example in &mut examples {
        // The tool loads the plugin of this build.
        let plugin = plugin_dir();
        example.command += &format!(" --plugin-dir {}", plugin.display());
    }
    page::run(&page, &examples, folder.path());
}

/// The rehearsal of docs/operations.md, ibsim and OpenSM started by hand in one shell, prints what the page shows.
#[test]
fn the_rehearsal_of_operations_prints_what_it_shows() {
    let (page, examples, folder) = page::operations("console rehearsal");
    let socket = folder.path().file_name().expect("a name");
    let mut script = format!(
        "trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT
        export PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin IBSIM_SOCKNAME={} LD_LIBRARY_PATH={}\n",
        socket.display(),
        plugin_dir().display()
    );
    let mut shown = Vec::new();
    let line = examples[0].line;
    for example in examples {
        script += &(example.command + "\n");
        shown.extend(example.shown);
    }
    fs::write(folder.path().join("script"), script).expect("a script");
    // No process of the script outlives the test or waits for ever.
    let command = "exec setpriv --pdeathsig TERM timeout --kill-after 5 60 bash script".into();
    let whole = page::Example {
        line,
        command,
        shown,
    };
    page::run(&page, &[whole], folder.path());
}

/// The commands in `tests/data/answers-opensm` print what these files show.
#[test]
fn commands_print_the_golden_output() {
    golden::answers("answers-opensm");
}
