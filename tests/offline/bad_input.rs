//! Bad input is refused in no more memory than a small multiple of the file. The messages are in
//! `tests/data/answers/refused.txt`, what the parsers make of each line in `netlist.rs` and `lft.rs`.

use crate::support::*;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How much address space a refusal may take, in KiB.
const MEMORY: &str = "1000000";

/// A file of 100 MB that takes no room on the disk: `head`, then zeros.
fn sparse(dir: &Path, head: &[u8]) -> PathBuf {
    let path = dir.join("large");
    let mut file = File::create(&path).unwrap();
    file.write_all(head).unwrap();
    file.seek(SeekFrom::Start(100_000_000)).unwrap();
    file.write_all(b"\n").unwrap();
    path
}

/// Runs the tool with a limit on its memory; what must fail with exit 2 gives its message.
fn fails_in_little_memory(args: &[&str]) -> String {
    let output = Command::new("sh")
        .args(["-c", "ulimit -v \"$0\"; exec \"$@\"", MEMORY])
        .arg(env!("CARGO_BIN_EXE_dmodc"))
        .args(args)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    stderr(&output)
}

#[test]
fn files_of_100_mb_are_refused_in_little_memory() {
    let dir = tempfile::tempdir().unwrap();
    let head = std::fs::read(data("two-levels.netlist")).unwrap();
    let junk = sparse(dir.path(), &head);
    let line = head.iter().filter(|&&b| b == b'\n').count() + 1;
    let message = fails_in_little_memory(&["route", path(&junk)]);
    assert!(message.ends_with(&format!("large:{line}: binary data: not a netlist\n")));
    let message = fails_in_little_memory(&["diff", path(&junk), path(&junk)]);
    assert!(message.contains("large:"), "{message}");
    // One line without end.
    std::fs::write(&junk, vec![b'x'; 100_000_000]).unwrap();
    let message = fails_in_little_memory(&["route", path(&junk)]);
    assert!(message.contains("no switch, CA or router"), "{message}");
    let net = data("two-levels.netlist");
    let message = fails_in_little_memory(&["route", path(&net), "--root-guids", path(&junk)]);
    assert!(message.contains("large:1: no GUID"), "{message}");
}
