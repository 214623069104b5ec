//! What administrators ask: `trace`, `whatif`, `wiring`, `export`, `draw`.

use crate::support::*;

/// The GUID of a switch of the paper's Figure 1 as it is generated: level from 1 on, position.
fn switch(level: u64, position: u64) -> String {
    format!(
        "0x{:016x}",
        0x0002_0000_0000_0000 + (level << 32) + position
    )
}

/// Figure 1 in order, routed.
fn figure_1() -> Routed {
    Routed::net(ok(&["generate", FIGURE_1]).as_bytes())
}

#[test]
fn trace_tells_the_way_there_and_back() {
    let routed = figure_1();
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let way = json(&["trace", net, lfts, "node-0", "node-11"]);
    let hops = way["there"]["hops"].as_array().unwrap();
    let ups: Vec<bool> = hops.iter().map(|h| h["up"].as_bool().unwrap()).collect();
    assert_eq!(ups, [true, true, false, false]);
    assert_eq!(hops[0]["guid"], switch(1, 0));
    assert_eq!(hops[3]["to_guid"], switch(1, 5));
    // Two L2, two parallel links to each.
    assert_eq!(hops[0]["other_ports"].as_array().unwrap().len(), 3);
    assert_eq!(hops[1]["other_ports"].as_array().unwrap().len(), 1);
    for hop in hops {
        assert!((1..=2).contains(&hop["a2a"].as_u64().unwrap()), "{hop}");
    }
    assert_eq!(
        (&way["there"]["arrives"], &way["there"]["turns"]),
        (&true.into(), &0.into())
    );
    assert_eq!(way["back"]["hops"].as_array().unwrap().len(), 4);
    // By LID and by GUID it is the same way; a leaf of its own is no hop.
    let there = |from, to| json(&["trace", net, lfts, from, to])["there"]["hops"].clone();
    assert_eq!(there("17", "28"), way["there"]["hops"]);
    assert_eq!(there("node-0", "node-1").as_array().unwrap().len(), 0);
    assert_eq!(there("L1-0", "L3-2").as_array().unwrap().len(), 2);
    let text = ok(&["trace", net, lfts, "node-0", "node-11"]);
    assert_eq!(text.matches("\n  up    ").count(), 4, "{text}");
    assert_eq!(text.matches("\n  arrives by port ").count(), 2, "{text}");
}

#[test]
fn trace_says_where_a_packet_is_lost_and_names_what_is_ambiguous() {
    let routed = figure_1();
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let text = std::fs::read_to_string(lfts).unwrap();
    // The entry of node-11 at the first leaf.
    std::fs::write(lfts, text.replacen("\n0x001c ", "\n0x00ff ", 1)).unwrap();
    let output = dmodc(&["trace", net, lfts, "node-0", "node-11"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("LOST: 0x0002000100000000 'L1-0' has no entry"),
        "{text}"
    );
    let message = fails(2, &["trace", net, lfts, "node-1", "L2"]);
    assert!(
        message.contains("'L2' could be any of 6:\n  switch 0x0002000200000000 'L2-0' LID 7\n")
    );
    assert!(fails(2, &["trace", net, lfts, "node-1", "nobody"]).contains("called 'nobody'"));
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
    let way = json(&["trace", net, lfts, "node001", "node004"]);
    // From plane to plane there is no way, and none is asked for.
    let more = way["more"].as_array().unwrap();
    assert_eq!(more.len(), 1, "{way}");
    for pair in [&way, &more[0]] {
        assert_eq!(
            (&pair["there"]["arrives"], &pair["back"]["arrives"]),
            (&true.into(), &true.into())
        );
    }
    let text = ok(&["trace", net, lfts, "node[001-002]", "node003"]);
    assert_eq!(text.matches("arrives by port").count(), 2 * 4, "{text}");
    // Unless nothing else was.
    let output = dmodc(&["trace", net, lfts, "node001 mlx5_0", "node004 mlx5_1"]);
    assert_eq!(output.status.code(), Some(1));
    let routed_400 = Routed::shape("PGFT(2;10,2;1,2;1,1)");
    let message = fails(
        2,
        &["trace", &routed_400.net, &routed_400.lfts, "node*", "node*"],
    );
    assert!(message.contains("more than 100 pairs"), "{message}");

    let list = |name: &str| ok(&["degrade", net, "--remove", name, "--list"]);
    let hosts = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("host 0x"))
            .count()
    };
    assert_eq!(hosts(&list("node002")), 2);
    assert_eq!(hosts(&list("node[002-003]")), 4);
    assert_eq!(hosts(&list("node*")), 8);
    assert_eq!(list("leaf 1*").lines().count(), 2);
    assert!(fails(2, &["degrade", net, "--remove", "leaf"]).contains("could be any of 4"));
    let whatif = json(&["whatif", net, "--remove", "node001", "--permutations", "1"]);
    assert_eq!(
        (&whatif["before"]["nodes"], &whatif["after"]["nodes"]),
        (&8.into(), &6.into())
    );
}

