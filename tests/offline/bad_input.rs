//! Bad input on the command line: a message with file, line and reason, exit 2, and no more memory
//! than a small multiple of the file. What the parsers make of each line is in `netlist.rs` and
//! `lft.rs`.

use crate::support::*;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How much address space a refusal may take, in KiB.
const MEMORY: &str = "1000000";

#[test]
fn unreadable_input_is_exit_2_with_file_line_and_reason() {
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("bad.net");
    let message = |content: &[u8]| {
        std::fs::write(&bad, content).unwrap();
        let message = fails(2, &["route", path(&bad)]);
        for args in [
            &["degrade", path(&bad), "--links", "1", "--seed", "1"][..],
            &["check", path(&bad), "x"],
            &["analyze", path(&bad), "x"],
        ] {
            assert_eq!(fails(2, args), message, "{args:?}");
        }
        let prefix = format!("dmodc: {}", path(&bad));
        message.strip_prefix(&prefix).unwrap().to_owned()
    };
    assert_eq!(message(b""), ": the file is empty\n");
    assert_eq!(
        message(b"Switch 300 \"a\"\n"),
        ":1: a node with 300 ports: InfiniBand allows 1 to 254\n"
    );
    assert!(message(b"\x7fELF\x02\x01\x00").starts_with(":1: binary data"));
    assert!(fails(2, &["route", "no-such-file"]).starts_with("dmodc: no-such-file: "));
    assert!(fails(2, &["diff", "no-such-file", "x"]).starts_with("dmodc: no-such-file: "));
    let net = data("short-names.net");
    let guids = dir.path().join("guids");
    std::fs::write(&guids, "# roots\nspine\n").unwrap();
    let message = fails(2, &["route", path(&net), "--root-guids", path(&guids)]);
    assert!(
        message.contains("guids:2: no GUID at the start of the line"),
        "{message}"
    );
    let message = fails(2, &["degrade", path(&net), "--links", "3", "--seed", "1"]);
    assert_eq!(
        message,
        "dmodc: cannot remove 3 links between switches: there are 2\n"
    );
    let nowhere = dir.path().join("no/such/folder");
    assert!(
        fails(2, &["route", path(&net), "--lfts", path(&nowhere)]).contains("no/such/folder: ")
    );
}

#[test]
fn bad_tables_are_told_with_their_line() {
    let routed = Routed::shape(FIGURE_1);
    let whole = std::fs::read_to_string(&routed.lfts).unwrap();
    let bad = routed.file("bad.lfts");
    let refusal = |content: &[u8]| {
        std::fs::write(&bad, content).unwrap();
        let message = fails(2, &["check", &routed.net, &bad]);
        assert_eq!(fails(2, &["analyze", &routed.net, &bad]), message);
        let prefix = format!("dmodc: {bad}");
        message.strip_prefix(&prefix).unwrap().to_owned()
    };
    assert!(refusal(b"").starts_with(": no 'Unicast lids"));
    assert!(refusal(b"\x7fELF\x02\x01\x00").starts_with(":1: binary data"));
    let cut = &whole[..whole.len() - 100];
    let last = cut.lines().count();
    assert!(refusal(cut.as_bytes()).starts_with(&format!(":{last}: ")));
    // What is odd is told, and the rest is judged.
    for (from, to, expected) in [
        ("0x0001 0", "0xc000 0", ":2: bad entry, left out"),
        (" guid 0x0002", " guid 0x0009", "is not in the fabric"),
    ] {
        std::fs::write(&bad, whole.replacen(from, to, 1)).unwrap();
        let output = dmodc(&["check", &routed.net, &bad]);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!([Some(0), Some(1)].contains(&output.status.code()));
        assert!(fails(2, &["check", &routed.net, &bad, "--strict"]).contains(expected));
    }
    let small = Routed::shape("PGFT(1;2;1;1)");
    assert!(fails(2, &["check", &small.net, &routed.lfts, "--strict"]).contains(&routed.lfts));
}

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
    let message = fails_in_little_memory(&[
        "route",
        path(&data("two-levels.netlist")),
        "--root-guids",
        path(&junk),
    ]);
    assert!(message.contains("large:1: no GUID"), "{message}");
}
