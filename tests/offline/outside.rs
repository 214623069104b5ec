//! `tests/outside/judge.py`, a judge that shares no code with the project, on random fabrics and histories of faults.
//! That it finds faults is tested in `tests/data/answers/outside.txt`.

use crate::long;
use crate::support::root;
use std::process::Command;
use std::time::UNIX_EPOCH;

/// Judges delivery, cycles of all LIDs, pairs left out and needless changes, on `count` histories of a kind.
fn histories(kind: &str, count: u32, seed: u64) {
    let mut python = Command::new("python3");
    python.arg(root().join("tests/outside/judge.py"));
    python.args([kind, env!("CARGO_BIN_EXE_dmodc")]);
    let output = python.args([count.to_string(), seed.to_string()]).output();
    let output = output.expect("python3 runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    println!("from seed {seed}:\n{text}");
    assert!(output.status.success(), "{text}");
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

/// Cases that the judge has found: a switch that lost its last uplink and then had no siblings, with three pods and
/// with four; a cable between two switches of one level, which made half of the links look odd; the first of two links
/// to the last parent, without which a leaf seemed to be at another port. And three small trees with gateways that
/// Dmodc refused: it took a leaf to lie between others, or a switch with a gateway for a leaf. And a second lost link
/// of a leaf, which moved entries that a dead switch had displaced.
#[test]
fn its_earlier_findings_are_mended() {
    for seed in [1086, 1095, 5075, 5086, 770_053, 990_436, 20_261_166] {
        histories("histories", 1, seed);
    }
    histories("upkeep", 1, 1_795_475_756);
}
