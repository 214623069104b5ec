//! The examples of a page: blocks marked `console`, whose lines after `$` are commands, each with the
//! output that follows it. Lines after `#` are commands that no test runs.

use crate::support::{data, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A command of the page, and the output that the page shows for it.
pub struct Example {
    pub line: usize,
    pub command: String,
    /// The output; `…` stands for anything within a line, or alone for any lines.
    pub shown: Vec<String>,
}

/// The examples of docs/operations.md in blocks with this mark, and a folder with the capture that they read.
pub fn operations(mark: &str) -> (PathBuf, Vec<Example>, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (file, name) in [
        ("production/leaf-to-leaf-8sw.ibnetdiscover", "fabric.net"),
        ("suspects/ibqueryerrors.txt", "errors.txt"),
        ("suspects/bandwidths.txt", "pairs.txt"),
        ("opensm.log", "opensm.log"),
    ] {
        fs::copy(data(file), folder.path().join(name)).expect("a file");
    }
    let page = root().join("docs/operations.md");
    let examples = examples(&page, mark);
    assert!(!examples.is_empty());
    (page, examples, folder)
}

/// The examples in blocks with this mark.
fn examples(page: &Path, mark: &str) -> Vec<Example> {
    let text = fs::read_to_string(page).expect("the page");
    let (mut examples, mut inside): (Vec<Example>, Option<bool>) = (Vec::new(), None);
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(fence) = text.trim_start().strip_prefix("```") {
            inside = match inside {
                None => Some(fence == mark),
                Some(_) => None,
            };
        } else if inside == Some(true) {
            match text.strip_prefix("$ ") {
                Some(command) => examples.push(Example {
                    line,
                    command: command.into(),
                    shown: Vec::new(),
                }),
                None if text.starts_with("# ") => {}
                None => {
                    let last = examples.last_mut().expect("output follows a command");
                    last.shown.push(text.into());
                }
            }
        } else if inside == Some(false) {
            let is_ours = text.trim_start().starts_with("dmodc ");
            assert!(!is_ours, "{}:{line}: no test runs {text}", page.display());
        }
    }
    examples
}

/// Runs the examples in one folder with the tool of this build. Each must print what the page shows, and no error.
pub fn run(page: &Path, examples: &[Example], folder: &Path) {
    let tool = Path::new(env!("CARGO_BIN_EXE_dmodc"));
    let tools = tool.parent().expect("a folder").display();
    for example in examples {
        let Output { stdout, stderr, .. } = Command::new("bash")
            .args([
                "-c",
                &format!("export PATH={tools}:$PATH; {}", example.command),
            ])
            .current_dir(folder)
            .output()
            .expect("bash");
        let place = format!("{}:{}: {}", page.display(), example.line, example.command);
        let printed = String::from_utf8(stdout).expect("text");
        assert_eq!(String::from_utf8_lossy(&stderr), "", "{place}");
        let lines: Vec<&str> = printed.lines().collect();
        let shown: Vec<&str> = example.shown.iter().map(String::as_str).collect();
        assert!(all_fit(&shown, &lines), "{place}\n{printed}");
    }
}

fn all_fit(shown: &[&str], lines: &[&str]) -> bool {
    match (shown, lines) {
        ([], _) => lines.is_empty(),
        (["…", rest @ ..], _) => (0..=lines.len()).any(|skip| all_fit(rest, &lines[skip..])),
        ([first, rest @ ..], [line, lines @ ..]) => fits(first, line) && all_fit(rest, lines),
        _ => false,
    }
}

/// Whether a line matches the line of the page, where each `…` stands for any text.
fn fits(shown: &str, line: &str) -> bool {
    match shown.split_once('…') {
        None => shown == line,
        Some((head, rest)) => line.strip_prefix(head).is_some_and(|line| {
            let mut cuts = line.char_indices().map(|(at, _)| at).chain([line.len()]);
            cuts.any(|at| fits(rest, &line[at..]))
        }),
    }
}
