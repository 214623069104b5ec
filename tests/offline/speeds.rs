//! How fast links are: read from every format, written, generated, made slow.

use crate::routed::written;
use crate::support::*;
use dmodc::fabric::{Fabric, Guid};
use dmodc::netlist::Netlist;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A leaf with ports 1 and 2 to two hosts and 3 and 4 to a spine, by what stands behind each of its ports and those at
/// the other ends.
fn netlist(near: [&str; 4], far: [&str; 4]) -> String {
    let [h1, h2, up1, up2] = near;
    let [n1, n2, down1, down2] = far;
    format!(
        r#"switchguid=0xa1
Switch	4 "S-a1"		# "leaf w=1"
[1]	"H-b1"[1]{h1}
[2]	"H-c1"[1]{h2}
[3]	"S-a2"[1]{up1}
[4]	"S-a2"[2]{up2}

switchguid=0xa2
Switch	4 "S-a2"		# "spine s=1"
[1]	"S-a1"[3]{down1}
[2]	"S-a1"[4]{down2}

hcaguid=0xb1
Ca	1 "H-b1"		# "h1"
[1]	"S-a1"[1]{n1}

hcaguid=0xc1
Ca	1 "H-c1"		# "h2"
[1]	"S-a1"[2]{n2}
"#
    )
}

fn fabric(text: &str) -> Fabric {
    let netlist = Netlist::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    let again = Netlist::parse(&written(&netlist)).expect("what is written is read");
    assert_eq!(again.to_fabric(None).expect("LIDs").0, fabric, "{text}");
    fabric
}

/// The links of the leaf's four ports.
fn links(fabric: &Fabric) -> [String; 4] {
    let leaf = fabric.switch_by_guid(Guid(0xa1)).expect("the leaf");
    [1, 2, 3, 4].map(|port| fabric.link_speed(leaf, port).to_string())
}

#[test]
fn what_ibnetdiscover_says_is_read() {
    let words = |words: [&str; 4]| words.map(|w| format!("\t\t# \"x\" w=1 \"y\" lid 0 {w}"));
    let read = |near: [&str; 4], far: [&str; 4]| {
        let (near, far) = (words(near), words(far));
        let text = netlist(near.each_ref().map(|s| &**s), far.each_ref().map(|s| &**s));
        links(&fabric(&text))
    };
    let all = ["4xXDR", "2xNDR", "1xHDR", "12xFDR10"];
    assert_eq!(read(all, all), all);
    // Older ones do not know the speed; '-f' has more words, which are of no use then.
    let found = read(
        ["4x???", "4x??? s=4 w=2 v=4", "4xHDR s=4 w=2 v=4", "4xEDR"],
        ["4xNDR", "4x???", "4xHDR", "1xEDR"],
    );
    assert_eq!(found, ["4xNDR", "", "4xHDR", "1xEDR"]);
    assert_eq!(read([""; 4], [""; 4]), [""; 4]);
}

#[test]
fn what_people_write_for_ibsim_is_read() {
    let none = [""; 4];
    assert_eq!(links(&fabric(&netlist(none, none))), none);
    // What one port says makes ibsim's defaults known for the others.
    let one = fabric(&netlist(["", "", " w=1", ""], none));
    assert_eq!(links(&one), ["4xSDR", "4xSDR", "1xSDR", "4xSDR"]);
    assert_eq!(one.speed(0, 3), 2_000);
    let both = fabric(&netlist(
        [" s=4", "\tw=3 s=7", " e=4", ""],
        [" s=4", " w=3,s=3", " w=8 e=6", ""],
    ));
    assert_eq!(links(&both), ["4xQDR", "4xDDR", "4xHDR", "4xSDR"]);
    let text = format!("width=1\nspeed=2\n{}", netlist(["", " w=2", "", ""], none));
    assert_eq!(links(&fabric(&text)), ["1xDDR"; 4]);
}

