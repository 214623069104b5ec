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
    let routed = Routed::shape(FIGURE_1);
    let whole = std::fs::read_to_string(&routed.lfts).unwrap();
    let cut = &whole[..whole.len() - 100];
    let at_its_end = format!(":{}: ", cut.lines().count());
    let ports = ":1: a node with 300 ports: InfiniBand allows 1 to 254\n";
    let elf: &[u8] = b"\x7fELF\x02\x01\x00";
    let netlist = [
        "route BAD",
        "degrade BAD --links 1 --seed 1",
        "check BAD x",
        "analyze BAD x",
    ];
    let tables = [
        "check NET BAD",
        "analyze NET BAD",
        "trace NET BAD node-0 node-1",
    ];
    let guids = ["route NET --root-guids BAD", "route NET --cn-guids BAD"];
    let cases: [(&[u8], &[&str], &str); 7] = [
        (b"", &netlist, ": the file is empty\n"),
        (b"Switch 300 \"a\"\n", &netlist, ports),
        (elf, &netlist, ":1: binary data"),
        (b"", &tables, ": no 'Unicast lids"),
        (elf, &tables, ":1: binary data"),
        (cut.as_bytes(), &tables, &at_its_end),
        (
            b"# roots\nspine\n",
            &guids,
            ":2: no GUID at the start of the line",
        ),
    ];
    let bad = routed.file("bad");
    let refused = |question: &str| {
        let args = question.replace("NET", &routed.net).replace("BAD", &bad);
        fails(2, &args)
    };
    for (content, questions, told) in cases {
        std::fs::write(&bad, content).unwrap();
        for question in questions {
            let message = refused(question);
            let is_told = message.starts_with(&format!("dmodc: {bad}{told}"));
            assert!(is_told, "{question}: {message}");
        }
    }
    let few = "dmodc: cannot remove 99 links between switches: there are 36\n";
    for (question, told) in [
        ("route no-such-file", "dmodc: no-such-file: "),
        ("diff no-such-file x", "dmodc: no-such-file: "),
        ("degrade NET --links 99 --seed 1", few),
        ("route NET --lfts BAD/no", "dmodc: "),
    ] {
        let message = refused(question);
        assert!(message.starts_with(told), "{question}: {message}");
    }
    // Whole tables of another fabric.
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
    let net = data("two-levels.netlist");
    let message = fails_in_little_memory(&["route", path(&net), "--root-guids", path(&junk)]);
    assert!(message.contains("large:1: no GUID"), "{message}");
}
