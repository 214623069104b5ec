//! Help, completions and the manual: all from one definition of the command line.

use crate::support::*;

const COMMANDS: [&str; 17] = [
    "generate",
    "degrade",
    "route",
    "check",
    "analyze",
    "diff",
    "trace",
    "whatif",
    "wiring",
    "follow",
    "forget",
    "export",
    "draw",
    "compare",
    "report",
    "completions",
    "man",
];

#[test]
fn every_subcommand_has_help_with_examples_and_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man1");
    ok(&["man", "-o", path(&folder)]);
    assert_eq!(
        std::fs::read_dir(&folder).unwrap().count(),
        COMMANDS.len() + 1
    );
    let page = |name: &str| {
        let page = std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES"] {
            assert!(
                page.contains(&format!(".SH {section}\n")),
                "{section} of {name}"
            );
        }
        page
    };
    for command in COMMANDS {
        let help = ok(&[command, "--help"]);
        let examples = help.split("Examples:\n").nth(1).expect("examples");
        assert!(examples.contains(&format!("dmodc {command} ")), "{help}");
        page(&format!("dmodc-{command}"));
    }
    assert!(ok("--help").contains("Examples:\n"));
    assert_eq!(ok("man"), page("dmodc"));
}

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = ok(&["completions", shell]);
        for word in COMMANDS.iter().chain(&["on-unreachable", "root-guids"]) {
            assert!(text.contains(word), "{word} in {shell}");
        }
    }
}