#[test]
fn what_opensm_says_is_read() {
    let list = fs::read_to_string(data("subnet.lst")).expect("the list");
    assert_eq!(list.matches("PHY=4x LOG=ACT SPD=25").count(), 2);
    for (end, expected) in [
        ("PHY=4x LOG=ACT SPD=25", "4xEDR"),
        ("PHY=1x LOG=ACT SPD=2.5", "1xSDR"),
        ("PHY=8x LOG=INI SPD=5", "8xDDR"),
        ("PHY=12x LOG=ACT SPD=10", "12xQDR"),
        ("PHY=4x LOG=ACT SPD=FDR10", "4xFDR10"),
        ("PHY=4x LOG=ACT SPD=14", "4xFDR"),
        ("PHY=2x LOG=ACT SPD=50", "2xHDR"),
        ("PHY=2x LOG=ACT SPD=100", "2xNDR"),
        ("PHY=4x LOG=ACT SPD=200", "4xXDR"),
        ("PHY=4x LOG=ACT SPD=??", ""),
        ("PHY=?? LOG=ACT SPD=25", ""),
        ("[4x 50.0 Gbps]", "4xHDR"),
        ("[4x 14.0625 Gbps]", "4xFDR"),
        ("[4x 25.78125 Gbps]", "4xEDR"),
        ("[4x 53.125 Gbps]", "4xHDR"),
        ("[1x 106.25 Gbps]", "1xNDR"),
        ("[2x 212.5 Gbps]", "2xXDR"),
    ] {
        let text = list.replace("PHY=4x LOG=ACT SPD=25", end);
        let fabric = fabric(&text);
        assert_eq!(fabric.link_speed(0, 31).to_string(), expected, "{end}");
    }
}

#[test]
fn generated_links_are_as_fast_as_asked_for_and_some_become_slow() {
    let dir = tempfile::tempdir().expect("a folder");
    let [whole, slow] =
        ["whole.net", "slow.net"].map(|name| dir.path().join(name).display().to_string());
    let speeds = |net: &str| {
        let netlist = Netlist::parse(net.as_bytes()).expect("a netlist");
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let mut count = BTreeMap::<String, usize>::new();
        for speed in (0..fabric.switches().len() as u32).flat_map(|s| fabric.speeds_of(s).to_vec())
        {
            *count.entry(speed.to_string()).or_default() += 1;
        }
        count.remove("");
        let counts = count
            .into_iter()
            .map(|(speed, ends)| format!("{ends} {speed}"));
        counts.collect::<Vec<_>>()
    };
    // 12 links of nodes, 12 and 24 above.
    assert_eq!(speeds(&ok(&["generate", FIGURE_1])), ["84 4xEDR"]);
    let net = ok(&["generate", FIGURE_1, "--speeds", "2xNDR,hdr"]);
    assert_eq!(speeds(&net), ["12 2xNDR", "72 4xHDR"]);
    let net = ok(&["generate", FIGURE_1, "--speeds", "EDR,HDR,XDR"]);
    assert_eq!(speeds(&net), ["12 4xEDR", "48 4xHDR", "24 4xXDR"]);
    fs::write(&whole, net).expect("a file");
    for (arg, now) in [("3", "1x"), ("3:1/2", "2x")] {
        let degrade = format!("degrade {whole} --slow {arg} --seed 2");
        let list = ok(&format!("{degrade} --list -o {slow}"));
        assert_eq!(list.lines().count(), 3, "{list}");
        for line in list.lines() {
            let (link, speeds) = line.rsplit_once("] ").expect("speeds");
            let rate = &speeds[2..5];
            assert!(link.starts_with("slow link 0x"), "{line}");
            assert_eq!(speeds, format!("{now}{rate} of 4x{rate}"));
        }
        let mut of_now = speeds(&fs::read_to_string(&slow).expect("a file"));
        of_now.retain(|s| s.contains(now));
        let ends = of_now
            .iter()
            .map(|s| s[..1].parse::<usize>().expect("a digit"));
        assert_eq!(ends.sum::<usize>(), 6);
    }
    let refused = fails(2, &["degrade", &whole, "--slow", "99", "--seed", "1"]);
    has(&refused, "with a speed that can be less: there are 36");
}

#[test]
fn risks_count_over_capacity_where_links_differ() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = |name: &str| dir.path().join(name).display().to_string();
    let (whole, slow, lfts) = (file("whole.net"), file("slow.net"), file("lfts"));
    let analyze = |net: &str| {
        let args = format!("analyze {net} {lfts} --patterns a2a,rp,sp,ebb");
        (json(&args), ok(&args))
    };
    // Two leaves of four nodes, each with one link to the one spine.
    ok(&format!("generate PGFT(2;4,2;1,1;1,1) -o {whole}"));
    ok(&format!("route {whole} --lfts {lfts}"));
    let (found, text) = analyze(&whole);
    assert!(found.get("a2a_capacity").is_none() && !text.contains("over capacity"));
    // One of the links at a quarter.
    ok(&format!("degrade {whole} --slow 1 --seed 1 -o {slow}"));
    let (now, text) = analyze(&slow);
    for key in ["a2a", "rp", "sp"] {
        assert_eq!(now[key], found[key]);
        let over = now[key].as_f64().map(|risk| 4.0 * risk);
        assert_eq!(now[format!("{key}_capacity")].as_f64(), over, "{key}");
    }
    let bounds = ["bound", "a2a_bound_capacity"].map(|key| now[key].as_f64());
    assert_eq!(bounds, [4.0, 16.0].map(Some));
    assert!(now["ebb"].as_f64() < found["ebb"].as_f64());
    has(&text, "\nA2A bound over capacity         16.0\n");
}

