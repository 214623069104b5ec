//! The threads of the plugin, on one processor: they sleep between sweeps, and take no signals meant for OpenSM.

use crate::support::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `HUP`, `INT`, `USR1`, `TERM`: the signals that OpenSM's main thread waits for.
const SIGNALS: [u32; 4] = [1, 2, 10, 15];

/// The plugin's threads, each by its folder below `/proc`.
fn ours(sm: &OpenSm) -> Vec<PathBuf> {
    let tasks = fs::read_dir(format!("/proc/{}/task", sm.pid())).expect("OpenSM is alive");
    let tasks = tasks.flatten().map(|task| task.path());
    let is_ours = |task: &PathBuf| {
        let name = fs::read_to_string(task.join("comm"));
        name.is_ok_and(|name| name.starts_with("dmodc-"))
    };
    tasks.filter(is_ours).collect()
}

/// Time on a processor of a process or thread, in clock ticks.
fn ticks(proc: &Path) -> u64 {
    let stat = fs::read_to_string(proc.join("stat")).expect("it is alive");
    // The fields after the name, which may contain any character.
    let (_, rest) = stat.rsplit_once(')').expect("a name");
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| -> u64 { words[at].parse().expect("a number") };
    number(11) + number(12)
}

#[test]
fn our_threads_sleep_and_take_no_signals() {
    let sim = Ibsim::start(&Net::pgft(NODES_648).path);
    // More threads than one processor can run, and the threads that write the metrics and
    // other files.
    let words = format!(
        "dmodc.threads=4 dmodc.metrics={}",
        sim.dir().join("figures").display()
    );
    let config = Config::dmodc().options(&words).log_flags("0x03");
    let sm = OpenSm::start(
        &sim,
        &config.inside(process::program("taskset"), &["-c", "0"]),
    );
    let mut ours = ours(&sm);
    assert_eq!(ours.len(), 6);
    for thread in &ours {
        let status = fs::read_to_string(thread.join("status")).expect("it is alive");
        let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
        let blocked = u64::from_str_radix(blocked.expect("a mask").trim(), 16).expect("a mask");
        let open = SIGNALS
            .into_iter()
            .filter(|signal| blocked >> (signal - 1) & 1 == 0);
        assert_eq!(
            open.collect::<Vec<_>>(),
            [0; 0],
            "signals that our thread would take"
        );
    }
    // The thread for the metrics wakes up each second.
    ours.retain(|thread| {
        let name = fs::read_to_string(thread.join("comm"));
        name.is_ok_and(|name| name.trim() != "dmodc-metrics")
    });
    // A thread that spins would have the core for itself now.
    let spent = |ours: &[PathBuf]| ours.iter().map(|thread| ticks(thread)).sum::<u64>();
    let before = spent(&ours);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(spent(&ours), before, "ticks of threads with nothing to do");
    sm.resweep();
    assert!(sm.stop());
}
