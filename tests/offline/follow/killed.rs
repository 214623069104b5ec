//! A follower that is killed, or that fills the disk, leaves whole tables.

use super::{Running, Scene, wait_until};
use crate::support::*;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

#[test]
fn killed_at_any_moment_it_leaves_whole_tables() {
    let scene = Scene::new();
    let generate = "generate PGFT(2;12,12;1,12;1,1) --seed 1 -o";
    ok(format!("{generate} {}", scene.file("whole")).split(' '));
    scene.without("less", &["L2-1"]);
    let wanted = ["whole", "less"].map(|name| scene.routed(name));
    scene.once(&[], 0);
    for round in 0..24 {
        scene.finds(["less", "whole"][round % 2]);
        let mut follower = Running::start(&scene, &["--every", "0.01"]);
        thread::sleep(Duration::from_millis(4 * round as u64));
        follower.child.kill().unwrap();
        follower.child.wait().unwrap();
        let tables = fs::read(scene.file("tables")).unwrap();
        let length = tables.len();
        assert!(wanted.contains(&tables), "round {round}: {length} bytes");
    }
}

#[test]
fn a_discovery_that_hangs_ends_with_the_follower() {
    let scene = Scene::new();
    // INT is not tested: a shell's background job may ignore it.
    for (signal, part) in [("KILL", 65), ("TERM", 66)] {
        // No other process sleeps that long, nor one of an earlier run.
        let time = format!("{}.{part}", std::process::id());
        let sleeps = || {
            let all = fs::read_dir("/proc").unwrap();
            let lines = all.filter_map(|e| fs::read(e.ok()?.path().join("cmdline")).ok());
            let wanted = format!("sleep\0{time}\0");
            lines.filter(|line| line == wanted.as_bytes()).count()
        };
        scene.discovers(&format!("sleep {time} | cat"));
        let follower = Running::start(&scene, &["--limit", "600"]);
        wait_until(|| sleeps() == 1);
        let id = follower.child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success());
        wait_until(|| sleeps() == 0);
    }
}

#[test]
fn a_discovery_heeds_the_same_signals_as_the_follower() {
    let scene = Scene::new();
    let (whole, seen) = (scene.file("whole"), scene.file("seen"));
    scene.discovers(&format!(
        "grep SigIgn: /proc/self/status >{seen}; cat {whole}"
    ));
    scene.once(&[], 0);
    let ignores_int = |status: &str| {
        let set = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
        let set = u64::from_str_radix(set.unwrap().trim(), 16).unwrap();
        set & 0b10 != 0
    };
    let [own, seen] = ["/proc/self/status", &seen].map(|f| fs::read_to_string(f).unwrap());
    assert_eq!(ignores_int(&seen), ignores_int(&own));
}

#[test]
fn a_full_disk_leaves_the_old_tables_and_is_logged() {
    let scene = Scene::new();
    scene.once(&[], 0);
    let generate = "generate PGFT(2;24,24;1,24;1,1) --seed 1 -o";
    ok(format!("{generate} {}", scene.file("large")).split(' '));
    let old = fs::read(scene.file("tables")).unwrap();
    scene.finds("large");
    let size = |name: &str| fs::metadata(scene.file(name)).unwrap().len();
    let limit = size("large") + 10_000;
    assert!(limit < scene.routed("large").len() as u64);
    // With a limit on the file size, as on a full disk, only a part can be written.
    let mut command = Command::new("prlimit");
    let run = "trap '' XFSZ; exec \"$@\"";
    let tool = env!("CARGO_BIN_EXE_dmodc");
    let words = [&format!("--fsize={limit}"), "sh", "-c", run, "sh", tool];
    command.args(words).args(scene.args(&["--every", "3600"]));
    command.env("TMPDIR", scene.dir.path());
    let mut follower = Running::spawn(&mut command);
    let line = follower.says("ERR: not routed: ");
    assert!(line.contains("tables: File too large"), "{line}");
    assert!(fs::read(scene.file("tables")).unwrap() == old);
    let mut left = fs::read_dir(scene.dir.path()).unwrap();
    assert!(!left.any(|e| path_of(&e.unwrap().path()).contains(".dmodc-")));
}
