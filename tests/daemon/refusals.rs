//! Where Dmodc refuses, the next engine of the list routes, with the same tables as without Dmodc, and OpenSM lives on.

use crate::metrics::{metrics_file, wait_for_use};
use crate::support::*;
use dmodc_core::OnUnreachable;
use dmodc_formats::netlist::Port;

/// Asserts that the engines `dmodc,minhop` and `minhop` make the same tables of a fabric. Returns the log of the
/// former.
fn minhop_takes_over(net: &Net, config: &Config) -> String {
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, config);
    assert_minhop(&files, &minhop_alone(net));
    let log = files.log();
    has(&log, "minhop tables configured on all switches");
    assert!(files.log_lines("dmodc: routed ").is_empty(), "{log}");
    log
}

fn minhop_alone(net: &Net) -> Vec<u8> {
    let sim = Ibsim::start(&net.path);
    opensm::route(&sim, &Config::engines("minhop")).lfts()
}

fn assert_minhop(files: &Files, alone: &[u8]) {
    assert!(files.lfts() == alone, "not the tables of minhop alone");
}

fn errors(log: &str) -> Vec<&str> {
    log.lines().filter(|l| l.contains("dmodc: ERR")).collect()
}

/// A fabric that is no tree is refused in one log line, which names switches of the fabric; minhop routes it.
#[test]
fn a_fabric_that_is_no_tree_goes_to_the_next_engine() {
    for net in [
        sketch::ring(5),
        Net::production("ring-4sw"),
        sketch::grid(4, 3, false),
        sketch::grid(4, 3, true),
        sketch::dragonfly(5, 4),
    ] {
        let log = minhop_takes_over(&net, &Config::dmodc_or("minhop"));
        let errors = errors(&log);
        assert_eq!(errors.len(), 1, "{errors:#?}");
        assert!(errors[0].contains("not routed: not a tree: "), "{errors:?}");
        let switches = net.netlist.switches();
        let named = switches.filter(|s| errors[0].contains(&s.guid.to_string()));
        assert!(named.count() >= 3, "{errors:?}");
    }
}

/// Seven leaves in a zigzag have 15 pairs without an up-down path. Detours connect all hosts; without them, ten pairs
/// are named.
#[test]
fn pairs_without_a_path_are_connected_or_named() {
    let net = sketch::zigzag(7);
    let sim = Ibsim::start(&net.path);
    let (figures, config) = metrics_file(&sim, Config::dmodc());
    let sm = OpenSm::start(&sim, &config);
    assert!(!sm.files.log().contains("host to host"));
    let offline = sm.files.assert_routed(&Options::default());
    let report = offline.assert_clean(&sm.files.lfts());
    assert_eq!(report.left_out.routes, 0, "{report:#?}");
    tools::ibdmchk(&sim, &sm.files);
    // Pairs of hosts are counted one by one, both ways: two hosts on each leaf.
    let found = wait_for_use(&figures, true);
    let pairs = ["dmodc_turned_host_pairs", "dmodc_left_out_host_pairs"];
    assert_eq!(pairs.map(|name| found.get(name)), [2.0 * 15.0 * 4.0, 0.0]);
    assert!(sm.stop());

    let sim = Ibsim::start(&net.path);
    let config = Config::dmodc().options("dmodc.on_unreachable=partial");
    let files = opensm::route(&sim, &config);
    let log = files.log();
    let errors = errors(&log);
    // In this order: pairs of switches, their number, pairs of hosts and others, their number.
    assert!(errors.len() > 12, "{errors:#?}");
    let (pairs, rest) = errors.split_at(10);
    assert!(rest[0].contains("ERR: 15 pairs "), "{rest:#?}");
    for line in pairs {
        let guids = line.matches("0x0000").count();
        let both = line.contains("no up-down path between") && guids == 2;
        assert!(both && line.contains("(switch "), "{line}");
    }
    let is_cause = |line: &&&str| line.contains("has no way") || line.contains("out of reach");
    let causes = rest.iter().rev().take_while(is_cause).count();
    assert!((1..=3).contains(&causes), "{rest:#?}");
    let rest = &rest[..rest.len() - causes];
    let (last, ends) = rest[1..].split_last().expect("at least the count");
    assert!(last.contains("ERR: left out: host to host "), "{last}");
    let others = files.log_line("dmodc: left out: host to switch ");
    assert!(!others.contains(": ,"), "{others}");
    assert!(ends[0].contains("ERR: no route from host 0x"), "{ends:#?}");
    let options = Options {
        on_unreachable: OnUnreachable::Partial,
        ..Options::default()
    };
    let offline = files.assert_routed(&options);
    let report = offline.assert_clean(&files.lfts());
    assert_eq!(report.unreachable_pairs, 15);
}

