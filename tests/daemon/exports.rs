//! OpenSM's own engines read the files that the tool exports, and the tool reads OpenSM's `.fdbs`.

use crate::long;
use crate::support::*;
use dmodc_formats::lft::{Dump, diff};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// A fabric under ibsim, and OpenSM's dump of its subnet, which has the GUIDs that ibsim gives.
struct Fabric {
    sim: Ibsim,
    subnet: PathBuf,
}

impl Fabric {
    fn new(net: &Net) -> Fabric {
        let sim = Ibsim::start(&net.path);
        let files = opensm::route(&sim, &Config::engines("minhop"));
        let subnet = sim.dir().join("subnet.lst");
        std::fs::copy(files.path("opensm-subnet.lst"), &subnet).expect("copied");
        Fabric { sim, subnet }
    }

    /// The configuration of an engine with these exported files as options.
    fn config(&self, engine: &str, options: &[(&str, &str)]) -> Config {
        let mut config = Config::engines(engine);
        for (option, format) in options {
            let file = self.sim.dir().join(format);
            let args = [
                "export",
                path_of(&self.subnet),
                format,
                "-o",
                path_of(&file),
            ];
            done(&mut tool(args));
            config = config.line(format!("{option} {}", file.display()));
        }
        config
    }

    /// The result of `dmodc check` for the `.fdbs` of an engine.
    fn checked(&self, engine: &str, options: &[(&str, &str)]) -> Value {
        let files = opensm::route(&self.sim, &self.config(engine, options));
        let fdbs = files.path("opensm.fdbs");
        let args = ["check", path_of(&self.subnet), path_of(&fdbs), "--json"];
        let output = tool(args).output().expect("the tool runs");
        serde_json::from_slice(&output.stdout).expect("an object")
    }

    /// Whether an engine refuses the fabric: OpenSM then sweeps again and again.
    fn refuses(&self, engine: &str, options: &[(&str, &str)]) -> bool {
        let config = self.config(engine, options);
        let (files, finished) = opensm::once(&self.sim, &config, Duration::from_secs(2));
        finished.status.is_none() && !files.log().contains("SUBNET UP")
    }
}

/// The number of pairs of hosts that correct tables leave out.
fn host_pairs(check: &Value) -> u64 {
    assert_eq!(check["passed"], true, "{check}");
    let counts = check["left_out_pairs"]["counts"].as_array();
    let counts = counts.expect("a list").iter();
    let of_hosts = |count: &&Value| count["from"] == "host" && count["to"] == "host";
    let pairs = |count: &Value| count["pairs"].as_u64().expect("a number");
    counts.filter(of_hosts).map(pairs).sum()
}

#[test]
fn fdbs_have_the_tables_of_the_dump() {
    for config in [Config::engines("minhop"), Config::dmodc().lmc(1)] {
        let sim = Ibsim::start(&Net::production("irregular-11sw").path);
        let files = opensm::route(&sim, &config);
        let [dump, fdbs] = ["opensm-lfts.dump", "opensm.fdbs"].map(|name| {
            let dump = Dump::parse(&files.read(name));
            dump.unwrap_or_else(|fault| panic!("{name}:{}: {}", fault.line, fault.reason))
        });
        assert_eq!((fdbs.switches.len(), fdbs.adaptive), (11, 0));
        assert!(fdbs.entries() >= 11 * 100);
        let between = diff(&dump, &fdbs);
        assert_eq!((between.entries(), &between.removed[..]), (0, &[][..]));
    }
}

const ROOTS: (&str, &str) = ("root_guid_file", "roots");

/// Where two switches with hosts have one link, updn finds no roots by itself and needs the exported ones.
#[test]
fn updn_takes_roots() {
    let fabric = Fabric::new(&Net::production("small-2sw"));
    assert!(fabric.refuses("updn", &[]));
    let check = fabric.checked("updn", &[ROOTS]);
    assert_eq!(host_pairs(&check), 0);
}

/// Two pods of two leaves, and a small spine between the leaves of one pod. It is a root: counted from the roots, these
/// leaves are level with the switches above them, where GUIDs turn the tree upside down. Exported ranks prevent it.
#[test]
fn updn_takes_ranks() {
    let middles = (0..4).map(|leaf| (leaf, 4 + leaf / 2));
    let tops = [(4, 6), (4, 7), (5, 6), (5, 7)];
    let small = [(0, 8), (1, 8)];
    let links = middles.chain(tops).chain(small);
    let fabric = Fabric::new(&sketch::drawn(&sketch::each(4, 2), &[], links));
    let check = fabric.checked("updn", &[ROOTS]);
    assert_ne!(check["undelivered"], 0, "{check}");
    let ranks = ("ids_guid_file", "ranks");
    let check = fabric.checked("updn", &[ROOTS, ranks]);
    assert_eq!(host_pairs(&check), 0);
}

/// ftree alone refuses fabrics with hosts on spines or aggregation nodes. With roots and compute nodes it routes them.
#[test]
fn ftree_takes_roots_and_compute_nodes() {
    let is_long = long::runs("production fabrics of more than 20 switches");
    let (cn, io) = (("cn_guid_file", "cn"), ("io_guid_file", "io"));
    for (name, is_small, left_out) in [
        ("leaf-to-leaf-8sw", true, 0),
        ("irregular-11sw", true, 0),
        ("director-174sw", false, 0),
        // Hosts of two spines that no switch joins.
        ("gpu-cluster-206sw", false, 50),
    ] {
        if !is_small && !is_long {
            continue;
        }
        let fabric = Fabric::new(&Net::production(name));
        assert!(!is_small || fabric.refuses("ftree", &[]), "{name}");
        let check = fabric.checked("ftree", &[ROOTS, cn]);
        assert_eq!(host_pairs(&check), left_out, "{name}");
        if name.starts_with("leaf") {
            assert!(fabric.refuses("ftree", &[ROOTS]));
            for options in [&[ROOTS, io][..], &[ROOTS, cn, io]] {
                assert_eq!(host_pairs(&fabric.checked("ftree", options)), 0);
            }
        }
    }
}