/// A generated tree, and the same with one slow link between switches and one slow host, as files.
fn slow_tree(dir: &Path) -> [String; 2] {
    let files = ["whole.net", "slow.net"].map(|n| dir.join(n).to_str().expect("UTF-8").to_owned());
    ok(&format!(
        "generate PGFT(2;4,4;1,4;1,1) --speeds 2xHDR,HDR -o {}",
        files[0]
    ));
    let whole = Netlist::read(Path::new(&files[0])).expect("a netlist");
    let mut slow = whole.clone();
    for (name, number) in [("L1-2", 7), ("node-5", 1)] {
        let node = slow.nodes.iter_mut().find(|n| n.description == name);
        let mut ports = node.expect("a node").ports.iter_mut();
        let port = ports.find(|p| p.number == number);
        port.expect("a link").link = "1xHDR".into();
    }
    fs::write(&files[1], written(&slow)).expect("a file");
    files
}

#[test]
fn wiring_tells_slow_links_and_hosts() {
    let dir = tempfile::tempdir().expect("a folder");
    let [whole, slow] = slow_tree(dir.path());
    assert_eq!(ok(&["wiring", &whole]), "0 differences\n");
    let same = ok(&["wiring", &slow, "--reference", &slow]);
    assert_eq!(same, "0 differences\n");
    let given = format!("--reference {whole}");
    for (reference, by) in [("", "siblings"), (&given, "reference")] {
        let told = |form: &str| ends(1, &format!("wiring {slow} {reference} {form}"));
        let text = told("");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        let link = format!("'L2-2' [3]: 1xHDR, {by} 4xHDR");
        let host = format!("'node-5': 1xHDR, {by} 2xHDR");
        for (line, near, far) in [
            (lines[0], "'L1-2' [7]", link),
            (lines[1], "'L1-1' [2]", host),
        ] {
            has(line, &format!(" {near} -- 0x"));
            assert!(
                line.starts_with("slow: 0x") && line.ends_with(&far),
                "{text}"
            );
        }
        let found: Value = serde_json::from_str(&told("--json")).expect("JSON");
        let first = &found["differences"][0];
        let words = ["kind", "speed", "expected", "by"].map(|key| first[key].clone());
        assert_eq!(words, ["slow", "1xHDR", "4xHDR", by]);
        assert_eq!([&found["count"], &first["ends"][0]["port"]], [&2, &7]);
        let table = told("--csv");
        let row = table.lines().nth(1).expect("a row");
        assert!(row.ends_with(&format!("\"1xHDR, {by} 4xHDR\"")), "{row}");
    }
}

#[test]
fn whatif_counts_slow_links_and_draw_draws_them_thin() {
    let dir = tempfile::tempdir().expect("a folder");
    let [whole, slow] = slow_tree(dir.path());
    let args = |net: &str| format!("whatif {net} --remove L1-2 --permutations 1");
    let found = json(&args(&slow));
    let counts = ["before", "after"].map(|at| &found[at]["slow_links"]);
    assert_eq!(counts, [&2, &1]);
    let over = |key: &str| found["before"][key].as_f64().expect("a figure");
    assert!(over("a2a_capacity") >= over("a2a") && over("a2a_bound_capacity") > over("bound"));
    has(&ok(&args(&slow)), "\nA2A over capacity ");
    assert!(!ok(&args(&whole)).contains("over capacity"));
    let [drawn, plain] = [&slow, &whole].map(|net| ok(&["draw", net, "-o", "-"]));
    let counts =
        ["class=\"link slow\"", "class=\"link\""].map(|class| drawn.matches(class).count());
    assert_eq!(counts, [1, 15]);
    let line = drawn.lines().find(|l| l.contains("link slow")).expect("it");
    has(line, "stroke-width:0.3");
    has(line, "L1-2 -- L2-2: 1 links; slow: 1xHDR, siblings 4xHDR");
    assert!(drawn.contains("1 slow (thin)") && !plain.contains("slow (thin)"));
}