#[test]
fn production_fabrics_are_traced() {
    for file in production()
        .iter()
        .filter(|file| !path(file).contains("ring"))
    {
        let routed = Routed::net(&std::fs::read(file).unwrap());
        let analyze = json(&["analyze", &routed.net, &routed.lfts, "--patterns", "a2a"]);
        let text = std::fs::read_to_string(file).unwrap();
        let hosts = text
            .lines()
            .filter_map(|l| l.split_once("[1](")?.1.split_once(") "));
        let mut hosts: Vec<&str> = hosts.map(|(guid, _)| guid).collect();
        hosts.sort_unstable();
        let (from, to) = (hosts[0], hosts[hosts.len() / 2]);
        let (from, to) = (format!("0x{from}"), format!("0x{to}"));
        let way = json(&["trace", &routed.net, &routed.lfts, &from, &to]);
        for direction in ["there", "back"] {
            assert_eq!(way[direction]["arrives"], true, "{way}");
            for hop in way[direction]["hops"].as_array().unwrap() {
                assert!(hop["a2a"].as_u64() <= analyze["a2a"].as_u64(), "{hop}");
            }
        }
    }
}

#[test]
fn degrade_takes_away_what_is_named() {
    let routed = figure_1();
    let (net, less) = (&*routed.net, &*routed.file("less"));
    let list = routed.file("list");
    std::fs::write(&list, "# decommissioned\nL2-0\n\nnode-3   # a host\n").unwrap();
    let at_list = format!("@{list}");
    let said = ok(&[
        "degrade", net, "--remove", &at_list, "--remove", "L1-5:6", "-o", less, "--list",
    ]);
    let expected = format!(
        "switch {} 'L2-0'\nhost 0x0001000000000007 'node-3'\nlink {} 'L1-5' [6] -- {} 'L2-5' [4]\n",
        switch(2, 0),
        switch(1, 5),
        switch(2, 5)
    );
    assert_eq!(said, expected);
    let found = json(&["route", less]);
    let counts = ["switches", "nodes", "links"].map(|key| found[key].as_u64().unwrap());
    assert_eq!(counts, [15, 11, 36 - 6 - 1]);
    std::fs::write(&list, "L2-0\nnobody\n").unwrap();
    let message = fails(2, &["degrade", net, "--remove", &at_list]);
    assert!(
        message.contains("list:2: nothing in this fabric is called 'nobody'"),
        "{message}"
    );
    assert!(fails(2, &["degrade", net, "--remove", "L2-0:77"]).contains("has no link"));
    assert!(fails(2, &["degrade", net, "--remove", "L2-0", "--seed", "1"]).contains("--seed"));
}

