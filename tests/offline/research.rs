//! What researchers ask of tables: ports, programs' traffic, the same throw again, tables without comments.

use crate::support::*;

#[test]
fn the_bound_is_of_the_nodes_that_take_part() {
    let routed = Routed::shape(FIGURE_1);
    let (order, half) = (routed.file("order"), routed.file("half"));
    ok(&["route", &routed.net, "--order", &order]);
    // Every other node: one of each leaf, which has nobody beside it to share its links with.
    let lines = std::fs::read_to_string(&order).unwrap();
    let one: Vec<&str> = lines.lines().step_by(2).collect();
    std::fs::write(&half, one.join("\n") + "\n").unwrap();
    let found = json(&format!(
        "analyze {} {} --patterns a2a --order {half}",
        routed.net, routed.lfts
    ));
    assert_eq!(
        (&found["taking_part"], &found["a2a"]),
        (&6.into(), &2.into())
    );
    // Of all twelve it is 2: none of a leaf's nodes has to share a link of these six.
    assert_eq!(found["bound"], 1);
}

#[test]
fn analyze_writes_a_row_for_each_port() {
    let routed = Routed::shape(FIGURE_1);
    let ports = routed.file("ports.csv.gz");
    ok(&["analyze", &routed.net, &routed.lfts, "--ports", &ports]);
    let packed = std::fs::read(&ports).unwrap();
    let text = dmodc::input::unpacked(packed.clone(), u64::MAX).unwrap();
    assert!(packed.len() < text.len() / 4, "it is packed");
    let mut rows = csv::Reader::from_reader(&*text);
    let header = rows.headers().unwrap().clone();
    let page = std::fs::read_to_string(root().join("docs/research.md")).unwrap();
    let (_, told) = page.split_once("Columns of `--ports`:").unwrap();
    for column in &header {
        assert!(told.contains(&format!("`{column}`")), "{column}");
    }
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    // Both ports of each of 36 links.
    assert_eq!(rows.len(), 72);
    let column = |row: &csv::StringRecord, name: &str| -> u32 {
        row[header.iter().position(|n| n == name).unwrap()]
            .parse()
            .unwrap()
    };
    let all = json(&["analyze", &routed.net, &routed.lfts, "--exact"]);
    let most = |name| rows.iter().map(|row| column(row, name)).max().unwrap();
    assert_eq!((most("risk"), most("exact")), (2, 2));
    assert_eq!((&all["a2a"], &all["exact"]), (&2.into(), &2.into()));
    for row in &rows {
        let [sources, destinations, risk, exact] =
            ["sources", "destinations", "risk", "exact"].map(|name| column(row, name));
        assert!(
            risk == sources.min(destinations) && exact <= risk,
            "{row:?}"
        );
    }
}

/// A few links at a quarter: the worst port over capacity is another one than the worst.
#[test]
fn ports_know_what_their_links_carry_and_what_programs_get() {
    let whole = Routed::shape("PGFT(3;6,4,4;1,2,3;1,1,1)");
    let (net, lfts, ports) = (
        whole.file("slow"),
        whole.file("lfts"),
        whole.file("ports.csv"),
    );
    ok(&format!("degrade {} --slow 5 --seed 1 -o {net}", whole.net));
    ok(&["route", &net, "--capacity", "ignore", "--lfts", &lfts]);
    let patterns = "a2a,ring,stencil:4x6x4";
    let told = [
        "--patterns",
        patterns,
        "--place",
        "random:1",
        "--exact",
        "--ports",
        &ports,
    ];
    let found = json(&[&["analyze", &net, &lfts][..], &told].concat());
    let mut rows = csv::Reader::from_path(&ports).unwrap();
    let header = rows.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let column = |name: &str| -> Vec<Option<f64>> {
        let at = header.iter().position(|n| n == name).unwrap();
        rows.iter().map(|row| row[at].parse().ok()).collect()
    };
    let most = |name: &str| column(name).into_iter().flatten().fold(0.0, f64::max);
    // All ports here; those alone that can be the worst there.
    assert_eq!(found["exact"].as_f64(), Some(most("exact")));
    assert_eq!(
        found["exact_capacity"].as_f64(),
        Some(most("exact_capacity"))
    );
    assert!(most("exact_capacity") > most("exact"));
    let slow = column("capacity")
        .into_iter()
        .flatten()
        .filter(|&c| c == 0.25);
    assert_eq!(slow.count(), 10);
    for pattern in ["ring", "stencil:4x6x4"] {
        let (flows, rates) = (
            column(&format!("{pattern}_flows")),
            column(&format!("{pattern}_rate")),
        );
        let capacities = column("capacity");
        let worst = found[pattern]["flows_at_worst_port"].as_f64();
        assert_eq!(worst, flows.iter().flatten().copied().reduce(f64::max));
        for ((flows, rate), capacity) in flows.iter().zip(&rates).zip(capacities) {
            // The least of some flows over a port is no more than an equal part of it.
            let part = capacity.unwrap() / flows.unwrap();
            assert_eq!(rate.is_some(), *flows != Some(0.0));
            assert!(
                rate.is_none_or(|rate| rate > 0.0 && rate <= part + 1e-9),
                "{rate:?}"
            );
        }
        let least = rates.iter().flatten().copied().reduce(f64::min).unwrap();
        assert!((found[pattern]["rates"]["least"].as_f64().unwrap() - least).abs() < 1e-9);
    }
}

