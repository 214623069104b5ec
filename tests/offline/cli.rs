//! The command line, run as a user runs it: outputs, exit codes, messages.

use crate::support::*;

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

/// What is refused before any file is read.
#[test]
fn bad_usage_is_exit_2() {
    let speeds = ["generate", FIGURE_1, "--speeds", "4xGDR"];
    let follow = ["follow", "--lfts", "x"];
    for (args, told) in [
        (&["no-such-command"][..], "unrecognized subcommand"),
        (&[], "Usage"),
        (&["degrade", "x", "--seed", "1"], "--links"),
        (&["degrade", "x", "--links", "1"], "--seed"),
        (&["degrade", "x", "--throw", "2", "--seed", "1"], "--of"),
        (
            &["degrade", "x", "--slow", "3:0", "--seed", "1"],
            "the part is not between 0 and 1",
        ),
        (
            &["degrade", "x", "--slow", "3:x", "--seed", "1"],
            "the part is not between 0 and 1",
        ),
        (&["route", "x", "--lmc", "8"], "8"),
        (&["route", "x", "--on-unreachable", "maybe"], "maybe"),
        (&["route", "x", "--lfts", "-", "--json"], "only one"),
        (&["analyze", "x", "y", "--patterns", "nonsense"], "nonsense"),
        (&["generate", "rlft", "--nodes", "3"], "--radix"),
        (
            &["generate", "PGFT(2;2;1;1)"],
            "m has 1 numbers where h says 2",
        ),
        (&speeds, "'4xGDR' is no speed"),
        (&["whatif", "x"], "--remove"),
        (&["export", "x", "lsf"], "slurm-yaml"),
        (&["completions", "abacus"], "abacus"),
        (&["follow"], "--lfts"),
        (&["follow", "--lfts", "-"], "standard input"),
        (
            &[&follow[..], &["--fifo", "y"]].concat(),
            "cannot be used with",
        ),
        (&[&follow[..], &["--every", "0"]].concat(), "not "),
        (&[&follow[..], &["--limit", "soon"]].concat(), "not "),
        (&[&follow[..], &["--max-loss", "101"]].concat(), "not "),
    ] {
        let message = fails(2, args);
        assert!(message.contains(told), "{args:?}: {message}");
    }
}
