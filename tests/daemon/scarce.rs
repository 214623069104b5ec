//! Where processors are scarce: one core, a quota, others that want all of them. And the threads of the
//! plugin: they sleep between sweeps, and take no signals that are meant for OpenSM.

use crate::support::*;
use dmodc::dmodc::PHASES;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

/// `HUP`, `INT`, `USR1`, `TERM`: what OpenSM's main thread waits for.
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
    // Behind the name, which may have anything in it.
    let (_, rest) = stat.rsplit_once(')').expect("a name");
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| -> u64 { words[at].parse().expect("a number") };
    number(11) + number(12)
}

#[test]
fn our_threads_sleep_and_take_no_signals() {
    let sim = Ibsim::start(&Net::pgft(NODES_648).path);
    // More threads than one processor can run, and the one that writes the figures.
    let words = format!(
        "dmodc.threads=4 dmodc.metrics={}",
        sim.dir().join("figures").display()
    );
    let config = Config::dmodc().options(&words).log_flags("0x03");
    let sm = OpenSm::start(&sim, &config.inside("taskset", &["-c", "0"]));
    let mut ours = ours(&sm);
    assert_eq!(ours.len(), 5);
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
    // That one looks around each second.
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

/// A group of processes that gets half a processor; removed with this value.
struct Quota(PathBuf);

impl Quota {
    fn new() -> Option<Quota> {
        let name = format!("dmodc-{}", std::process::id());
        let v1 = Path::new("/sys/fs/cgroup/cpu").join(&name);
        let v2 = Path::new("/sys/fs/cgroup").join(&name);
        for (dir, file, text) in [
            (v1, "cpu.cfs_quota_us", "50000"),
            (v2, "cpu.max", "50000 100000"),
        ] {
            if fs::create_dir(&dir).is_ok() {
                let quota = Quota(dir);
                if fs::write(quota.0.join(file), text).is_ok() {
                    return Some(quota);
                }
            }
        }
        None
    }

    fn add(&self, pid: u32) {
        let procs = self.0.join("cgroup.procs");
        fs::write(procs, pid.to_string()).expect("a process can be put into a group of ours");
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        // Its processes may take a moment to end.
        let gone = || fs::remove_dir(&self.0).ok();
        crate::support::process::poll(Duration::from_secs(5), gone);
    }
}

/// What sweeps take where processors are scarce, as a table.
#[test]
#[ignore = "long: make soak"]
fn phases_and_processor_time() {
    let times: Vec<String> = (["total"].iter().chain(&PHASES))
        .map(|phase| format!("{phase}_us"))
        .collect();
    const SWEEPS: u64 = 5;
    println!(
        "| where | threads | {} | processor time per sweep of OpenSM, ms | of our threads |",
        times.join(" | ")
    );
    println!("|---|--:|{}--:|--:|", "--:|".repeat(times.len()));
    // 8,640 nodes.
    let shape = env::var("SCARCE_SHAPE").unwrap_or("PGFT(3;24,15,24;1,6,15;1,1,1)".into());
    let net = Net::pgft(&shape);
    for wanted in ["all cores", "one core", "half a core", "beside busy loops"] {
        for threads in [1, 4] {
            let sim = Ibsim::start(&net.path);
            let config = Config::dmodc().options(&format!("dmodc.threads={threads}"));
            let config = config.log_flags("0x03");
            let config = match wanted {
                "one core" => config.inside("taskset", &["-c", "0"]),
                _ => config,
            };
            let sm = OpenSm::start(&sim, &config);
            let cores = std::thread::available_parallelism()
                .expect("a number")
                .get();
            let mut loops = Vec::new();
            if wanted == "beside busy loops" {
                for number in 0..2 * cores {
                    let mut busy = Command::new("sh");
                    busy.args(["-c", "while :; do :; done"]);
                    let output = sim.dir().join(format!("loop-{number}"));
                    loops.push(Guard::start(busy, &output).expect("sh runs"));
                }
            }
            let quota = (wanted == "half a core").then(Quota::new);
            match &quota {
                Some(Some(quota)) => quota.add(sm.pid()),
                Some(None) => {
                    crate::skip::skipped("no control group can be made here");
                    continue;
                }
                None => {}
            }
            let process = PathBuf::from(format!("/proc/{}", sm.pid()));
            let ours = ours(&sm);
            let spent = || -> [u64; 2] { [ticks(&process), ours.iter().map(|t| ticks(t)).sum()] };
            let (before, known) = (spent(), sm.files.log().len());
            (0..SWEEPS).for_each(|_| sm.resweep());
            let after = spent();
            let median = |name: &str| {
                let mut values = sm.files.numbers(known, name);
                values.sort_unstable();
                values[values.len() / 2]
            };
            let phases: Vec<String> = times.iter().map(|p| median(p).to_string()).collect();
            // A tick is 10 ms.
            let [all, own] = [0, 1].map(|i| (after[i] - before[i]) * 10 / SWEEPS);
            println!(
                "| {wanted} | {threads} | {} | {all} | {own} |",
                phases.join(" | ")
            );
            drop(sm);
            drop(quota);
        }
    }
}
