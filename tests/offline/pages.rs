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
fn every_help_has_examples() {
    for command in COMMANDS {
        let help = ok(&[command, "--help"]);
        let examples = help.split("Examples:\n").nth(1).expect("examples");
        let own = format!("dmodc {command} ");
        assert!(examples.contains(&own), "{help}");
    }
    assert!(ok(&["--help"]).contains("Examples:\n"));
}

#[test]
fn a_page_for_each_subcommand() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man1");
    ok(&["man", "-o", path(&folder)]);
    for name in COMMANDS
        .map(|c| format!("dmodc-{c}"))
        .iter()
        .map(String::as_str)
        .chain(["dmodc"])
    {
        let page = std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES"] {
            assert!(
                page.contains(&format!(".SH {section}\n")),
                "{section} of {name}"
            );
        }
    }
    assert_eq!(
        std::fs::read_dir(&folder).unwrap().count(),
        COMMANDS.len() + 1
    );
    let main = std::fs::read_to_string(folder.join("dmodc.1")).unwrap();
    assert_eq!(ok(&["man"]), main);
    assert!(main.contains("dmodc\\-route"), "{main}");
    let route = std::fs::read_to_string(folder.join("dmodc-route.1")).unwrap();
    assert!(
        route.contains("\\-\\-on\\-unreachable") && route.contains("opensm \\-R file"),
        "{route}"
    );
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
