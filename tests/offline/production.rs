//! Each subcommand on the netlists of production fabrics, and on the small ones of `tests/data`.

use crate::support::*;
use std::path::PathBuf;

fn small() -> Vec<PathBuf> {
    let texts = ["crlf.ibnetdiscover", "no-tabs.ibnetdiscover"].map(data);
    let others = ["short-names.net", "subnet.lst", "two-levels.netlist"].map(data);
    [&texts[..], &others].concat()
}

fn trees() -> Vec<PathBuf> {
    let files = small().into_iter().chain(production());
    files.filter(|file| !path(file).contains("ring")).collect()
}

#[test]
fn a_ring_is_refused() {
    let mut files = production();
    files.retain(|file| path(file).contains("ring"));
    for file in files {
        has(&fails(1, &["route", path(&file)]), "not a tree");
    }
}

#[test]
fn tables_are_written_checked_analyzed_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let lfts = dir.path().join("lfts");
    for file in trees() {
        let (net, lfts) = (path(&file), path(&lfts));
        let route = json(&["route", net, "--lfts", lfts]);
        let check = json(&["check", net, lfts]);
        assert_eq!(check["passed"], true, "{net}: {check}");
        let remarks = (&check["turns"], &check["nonminimal"]);
        assert_eq!(remarks, (&0.into(), &0.into()), "{net}: {check}");
        // Two of its spines carry gateways, and share no switch above them: they turn.
        let unreachable = u64::from(net.contains("gpu-cluster"));
        for found in [&route, &check] {
            assert_eq!(found["unreachable_pairs"], unreachable, "{net}");
            let counts = found["left_out_pairs"]["counts"].as_array().unwrap();
            let hosts = |c: &&serde_json::Value| c["from"] == "host" && c["to"] == "host";
            assert_eq!(counts.iter().find(hosts), None, "{net}: {counts:?}");
        }
        for key in ["turned", "left_out", "left_out_pairs"] {
            assert_eq!(check[key], route[key], "{net}");
        }
        let partial = &["--on-unreachable", "partial"];
        let without = json(&[&["route", net, "--lfts", lfts][..], partial].concat());
        assert_eq!(without["turned"], 0, "{net}");
        let left_out = |found: &serde_json::Value| found["left_out"].as_u64().unwrap();
        let turned = route["turned"].as_u64().unwrap();
        assert!(left_out(&without) <= left_out(&route) + turned, "{net}");
        let skipped = json(&["analyze", net, lfts, "--permutations", "20"])["skipped"].clone();
        assert_eq!(skipped, 2 * 25 * unreachable, "{net}");
        ok(&["route", net, "--lfts", lfts]);
        let analyze = json(&["analyze", net, lfts, "--permutations", "20"]);
        assert_eq!(analyze["skipped"], 0, "{net}");
        for key in ["nodes", "switches", "links"] {
            assert_eq!([&check[key], &analyze[key]], [&route[key]; 2], "{net}");
        }
        // A permutation is a part of all pairs, whatever the fabric.
        let risk = |key: &str| analyze[key].as_u64().unwrap();
        assert!(risk("rp").max(risk("sp")) <= risk("a2a"), "{net}");
        assert_eq!(json(&["diff", lfts, lfts])["changed_entries"], 0);
    }
}
