//! What administrators ask: `trace`, `whatif`, `wiring`, `export`, `draw`.

use crate::support::*;
use serde_json::Value;

/// The GUID of a switch of the paper's Figure 1 as it is generated: level from 1 on, position.
fn switch(level: u64, position: u64) -> String {
    format!(
        "0x{:016x}",
        0x0002_0000_0000_0000 + (level << 32) + position
    )
}

fn figure_1() -> Routed {
    Routed::net(ok(&["generate", FIGURE_1]).as_bytes())
}

#[test]
fn trace_tells_the_way_there_and_back() {
    let routed = figure_1();
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let way = json(&format!("trace {net} {lfts} node-0 node-11"));
    let hops = way["there"]["hops"].as_array().unwrap();
    let ups: Vec<bool> = hops.iter().map(|h| h["up"].as_bool().unwrap()).collect();
    assert_eq!(ups, [true, true, false, false]);
    assert_eq!(hops[0]["guid"], switch(1, 0));
    assert_eq!(hops[3]["to_guid"], switch(1, 5));
    // Two L2, two parallel links to each.
    let others = |hop: &Value| hop["other_ports"].as_array().unwrap().len();
    assert_eq!([&hops[0], &hops[1]].map(others), [3, 1]);
    let load = |hop: &Value| (1..=2).contains(&hop["a2a"].as_u64().unwrap());
    assert!(hops.iter().all(load), "{way}");
    assert_eq!(way["there"]["arrives"], true);
    assert_eq!(way["there"]["turns"], 0);
    // By LID and by GUID it is the same way; a leaf of its own is no hop.
    let there = |ends| json(&format!("trace {net} {lfts} {ends}"))["there"]["hops"].clone();
    assert_eq!(there("17 28"), way["there"]["hops"]);
    let count = |ends| there(ends).as_array().unwrap().len();
    assert_eq!(["node-0 node-1", "L1-0 L3-2"].map(count), [0, 2]);

    let text = std::fs::read_to_string(lfts).unwrap();
    // The entry of node-11 at the first leaf.
    std::fs::write(lfts, text.replacen("\n0x001c ", "\n0x00ff ", 1)).unwrap();
    let text = ends(1, &format!("trace {net} {lfts} node-0 node-11"));
    has(&text, "LOST: 0x0002000100000000 'L1-0' has no entry");
}

/// Two planes of two leaves, with a port of each of four servers in each.
fn rails() -> Routed {
    let mut net = String::new();
    let mut hosts = String::new();
    for plane in 0..2 {
        net += &format!("Switch 4 \"p{plane}\" # \"spine {plane}\"\n");
        for leaf in 0..2 {
            net += &format!("[{}] \"l{plane}{leaf}\"[4]\n", leaf + 1);
        }
        for leaf in 0..2 {
            net += &format!("Switch 4 \"l{plane}{leaf}\" # \"leaf {plane}{leaf}\"\n");
            for port in 1..=2 {
                let (host, server) = (format!("h{plane}{leaf}{port}"), 2 * leaf + port);
                net += &format!("[{port}] \"{host}\"[1]\n");
                hosts += &format!("Ca 1 \"{host}\" # \"node{server:03} mlx5_{plane}\"\n");
                hosts += &format!("[1] \"l{plane}{leaf}\"[{port}]\n");
            }
            net += &format!("[4] \"p{plane}\"[{}]\n", leaf + 1);
        }
    }
    Routed::net((net + &hosts).as_bytes())
}

#[test]
fn a_server_is_taken_with_all_its_ports() {
    let routed = rails();
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let way = json(&format!("trace {net} {lfts} node001 node004"));
    // From plane to plane there is no way, and none is asked for.
    let more = way["more"].as_array().unwrap();
    assert_eq!(more.len(), 1, "{way}");
    for pair in [&way, &more[0]] {
        assert!(["there", "back"].iter().all(|d| pair[d]["arrives"] == true));
    }
    let text = ok(&format!("trace {net} {lfts} node[001-002] node003"));
    assert_eq!(text.matches("arrives by port").count(), 2 * 4, "{text}");
    // Unless nothing else was.
    ends(1, &["trace", net, lfts, "node001 mlx5_0", "node004 mlx5_1"]);

    let list = |name: &str| ok(&["degrade", net, "--remove", name, "--list"]);
    let hosts = |name: &str| list(name).matches("host 0x").count();
    assert_eq!(["node002", "node[002-003]", "node*"].map(hosts), [2, 4, 8]);
    assert_eq!(list("leaf 1*").lines().count(), 2);
    let whatif = json(&format!("whatif {net} --remove node001 --permutations 1"));
    assert_eq!(
        [&whatif["before"]["nodes"], &whatif["after"]["nodes"]],
        [&8, &6]
    );
}

