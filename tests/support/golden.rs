//! Goldens: files that hold what the tool printed when it was right, for all to read.
//!
//! `DMODC_BLESS=1 cargo test golden` writes them anew; what changed then shows in the diff.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn data(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data")).join(name)
}

/// Compares a text with a file of `tests/data`, or makes it that file.
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

/// What commands find in their shell beside the tool: the files of `tests/data`, and an expression of Python on JSON
/// `j` or on rows `r` of CSV.
const SHELL: &str = r#"
set -o pipefail
json() { python3 -c 'import json, sys; j = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }
rows() { python3 -c 'import csv, sys; r = list(csv.DictReader(sys.stdin)); print(eval(sys.argv[1]))' "$1"; }
"#;
const END: &str = "\u{1}\n";

/// All files of questions and answers in a folder.
pub fn answers(folder: &str) {
    std::thread::scope(|scope| {
        for file in fs::read_dir(data(folder)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            scope.spawn(move || answer(&format!("{folder}/{name}")));
        }
    });
}

/// One of them, run in one shell in a new folder: lines after `#` are for readers, those after `$` are commands, each
/// followed by what it prints, but for seconds, and its exit code unless that is 0.
fn answer(name: &str) {
    let file = fs::read_to_string(data(name)).unwrap();
    let commands = file.lines().filter_map(|line| line.strip_prefix("$ "));
    let commands = commands.map(|c| format!("{{ {c}\n}} 2>&1; echo \"$?{END}\"\n"));
    let tool = Path::new(env!("CARGO_BIN_EXE_dmodc")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let shell = Command::new("bash")
        .args(["-c", &(SHELL.to_owned() + &commands.collect::<String>())])
        .env(
            "PATH",
            format!("{}:{}", tool.display(), std::env::var("PATH").unwrap()),
        )
        .env("DATA", fs::canonicalize(data("")).unwrap())
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8(shell.stdout).unwrap();
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