/// With `on_unreachable=fail` Dmodc refuses the same fabric, and minhop routes it.
#[test]
fn pairs_without_a_path_make_it_fail_if_so_wanted() {
    let config = Config::dmodc_or("minhop").options("dmodc.on_unreachable=fail");
    let log = minhop_takes_over(&sketch::zigzag(7), &config);
    let errors = errors(&log);
    // Ten of the pairs by name, the number of pairs, and the refusal. No pair is named as left out, since minhop routes
    // all.
    let named = errors
        .iter()
        .filter(|line| line.contains("ERR: no up-down path between "));
    assert_eq!((named.count(), errors.len()), (10, 12), "{errors:#?}");
    has(errors[10], "ERR: 15 pairs ");
    let why = "not routed: 15 pairs of switches with hosts have no up-down path, and on_unreachable=fail permits no detour";
    has(errors[11], why);
    assert!(
        !log.contains("left out") && !log.contains("no route from"),
        "{log}"
    );
    // Where all pairs have a path, the option makes no difference.
    // The folder of `sim` has the log.
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let files = opensm::route(&sim, &config);
    files.assert_errors(&[]);
}

/// The cable whose loss makes Dmodc refuse the fabric is named in the sweep that refuses it.
#[test]
fn what_has_made_it_fail_is_named() {
    let (net, mut sim) = Net::simulated("PGFT(2;2,3;1,2;1,1)");
    let config = Config::dmodc_or("minhop").options("dmodc.on_unreachable=fail");
    let sm = OpenSm::start(&sim, &config);
    let mut sweep = |change: fn(&mut Ibsim, &str, PortNumber), leaf, spine| {
        let (leaf, spine) = (net.node(leaf), net.node(spine));
        let is_cable = |p: &&Port| net.netlist.nodes[p.peer as usize].guid == spine.guid;
        let port = net.uplinks(leaf).find(is_cable).expect("a cable").number;
        let from = sm.files.log_len();
        change(&mut sim, &leaf.id, port);
        sm.resweep();
        (sm.files.log_after(from), format!("'L1-2' [{port}]"))
    };
    sweep(Ibsim::unlink, "L1-1", "L2-0");
    let (log, end) = sweep(Ibsim::unlink, "L1-2", "L2-1");
    has(&log, "dmodc: ERR: not routed: ");
    let lost = log.lines().find(|line| line.contains("dmodc: lost: "));
    has(lost.expect("a line"), &end);
    let (log, _) = sweep(Ibsim::relink, "L1-2", "L2-1");
    has(&log, "dmodc: back: ");
    assert!(sm.stop());
}

/// 256 threads need more addresses than the process may have. Their stacks are so large that what the last thread leaves
/// suffices for OpenSM: with stacks of 2 MiB, OpenSM itself ran out of addresses now and then, and hung.
#[test]
fn without_threads_the_next_engine_routes() {
    let config = Config::dmodc_or("minhop").options("dmodc.threads=256");
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let limits = ["--as=8589934592", "env", "RUST_MIN_STACK=268435456"];
    let sm = OpenSm::start(&sim, &config.inside(process::program("prlimit"), &limits));
    sm.files.assert_errors(&["cannot start the threads"]);
    let log = sm.files.log();
    let others = "minhop tables configured on all switches";
    assert!(log.contains(others), "{log}");
    assert!(sm.stop());
}

