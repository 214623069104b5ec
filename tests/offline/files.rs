//! Files that the tool reads and writes: packed ones, and whole ones or none.

use crate::support::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

fn packed(file: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(&fs::read(file).unwrap()).unwrap();
    out.finish().unwrap()
}

#[test]
fn packed_files_are_read_like_others() {
    let routed = Routed::shape(FIGURE_1);
    let [net, lfts, order, roots] =
        ["net.gz", "lfts.gz", "order.gz", "roots.gz"].map(|name| routed.file(name));
    let plain = |name: &str| routed.file(name);
    ok(&["route", &routed.net, "--order", &plain("order")]);
    fs::write(plain("roots"), "0x0002000300000000\n").unwrap();
    for (file, gz) in [
        (&routed.net, &net),
        (&routed.lfts, &lfts),
        (&plain("order"), &order),
        (&plain("roots"), &roots),
    ] {
        fs::write(gz, packed(file)).unwrap();
    }
    let again = ok(&[
        "route",
        &net,
        "--reference",
        &net,
        "--root-guids",
        &roots,
        "--lfts",
        "-",
    ]);
    let [plain_net, plain_roots] = [&routed.net, &plain("roots")];
    let args = [
        "route",
        plain_net,
        "--reference",
        plain_net,
        "--root-guids",
        plain_roots,
    ];
    assert!(again == ok(&[&args[..], &["--lfts", "-"]].concat()));
    let bytes = fs::read(&net).unwrap();
    assert_eq!(ok_with_input(&["wiring", "-"], &bytes), "0 differences\n");
    let risks = |net: &str, lfts: &str, order: &str| {
        let found = json(&[
            "analyze",
            net,
            lfts,
            "--order",
            order,
            "--patterns",
            "a2a,sp",
        ]);
        ["a2a", "sp"].map(|risk| found[risk].as_u64().unwrap())
    };
    assert_eq!(
        risks(&net, &lfts, &order),
        risks(&routed.net, &routed.lfts, &plain("order"))
    );
    fs::write(&net, &bytes[..bytes.len() / 2]).unwrap();
    assert!(fails(2, &["route", &net]).contains("net.gz: gzip: "));
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let routed = Routed::shape(FIGURE_1);
    let before = fs::read(&routed.lfts).unwrap();
    // It gets a signal when the file grows beyond 512 bytes, or 1024.
    let cut = Command::new("sh")
        .args([
            "-c",
            "ulimit -c 0; ulimit -f 1; exec \"$0\" route \"$1\" --lfts \"$2\"",
        ])
        .args([env!("CARGO_BIN_EXE_dmodc"), &routed.net, &routed.lfts])
        .output()
        .unwrap();
    assert!(!cut.status.success());
    assert_eq!(fs::read(&routed.lfts).unwrap(), before);

    // Whoever has the old file open reads on in it.
    let mut reader = fs::File::open(&routed.lfts).unwrap();
    ok(&[
        "route",
        &routed.net,
        "--faults",
        "paper",
        "--lfts",
        &routed.lfts,
    ]);
    let mut read = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut read).unwrap();
    assert_eq!(read, before);

    // A link stays, and what it leads to is replaced.
    let (file, link) = (routed.file("file"), routed.file("link"));
    symlink("file", &link).unwrap();
    assert!(fails(2, &["export", &routed.net, "hosts", "-o", &link]).contains("link: "));
    fs::write(&file, "old").unwrap();
    ok(&["export", &routed.net, "hosts", "-o", &link]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        ok(&["export", &routed.net, "hosts"])
    );
    assert!(
        fails(2, &["generate", FIGURE_1, "-o", "/"]).contains("/: not a plain file but a folder")
    );
}

#[test]
fn into_devices_and_pipes_it_is_written_as_it_comes() {
    let text = ok(&["generate", FIGURE_1]);
    assert!(ok(&["generate", FIGURE_1, "-o", "/dev/stdout"]) == text);
    ok(&["generate", FIGURE_1, "-o", "/dev/null"]);
    assert!(fails(2, &["generate", FIGURE_1, "-o", "/dev/full"]).contains("/dev/full: No space"));
    // What follows is not lost where the shell has opened a file.
    let dir = tempfile::tempdir().unwrap();
    let script = "(\"$0\" generate \"$1\" -o /dev/stdout; echo end) >> out";
    let run = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_dmodc"), FIGURE_1])
        .current_dir(&dir)
        .status();
    assert!(run.unwrap().success());
    let out = fs::read_to_string(dir.path().join("out")).unwrap();
    assert!(out == format!("{text}end\n"));
}

#[test]
fn tables_without_an_entry_are_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| path(&dir.path().join(name)).to_owned();
    let (net, lfts) = (file("net"), file("lfts"));
    fs::write(
        &net,
        "Ca 1 \"H-1\"\n[1] \"H-2\"[1]\nCa 1 \"H-2\"\n[1] \"H-1\"[1]\n",
    )
    .unwrap();
    fs::write(&lfts, "kept").unwrap();
    let message = fails(1, &["route", &net, "--lfts", &lfts]);
    assert!(
        message.contains("no switch in it; tables without an entry are not written"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(Path::new(&lfts)).unwrap(), "kept");
    ok(&["route", &net]);
}
