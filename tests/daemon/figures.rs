//! The missing equipment in `dmodc.metrics`, by switch, on fabrics with lost uplinks and dead leaves.

use crate::alerts::assert_quiet;
use crate::changes::said;
use crate::metrics::{Metrics, TREE, metrics_file, wait_for_use, when, with_reference};
use crate::support::*;
use dmodc_formats::netlist::Node;
use std::fs;

/// Uplinks lost before OpenSM starts: siblings show that a leaf lacks one, but not that a leaf lacks four of six; a
/// reference shows all.
#[test]
fn a_reference_shows_missing_links_that_siblings_do_not() {
    let (net, mut sim) = Net::simulated(TREE);
    let leaves: Vec<&Node> = net.leaves().collect();
    // Hosts are at ports 1 to 3, spines at 4 to 9. Each spine keeps three of four leaves, a majority.
    for (leaf, lost) in [(leaves[2], 9..=9), (leaves[3], 4..=7)] {
        lost.for_each(|n| sim.unlink(&leaf.id, PortNumber(n)));
    }
    let [one, four] = [leaves[2], leaves[3]].map(|leaf| leaf.guid.to_string());
    let (path, config) = metrics_file(&sim, Config::dmodc());
    let sm = OpenSm::start(&sim, &config);
    let found = wait_for_use(&path, true);
    assert_eq!((found.missing(&one), found.missing(&four)), (1.0, 0.0));
    assert_eq!(sm.files.log_lines("where its siblings have").len(), 1);
    assert!(sm.stop());

    let (_, config) = with_reference(&sim, net.path.display());
    // The file of the first OpenSM is still there.
    fs::remove_file(&path).expect("removed");
    let sm = OpenSm::start(&sim, &config);
    let found = wait_for_use(&path, true);
    assert_eq!((found.missing(&one), found.missing(&four)), (1.0, 4.0));
    // A line for one link, and a line for four of one leaf.
    let missing = sm.files.log_lines("dmodc: missing, by the reference: ");
    assert_eq!(missing.len(), 2, "{missing:?}");
    for words in [format!(": {one}"), format!(": 4 links of {four}")] {
        assert!(missing.iter().any(|l| l.contains(&words)), "{missing:?}");
    }
    assert_eq!(sm.files.log_lines("where its siblings have"), [""; 0]);
}

/// A leaf dies while OpenSM's unicast cache is valid, so that no engine is called: metrics, log and node order still
/// follow the fabric.
#[test]
fn findings_are_logged_though_no_engine_is_called() {
    let (net, mut sim) = Net::simulated(TREE);
    let (path, config) = metrics_file(&sim, Config::dmodc().line("use_ucast_cache TRUE"));
    let sm = OpenSm::start(&sim, &config);
    let leaf = net.other_leaves().next().expect("another leaf");
    let order = || {
        let text = fs::read(sm.files.by_port(Files::ORDER)).expect("the order");
        text.iter().filter(|byte| **byte == b'\n').count()
    };
    assert_eq!(order(), 12);
    let (calls, whole) = (sm.files.routed(), wait_for_use(&path, true));
    let first = sm.files.lfts();
    let from = sm.files.log_len();
    // All its cables at once, and in no sweep: the cache is not valid when a leaf loses only some of them.
    sm.files.wait_until_quiet();
    sim.batch(&[format!("Unlink \"{}\"", leaf.id)]);
    sm.resweep();
    assert_eq!(sm.files.routed(), calls, "the cache does not hold");
    let hurt = when(&path, |m| m.get("dmodc_switches") == 9.0);
    let sizes = |m: &Metrics| ["dmodc_switches", "dmodc_nodes"].map(|name| m.get(name));
    assert_eq!((sizes(&whole), sizes(&hurt)), ([10.0, 12.0], [9.0, 9.0]));
    let lost = hurt.value_of("dmodc_switch_lost", &leaf.guid.to_string());
    assert_eq!((lost, hurt.all_missing(), order()), (1.0, 0.0, 9));
    let read = |m: &Metrics| m.get("dmodc_last_read_timestamp_seconds");
    assert!(read(&hurt) > read(&whole));
    // A dead leaf is one line, not one for each of its cables and hosts.
    let leaf_is = format!("switch '{}' with 6 links and 3 hosts", leaf.description);
    let lost = said(&sm, from);
    let about = |lines: &[String], word| -> Vec<String> {
        let lines = lines.iter().filter(|line| line.starts_with(word));
        lines.cloned().collect()
    };
    assert_eq!(about(&lost, "lost: "), [format!("lost: {leaf_is}")]);
    let in_all = ["gone, in all: 1 switch"];
    assert_eq!(about(&lost, "gone, "), in_all);
    let from = sm.files.log_len();
    sim.batch(&[format!("ReLink \"{}\"", leaf.id)]);
    sm.resweep();
    let back = format!("back: {leaf_is}");
    assert_eq!(about(&said(&sm, from), "back: "), [back]);
    let back = when(&path, |m| m.get("dmodc_switches") == 10.0);
    assert_eq!(
        (sizes(&back), back.all_missing(), order()),
        ([10.0, 12.0], 0.0, 12)
    );
    assert_eq!(sm.files.routed(), calls, "the cache does not hold");
    assert!(sm.files.lfts() == first, "the tables did not return");
}

/// With an aggregation node on every switch and a dead leaf that only the reference has: no pair is left out, none
/// turns, and no other switch lacks an uplink.
#[test]
fn a_dead_leaf_raises_no_other_alarm() {
    let mut netlist = Net::pgft("PGFT(2;6,4;1,3;1,1)").netlist;
    ::fabrics::add_aggregation_nodes(&mut netlist);
    let whole = Net::write(netlist);
    let leaf = ::fabrics::node_at(&whole.netlist, "L1-0");
    let less = Net::write(whole.netlist.without_nodes(&[leaf]));
    let sim = Ibsim::start(&less.path);
    let (path, config) = with_reference(&sim, whole.path.display());
    let sm = OpenSm::start(&sim, &config);
    let found = wait_for_use(&path, true);
    assert_eq!(found.get("dmodc_switches"), 6.0);
    for name in ["dmodc_left_out_host_pairs", "dmodc_turned_host_pairs"] {
        assert_eq!(found.get(name), 0.0, "{name}");
    }
    let figures = fs::read_to_string(&path).expect("figures");
    let leaf = whole.node("L1-0").guid.to_string();
    assert_quiet(sim.dir(), &figures, &[("part_lost", &leaf, 1)]);
    for words in ["left out", "no route from", "where its siblings have"] {
        assert_eq!(sm.files.log_lines(words), [""; 0]);
    }
}
