//! Files that the tool reads and writes: packed ones, and whole ones or none.

use crate::support::*;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

#[test]
fn packed_files_are_read_like_others() {
    let routed = Routed::shape(FIGURE_1);
    let (order, roots) = (routed.file("order"), routed.file("roots"));
    ok(&["route", &routed.net, "--order", &order]);
    fs::write(&roots, "0x0002000300000000\n").unwrap();
    let plain = [&routed.net, &routed.lfts, &order, &roots];
    let gz = plain.map(|file| {
        let gz = format!("{file}.gz");
        fs::write(&gz, packed(&fs::read(file).unwrap())).unwrap();
        gz
    });
    let answers = |[net, lfts, order, roots]: [&String; 4]| {
        let analyze = format!("analyze {net} {lfts} --order {order}");
        let risks = json(&format!("{analyze} --patterns a2a,sp"));
        let route = format!("route {net} --reference {net} --root-guids {roots} --lfts -");
        (ok(&route), ["a2a", "sp"].map(|risk| risks[risk].clone()))
    };
    assert!(answers(gz.each_ref()) == answers(plain));
    let bytes = fs::read(&gz[0]).unwrap();
    assert_eq!(ok_with_input(&["wiring", "-"], &bytes), "0 differences\n");
    fs::write(&gz[0], &bytes[..bytes.len() / 2]).unwrap();
    assert!(fails(2, &["route", &gz[0]]).contains("net.gz: gzip: "));
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let routed = Routed::shape(FIGURE_1);
    let before = fs::read(&routed.lfts).unwrap();
    // It gets a signal when the file grows beyond 512 bytes, or 1024.
    let script = "ulimit -c 0; ulimit -f 1; exec \"$0\" route \"$1\" --lfts \"$2\"";
    let cut = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_dmodc")])
        .args([&routed.net, &routed.lfts])
        .output();
    assert!(!cut.unwrap().status.success());
    assert_eq!(fs::read(&routed.lfts).unwrap(), before);

    // A link stays, and what it leads to is replaced.
    let (file, link) = (routed.file("file"), routed.file("link"));
    symlink("file", &link).unwrap();
    assert!(fails(2, &["export", &routed.net, "hosts", "-o", &link]).contains("link: "));
    fs::write(&file, "old").unwrap();
    ok(&["export", &routed.net, "hosts", "-o", &link]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let hosts = ok(&["export", &routed.net, "hosts"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), hosts);
    let folder = fails(2, &["generate", FIGURE_1, "-o", "/"]);
    has(&folder, "/: not a plain file but a folder");
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
