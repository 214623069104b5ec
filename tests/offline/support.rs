//! Production fabrics, and the tool's output.

#[path = "../support/tool.rs"]
mod tool;

use crate::long;
use std::ffi::OsStr;
use std::path::PathBuf;
pub use tool::*;

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

/// Runs the tool, which must succeed; returns its standard output.
#[track_caller]
pub fn ok(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    done(&mut tool(args))
}

/// Runs the tool with `--json`, which must succeed; returns the object.
#[track_caller]
pub fn json(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> serde_json::Value {
    serde_json::from_str(&done(tool(args).arg("--json"))).unwrap()
}

/// A folder with a netlist and its tables.
pub struct Routed {
    dir: tempfile::TempDir,
    pub net: String,
    pub lfts: String,
}

impl Routed {
    pub fn shape(shape: &str) -> Routed {
        Routed::net(ok(["generate", shape, "--seed", "1"]).as_bytes())
    }

    pub fn net(text: &[u8]) -> Routed {
        let dir = tempfile::tempdir().unwrap();
        let file = |name| path_of(&dir.path().join(name)).to_owned();
        let (net, lfts) = (file("net"), file("lfts"));
        std::fs::write(&net, text).unwrap();
        ok(["route", &net, "--lfts", &lfts]);
        Routed { dir, net, lfts }
    }

    pub fn file(&self, name: &str) -> String {
        path_of(&self.dir.path().join(name)).to_owned()
    }
}
