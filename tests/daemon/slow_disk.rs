//! A disk that takes seconds for each `fsync`: OpenSM does not wait for Dmodc's files, and has them at its end.

use crate::support::*;
use dmodc_formats::files::of_ports;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// Seconds that an `fsync` takes.
const SLOW: u64 = 3;

/// A library whose `fsync` is slow, for LD_PRELOAD; `None` without a C compiler.
fn slow_fsync(sim: &Ibsim) -> Option<String> {
    let [source, library] = ["slow.c", "slow.so"].map(|name| sim.dir().join(name));
    let text = format!(
        "#include <unistd.h>\nint fsync(int fd) {{ (void)fd; sleep({SLOW}); return 0; }}\n"
    );
    fs::write(&source, text).expect("written");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    let is_built = built.is_ok_and(|status| status.success());
    is_built.then(|| library.display().to_string())
}

/// An OpenSM whose `fsync` is slow; `None` without a C compiler.
fn config(sim: &Ibsim, options: &str) -> Option<Config> {
    let Some(slow) = slow_fsync(sim) else {
        crate::skip::skipped("no C compiler");
        return None;
    };
    let client = sim.client("opensm", &sim.hosts()[0], sim.dir());
    let mut preloaded = client.get_envs().filter(|(name, _)| *name == "LD_PRELOAD");
    let client = preloaded.next().and_then(|(_, value)| value?.to_str());
    let preload = format!("{slow}:{}", client.expect("a library"));
    drop(preloaded);
    // OpenSM's own files.
    let config = Config::dmodc().line("fsync_high_avail_files FALSE");
    Some(config.options(options).env("LD_PRELOAD", preload))
}

/// Queries are answered while the work after a sweep and the files that it hands over take seconds each.
#[cfg(debug_assertions)]
#[test]
fn queries_are_answered_meanwhile() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let Some(config) = config(&sim, "dmodc.provoke_panic=wait") else {
        return;
    };
    let sm = OpenSm::launch(&sim, &config);
    sm.files.wait_for(0, "SUBNET UP");
    let lid = sm.files.end_node_lids(0)[0];
    let from = sm.files.log_len();
    sm.hang_up();
    let has = |text: &str| sm.files.log_after(from).contains(text);
    let (mut worst, mut after_tables) = (Duration::ZERO, 0);
    while !has("SUBNET UP") || of_ports(&sm.files.path(Files::ORDER)).is_empty() {
        after_tables += usize::from(has("tables configured") && !has("SUBNET UP"));
        let start = Instant::now();
        let ends = (&sim, &sm.files);
        tools::asked(tools::last(&sim), ends, "saquery NR", &[lid], "NodeRecord");
        worst = worst.max(start.elapsed());
    }
    println!("{after_tables} answers after the tables, the slowest in {worst:?}");
    assert!(worst < Duration::from_secs(SLOW) / 2, "{worst:?}");
    assert!(after_tables > 3, "{after_tables} answers");
    assert!(sm.stop());
}

#[test]
fn opensm_waits_for_no_disk() {
    let (net, mut sim) = Net::simulated(FIGURE_1);
    let Some(config) = config(&sim, "dmodc.reference=auto") else {
        return;
    };
    let sm = OpenSm::launch(&sim, &config);
    let files = [Files::REFERENCE, Files::ORDER].map(|name| sm.files.path(name));
    let there = || files.each_ref().map(|file| of_ports(file).len());
    let slow = Duration::from_secs(SLOW);
    let time_of_sweep = |from: u64| {
        sm.files.wait_for(from, "dmodc tables configured");
        let start = Instant::now();
        sm.files.wait_for(from, "SUBNET UP");
        start.elapsed()
    };
    assert!(time_of_sweep(0) < slow);
    assert_eq!(there(), [0, 0], "fsync is slow");
    // Later contents come while the first is written.
    let (node, port) = net.switch_link();
    sim.unlink(node, port);
    let from = sm.files.log_len();
    sm.hang_up();
    assert!(time_of_sweep(from) < slow);
    // At the end all is written, the latest content.
    let kept = sm.stop_for_files().expect("it ends");
    assert_eq!(there(), [1, 1]);
    let text = fs::read_to_string(kept.by_port(Files::REFERENCE)).expect("the reference");
    assert!(text.contains("last seen"), "{text}");
    kept.assert_errors(&[]);
}
