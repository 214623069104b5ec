//! What other programs rely on: JSON keys, standard input and output, exit codes.

use crate::support::*;
use serde_json::Value;

/// Holds an object to keys of the contract: counts, and the seconds.
fn counts(object: &Value, keys: &[&str]) {
    for key in keys {
        assert!(object[key].is_u64(), "{key} in {object}");
    }
    assert!(object["seconds"].as_f64().is_some_and(|s| s > 0.0));
}

#[test]
fn json_keys() {
    let routed = Routed::shape(FIGURE_1);
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let fabric = ["nodes", "switches", "links"];
    let route = json(&["route", net]);
    counts(&route, &[&fabric[..], &["unreachable_pairs"]].concat());
    let check = json(&["check", net, lfts]);
    let findings = [
        "undelivered",
        "turns",
        "nonminimal",
        "credit_loops",
        "host_credit_loops",
        "host_switch_credit_loops",
        "switch_credit_loops",
        "aggregation_credit_loops",
        "unreachable_pairs",
    ];
    counts(&check, &[fabric.as_slice(), &findings].concat());
    let analyze = json(&["analyze", net, lfts, "--exact"]);
    let risks = ["a2a", "rp", "sp", "exact", "bound", "credit_loops"];
    counts(&analyze, &[fabric.as_slice(), &risks].concat());
    let diff = json(&["diff", lfts, lfts]);
    counts(&diff, &["switches", "changed_entries", "changed_blocks"]);
    for object in [&route, &check, &analyze] {
        assert_eq!(fabric.map(|key| &object[key]), [&12, &16, &36]);
    }
    assert_eq!(findings.map(|key| check[key].as_u64().unwrap()), [0; 9]);
    // By hand: two nodes of a leaf share two uplinks (A2A 2 of min(2 sources, 10 destinations)).
    assert_eq!(analyze["a2a"], 2);
}

#[test]
fn a_dash_is_standard_input_for_every_input() {
    let routed = Routed::shape(FIGURE_1);
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let text = |file: &str| std::fs::read(file).unwrap();
    let (order, guids) = (routed.file("order"), routed.file("guids"));
    ok(&["route", net, "--order", &order]);
    std::fs::write(&guids, "0x0001000000000001 # a node\n").unwrap();
    // The dash stands for the file.
    for (args, file) in [
        ("route - --lfts -", net),
        ("route NET --lfts - --root-guids -", &guids),
        ("route NET --lfts - --cn-guids -", &guids),
        ("route NET --lfts - --io-guids -", &guids),
        ("degrade - --links 2 --seed 1", net),
        ("check - LFTS", net),
        ("check NET -", lfts),
        ("analyze - LFTS", net),
        ("analyze NET -", lfts),
        ("analyze NET LFTS --order -", &order),
        ("trace - LFTS node-0 node-5", net),
        ("trace NET - node-0 node-5", lfts),
        ("whatif - --remove L2-1", net),
        ("wiring - --reference NET", net),
        ("wiring NET --reference -", net),
        ("export - slurm", net),
        ("diff - LFTS", lfts),
        ("diff LFTS -", lfts),
    ] {
        let args = args.replace("NET", net).replace("LFTS", lfts);
        let mut by_name = args.words();
        // Where outputs are named, they come first; a netlist comes before both.
        let last = by_name.iter().rposition(|a| *a == "-").unwrap();
        let at = if by_name[1] == "-" { 1 } else { last };
        by_name[at] = file.to_owned();
        let lasting = |text: String| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with("seconds"));
            lines.map(str::to_owned).collect()
        };
        let piped = ok_with_input(&args, &text(file));
        assert_eq!(lasting(piped), lasting(ok(&by_name)), "{args:?}");
    }
}

#[test]
fn standard_input_is_read_once() {
    let net = data("two-levels.netlist");
    for args in [
        "route - --root-guids -",
        "route NET --cn-guids - --io-guids -",
        "check - -",
        "analyze NET - --order -",
        "analyze NET - --root-guids -",
        "diff - -",
        "trace - - a b",
        "whatif - --remove @-",
        "degrade - --remove @-",
        "wiring - --reference -",
        "draw - - -o x",
        "whatif - --remove x --cn-guids -",
        "wiring - --root-guids -",
        "export - hosts --io-guids -",
        "draw - --root-guids - -o x",
        "compare x - --io-guids - --degrade links",
    ] {
        let message = fails(2, &args.replace("NET", path(&net)));
        has(&message, "only one input can be standard input");
    }
}

#[test]
fn a_dash_is_standard_output_for_every_output() {
    let routed = Routed::shape(FIGURE_1);
    let (net, lfts, file) = (&*routed.net, &*routed.lfts, routed.file("out"));
    for args in [
        vec!["generate", FIGURE_1, "-o", "-"],
        vec!["degrade", net, "--links", "2", "--seed", "1", "-o", "-"],
        vec!["route", net, "--lfts", "-"],
        vec!["route", net, "--order", "-"],
        vec!["route", net, "--alternatives", "-"],
        vec!["export", net, "hosts", "-o", "-"],
        vec!["draw", net, lfts, "-o", "-"],
        vec!["whatif", net, "--remove", "L2-0", "--draw", "-"],
    ] {
        let printed = ok(&args);
        let named: Vec<&str> = [&args[..args.len() - 1], &[&file]].concat();
        ok(&named);
        assert_eq!(printed, std::fs::read_to_string(&file).unwrap(), "{args:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let routed = Routed::shape("PGFT(2;30,30;1,10;1,1)");
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    for args in [
        &["generate", "PGFT(2;30,30;1,10;1,1)"][..],
        &["degrade", net, "--links", "2", "--seed", "1"],
        &["degrade", net, "--links", "2", "--seed", "1", "--list"],
        &["route", net],
        &["route", net, "--json"],
        &["route", net, "--lfts", "-"],
        &["check", net, lfts],
        &["analyze", net, lfts, "--permutations", "1"],
        &["diff", lfts, lfts],
        &["trace", net, lfts, "node-0", "node-899"],
        &["wiring", net],
        &["export", net, "dot"],
        &["draw", net, "-o", "-"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ] {
        for stderr_too in [false, true] {
            let mut child = start(args);
            drop(child.stdout.take());
            if stderr_too {
                drop(child.stderr.take());
            }
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{args:?}: {:?}", output.status);
            assert_eq!(stderr(&output), "", "{args:?}");
        }
    }
}

#[test]
fn exit_codes_with_nobody_to_read_the_message() {
    let child = |args: &[&str]| {
        let mut child = start(args);
        drop((child.stdout.take(), child.stderr.take()));
        child.wait().unwrap().code()
    };
    assert_eq!(child(&["route", "no-such-file"]), Some(2));
    assert_eq!(child(&["no-such-command"]), Some(2));
}