#[test]
fn analyze_knows_the_bound_and_effective_bisection_bandwidth() {
    let routed = figure_1();
    let args = [
        "analyze",
        &routed.net,
        &routed.lfts,
        "--patterns",
        "a2a,ebb",
    ];
    let found = json(&args);
    // min(2, 10 / 4) for a leaf, min(4, 8 / 4) for a subtree.
    assert_eq!((&found["a2a"], &found["bound"]), (&2.into(), &2.into()));
    let (ebb, confidence) = (
        found["ebb"].as_f64().unwrap(),
        found["ebb_confidence"].as_f64().unwrap(),
    );
    assert!(
        (50.0..100.0).contains(&ebb) && (0.0..5.0).contains(&confidence),
        "{found}"
    );
    assert_eq!(json(&args)["ebb"], found["ebb"], "a seed fixes it");
    // With both ways at once no flow has more, and some have less.
    let both = json(&[&args[..], &["--both"]].concat());
    let told = (&found["ebb_both"], &both["ebb_both"]);
    assert_eq!(told, (&false.into(), &true.into()));
    assert!(both["ebb"].as_f64() < Some(ebb), "{both}");
    let text = ok(&args);
    assert!(text.contains("\nA2A bound "), "{text}");
    assert!(
        text.contains(&format!("{ebb:.1} % ± {confidence:.1}\n")),
        "{text}"
    );
}