#[test]
fn degrade_takes_away_what_is_named() {
    let routed = figure_1();
    let (net, less) = (&*routed.net, &*routed.file("less"));
    let list = routed.file("list");
    std::fs::write(&list, "# decommissioned\nL2-0\n\nnode-3   # a host\n").unwrap();
    let said = ok(&format!(
        "degrade {net} --remove @{list} --remove L1-5:6 -o {less} --list"
    ));
    let expected = format!(
        "switch {} 'L2-0'\nhost 0x0001000000000007 'node-3'\nlink {} 'L1-5' [6] -- {} 'L2-5' [4]\n",
        switch(2, 0),
        switch(1, 5),
        switch(2, 5)
    );
    assert_eq!(said, expected);
    let found = json(&["route", less]);
    let counts = ["switches", "nodes", "links"].map(|key| found[key].clone());
    assert_eq!(counts, [15, 11, 36 - 6 - 1]);
}

/// Names that stand for nothing, or for several things.
#[test]
fn what_cannot_be_meant_is_exit_2() {
    let (routed, large) = (figure_1(), Routed::shape("PGFT(2;10,2;1,2;1,1)"));
    let list = routed.file("list");
    std::fs::write(&list, "L2-0\nnobody\n").unwrap();
    let several = "'L2' could be any of 6:\n  switch 0x0002000200000000 'L2-0' LID 7\n";
    let unknown = "list:2: nothing in this fabric is called 'nobody'";
    for (question, told) in [
        ("trace NET LFTS node-1 L2", several),
        ("trace NET LFTS node-1 nobody", "called 'nobody'"),
        ("trace LARGE node* node*", "more than 100 pairs"),
        ("degrade NET --remove L2", "could be any of 6"),
        ("degrade NET --remove @LIST", unknown),
        ("degrade NET --remove L2-0:77", "has no link"),
        ("degrade NET --remove L2-0 --seed 1", "--seed"),
        ("whatif NET --remove nobody", "'nobody'"),
    ] {
        let question = question.replace("LARGE", &format!("{} {}", large.net, large.lfts));
        let question = question.replace("NET", &routed.net).replace("LIST", &list);
        has(&fails(2, &question.replace("LFTS", &routed.lfts)), told);
    }
}

#[test]
fn analyze_knows_the_bound_and_effective_bisection_bandwidth() {
    let routed = figure_1();
    let args = format!("analyze {} {} --patterns a2a,ebb", routed.net, routed.lfts);
    let found = json(&args);
    // min(2, 10 / 4) for a leaf, min(4, 8 / 4) for a subtree.
    assert_eq!(["a2a", "bound"].map(|key| found[key].clone()), [2, 2]);
    let [ebb, confidence] = ["ebb", "ebb_confidence"].map(|key| found[key].as_f64().unwrap());
    assert!((50.0..100.0).contains(&ebb) && (0.0..5.0).contains(&confidence));
    assert_eq!(json(&args)["ebb"], found["ebb"], "a seed fixes it");
    // With both ways at once no flow has more, and some have less.
    let both = json(&format!("{args} --both"));
    assert!(found["ebb_both"] != true && both["ebb_both"] == true);
    assert!(both["ebb"].as_f64() < Some(ebb), "{both}");
}

