//! A disk that takes seconds for each `fsync`: OpenSM does not wait for Dmodc's files, and has them at its end.

use crate::support::*;
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

#[test]
fn opensm_waits_for_no_disk() {
    let (net, mut sim) = Net::simulated(FIGURE_1);
    let Some(slow) = slow_fsync(&sim) else {
        crate::skip::skipped("no C compiler");
        return;
    };
    let client = sim.client("opensm", &sim.hosts()[0], sim.dir());
    let mut preloaded = client.get_envs().filter(|(name, _)| *name == "LD_PRELOAD");
    let client = preloaded.next().and_then(|(_, value)| value?.to_str());
    let preload = format!("{slow}:{}", client.expect("a library"));
    drop(preloaded);
    let config = Config::dmodc()
        .options("dmodc.reference=auto")
        // OpenSM's own files.
        .line("fsync_high_avail_files FALSE")
        .env("LD_PRELOAD", preload);
    let sm = OpenSm::launch(&sim, &config);
    let files =
        ["opensm-dmodc-reference.net", "opensm-dmodc-ca-order.dump"].map(|f| sm.files.path(f));
    let slow = Duration::from_secs(SLOW);
    let time_of_sweep = |from: u64| {
        sm.files.wait_for(from, "dmodc tables configured");
        let start = Instant::now();
        sm.files.wait_for(from, "SUBNET UP");
        start.elapsed()
    };
    assert!(time_of_sweep(0) < slow);
    assert!(!files.iter().any(|file| file.exists()), "fsync is slow");
    // Later contents come while the first is written.
    let (node, port) = net.switch_link();
    sim.unlink(node, port);
    let from = sm.files.log_len();
    sm.hang_up();
    assert!(time_of_sweep(from) < slow);
    // At the end all is written, the latest content.
    let kept = sm.stop_for_files().expect("it ends");
    assert!(files.iter().all(|file| file.exists()));
    let text = fs::read_to_string(&files[0]).expect("the reference");
    assert!(text.contains("last seen"), "{text}");
    kept.assert_errors(&[]);
}
