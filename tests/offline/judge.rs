//! `dmodc check` and `dmodc analyze`, by way of the command line.

use crate::long;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn dmodc(dir: &Path, args: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_dmodc"))
        .args(args)
        .current_dir(dir)
        .output();
    command.expect("dmodc runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// A folder with the netlist `net` of a shape and its tables `lfts`.
fn routed(shape: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    assert!(
        dmodc(dir.path(), &["generate", shape, "-o", "net"])
            .status
            .success()
    );
    assert!(
        dmodc(dir.path(), &["route", "net", "--lfts", "lfts"])
            .status
            .success()
    );
    dir
}

#[test]
fn the_figures_of_the_reference_fabric() {
    if !long::runs("8,640 nodes") {
        return;
    }
    let dir = routed("PGFT(3;24,15,24;1,6,15;1,1,1)");
    let output = dmodc(
        dir.path(),
        &["analyze", "net", "lfts", "--permutations", "100", "--json"],
    );
    let found = json(&output);
    assert_eq!(
        (&found["a2a"], &found["rp"], &found["sp"]),
        (&92.into(), &12.into(), &4.into())
    );
    assert_eq!(
        (&found["nodes"], &found["skipped"]),
        (&8640.into(), &0.into())
    );
    assert_eq!(found["a2a_ports"]["histogram"]["92"], 2160);
}

#[test]
fn good_tables_pass_and_spoilt_ones_fail() {
    let dir = routed("PGFT(2;4,4;1,2;1,1)");
    let output = dmodc(dir.path(), &["check", "net", "lfts", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let good = json(&output);
    for key in [
        "undelivered",
        "turns",
        "nonminimal",
        "credit_loops",
        "unreachable_pairs",
    ] {
        assert_eq!(good[key], 0, "{key}");
    }

    // Take away the first entry of the dump.
    let dump = std::fs::read_to_string(dir.path().join("lfts")).unwrap();
    let first = dump
        .lines()
        .position(|line| line.starts_with("0x"))
        .unwrap();
    let kept = dump.lines().enumerate().filter(|(i, _)| *i != first);
    let spoilt: String = kept.map(|(_, line)| format!("{line}\n")).collect();
    std::fs::write(dir.path().join("spoilt"), spoilt).unwrap();
    let output = dmodc(dir.path(), &["check", "net", "spoilt", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let bad = json(&output);
    assert!(bad["undelivered"].as_u64() > Some(0));
    assert!(
        bad["details"]["no_entry"]["first"][0]
            .as_str()
            .unwrap()
            .contains("to LID")
    );

    let output = dmodc(dir.path(), &["check", "net", "spoilt"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("no entry: 0x") && text.ends_with("FAILED\n"),
        "{text}"
    );
}

/// A leaf without its hosts, between two spines that have one each: only the reference tells which is which.
#[test]
fn ranks_are_those_of_the_reference_if_it_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let spines = "Switch 4 \"s1\"\n[1] \"l1\"[1]\n[2] \"l2\"[1]\n[3] \"h1\"\n\
                  Switch 4 \"s2\"\n[1] \"l1\"[2]\n[2] \"l2\"[2]\n[3] \"h2\"\n\
                  Hca 1 \"h1\"\n[1] \"s1\"[3]\nHca 1 \"h2\"\n[1] \"s2\"[3]\n";
    let leaf = |n: u32| {
        let hosts = (3..8).map(|p| format!("[{p}] \"h{n}{p}\"\n"));
        let hosts: String = hosts.collect();
        let switch = format!("Switch 8 \"l{n}\"\n[1] \"s1\"[{n}]\n[2] \"s2\"[{n}]\n{hosts}");
        let hosts = (3..8).map(|p| format!("Hca 1 \"h{n}{p}\"\n[1] \"l{n}\"[{p}]\n"));
        switch + &hosts.collect::<String>()
    };
    let whole = format!("{spines}{}{}", leaf(1), leaf(2));
    let less = spines
        .replace("[2] \"l2\"[1]\n", "")
        .replace("[2] \"l2\"[2]\n", "")
        + "Switch 8 \"l1\"\n[1] \"s1\"[1]\n[2] \"s2\"[1]\n";
    std::fs::write(dir.path().join("whole"), whole).unwrap();
    std::fs::write(dir.path().join("less"), less).unwrap();
    let run = |args: &[&str]| {
        let output = dmodc(dir.path(), args);
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    };
    let as_routed = ["--reference", "whole"];
    let route = [
        "route",
        "less",
        "--lfts",
        "lfts",
        "--on-unreachable",
        "partial",
    ];
    let (code, text) = run(&[&route[..], &as_routed].concat());
    assert!(
        code == Some(0) && text.contains("left out: host to host 2"),
        "{text}"
    );
    let check = ["check", "less", "lfts"];
    let (code, text) = run(&[&check[..], &as_routed].concat());
    assert!(
        code == Some(0) && text.contains("left out: host to host 2"),
        "{text}"
    );
    let (code, text) = run(&check);
    assert_eq!(
        code,
        Some(1),
        "by its own ranks the leaf is above both: {text}"
    );
    assert!(text.contains("give --reference"), "{text}");
}

#[test]
fn patterns_and_node_orders_are_taken_as_given() {
    let dir = routed("PGFT(2;4,4;1,2;1,1)");
    let analyze = |more: &[&str]| {
        let args = [&["analyze", "net", "lfts", "--json"], more].concat();
        dmodc(dir.path(), &args)
    };
    let only = json(&analyze(&["--patterns", "sp"]));
    assert!(only.get("a2a").is_none() && only["sp"].is_u64());
    assert!(
        dmodc(dir.path(), &["route", "net", "--order", "order"])
            .status
            .success()
    );
    let ordered = json(&analyze(&["--order", "order"]));
    assert_eq!(ordered["sp"], only["sp"]);
    let order = std::fs::read_to_string(dir.path().join("order")).unwrap();
    let half: String = order
        .lines()
        .take(8)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(dir.path().join("half"), half).unwrap();
    let output = analyze(&["--order", "half"]);
    assert_eq!(json(&output)["taking_part"], 8);
    assert!(String::from_utf8_lossy(&output.stderr).contains("8 of 16 end nodes are not in"));
    assert_eq!(analyze(&["--patterns", "nonsense"]).status.code(), Some(2));
    assert_eq!(
        dmodc(dir.path(), &["analyze", "-", "-"]).status.code(),
        Some(2)
    );
}