#[test]
fn whatif_compares_before_and_after() {
    let routed = figure_1();
    let net = &*routed.net;
    let whatif = |names: &[&str]| {
        let removals = names.iter().flat_map(|name| ["--remove", name]);
        let args: Vec<&str> = ["whatif", net].into_iter().chain(removals).collect();
        json(&args)
    };
    // Without a host: it is not missed. Without a leaf: its two hosts are.
    let host = whatif(&["node-3"]);
    assert_eq!(
        host["after"]["unreached_hosts"].as_array().unwrap().len(),
        0
    );
    assert_eq!(
        (&host["before"]["nodes"], &host["after"]["nodes"]),
        (&12.into(), &11.into())
    );
    let leaf = whatif(&["L1-0"]);
    let unreached = leaf["after"]["unreached_hosts"].as_array().unwrap();
    let names: Vec<&str> = unreached
        .iter()
        .map(|h| h["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["node-0", "node-1"]);
    // Hosts without a link are named; among the rest nobody is left out.
    assert_eq!(leaf["after"]["left_out"], 0);
    // The figures are those of the other subcommands.
    let less = routed.file("less.net");
    let (old, new) = (&*routed.lfts, &*routed.file("less.lfts"));
    ok(&["degrade", net, "--remove", "L2-0", "-o", &less]);
    ok(&["route", &less, "--lfts", new]);
    let spine = whatif(&["L2-0"]);
    for (net, lfts, when) in [(net, old, "before"), (less.as_str(), new, "after")] {
        let analyze = json(&["analyze", net, lfts, "--patterns", "a2a,rp,sp,ebb"]);
        for key in [
            "switches", "links", "nodes", "a2a", "bound", "rp", "sp", "ebb",
        ] {
            assert_eq!(spine[when][key], analyze[key], "{key} {when}");
        }
    }
    let diff = json(&["diff", old, new]);
    for key in ["changed_entries", "changed_blocks"] {
        assert_eq!(spine[key], diff[key], "{key}");
    }
    let text = ok(&["whatif", net, "--remove", "L1-0"]);
    assert!(
        text.contains("hosts nobody reaches                0            2           +2\n"),
        "{text}"
    );
    assert!(
        text.contains("nobody reaches 0x0001000000000002 'node-0'\n"),
        "{text}"
    );
    assert!(fails(2, &["whatif", net, "--remove", "nobody"]).contains("'nobody'"));
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
    (
        output.status.code(),
        text.lines().map(str::to_owned).collect(),
    )
}

#[test]
fn wiring_against_a_reference() {
    let routed = figure_1();
    let (net, less) = (&*routed.net, &*routed.file("less"));
    assert_eq!(
        wiring(&[net, "--reference", net]),
        (Some(0), vec!["0 differences".to_owned()])
    );
    let [leaf, spine] = [(1, 0), (2, 0)].map(|(level, at)| switch(level, at));
    ok(&[
        "degrade", net, "--remove", "L1-0:3", "--remove", "node-5", "-o", less,
    ]);
    let missing = format!("missing: {leaf} 'L1-0' [3] -- {spine} 'L2-0' [1]");
    let (code, lines) = wiring(&[less, "--reference", net]);
    assert_eq!(code, Some(1));
    assert_eq!((&lines[0], lines.len()), (&missing, 3));
    assert!(lines[1].starts_with("missing: 0x0001"), "{lines:?}");
    assert!(
        lines[1].ends_with("'node-5': host with 1 links"),
        "{lines:?}"
    );
    // The other way round it is extra.
    let (_, lines) = wiring(&[net, "--reference", less]);
    assert_eq!(lines[0], missing.replace("missing", "extra"));
    // Two cables between the same two switches, swapped at the leaf.
    let text = std::fs::read_to_string(net).unwrap();
    let swapped = ["\"S-0002000200000000\"[", "\"S-0002000100000000\"["];
    let mut spoilt = text;
    for (peer, ports) in swapped.iter().zip([[1, 2], [3, 4]]) {
        let [one, two] = ports.map(|port| format!("{peer}{port}]"));
        assert!(spoilt.contains(&one) && spoilt.contains(&two));
        spoilt = spoilt
            .replacen(&one, "?", 1)
            .replacen(&two, &one, 1)
            .replacen('?', &two, 1);
    }
    std::fs::write(less, spoilt).unwrap();
    let (_, lines) = wiring(&[less, "--reference", net]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    let wrong =
        format!("wrong port: {leaf} 'L1-0' [3] -- {spine} 'L2-0' [1], found {leaf} 'L1-0' [3]");
    assert!(lines[0].starts_with(&wrong), "{lines:?}");
}

#[test]
fn wiring_says_that_a_reference_is_of_another_fabric() {
    let files = production();
    let [net, other] = [path(&files[0]), path(&files[1])];
    let message = fails(2, &["wiring", net, "--reference", other]);
    assert_eq!(
        message.lines().last().unwrap(),
        format!("dmodc: {other}: of another fabric: most switches and links are not in it")
    );
    // Names do where no GUID is known, as in a plan.
    let routed = figure_1();
    let text = std::fs::read_to_string(&routed.net).unwrap();
    let plan = routed.file("plan");
    std::fs::write(
        &plan,
        text.replace("0002000", "000f000")
            .replace("0x2000", "0xf000"),
    )
    .unwrap();
    assert_eq!(wiring(&[&routed.net, "--reference", &plan]).0, Some(0));
}

#[test]
fn wiring_among_siblings() {
    // Four leaves with the same links to four spines.
    let routed = Routed::net(ok(&["generate", "PGFT(2;4,4;1,4;1,1)"]).as_bytes());
    let (net, less) = (&*routed.net, &*routed.file("less"));
    assert_eq!(wiring(&[net]).0, Some(0));
    ok(&["degrade", net, "--remove", "L1-2:7", "-o", less]);
    let (code, lines) = wiring(&[less]);
    let [leaf, spine] = [switch(1, 2), switch(2, 2)];
    assert_eq!(code, Some(1));
    assert_eq!(
        lines[0],
        format!("missing: {leaf} 'L1-2' [7] -- {spine} 'L2-2' [3]: 3 of 3 siblings have it")
    );
    assert_eq!(lines[1], "1 differences");
    let found = dmodc(&["wiring", less, "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(
        (&found["count"], &found["differences"][0]["ends"][1]["port"]),
        (&1.into(), &3.into())
    );
    let (_, table) = wiring(&[less, "--csv"]);
    assert_eq!(table.len(), 2);
    assert_eq!(
        table[1],
        format!("missing,{leaf},L1-2,7,{spine},L2-2,3,,,,,,,3 of 3 siblings have it")
    );
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
        let args: Vec<&str> = ["degrade", net, "-o", less]
            .into_iter()
            .chain(remove)
            .collect();
        ok(&args);
        let (_, lines) = wiring(&[less]);
        let told = lines.iter().filter(|line| line.starts_with("missing: "));
        assert_eq!(told.count(), missing, "{left} left: {lines:?}");
    }
}

#[test]
fn wiring_of_production_fabrics() {
    let dir = tempfile::tempdir().unwrap();
    let less = path(&dir.path().join("less")).to_owned();
    for file in production() {
        let net = path(&file);
        assert_eq!(wiring(&[net, "--reference", net]).0, Some(0), "{net}");
        ok(&["degrade", net, "--links", "1", "--seed", "3", "-o", &less]);
        let (code, lines) = wiring(&[&less, "--reference", net]);
        assert_eq!((code, lines.len()), (Some(1), 2), "{lines:?}");
        assert!(lines[0].starts_with("missing: "));
    }
}

#[test]
fn wiring_guesses_what_is_odd_in_production_fabrics() {
    let kinds = |name: &str| {
        let net = data("production").join(name);
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
    let yaml = ok(&["export", net, "slurm-yaml"]);
    assert!(yaml.starts_with("---\n- topology: infiniband\n  cluster_default: true\n  tree:\n    switches:\n      - switch: \"L1-0\"\n        nodes: \"node-[0-1]\"\n"), "{yaml}");
    assert!(
        yaml.ends_with("      - switch: \"level3-1\"\n        children: \"level2-[1-3]\"\n"),
        "{yaml}"
    );
    let hosts = ok(&["export", net, "hosts"]);
    let expected: String = (0..12).map(|n| format!("node-{n}\n")).collect();
    assert_eq!(hosts, expected);
    let dot = ok(&["export", net, "dot"]);
    assert!(
        dot.contains("\"L1-0\" [label=\"L1-0\\n2 hosts\"];"),
        "{dot}"
    );
    assert_eq!(
        dot.matches(" -- ").count(),
        24,
        "12 of two links, 12 of one"
    );
    assert!(
        fails(
            1,
            &[
                "export",
                path(&data("production/ring-4sw.ibnetdiscover")),
                "slurm"
            ]
        )
        .contains("not a tree")
    );
}

/// GUID files for OpenSM's other engines; what these make of them is in `tests/daemon/exports.rs`.
#[test]
fn export_for_opensm() {
    let routed = figure_1();
    let net = &*routed.net;
    let top = |at: u64| format!("{} # L3-{at}\n", switch(3, at));
    assert_eq!(
        ok(&["export", net, "roots"]),
        (0..4).map(top).collect::<String>()
    );
    let ranks = ok(&["export", net, "ranks"]);
    let mut lines: Vec<&str> = ranks.lines().collect();
    for (number, line) in (1..).zip(&lines) {
        let rank = [2, 1, 0][(number > 4) as usize + (number > 10) as usize];
        let rest = format!(" {number} # rank {rank}: L{}-", rank + 1);
        assert!(line.contains(&rest), "{line}");
    }
    lines.sort_unstable();
    let all = [(1, 6), (2, 6), (3, 4)];
    let all = all
        .iter()
        .flat_map(|&(level, count)| (0..count).map(move |at| switch(level, at)));
    assert!(all.eq(lines.iter().map(|line| line[..18].to_owned())));
    let host = |n: u64| format!("0x{:016x} # node-{n}\n", 0x0001_0000_0000_0002 + 2 * n);
    assert_eq!(
        ok(&["export", net, "cn"]),
        (0..12).map(host).collect::<String>()
    );
    let none = dmodc(&["export", net, "io"]);
    assert_eq!(
        (none.stdout.len(), &*stderr(&none)),
        (0, "dmodc: no such hosts: leave the option out\n")
    );

    // What was exported is what the tool itself takes.
    let roots = routed.file("roots");
    ok(&["export", net, "roots", "-o", &roots]);
    assert_eq!(ok(&["export", net, "ranks", "--root-guids", &roots]), ranks);

    // Hosts on spines are none of the compute nodes, and aggregation nodes no hosts; a map gives names.
    let net = data("production/leaf-to-leaf-8sw.ibnetdiscover");
    let map = routed.file("map");
    std::fs::write(&map, "0xf4521403007ea570 \"the top\"\n").unwrap();
    let lines = |format: &str| {
        let text = ok(&["export", path(&net), format, "--names", &map]);
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let spines = [
        "0xf4521403007ea570 # the top",
        "0xf4521403007eaa70 # switch-3",
    ];
    assert_eq!(lines("roots"), spines);
    assert_eq!((lines("cn").len(), lines("io").len()), (142, 3));
    assert_eq!(lines("ranks").len(), 8);
}

#[test]
fn export_says_who_has_no_name_and_what_is_left_out() {
    let routed = rails();
    let said = |args: &[&str]| {
        let output = dmodc(&[&["export"], args].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        (
            String::from_utf8(output.stdout.clone()).unwrap(),
            stderr(&output),
        )
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
    assert!(
        hosts.contains("MT4129-") && hosts.contains("localhost-"),
        "{hosts}"
    );
    assert!(
        warnings.contains("the descriptions of 3 of 6 hosts are no host names: ")
            && warnings.contains("'MT4129 ConnectX7   Mellanox Technologies'")
            && warnings.contains("--names"),
        "{warnings}"
    );
    let (hosts, warnings) = said(&[&net, "hosts", "--skip-unnamed"]);
    assert_eq!(
        hosts.lines().collect::<Vec<_>>(),
        ["node001", "node004", "node002"]
    );
    assert!(
        warnings.contains("are no host names") && warnings.contains(": left out"),
        "{warnings}"
    );
    // A map names them.
    let directory = ok(&[
        "degrade",
        &net,
        "--remove",
        "localhost*",
        "--remove",
        "MT*",
        "--list",
    ]);
    let guids = directory
        .lines()
        .map(|line| line.split(' ').nth(1).unwrap());
    let names = ["node003", "\"node003\" # the other adapter", "node002"];
    let lines: String = guids
        .zip(names)
        .map(|(guid, name)| format!("{guid} {name}\n"))
        .collect();
    std::fs::write(&map, lines + "nonsense\n").unwrap();
    let (hosts, warnings) = said(&[&net, "hosts", "--names", &map]);
    let mut hosts: Vec<&str> = hosts.lines().collect();
    hosts.sort_unstable();
    assert_eq!(hosts, ["node001", "node002", "node003", "node004"]);
    assert!(
        warnings.contains("map:4: no GUID") && !warnings.contains("host names"),
        "{warnings}"
    );
    assert!(fails(2, &["export", &net, "hosts", "--names", &map, "--strict"]).contains("--strict"));
}

/// The drawing of a fabric.
fn drawn(routed: &Routed, args: &[&str]) -> String {
    let svg = routed.file("drawing.svg");
    ok(&[&["draw"], args, &["-o", &svg]].concat());
    std::fs::read_to_string(svg).unwrap()
}

#[test]
fn draw_shows_switches_links_risks_and_what_is_missing() {
    let routed = Routed::net(ok(&["generate", "PGFT(2;4,4;1,4;1,2)"]).as_bytes());
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let svg = drawn(&routed, &[net, lfts]);
    let count = |svg: &str, what: &str| svg.matches(what).count();
    assert_eq!(count(&svg, "<rect class=\"switch\""), 8);
    assert_eq!(
        count(&svg, "<path class=\"link\""),
        16,
        "two links are one line"
    );
    assert_eq!(count(&svg, "class=\"missing\""), 0);
    assert_eq!(count(&svg, ">4 hosts</text>"), 4);
    assert!(
        svg.contains("prefers-color-scheme: dark") && svg.contains("A2A risk 0"),
        "{svg}"
    );
    // The worst port is as good as it can be, and has not the colour of a bad one.
    assert!(svg.contains("; A2A 2, bound 2</text>"), "{svg}");
    assert!(svg.contains("A2A risk 2<") && count(&svg, "#e3a21a") > 1 && !svg.contains("#e8622c"));
    let without = drawn(&routed, &[net]);
    assert!(!without.contains("A2A risk") && !without.contains("bound"));
    // Bad tables are: all from one port.
    let text = std::fs::read_to_string(lfts).unwrap();
    let bad = routed.file("bad");
    let up = |line: &str| {
        line.replace(" 006 ", " 005 ")
            .replace(" 007 ", " 005 ")
            .replace(" 008 ", " 005 ")
    };
    std::fs::write(
        &bad,
        text.lines().map(|line| up(line) + "\n").collect::<String>(),
    )
    .unwrap();
    assert!(drawn(&routed, &[net, &bad]).contains("#e8622c"));
    // Names are there as a whole, lying or upright.
    let long = routed.file("long.net");
    let text = std::fs::read_to_string(net).unwrap();
    std::fs::write(
        &long,
        text.replace("\"L1-", "\"MF0;sw-ib-l1-rack-17-unit-04:MQM8700/U1 no "),
    )
    .unwrap();
    let svg = drawn(&routed, &[&long]);
    assert_eq!(
        count(&svg, ">MF0;sw-ib-l1-rack-17-unit-04:MQM8700/U1 no 2</text>"),
        1
    );
    assert!(!svg.contains('…'));
    // A link less: it is dashed, and the legend says so.
    let less = routed.file("less.net");
    ok(&["degrade", net, "--remove", "L1-2:7", "-o", &less]);
    let svg = drawn(&routed, &[&less]);
    assert_eq!(
        count(&svg, "class=\"missing\""),
        2,
        "the link, and the legend"
    );
    assert!(
        svg.contains("<title>missing: L1-2 [7] -- L2-1: 3 of 3 siblings have it</title>"),
        "{svg}"
    );
}

#[test]
fn draw_has_matrices_of_a_large_fabric_and_draws_what_is_no_tree() {
    let net = ok(&["generate", "PGFT(3;2,10,20;1,6,8;1,1,1)"]);
    let dir = tempfile::tempdir().unwrap();
    let [file, less, svg] =
        ["net", "less", "svg"].map(|name| path(&dir.path().join(name)).to_owned());
    std::fs::write(&file, net).unwrap();
    ok(&["degrade", &file, "--remove", "L1-7:4", "-o", &less]);
    ok(&["draw", &less, "-o", &svg]);
    let text = std::fs::read_to_string(&svg).unwrap();
    // 20 pods of 10 leaves and 6 switches above them; 6 planes of 20 and 8 at the top.
    assert_eq!(text.matches("<rect class=\"block\"").count(), 26);
    let cells = text.matches("<rect class=\"cell\"").count();
    assert_eq!(cells, 20 * 10 * 6 - 1 + 6 * 20 * 8);
    assert!(text.contains("level 0 (down) by level 1 (across)"));
    assert!(
        text.contains("<title>missing: L1-7 [4] -- L2-"),
        "the link, and the legend"
    );
    assert_eq!(text.matches("class=\"missing\"").count(), 2);
    let ring = data("production/ring-4sw.ibnetdiscover");
    ok(&["draw", path(&ring), "-o", &svg]);
    let text = std::fs::read_to_string(&svg).unwrap();
    assert_eq!(text.matches("<path class=\"link\"").count(), 4);
}
