//! `tests/outside/judge.py`, a judge that shares no code with the project, on random fabrics and histories of faults.

use crate::long;
use crate::support::{has, root};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::UNIX_EPOCH;

fn judge(arguments: &[&str]) -> Output {
    let script = root().join("tests/outside/judge.py");
    let mut python = Command::new("python3");
    python.arg(script).args(arguments);
    python.output().expect("python3 runs")
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{out}{err}")
}

/// A folder with the random fabric `net` of a seed and its tables `lfts`.
fn routed(seed: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = judge(&["draw", &seed.to_string()]);
    std::fs::write(folder.path().join("net"), &drawn.stdout).expect("a file");
    let route = Command::new(env!("CARGO_BIN_EXE_dmodc"))
        .args(["route", "net", "--lfts", "lfts"])
        .current_dir(folder.path())
        .output();
    assert!(route.expect("dmodc runs").status.success());
    folder
}

/// Delivery, circles of all LIDs, who is left out, least change; on so many histories of a kind.
fn histories(kind: &str, count: u32, seed: u64) {
    let [count, seed] = [count.to_string(), seed.to_string()];
    let output = judge(&[kind, env!("CARGO_BIN_EXE_dmodc"), &count, &seed]);
    println!("from seed {seed}:\n{}", text(&output));
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn an_outside_judge_finds_nothing() {
    let seed = match std::env::var_os("DMODC_ANEW") {
        Some(_) => UNIX_EPOCH.elapsed().expect("a clock").as_secs(),
        None => 1,
    };
    histories("histories", 6 * long::times(), seed);
    histories("upkeep", 3 * long::times(), seed);
}

/// What it has found: a switch without its last uplink that had no siblings any more, with three pods and with
/// four; a cable between two switches of one level, from whose end half of the links looked odd; the first of two
/// links to the last parent, without which a leaf seemed to be at another port. And three small trees with
/// gateways that were refused, since a leaf seemed to lie between others, or a switch with a gateway to be a leaf.
#[test]
fn what_it_found_is_mended() {
    for seed in [1086, 1095, 5075, 5086, 770_053, 990_436] {
        histories("histories", 1, seed);
    }
    histories("upkeep", 1, 1_795_475_756);
}

/// With two LIDs a port, no link and no switch between them cuts a pair of hosts off from both.
#[test]
fn two_lids_share_no_link() {
    let folder = routed(27);
    let names = ["net", "lfts"].map(|name| folder.path().join(name).display().to_string());
    let output = judge(&["redundancy", &names[0], &names[1]]);
    let all = "pairs 3840, cut by a link 0, cut by a switch 0\n";
    assert_eq!(text(&output), all);
}

/// It would find something.
#[test]
fn the_outside_judge_sees_faults() {
    let folder = routed(2);
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let tables = std::fs::read_to_string(path("lfts")).expect("tables");
    let judged = |tables: &str| {
        std::fs::write(path("other"), tables).expect("a file");
        let [net, tables] = ["net", "other"].map(|name| path(name).display().to_string());
        judge(&["tables", &net, &tables])
    };
    assert!(judged(&tables).status.success());
    // Each leaf sends everything up by its first uplink, each other switch everything down to its first child.
    let mut port = "";
    let spoilt: Vec<String> = tables
        .lines()
        .map(|line| match line.split_once(' ') {
            Some((lid, rest)) if lid.starts_with("0x") => format!("{lid} {port}{}", &rest[3..]),
            _ => {
                port = if line.contains("'leaf") { "020" } else { "001" };
                line.to_owned()
            }
        })
        .collect();
    let output = judged(&spoilt.join("\n"));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    has(&text(&output), "loop");
    has(&text(&output), "channels in circles");
}