#[test]
fn whatif_compares_before_and_after() {
    let routed = figure_1();
    let net = &*routed.net;
    let whatif = |name: &str| json(&["whatif", net, "--remove", name]);
    // Without a host: it is not missed. Without a leaf: its two hosts are; among the rest nobody is left out.
    let unreached = |found: &Value| {
        let hosts = found["after"]["unreached_hosts"].as_array().unwrap();
        hosts.iter().map(|h| h["name"].clone()).collect::<Vec<_>>()
    };
    let (host, leaf) = (whatif("node-3"), whatif("L1-0"));
    assert_eq!(unreached(&host), [""; 0]);
    assert_eq!(unreached(&leaf), ["node-0", "node-1"]);
    assert_eq!(leaf["after"]["left_out"], 0);
    // The figures are those of the other subcommands.
    let (old, [less, new]) = (
        &routed.lfts,
        ["less.net", "less.lfts"].map(|n| routed.file(n)),
    );
    ok(&format!("degrade {net} --remove L2-0 -o {less}"));
    ok(&format!("route {less} --lfts {new}"));
    let spine = whatif("L2-0");
    for (net, lfts, when) in [(net, old, "before"), (&less, &new, "after")] {
        let analyze = json(&["analyze", net, lfts, "--patterns", "a2a,rp,sp,ebb"]);
        for key in "switches links nodes a2a bound rp sp ebb".split(' ') {
            assert_eq!(spine[when][key], analyze[key], "{key} {when}");
        }
    }
    let diff = json(&["diff", old, &new]);
    for key in ["changed_entries", "changed_blocks"] {
        assert_eq!(spine[key], diff[key], "{key}");
    }
    let text = ok(&["whatif", net, "--remove", "L1-0"]);
    has(&text, "nobody reaches 0x0001000000000002 'node-0'\n");
}

#[test]
fn whatif_keeps_the_lids_of_all_that_stays() {
    // No LIDs in the file: the last host goes, and no entry but its own changes.
    let net = ok(&["generate", "PGFT(2;2,2;1,2;1,1)", "--no-lids"]);
    let routed = Routed::net(net.as_bytes());
    let found = json(&["whatif", &routed.net, "--remove", "node-3"]);
    assert_eq!(found["changed_entries"], 4, "{found}");
}