/// The first sweep panics, and minhop routes it. Dmodc routes the next.
#[cfg(debug_assertions)]
#[test]
fn a_panic_gives_way_to_the_next_engine() {
    for place in ["plan", "fill", "end"] {
        let (net, sim) = Net::simulated(FIGURE_1);
        let config = Config::dmodc_or("minhop").options(&format!("dmodc.provoke_panic={place}"));
        let sm = OpenSm::start(&sim, &config);
        let given_up = "ucast_build_fwd_tables was given up: internal error: provoked";
        sm.files.assert_errors(&["ERR: panic at src/", given_up]);
        has(&sm.files.log(), "minhop tables configured on all switches");
        assert_minhop(&sm.files, &minhop_alone(&net));

        for _ in 0..2 {
            sm.resweep();
            sm.files.assert_routed(&Options::default());
        }
        assert_eq!(sm.files.log_lines("dmodc: ERR").len(), 2);
        assert!(sm.stop());
    }
}

/// Nothing of Dmodc's stays under an engine that writes only some entries, also if the last thing that Dmodc does
/// panics.
#[cfg(debug_assertions)]
#[test]
fn a_panic_at_the_end_leaves_nothing_behind() {
    let net = Net::pgft_with_lids(FIGURE_1);
    let whole = Offline::route(&net.netlist, 0, 1, &Options::default());
    let text = String::from_utf8(whole.dump()).expect("text");
    // The table of one switch alone.
    let (first, _) = text[1..]
        .split_once("Unicast lids")
        .expect("several tables");
    let path = net.path.with_file_name("lfts");
    std::fs::write(&path, format!("U{first}")).expect("written");
    let file = format!("lfts_file {}", path.display());
    let sim = Ibsim::start(&net.path);
    let alone = opensm::route(&sim, &Config::engines("file").line(&file));
    let config = Config::dmodc_or("file").options("dmodc.provoke_panic=end");
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, &config.line(&file));
    has(&files.log(), "was given up: internal error: provoked");
    assert!(files.lfts() == alone.lfts(), "entries are left");
}

/// Tables that are spoilt before they are proven: OpenSM gets none of them, and minhop routes.
#[cfg(debug_assertions)]
#[test]
fn tables_that_fail_the_proof_are_not_sent() {
    let (net, sim) = Net::simulated(FIGURE_1);
    let file = sim.dir().join("dmodc.prom");
    let options = format!("dmodc.metrics={} dmodc.provoke_panic=wrong", file.display());
    let config = Config::dmodc_or("minhop").options(&options);
    let sm = OpenSm::start(&sim, &config);
    let error = sm.files.log_line("dmodc: ERR");
    has(
        &error,
        "not routed: the proof of the tables failed: switch ",
    );
    has(&error, "port 254 does not lead there");
    assert_minhop(&sm.files, &minhop_alone(&net));
    crate::metrics::when(&file, |m| {
        m.get("dmodc_proof_failures_total") == 1.0 && m.get("dmodc_refusals_total") == 1.0
    });
    sm.resweep();
    sm.files.assert_routed(&Options::default());
    assert!(sm.files.log().contains(" proof=passed"));
    assert!(sm.stop());
}

/// A release build does not have the option of the test above.
#[cfg(not(debug_assertions))]
#[test]
fn a_release_build_provokes_no_panic() {
    let config = Config::dmodc().options("dmodc.provoke_panic=plan");
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let files = opensm::route(&sim, &config);
    files.assert_errors(&["unknown option"]);
}