/// A throw is made again, to the link.
#[test]
fn degrade_makes_a_throw_again() {
    let routed = Routed::shape("PGFT(3;6,4,4;1,2,3;1,1,1)");
    let degrade = |more: &[&str]| ok(&[&["degrade", &routed.net][..], more].concat());
    let throw = |number| {
        let of = ["--throw", number, "--of", "links", "--max-exponent", "4"];
        degrade(&[&of[..], &["--seed", "1"]].concat())
    };
    let whole = ok(&["degrade", &routed.net, "--links", "0", "--seed", "1"]);
    assert_eq!(throw("0"), whole);
    let (count, seed) = dmodc::netlist::removal(4.0, 1, 2);
    assert!(count > 0);
    let (count, seed) = (count.to_string(), seed.to_string());
    assert_eq!(throw("2"), degrade(&["--links", &count, "--seed", &seed]));
    // Without a seed it is that of compare.
    let unsaid = ["--throw", "2", "--of", "links", "--max-exponent", "4"];
    assert_eq!(throw("2"), degrade(&unsaid));
}

#[test]
fn tables_without_comments_are_the_same_tables() {
    let routed = Routed::shape(FIGURE_1);
    let plain = routed.file("plain.lfts.gz");
    ok(&["route", &routed.net, "--lfts", &plain, "--plain"]);
    let same = json(&["diff", &routed.lfts, &plain]);
    assert_eq!(same["changed_entries"], 0);
    let text = dmodc::input::unpacked(std::fs::read(&plain).unwrap(), u64::MAX).unwrap();
    assert!(!text.contains(&b'#') && json(&["check", &routed.net, &plain])["passed"] == true);
}

/// Two leaves of four nodes with one link each to the one spine: all of it can be solved by hand.
#[test]
fn analyze_knows_the_traffic_of_programs() {
    let routed = Routed::shape("PGFT(2;4,2;1,1;1,1)");
    let analyze = |more: &[&str]| {
        let args = ["analyze", &routed.net, &routed.lfts];
        json(&[&args[..], more].concat())
    };
    let solved = |found: &serde_json::Value, pattern: &str| {
        let found = &found[pattern];
        let count = |key: &str| found[key].as_u64().unwrap();
        let rate = |key: &str| (found["rates"][key].as_f64().unwrap() * 1e6).round() / 1e6;
        let counts = ["flows", "risk", "flows_at_worst_port"].map(count);
        (counts, ["mean", "least", "median"].map(rate))
    };
    let patterns = "ring,stencil:2x2x2,incast:7,recursive-doubling";
    let block = analyze(&["--patterns", patterns, "--place", "block"]);
    // Leaf by leaf one flow of a ring leaves each leaf.
    assert_eq!(solved(&block, "ring"), ([8, 1, 1], [1.0; 3]));
    // Of each plane four flows go to the other one, over one link; each node's other two share what it has left.
    let third = 0.333_333;
    assert_eq!(
        solved(&block, "stencil:2x2x2"),
        ([24, 4, 4], [third, 0.25, 0.375])
    );
    // Four of seven come over the spine, and all end at one node.
    let seventh = 0.142_857;
    assert_eq!(solved(&block, "incast:7"), ([7, 1, 4], [seventh; 3]));
    // Two phases within the leaves, one between them.
    assert_eq!(
        solved(&block, "recursive-doubling"),
        ([24, 4, 4], [0.75, 0.25, 1.0])
    );
    // One of each leaf in turn: all flows of the ring leave their leaf.
    let turns = analyze(&["--patterns", "ring", "--place", "round-robin"]);
    assert_eq!(solved(&turns, "ring"), ([8, 4, 4], [0.25; 3]));
    let drawn = |seed| analyze(&["--patterns", "ring", "--place", seed])["ring"].clone();
    assert_eq!(drawn("random:3"), drawn("random:3"));
    // A job of three, and pairs by name: two flows up one link.
    let (job, pairs) = (routed.file("job"), routed.file("pairs"));
    std::fs::write(&job, "# ranks\nnode-0\nnode-5\nnode-1\n").unwrap();
    let ring = analyze(&["--patterns", "ring", "--job", &job]);
    assert_eq!(
        (&ring["taking_part"], solved(&ring, "ring").0),
        (&3.into(), [3, 1, 1])
    );
    std::fs::write(&pairs, "node-0\tnode-4\nnode-1 node-5\n").unwrap();
    let pattern = format!("pairs:{pairs}");
    let found = analyze(&["--patterns", &pattern]);
    assert_eq!(solved(&found, "pairs"), ([2, 2, 2], [0.5; 3]));
    let text = ok(&["analyze", &routed.net, &routed.lfts, "--patterns", &pattern]);
    has(&text, "\npairs rate, least              0.500\n");
    // What is wrong in a file is told with its line.
    std::fs::write(&pairs, "node-0\tnode-4\nnode-1\n").unwrap();
    let told = fails(
        2,
        &["analyze", &routed.net, &routed.lfts, "--patterns", &pattern],
    );
    assert!(told.contains("pairs:2: two hosts expected"), "{told}");
    let few = [
        "analyze",
        &routed.net,
        &routed.lfts,
        "--patterns",
        "stencil:3x3",
    ];
    assert!(fails(2, &few).contains("a grid of 9 points needs as many ranks; there are 8"));
}
