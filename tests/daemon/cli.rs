//! The tool's files in the real programs: ibsim loads its netlists, OpenSM its tables; and the tool analyses OpenSM's
//! tables.

use crate::storm::NODES_100;
use crate::support::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const RLFT: [&str; 7] = ["rlft", "--nodes", "100", "--radix", "12", "--seed", "3"];

/// Runs the tool in a folder; it must succeed.
fn dmodc(dir: &TempDir, args: &[&str]) -> String {
    done(tool(args).current_dir(dir.path()))
}

/// A folder with a netlist that the tool has generated.
fn generated(args: &[&str]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    dmodc(&dir, &[&["generate", "-o", "net"], args].concat());
    let net = dir.path().join("net");
    (dir, net)
}

/// Asserts that ibsim simulates exactly the fabric of a file: ibnetdiscover finds it by directed routes, without
/// OpenSM.
fn plays(dir: &TempDir, net: &str) {
    let sim = Ibsim::start(&dir.path().join(net));
    let command = sim.client("ibnetdiscover", &sim.hosts()[0], sim.dir());
    let found = dir.path().join("found");
    let done = process::run(command, &found, Duration::from_secs(60));
    assert!(done.success(), "{}", done.output);
    let differences = dmodc(dir, &["wiring", "found", "--reference", net]);
    assert_eq!(differences, "0 differences\n");
}

#[test]
fn generated_and_degraded_fabrics_are_played() {
    for args in [
        &[FIGURE_1][..],
        &[FIGURE_1, "--seed", "3", "--no-lids"],
        &RLFT,
    ] {
        plays(&generated(args).0, "net");
    }
    let (dir, _) = generated(&RLFT);
    for what in ["--links", "--switches"] {
        dmodc(
            &dir,
            &["degrade", "net", what, "2", "--seed", "1", "-o", "less"],
        );
        plays(&dir, "less");
    }
}

/// Asserts that OpenSM, with this configuration, loads the tables and holds exactly these afterwards.
fn installs(sim: &Ibsim, lfts: &Path, config: Config) -> Files {
    let config = config.line(format!("lfts_file {}", lfts.display()));
    let files = opensm::route(sim, &config);
    assert_eq!(files.log_lines("PARSE"), [""; 0]);
    let written = fs::read(lfts).expect("tables");
    assert!(written == files.lfts(), "other tables than those written");
    // OpenSM makes its multicast trees from hop counts.
    tools::ibdmchk(sim, &files);
    files
}

/// The rows of a dump of hop counts, by switch.
fn hop_rows(dump: Vec<u8>) -> BTreeMap<String, Vec<String>> {
    let dump = String::from_utf8(dump).expect("text");
    let blocks = dump.split("Switch: guid ").skip(1);
    let rows = blocks.map(|block| {
        let mut lines = block.lines().map(str::to_owned);
        (lines.next().expect("a GUID"), lines.collect())
    });
    rows.collect()
}

#[test]
fn tables_and_hop_counts_of_the_tool_load_into_opensm_and_equal_the_plugins() {
    for (args, links) in [
        (&[FIGURE_1, "--seed", "3"][..], "0"),
        (&RLFT, "0"),
        (&[NODES_100, "--seed", "3"], "6"),
    ] {
        let (dir, _) = generated(args);
        dmodc(
            &dir,
            &[
                "degrade", "net", "--links", links, "--seed", "1", "-o", "less",
            ],
        );
        let route = ["route", "less", "--lfts", "lfts", "--lid-matrix", "hops"];
        dmodc(&dir, &route);
        let [net, lfts, hops] = ["less", "lfts", "hops"].map(|name| dir.path().join(name));
        let sim = Ibsim::start(&net);
        let config = Config::engines("file");
        let config = config.line(format!("lid_matrix_dump_file {}", hops.display()));
        let taken = installs(&sim, &lfts, config);
        let plugin = opensm::route(&sim, &Config::dmodc());
        let ours = hop_rows(fs::read(hops).expect("written"));
        assert!(ours.values().flatten().count() > 100);
        for files in [&taken, &plugin] {
            let live = hop_rows(files.read("opensm-lid-matrix.dump"));
            assert!(ours == live, "OpenSM has other hops");
        }
    }
}

#[test]
fn tables_of_a_live_subnet_with_four_lids_a_port_load_into_opensm() {
    let (dir, net) = generated(&[FIGURE_1, "--seed", "3", "--no-lids"]);
    let sim = Ibsim::start(&net);
    let before = opensm::route(&sim, &Config::engines("minhop").lmc(2));
    let subnet = before.path("opensm-subnet.lst");
    let subnet = subnet.to_str().expect("plain text");
    dmodc(&dir, &["route", subnet, "--lmc", "2", "--lfts", "lfts"]);
    let config = Config::engines("file").lmc(2);
    installs(&sim, &dir.path().join("lfts"), config);
}

#[test]
fn ftree_s_own_tables_and_order_shift_without_congestion() {
    // The theorem that ftree is built on: in a tree of constant bisection, with nodes in its
    // order, no shift puts two routes on one link. All to all, 18 nodes of a leaf share a link.
    let (dir, net) = generated(&[NODES_648, "--seed", "3"]);
    let sim = Ibsim::start(&net);
    let files = opensm::route(&sim, &Config::engines("ftree"));
    let file = |name: &str| files.path(name).to_str().expect("plain text").to_owned();
    let (subnet, lfts) = (file("opensm-subnet.lst"), file("opensm-lfts.dump"));
    let order = file("opensm-ftree-ca-order.dump");
    let args = [
        "analyze",
        &subnet,
        &lfts,
        "--order",
        &order,
        "--patterns",
        "a2a,sp",
        "--json",
    ];
    let found: serde_json::Value = serde_json::from_str(&dmodc(&dir, &args)).expect("JSON");
    assert_eq!((&found["a2a"], &found["sp"]), (&18.into(), &1.into()));
    dmodc(&dir, &["check", &subnet, &lfts]);
}