/// What `wiring` finds: exit code, and the lines.
fn wiring(args: &[&str]) -> (Option<i32>, Vec<String>) {
    let output = dmodc(&[&["wiring"], args].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(str::to_owned).collect();
    (output.status.code(), lines)
}

#[test]
fn wiring_against_a_reference() {
    let routed = figure_1();
    let (net, less) = (&*routed.net, &*routed.file("less"));
    let [leaf, spine] = [(1, 0), (2, 0)].map(|(level, at)| switch(level, at));
    ok(&format!(
        "degrade {net} --remove L1-0:3 --remove node-5 -o {less}"
    ));
    let missing = format!("missing: {leaf} 'L1-0' [3] -- {spine} 'L2-0' [1]");
    let (code, lines) = wiring(&[less, "--reference", net]);
    assert_eq!((code, &lines[0], lines.len()), (Some(1), &missing, 3));
    assert!(lines[1].ends_with("'node-5': host with 1 links"));
    // The other way round it is extra.
    let (_, lines) = wiring(&[net, "--reference", less]);
    assert_eq!(lines[0], missing.replace("missing", "extra"));
    // Two cables between the same two switches, swapped at the leaf.
    let mut spoilt = std::fs::read_to_string(net).unwrap();
    for (peer, ports) in [
        ("S-0002000200000000", [1, 2]),
        ("S-0002000100000000", [3, 4]),
    ] {
        let [one, two] = ports.map(|port| format!("\"{peer}\"[{port}]"));
        assert!(spoilt.contains(&one) && spoilt.contains(&two));
        spoilt = spoilt
            .replacen(&one, "?", 1)
            .replacen(&two, &one, 1)
            .replacen('?', &two, 1);
    }
    std::fs::write(less, spoilt).unwrap();
    let (_, lines) = wiring(&[less, "--reference", net]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    let link = format!("{leaf} 'L1-0' [3]");
    let wrong = format!("wrong port: {link} -- {spine} 'L2-0' [1], found {link}");
    assert!(lines[0].starts_with(&wrong), "{lines:?}");
}

#[test]
fn wiring_says_that_a_reference_is_of_another_fabric() {
    let files = production();
    let [net, other] = [path(&files[0]), path(&files[1])];
    let message = fails(2, &["wiring", net, "--reference", other]);
    let told = "of another fabric: most switches and links are not in it";
    assert!(
        message.ends_with(&format!("dmodc: {other}: {told}\n")),
        "{message}"
    );
    // Names do where no GUID is known, as in a plan.
    let routed = figure_1();
    let text = std::fs::read_to_string(&routed.net).unwrap();
    let plan = routed.file("plan");
    let text = text
        .replace("0002000", "000f000")
        .replace("0x2000", "0xf000");
    std::fs::write(&plan, text).unwrap();
    assert_eq!(wiring(&[&routed.net, "--reference", &plan]).0, Some(0));
}

#[test]
fn wiring_among_siblings() {
    // Four leaves with the same links to four spines.
    let routed = Routed::net(ok("generate PGFT(2;4,4;1,4;1,1)").as_bytes());
    let (net, less) = (&*routed.net, &*routed.file("less"));
    assert_eq!(wiring(&[net]).0, Some(0));
    ok(&format!("degrade {net} --remove L1-2:7 -o {less}"));
    let (code, lines) = wiring(&[less]);
    let [leaf, spine] = [switch(1, 2), switch(2, 2)];
    let missing =
        format!("missing: {leaf} 'L1-2' [7] -- {spine} 'L2-2' [3]: 3 of 3 siblings have it");
    assert_eq!(
        (code, &*lines),
        (Some(1), &[missing, "1 differences".into()][..])
    );
    let found: Value = serde_json::from_slice(&dmodc(&["wiring", less, "--json"]).stdout).unwrap();
    let port = &found["differences"][0]["ends"][1]["port"];
    assert_eq!([&found["count"], port], [&1, &3]);
    let (_, table) = wiring(&[less, "--csv"]);
    let row = format!("missing,{leaf},L1-2,7,{spine},L2-2,3,,,,,,,3 of 3 siblings have it");
    assert_eq!(table[1..], [row]);
}

/// A leaf with few uplinks by design, for management say, is not like its siblings; and no more cables are
/// told than are missing.
#[test]
fn wiring_tells_no_more_than_is_missing() {
    // Six leaves with 16 links up each, at ports 5 to 20.
    let routed = Routed::net(ok(&["generate", "PGFT(2;4,6;1,16;1,1)"]).as_bytes());
    let (net, less) = (&*routed.net, &*routed.file("less"));
    for (left, missing) in [(2, 0), (8, 0), (9, 7), (15, 1)] {
        let gone: Vec<String> = (5 + left..21).map(|port| format!("L1-2:{port}")).collect();
        let remove = gone.iter().flat_map(|cable| ["--remove", cable]);
        let args = ["degrade", net, "-o", less].into_iter().chain(remove);
        ok(&args.collect::<Vec<&str>>());
        let (_, lines) = wiring(&[less]);
        let told = lines.iter().filter(|line| line.starts_with("missing: "));
        assert_eq!(told.count(), missing, "{left} left: {lines:?}");
    }
}

#[test]
fn wiring_guesses_what_is_odd_in_production_fabrics() {
    let kinds = |name: &str| {
        let net = data("production").join(name);
        let (same, _) = wiring(&[path(&net), "--reference", path(&net)]);
        assert_eq!(same, Some(0), "{name}");
        let (_, lines) = wiring(&[path(&net)]);
        let count = |kind| lines.iter().filter(|line| line.starts_with(kind)).count();
        [count("missing: "), count("wrong port: "), lines.len() - 1]
    };
    // Six pairs of swapped cables and a missing one; four missing ones.
    assert_eq!(kinds("director-174sw.ibnetdiscover"), [1, 12, 13]);
    assert_eq!(kinds("gpu-cluster-206sw.ibnetdiscover"), [4, 0, 4]);
    // Cabled by hand, no two switches alike.
    assert_eq!(kinds("irregular-11sw.ibnetdiscover"), [0, 0, 0]);
    assert_eq!(kinds("leaf-to-leaf-8sw.ibnetdiscover"), [1, 0, 1]);
    assert_eq!(kinds("small-2sw.ibnetdiscover"), [0, 0, 0]);
}

#[test]
fn export_by_hand() {
    let routed = figure_1();
    let net = &*routed.net;
    let conf = ok(&["export", net, "slurm"]);
    let expected = "\
SwitchName=L1-0 Nodes=node-[0-1]
SwitchName=L1-1 Nodes=node-[2-3]
SwitchName=level2-1 Switches=L1-[0-1]
SwitchName=L1-2 Nodes=node-[4-5]
SwitchName=L1-3 Nodes=node-[6-7]
SwitchName=level2-2 Switches=L1-[2-3]
SwitchName=L1-4 Nodes=node-[8-9]
SwitchName=L1-5 Nodes=node-[10-11]
SwitchName=level2-3 Switches=L1-[4-5]
SwitchName=level3-1 Switches=level2-[1-3]
";
    assert_eq!(conf, expected);
    let hosts = ok(&["export", net, "hosts"]);
    let expected: String = (0..12).map(|n| format!("node-{n}\n")).collect();
    assert_eq!(hosts, expected);
    let ring = data("production/ring-4sw.ibnetdiscover");
    assert!(fails(1, &["export", path(&ring), "slurm"]).contains("not a tree"));
}

/// GUID files for OpenSM's other engines; what these make of them is in `tests/daemon/exports.rs`, those of a fabric
/// with hosts on spines in docs/operations.md.
#[test]
fn export_for_opensm() {
    let routed = figure_1();
    let net = &*routed.net;
    let top = |at: u64| format!("{} # L3-{at}\n", switch(3, at));
    let tops: String = (0..4).map(top).collect();
    assert_eq!(ok(&["export", net, "roots"]), tops);
    let ranks = ok(&["export", net, "ranks"]);
    let mut lines: Vec<&str> = ranks.lines().collect();
    for (number, line) in (1..).zip(&lines) {
        let rank = [2, 1, 0][(number > 4) as usize + (number > 10) as usize];
        let rest = format!(" {number} # rank {rank}: L{}-", rank + 1);
        assert!(line.contains(&rest), "{line}");
    }
    lines.sort_unstable();
    let all = [(1, 6), (2, 6), (3, 4)].into_iter();
    let all = all.flat_map(|(level, count)| (0..count).map(move |at| switch(level, at)));
    assert!(all.eq(lines.iter().map(|line| line[..18].to_owned())));
    let host = |n: u64| format!("0x{:016x} # node-{n}\n", 0x0001_0000_0000_0002 + 2 * n);
    let hosts: String = (0..12).map(host).collect();
    assert_eq!(ok(&["export", net, "cn"]), hosts);
    let none = dmodc(&["export", net, "io"]);
    assert!(none.stdout.is_empty());
    has(
        &stderr(&none),
        "dmodc: no such hosts: leave the option out\n",
    );

    // What was exported is what the tool itself takes.
    let roots = routed.file("roots");
    ok(&["export", net, "roots", "-o", &roots]);
    assert_eq!(ok(&["export", net, "ranks", "--root-guids", &roots]), ranks);

    // A map gives names.
    let map = routed.file("map");
    std::fs::write(&map, format!("{} \"the top\"\n", switch(3, 0))).unwrap();
    let named = ok(&["export", net, "roots", "--names", &map]);
    has(&named, &format!("{} # the top\n", switch(3, 0)));
}

#[test]
fn export_says_who_has_no_name_and_what_is_left_out() {
    let routed = rails();
    let said = |args: &[&str]| {
        let output = dmodc(&[&["export"], args].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        (text, stderr(&output))
    };
    let (conf, warnings) = said(&[&routed.net, "slurm"]);
    assert_eq!(
        warnings,
        "dmodc: 4 of 6 switches are left out: no host has its first port there\n"
    );
    assert!(conf.contains("node[001-002]"), "{conf}");
    assert_eq!(said(&[&routed.net, "hosts"]).1, "");

    let text = std::fs::read_to_string(&routed.net).unwrap();
    let [net, map] = ["unnamed", "map"].map(|name| routed.file(name));
    let text = text.replace("node002 mlx5_0", "MT4129 ConnectX7   Mellanox Technologies");
    std::fs::write(&net, text.replace("node003 mlx5_", "localhost mlx5_")).unwrap();
    let (hosts, warnings) = said(&[&net, "hosts"]);
    has(&hosts, "MT4129-");
    has(&hosts, "localhost-");
    has(
        &warnings,
        "the descriptions of 3 of 6 hosts are no host names: ",
    );
    has(&warnings, "'MT4129 ConnectX7   Mellanox Technologies'");
    has(&warnings, "--names");
    let (hosts, warnings) = said(&[&net, "hosts", "--skip-unnamed"]);
    assert_eq!(hosts, "node001\nnode004\nnode002\n");
    has(&warnings, "are no host names");
    has(&warnings, ": left out");
    // A map names them.
    let directory = ok(&format!(
        "degrade {net} --remove localhost* --remove MT* --list"
    ));
    let guids = directory
        .lines()
        .map(|line| line.split(' ').nth(1).unwrap());
    let names = ["node003", "\"node003\" # the other adapter", "node002"];
    let lines = guids
        .zip(names)
        .map(|(guid, name)| format!("{guid} {name}\n"));
    std::fs::write(&map, lines.collect::<String>() + "nonsense\n").unwrap();
    let (hosts, warnings) = said(&[&net, "hosts", "--names", &map]);
    let mut hosts: Vec<&str> = hosts.lines().collect();
    hosts.sort_unstable();
    assert_eq!(hosts, ["node001", "node002", "node003", "node004"]);
    has(&warnings, "map:4: no GUID");
    assert!(!warnings.contains("host names"), "{warnings}");
    assert!(fails(2, &["export", &net, "hosts", "--names", &map, "--strict"]).contains("--strict"));
}

fn drawn(routed: &Routed, args: &[&str]) -> String {
    let svg = routed.file("drawing.svg");
    ok(&[&["draw"], args, &["-o", &svg]].concat());
    std::fs::read_to_string(svg).unwrap()
}

#[test]
fn draw_shows_switches_links_risks_and_what_is_missing() {
    let routed = Routed::net(ok("generate PGFT(2;4,4;1,4;1,2)").as_bytes());
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let svg = drawn(&routed, &[net, lfts]);
    let count = |svg: &str, what: &str| svg.matches(what).count();
    for (what, times) in [
        ("<rect class=\"switch\"", 8),
        // Two links are one line.
        ("<path class=\"link\"", 16),
        ("class=\"missing\"", 0),
        (">4 hosts</text>", 4),
        ("; A2A 2, bound 2</text>", 1),
        // The worst port is as good as it can be, and has not the colour of a bad one.
        ("#e8622c", 0),
    ] {
        assert_eq!(count(&svg, what), times, "{what}");
    }
    has(&svg, "prefers-color-scheme: dark");
    has(&svg, "A2A risk 2<");
    let without = drawn(&routed, &[net]);
    assert!(!without.contains("A2A risk") && !without.contains("bound"));
    // Bad tables are: all from one port.
    let [bad, long, less] = ["bad", "long.net", "less.net"].map(|name| routed.file(name));
    let mut text = std::fs::read_to_string(lfts).unwrap();
    for port in [" 006 ", " 007 ", " 008 "] {
        text = text.replace(port, " 005 ");
    }
    std::fs::write(&bad, text).unwrap();
    assert!(drawn(&routed, &[net, &bad]).contains("#e8622c"));
    // Names are there as a whole, lying or upright.
    let name = "MF0;sw-ib-l1-rack-17-unit-04:MQM8700/U1 no ";
    let text = std::fs::read_to_string(net).unwrap();
    std::fs::write(&long, text.replace("\"L1-", &format!("\"{name}"))).unwrap();
    let svg = drawn(&routed, &[&long]);
    assert!(count(&svg, &format!(">{name}2</text>")) == 1 && !svg.contains('…'));
    // A link less: it is dashed, and the legend says so.
    ok(&format!("degrade {net} --remove L1-2:7 -o {less}"));
    let svg = drawn(&routed, &[&less]);
    assert_eq!(count(&svg, "class=\"missing\""), 2);
    has(
        &svg,
        "<title>missing: L1-2 [7] -- L2-1: 3 of 3 siblings have it</title>",
    );
}

#[test]
fn draw_has_matrices_of_a_large_fabric_and_draws_what_is_no_tree() {
    let dir = tempfile::tempdir().unwrap();
    let [file, less, svg] =
        ["net", "less", "svg"].map(|name| dir.path().join(name).display().to_string());
    ok(&format!("generate PGFT(3;2,10,20;1,6,8;1,1,1) -o {file}"));
    ok(&format!("degrade {file} --remove L1-7:4 -o {less}"));
    ok(&format!("draw {less} -o {svg}"));
    let text = std::fs::read_to_string(&svg).unwrap();
    // 20 pods of 10 leaves and 6 switches above them; 6 planes of 20 and 8 at the top.
    assert_eq!(text.matches("<rect class=\"block\"").count(), 26);
    let cells = text.matches("<rect class=\"cell\"").count();
    assert_eq!(cells, 20 * 10 * 6 - 1 + 6 * 20 * 8);
    has(&text, "level 0 (down) by level 1 (across)");
    has(&text, "<title>missing: L1-7 [4] -- L2-");
    // The link, and the legend.
    assert_eq!(text.matches("class=\"missing\"").count(), 2);
    let ring = data("production/ring-4sw.ibnetdiscover");
    ok(&["draw", path(&ring), "-o", &svg]);
    let text = std::fs::read_to_string(&svg).unwrap();
    assert_eq!(text.matches("<path class=\"link\"").count(), 4);
}
