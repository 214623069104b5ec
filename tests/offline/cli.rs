//! The command line, run as a user runs it: outputs, exit codes, messages.

use crate::support::{data, topologies};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const FIGURE_1: &str = "PGFT(3;2,2,3;1,2,2;1,2,1)";

fn dmodc(args: &[&str]) -> Output {
    dmodc_with_input(args, b"")
}

fn dmodc_with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dmodc"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A child that refuses its arguments does not read: that write may fail.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Runs what must succeed and gives its standard output.
fn ok(args: &[&str]) -> String {
    let output = dmodc(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs what must fail with this exit code and gives its message.
fn fails(code: i32, args: &[&str]) -> String {
    let output = dmodc(args);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{args:?}: {}",
        stderr(&output)
    );
    stderr(&output)
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn generate_degrade_route_and_diff_go_together() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (whole, less) = (file("whole.net"), file("less.net"));
    let (before, after) = (file("before.lfts"), file("after.lfts"));
    ok(&["generate", FIGURE_1, "--seed", "1", "-o", &whole]);
    let list = ok(&[
        "degrade", &whole, "--links", "2", "--seed", "3", "--list", "-o", &less,
    ]);
    assert_eq!(list.lines().count(), 2);
    assert!(
        list.lines()
            .all(|line| line.starts_with("link 0x") && line.contains("] -- 0x"))
    );
    let json = ok(&["route", &whole, "--lfts", &before, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let keys = [
        "nodes",
        "switches",
        "links",
        "lids",
        "ranks",
        "unreachable_pairs",
    ];
    assert_eq!(
        keys.map(|key| json[key].as_u64().unwrap()),
        [12, 16, 36, 28, 3, 0]
    );
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
    let text = ok(&["route", &less, "--lfts", &after, "--threads", "1"]);
    assert!(
        text.contains("links between switches          34\n"),
        "{text}"
    );
    let same: serde_json::Value =
        serde_json::from_str(&ok(&["diff", &before, &before, "--json"])).unwrap();
    assert_eq!(
        (&same["changed_entries"], &same["changed_blocks"]),
        (&0.into(), &0.into())
    );
    let other: serde_json::Value =
        serde_json::from_str(&ok(&["diff", &before, &after, "--json"])).unwrap();
    assert!(other["changed_entries"].as_u64() >= other["changed_blocks"].as_u64());
    assert!(other["changed_blocks"].as_u64() > Some(0));
    let table = ok(&["diff", &before, &after]);
    let total = format!("{:>10}", other["changed_entries"].as_u64().unwrap());
    assert!(table.lines().last().unwrap().contains(&total), "{table}");
}

#[test]
fn standard_input_and_output_make_a_pipe() {
    let net = ok(&["generate", FIGURE_1]);
    let output = dmodc_with_input(&["route", "-", "--lfts", "-"], net.as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    let dump = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        dump.starts_with("Unicast lids [0-28] of switch Lid 1 guid 0x0002000100000000 ('L1-0')")
    );
    assert_eq!(dump.matches("28 lids dumped").count(), 16);
    // Up-down pairs of switches, by hand: leaf to leaf 36, leaf and L2 72, leaf and L3 48, L2 to L2
    // 18 (same second digit), L2 and L3 24, L3 to itself 4.
    assert_eq!(
        dump.matches("portguid").count(),
        16 * 12 + 36 + 72 + 48 + 18 + 24 + 4
    );
    assert!(stderr(&output).contains("unreachable pairs"));
}

#[test]
fn order_and_alternatives() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (net, order, ports) = (file("net"), file("order"), file("ports"));
    ok(&["generate", FIGURE_1, "-o", &net]);
    ok(&["route", &net, "--order", &order, "--alternatives", &ports]);
    let order = std::fs::read_to_string(order).unwrap();
    assert_eq!(order.lines().count(), 12);
    assert_eq!(order.lines().next(), Some("0x0011\tnode-0"));
    let ports = std::fs::read_to_string(ports).unwrap();
    assert_eq!(ports.lines().count(), 16 * 12);
    assert_eq!(ports.lines().next(), Some("0x0002000100000000 0x0011 1"));
    assert!(
        ports.contains("\n0x0002000100000000 0x001c 3,4,5,6\n"),
        "{ports}"
    );
}

#[test]
fn a_seed_degrades_alike_on_every_machine() {
    let dir = tempfile::tempdir().unwrap();
    let net = dir.path().join("net");
    ok(&["generate", FIGURE_1, "-o", path(&net)]);
    let args = |what, seed| ["degrade", path(&net), what, "2", "--seed", seed, "--list"];
    let links = "link 0x0002000100000005 'L1-5' [3] -- 0x0002000200000004 'L2-4' [3]\n\
                 link 0x0002000200000002 'L2-2' [6] -- 0x0002000300000002 'L3-2' [2]\n";
    assert_eq!(ok(&args("--links", "2")), links);
    assert_ne!(ok(&args("--links", "3")), links);
    let switches = ok(&args("--switches", "2"));
    assert!(
        switches
            .lines()
            .all(|line| line.starts_with("switch 0x") && !line.contains("L1-"))
    );
}

#[test]
fn real_life_fat_trees() {
    let net = ok(&["generate", "rlft", "--nodes", "100", "--radix", "12"]);
    assert_eq!(net.matches("\nCa\t").count(), 100);
    assert_eq!(
        net.matches("\nSwitch\t12 ").count(),
        net.matches("\nSwitch\t").count()
    );
}

#[test]
fn bad_usage_is_exit_2() {
    assert!(fails(2, &["degrade", "x", "--seed", "1"]).contains("--links"));
    assert!(fails(2, &["degrade", "x", "--links", "1"]).contains("--seed"));
    assert!(fails(2, &["route", "x", "--lmc", "8"]).contains("8"));
    assert!(fails(2, &["route", "x", "--on-unreachable", "maybe"]).contains("maybe"));
    assert!(fails(2, &["route", "x", "--lfts", "-", "--json"]).contains("only one"));
    assert!(fails(2, &["generate", "rlft", "--nodes", "3"]).contains("--radix"));
    assert!(fails(2, &["generate", "PGFT(2;2;1;1)"]).contains("m has 1 numbers where h says 2"));
    fails(2, &["no-such-command"]);
    fails(2, &[]);
}

#[test]
fn unreadable_input_is_exit_2_with_file_line_and_reason() {
    let dir = tempfile::tempdir().unwrap();
    let bad = dir.path().join("bad.net");
    let message = |content: &[u8]| {
        std::fs::write(&bad, content).unwrap();
        let message = fails(2, &["route", path(&bad)]);
        message
            .strip_prefix(&format!("dmodc: {}", path(&bad)))
            .unwrap()
            .to_owned()
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
    std::fs::write(&guids, "0x1\nspine\n").unwrap();
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
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dmodc"))
        .args(["generate", "PGFT(2;30,30;1,10;1,1)"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
}

#[test]
fn production_fabrics_are_routed_and_a_ring_is_refused() {
    for file in topologies() {
        if path(&file).contains("ring") {
            assert!(fails(1, &["route", path(&file)]).contains("not a tree"));
        } else {
            let text = ok(&["route", path(&file)]);
            assert!(text.contains("unreachable pairs           0\n"), "{text}");
        }
    }
}
