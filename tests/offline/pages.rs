//! Help, completions and the manual: all from one definition of the command line.

use crate::support::*;

const COMMANDS: &str = "generate degrade route check analyze diff trace whatif wiring follow forget \
                        export draw compare report completions man";

#[test]
fn every_subcommand_has_help_with_examples_and_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man1");
    ok(&["man", "-o", path(&folder)]);
    let pages = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(pages, COMMANDS.split(' ').count() + 1);
    let page = |name: &str| {
        let page = std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        has(&page, &format!(".TH {name} 1"));
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES"] {
            has(&page, &format!(".SH {section}\n"));
        }
        page
    };
    for command in COMMANDS.split(' ') {
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
        for word in COMMANDS.split(' ').chain(["on-unreachable", "root-guids"]) {
            assert!(text.contains(word), "{word} in {shell}");
        }
    }
}
