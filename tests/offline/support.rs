//! Where the test files are.

use std::path::{Path, PathBuf};

/// A file of the project's own.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// The netlists of production fabrics, which lie beside the project. None, and a word about it,
/// where they do not.
pub fn topologies() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/topologies");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: no folder {}", folder.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}
