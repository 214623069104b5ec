//! The tool of this build, as its users run it, and the files of the repository.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const FIGURE_1: &str = "PGFT(3;2,2,3;1,2,2;1,2,1)";

pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A file of `tests/data`.
pub fn data(name: &str) -> PathBuf {
    root().join("tests/data").join(name)
}

/// A path as an argument.
pub fn path_of(path: &Path) -> &str {
    path.to_str().expect("plain text")
}

pub fn tool(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_dmodc"));
    tool.args(args);
    tool
}

/// Asserts that a command ends with this exit code; returns its standard output and error.
#[track_caller]
pub fn ends(command: &mut Command, code: i32) -> [String; 2] {
    let done = command.output().expect("it runs");
    let printed = [done.stdout, done.stderr].map(|of| String::from_utf8(of).expect("plain text"));
    assert_eq!(done.status.code(), Some(code), "{command:?}: {printed:?}");
    printed
}

/// Runs a command that must succeed; returns its standard output.
#[track_caller]
pub fn done(command: &mut Command) -> String {
    let [stdout, _] = ends(command, 0);
    stdout
}

/// Asserts that a text contains a part.
#[track_caller]
pub fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in {text}");
}
