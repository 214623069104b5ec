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
    let analyze = format!("analyze {} {}", routed.net, routed.lfts);
    let found = json(&format!("{analyze} --patterns a2a --order {half}"));
    // Of all twelve the bound is 2: none of a leaf's nodes has to share a link of these six.
    let figures = ["taking_part", "a2a", "bound"].map(|key| &found[key]);
    assert_eq!(figures, [&6, &2, &1]);
}

/// What `--ports` writes.
struct Table {
    header: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
}

impl Table {
    fn read(text: &[u8]) -> Table {
        let mut rows = csv::Reader::from_reader(text);
        Table {
            header: rows.headers().unwrap().clone(),
            rows: rows.records().map(Result::unwrap).collect(),
        }
    }

    fn column(&self, name: &str) -> Vec<Option<f64>> {
        let at = self.header.iter().position(|n| n == name).unwrap();
        self.rows.iter().map(|row| row[at].parse().ok()).collect()
    }

    fn most(&self, name: &str) -> f64 {
        self.column(name).into_iter().flatten().fold(0.0, f64::max)
    }
}

#[test]
fn analyze_writes_a_row_for_each_port() {
    let routed = Routed::shape(FIGURE_1);
    let ports = routed.file("ports.csv.gz");
    ok(&["analyze", &routed.net, &routed.lfts, "--ports", &ports]);
    let packed = std::fs::read(&ports).unwrap();
    let text = dmodc::input::unpacked(packed.clone(), u64::MAX).unwrap();
    assert!(packed.len() < text.len() / 4, "it is packed");
    let table = Table::read(&text);
    let page = std::fs::read_to_string(root().join("docs/research.md")).unwrap();
    let (_, told) = page.split_once("Columns of `--ports`:").unwrap();
    for column in &table.header {
        assert!(told.contains(&format!("`{column}`")), "{column}");
    }
    // Both ports of each of 36 links.
    assert_eq!(table.rows.len(), 72);
    let all = json(&["analyze", &routed.net, &routed.lfts, "--exact"]);
    assert_eq!((table.most("risk"), table.most("exact")), (2.0, 2.0));
    assert_eq!([&all["a2a"], &all["exact"]], [&2, &2]);
    let columns = ["sources", "destinations", "risk", "exact"].map(|name| table.column(name));
    for (at, row) in table.rows.iter().enumerate() {
        let figures = columns.each_ref().map(|column| column[at].unwrap());
        let [sources, destinations, risk, exact] = figures;
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
    let [net, lfts, ports] = ["slow", "lfts", "ports.csv"].map(|name| whole.file(name));
    ok(&format!("degrade {} --slow 5 --seed 1 -o {net}", whole.net));
    ok(&["route", &net, "--capacity", "ignore", "--lfts", &lfts]);
    let told = "--patterns a2a,ring,stencil:4x6x4 --place random:1 --exact";
    let found = json(&format!("analyze {net} {lfts} {told} --ports {ports}"));
    let table = Table::read(&std::fs::read(&ports).unwrap());
    // All ports here; those alone that can be the worst there.
    for key in ["exact", "exact_capacity"] {
        assert_eq!(found[key].as_f64(), Some(table.most(key)));
    }
    assert!(table.most("exact_capacity") > table.most("exact"));
    let capacities = table.column("capacity");
    let slow = capacities.iter().filter(|&&c| c == Some(0.25));
    assert_eq!(slow.count(), 10);
    for pattern in ["ring", "stencil:4x6x4"] {
        let [flows, rates] = ["flows", "rate"].map(|of| table.column(&format!("{pattern}_{of}")));
        let worst = found[pattern]["flows_at_worst_port"].as_f64();
        assert_eq!(worst, flows.iter().flatten().copied().reduce(f64::max));
        for ((flows, rate), capacity) in flows.iter().zip(&rates).zip(&capacities) {
            // The least of some flows over a port is no more than an equal part of it.
            let part = capacity.unwrap() / flows.unwrap();
            assert_eq!(rate.is_some(), *flows != Some(0.0));
            let is_part = |rate| rate > 0.0 && rate <= part + 1e-9;
            assert!(rate.is_none_or(is_part), "{rate:?}");
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
    let stencil = ([24, 4, 4], [third, 0.25, 0.375]);
    assert_eq!(solved(&block, "stencil:2x2x2"), stencil);
    // Four of seven come over the spine, and all end at one node.
    let seventh = 0.142_857;
    assert_eq!(solved(&block, "incast:7"), ([7, 1, 4], [seventh; 3]));
    // Two phases within the leaves, one between them.
    let doubling = ([24, 4, 4], [0.75, 0.25, 1.0]);
    assert_eq!(solved(&block, "recursive-doubling"), doubling);
    // One of each leaf in turn: all flows of the ring leave their leaf.
    let turns = analyze(&["--patterns", "ring", "--place", "round-robin"]);
    assert_eq!(solved(&turns, "ring"), ([8, 4, 4], [0.25; 3]));
    let drawn = |seed| analyze(&["--patterns", "ring", "--place", seed])["ring"].clone();
    assert_eq!(drawn("random:3"), drawn("random:3"));
    // A job of three, and pairs by name: two flows up one link.
    let (job, pairs) = (routed.file("job"), routed.file("pairs"));
    std::fs::write(&job, "# ranks\nnode-0\nnode-5\nnode-1\n").unwrap();
    let ring = analyze(&["--patterns", "ring", "--job", &job]);
    assert_eq!(ring["taking_part"], 3);
    assert_eq!(solved(&ring, "ring").0, [3, 1, 1]);
    std::fs::write(&pairs, "node-0\tnode-4\nnode-1 node-5\n").unwrap();
    let pattern = format!("pairs:{pairs}");
    let found = analyze(&["--patterns", &pattern]);
    assert_eq!(solved(&found, "pairs"), ([2, 2, 2], [0.5; 3]));
    let text = ok(&["analyze", &routed.net, &routed.lfts, "--patterns", &pattern]);
    has(&text, "\npairs rate, least              0.500\n");
    // What is wrong in a file is told with its line.
    std::fs::write(&pairs, "node-0\tnode-4\nnode-1\n").unwrap();
    let refused = |pattern: &str| {
        let args = ["analyze", &routed.net, &routed.lfts, "--patterns", pattern];
        fails(2, &args)
    };
    has(&refused(&pattern), "pairs:2: two hosts expected");
    let few = "a grid of 9 points needs as many ranks; there are 8";
    has(&refused("stencil:3x3"), few);
}
