//! The folders of test files, and the tool as its users run it.

use crate::long;
use std::path::{Path, PathBuf};
pub use tool::*;

pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A file of `tests/data`.
pub fn data(name: &str) -> PathBuf {
    root().join("tests/data").join(name)
}

/// The netlists of production fabrics; the small ones alone in `make test`.
pub fn production() -> Vec<PathBuf> {
    let is_long = long::runs("production fabrics of more than 20 switches");
    let is_small = |file: &PathBuf| std::fs::metadata(file).unwrap().len() < 50_000;
    let entries = std::fs::read_dir(data("production")).unwrap();
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "ibnetdiscover"))
        .filter(|p| is_long || is_small(p))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

mod tool {
    use std::io::Write;
    use std::path::Path;
    use std::process::{Child, Command, Output, Stdio};

    pub const FIGURE_1: &str = "PGFT(3;2,2,3;1,2,2;1,2,1)";

    /// Arguments of the tool: a list, or a line of words.
    pub trait Args {
        fn words(&self) -> Vec<String>;
    }

    impl Args for str {
        fn words(&self) -> Vec<String> {
            self.split_whitespace().map(str::to_owned).collect()
        }
    }

    impl Args for String {
        fn words(&self) -> Vec<String> {
            self.as_str().words()
        }
    }

    impl<S: AsRef<str>> Args for [S] {
        fn words(&self) -> Vec<String> {
            self.iter().map(|word| word.as_ref().to_owned()).collect()
        }
    }

    impl<S: AsRef<str>, const N: usize> Args for [S; N] {
        fn words(&self) -> Vec<String> {
            self[..].words()
        }
    }

    impl<S: AsRef<str>> Args for Vec<S> {
        fn words(&self) -> Vec<String> {
            self[..].words()
        }
    }

    pub fn dmodc(args: &(impl Args + ?Sized)) -> Output {
        dmodc_with_input(args, b"")
    }

    /// Starts the tool with pipes for all that it reads and writes.
    pub fn start(args: &(impl Args + ?Sized)) -> Child {
        Command::new(env!("CARGO_BIN_EXE_dmodc"))
            .args(args.words())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs the tool with an input on standard input.
    pub fn dmodc_with_input(args: &(impl Args + ?Sized), input: &[u8]) -> Output {
        let mut child = start(args);
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A child that refuses its arguments does not read: that write may fail.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    /// Runs the tool, which must succeed; returns its standard output.
    pub fn ok(args: &(impl Args + ?Sized)) -> String {
        ok_with_input(args, b"")
    }

    /// As [`ok`], with an input on standard input.
    pub fn ok_with_input(args: &(impl Args + ?Sized), input: &[u8]) -> String {
        let output = dmodc_with_input(args, input);
        assert!(
            output.status.success(),
            "{:?}: {}",
            args.words(),
            stderr(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the tool with `--json`, which must succeed; returns the object.
    pub fn json(args: &(impl Args + ?Sized)) -> serde_json::Value {
        serde_json::from_str(&ok(&[args.words(), vec!["--json".into()]].concat())).unwrap()
    }

    /// Runs the tool, which must end with this exit code; returns its standard output.
    pub fn ends(code: i32, args: &(impl Args + ?Sized)) -> String {
        let output = dmodc(args);
        let found = output.status.code();
        assert_eq!(found, Some(code), "{:?}: {}", args.words(), stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Asserts that a text contains a part.
    #[track_caller]
    pub fn has(text: &str, part: &str) {
        assert!(text.contains(part), "no {part:?} in {text}");
    }

    pub fn stderr(output: &Output) -> String {
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    pub fn path(path: &Path) -> &str {
        path.to_str().unwrap()
    }

    /// A folder with a netlist and its tables.
    pub struct Routed {
        dir: tempfile::TempDir,
        pub net: String,
        pub lfts: String,
    }

    impl Routed {
        pub fn shape(shape: &str) -> Routed {
            Routed::net(ok(&["generate", shape, "--seed", "1"]).as_bytes())
        }

        pub fn net(text: &[u8]) -> Routed {
            let dir = tempfile::tempdir().unwrap();
            let file = |name| path(&dir.path().join(name)).to_owned();
            let (net, lfts) = (file("net"), file("lfts"));
            std::fs::write(&net, text).unwrap();
            ok(&["route", &net, "--lfts", &lfts]);
            Routed { dir, net, lfts }
        }

        /// Path of another file in the folder.
        pub fn file(&self, name: &str) -> String {
            path(&self.dir.path().join(name)).to_owned()
        }
    }
}
