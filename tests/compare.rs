//! `dmodc compare` with the stock OpenSM and ibsim on fabrics of a few switches.
#![cfg(all(feature = "cli", feature = "plugin"))]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder where cargo has put `libdmodc.so` for this very build: beside the tool lies a link
/// that only `cargo build` renews.
fn plugin_dir() -> PathBuf {
    let bin = Path::new(env!("CARGO_BIN_EXE_dmodc"));
    bin.parent().expect("the tool is in a folder").join("deps")
}

fn fabric(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/data/fabrics").join(name)
}

fn compare(args: &[&str]) -> Output {
    let plugin = plugin_dir();
    let plugin = plugin.to_str().expect("the path is plain text");
    Command::new(env!("CARGO_BIN_EXE_dmodc"))
        .args(["compare", "--permutations", "10", "--plugin", plugin])
        .args(args)
        .output()
        .expect("the tool runs")
}

/// The row of an engine on the only fabric.
fn row<'a>(result: &'a Value, engine: &str) -> &'a Value {
    let rows = result["rows"].as_array().expect("rows");
    let mut rows = rows.iter().filter(|row| row["engine"] == engine);
    rows.next().expect("a row for every engine")
}

#[test]
fn engines_are_run_judged_and_refused() {
    let net = fabric("two-switches.netlist");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let out = dir.path().join("results");
    let out = out.to_str().expect("the path is plain text");
    let args = [
        net.to_str().expect("the path is plain text"),
        "--engines",
        "dmodc,ftree,minhop,no-such-engine",
        "--json",
        "-o",
        out,
    ];
    let done = compare(&args);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    let result: Value = serde_json::from_slice(&done.stdout).expect("JSON");

    for engine in ["dmodc", "minhop"] {
        let row = row(&result, engine);
        assert_eq!(row["accepted"], true, "{row}");
        assert_eq!((&row["switches"], &row["nodes"]), (&2.into(), &9.into()));
        for key in ["no_route", "undelivered", "turns", "credit_loops"] {
            assert_eq!(row[key], 0, "{key} of {row}");
        }
        // Five and four hosts over three links.
        assert_eq!(row["a2a"], 2, "{row}");
        let (stage, run) = (&row["seconds"], &row["run_seconds"]);
        assert!(stage.as_f64() > Some(0.0) && stage.as_f64() < run.as_f64());
    }
    let ftree = row(&result, "ftree");
    assert_eq!(ftree["accepted"], false);
    let reason = ftree["reason"].as_str().expect("a reason");
    assert!(reason.contains("more than one root"), "{reason}");
    let unknown = row(&result, "no-such-engine");
    let reason = unknown["reason"].as_str().expect("a reason");
    assert!(reason.contains("Failed to setup"), "{reason}");

    // A second comparison appends to the first.
    assert!(compare(&args).status.success());
    let csv = fs::read_to_string(dir.path().join("results/compare.csv")).expect("rows");
    assert_eq!(csv.lines().count(), 1 + 2 * 4, "{csv}");
}

#[test]
fn a_missing_plugin_is_named() {
    let net = fabric("two-switches.netlist");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let done = Command::new(env!("CARGO_BIN_EXE_dmodc"))
        .arg("compare")
        .arg(net)
        .arg("--plugin")
        .arg(dir.path())
        .output()
        .expect("the tool runs");
    assert_eq!(done.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(errors.contains("no libdmodc.so in"), "{errors}");
}
