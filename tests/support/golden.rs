//! Goldens: files with the output that the tool printed when it was right, in a form that people can read.
//!
//! `DMODC_BLESS=1 cargo test golden` writes them anew; the diff then shows the changes.

use crate::support::data;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Compares a text with a file of `tests/data`; with `DMODC_BLESS=1` writes the text to the file first.
pub fn golden(name: &str, text: &str) {
    let file = data(name);
    if std::env::var_os("DMODC_BLESS").is_some_and(|v| v == "1") {
        fs::write(&file, text).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    let mut lines = text.lines().zip(expected.lines()).enumerate();
    let first = lines.find(|(_, (a, b))| a != b);
    let blessed = "DMODC_BLESS=1 writes it anew";
    assert!(
        text == expected,
        "{name} differs, first at {first:?}; {blessed}\n{text}"
    );
}

/// Shell functions for the commands: `json` and `rows` read JSON `j` or CSV rows `r` from standard input and print the
/// value of a Python expression. Python is looked for once: where `python3` is a script (pyenv's), it takes six times as
/// long as Python.
const SHELL: &str = r#"
set -o pipefail
python=$(python3 -c 'import sys; print(sys.executable)')
python3() { "$python" "$@"; }
json() { python3 -c 'import json, sys; j = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }
rows() { python3 -c 'import csv, sys; r = list(csv.DictReader(sys.stdin)); print(eval(sys.argv[1]))' "$1"; }
"#;
const END: &str = "\u{1}\n";

/// Compares all files of commands and their output in a folder, all at the same time.
pub fn answers(folder: &str) {
    std::thread::scope(|scope| {
        for file in fs::read_dir(data(folder)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            scope.spawn(move || answer(&format!("{folder}/{name}")));
        }
    });
}

/// Compares one of these files, run in one shell in a new folder. Lines after `#` are for readers, lines after `$` are
/// commands; each is followed by its output without lines of seconds, and by its exit code unless that is 0.
fn answer(name: &str) {
    let file = fs::read_to_string(data(name)).unwrap();
    let commands = file.lines().filter_map(|line| line.strip_prefix("$ "));
    let commands = commands.map(|c| format!("{{ {c}\n}} 2>&1; echo \"$?{END}\"\n"));
    let tool = Path::new(env!("CARGO_BIN_EXE_dmodc")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let here = fs::canonicalize(data("")).unwrap();
    let here = here.to_str().unwrap().to_owned();
    let shell = Command::new("bash")
        .args(["-c", &(SHELL.to_owned() + &commands.collect::<String>())])
        .env(
            "PATH",
            format!("{}:{}", tool.display(), std::env::var("PATH").unwrap()),
        )
        .env("DATA", &here)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8(shell.stdout).unwrap();
    // The folder of the checkout is none of the answer.
    let printed = printed.replace(&here, "$DATA");
    let mut printed = printed.split(END);
    let (mut text, mut answered) = (String::new(), false);
    for line in file.lines() {
        let is_command = line.starts_with("$ ");
        if !is_command && !line.starts_with('#') {
            continue;
        }
        if answered && !is_command {
            text.push('\n');
        }
        answered = is_command;
        text += &format!("{line}\n");
        if is_command {
            let printed = printed.next().unwrap().trim_start_matches('\n');
            let (lines, code) = printed.rsplit_once('\n').unwrap_or(("", printed));
            let lasting = lines.lines().filter(|line| !line.starts_with("seconds"));
            lasting.for_each(|line| text += &format!("{line}\n"));
            if code != "0" {
                text += &format!("[{code}]\n");
            }
        }
    }
    golden(name, &text);
}
