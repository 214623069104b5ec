//! FIFO mode: OpenSM opens the FIFO to route, and gets the tables of that moment. If the follower or its guard dies,
//! OpenSM gets the last tables; if both die, it takes no part of them: another engine or follower serves it.

use super::{Follower, LIMIT, config, hang_up, is_routed, nodes, path_of, seen_from};
use crate::support::*;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A fabric, and the place of its FIFO.
struct Scene {
    net: Net,
    sim: Ibsim,
    place: PathBuf,
}

impl Scene {
    fn new() -> Scene {
        let net = Net::pgft(FIGURE_1);
        let sim = Ibsim::start(&net.path);
        let place = sim.dir().join("tables");
        Scene { net, sim, place }
    }

    /// A follower that has its first tables.
    fn follower(&self, args: &[&str]) -> Follower {
        let args = [&["--fifo", path_of(&self.place)], args].concat();
        let follower = Follower::start(&self.sim, &args);
        follower.wait_for("routed switches", 1);
        follower
    }

    /// A follower whose discovery is a script, which works at first.
    fn scripted(&self, args: &[&str]) -> (Follower, PathBuf) {
        let script = self.sim.dir().join("discover");
        self.discovers(&script, "");
        let command = format!("sh {}", script.display());
        let args = [&["--fifo", path_of(&self.place)], args].concat();
        let follower = Follower::discovering(&self.sim, &command, &args);
        follower.wait_for("routed switches", 1);
        (follower, script)
    }

    /// Writes the script: `before`, then the discovery.
    fn discovers(&self, script: &Path, before: &str) {
        let discover = seen_from(&self.sim, 0, "ibnetdiscover");
        fs::write(script, format!("{before}\n{discover}\n")).expect("a script");
    }

    fn opensm(&self) -> OpenSm {
        OpenSm::start(&self.sim, &config(&self.place))
    }

    fn is_fifo(&self) -> bool {
        let found = fs::metadata(&self.place).expect("something");
        found.file_type().is_fifo()
    }

    /// Waits until the place has a FIFO, or has none.
    fn is_open(&self, wanted: bool, follower: &Follower) {
        wait_until(LIMIT, || self.is_fifo() == wanted, || follower.said());
    }

    /// Asserts that OpenSM has the tables of the whole fabric.
    fn is_routed(&self, sm: &OpenSm, follower: &Follower) {
        let is_routed = is_routed(&sm.files, nodes(&self.net));
        assert!(is_routed, "{}\n{}", sm.files.log(), follower.said());
    }
}

/// The guard of a follower.
fn guard_of(follower: u32) -> Option<u32> {
    let all = fs::read_dir("/proc").expect("Linux lists processes");
    let numbers = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_guard = |pid: &u32| {
        let read = |name| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let parent = format!("PPid:\t{follower}\n");
        read("status").contains(&parent) && read("cmdline").contains("--guard")
    };
    let mut guards = numbers.filter(is_guard);
    guards.next()
}

/// Kills a guard and its follower, so that neither can react to the other's end.
fn kill_both(guard: u32, follower: &Follower) {
    follower.signal("STOP");
    signal(guard, "KILL");
    follower.signal("KILL");
}

#[test]
fn killed_at_any_moment_it_leaves_the_last_tables() {
    let scene = Scene::new();
    let mut follower = scene.follower(&[]);
    let sm = scene.opensm();
    for (round, after) in [0, 5, 15, 30, 45, 60, 80, 120].into_iter().enumerate() {
        let from = sm.files.log_len();
        sm.hang_up();
        sleep(Duration::from_millis(after));
        follower.signal(if round % 4 == 3 { "TERM" } else { "KILL" });
        sm.files.wait_for(from, "SUBNET UP");
        assert_eq!(sm.files.log_lines("PARSE"), [""; 0]);
        sm.files.wait_until_quiet();
        println!("killed after {after} ms");
        scene.is_routed(&sm, &follower);
        scene.is_open(false, &follower);
        follower = scene.follower(&[]);
        scene.is_open(true, &follower);
    }
    assert!(sm.stop());
}

#[test]
fn no_table_is_empty_after_a_kill_while_opensm_waits() {
    let scene = Scene::new();
    let (mut follower, script) = scene.scripted(&[]);
    let config = Config::engine("file,minhop");
    let config = config.line(format!("lfts_file {}", scene.place.display()));
    let sm = OpenSm::start(&scene.sim, &config);
    let moment = || sleep(Duration::from_millis(500));
    let wait = |from, engine: &str| {
        sm.files.wait_for_sweep(from);
        let swept = sm.files.log_after(from);
        let by_engine = format!("{engine} tables configured");
        assert!(swept.contains(&by_engine), "{swept}");
    };
    // The guard is killed before the sweep or in it, then the follower.
    for (is_before, name) in [(true, "TERM"), (true, "KILL"), (false, "KILL")] {
        let guard = guard_of(follower.id()).expect("a guard");
        if is_before {
            signal(guard, "KILL");
            moment();
        }
        scene.discovers(&script, "sleep 2");
        let from = sm.files.log_len();
        sm.hang_up();
        moment();
        if !is_before {
            signal(guard, "KILL");
            moment();
        }
        follower.signal(name);
        wait(from, "file");
        assert!(is_routed(&sm.files, nodes(&scene.net)), "{name}");
        (follower, _) = scene.scripted(&[]);
        scene.is_open(true, &follower);
    }
    // Both are killed at once: the next engine routes, until there is a follower.
    let guard = guard_of(follower.id()).expect("a guard");
    scene.discovers(&script, "sleep 2");
    let from = sm.files.log_len();
    sm.hang_up();
    moment();
    kill_both(guard, &follower);
    wait(from, "minhop");
    let from = sm.files.log_len();
    let (_follower, _) = scene.scripted(&["--notify", &hang_up(&sm)]);
    wait(from, "file");
    assert!(is_routed(&sm.files, nodes(&scene.net)));
    assert!(sm.stop());
}

#[test]
fn without_its_guard_it_gets_another_and_without_both_the_next_one_serves() {
    let scene = Scene::new();
    let follower = scene.follower(&[]);
    let sm = scene.opensm();
    for name in ["KILL", "STOP"] {
        let old = poll(LIMIT, || guard_of(follower.id())).expect("a guard");
        signal(old, name);
        if name == "STOP" {
            sm.resweep();
        }
        let new = poll(LIMIT, || guard_of(follower.id()).filter(|new| *new != old));
        assert!(new.is_some(), "{name}: {}", follower.said());
    }
    // The new guard does its work.
    follower.signal("KILL");
    scene.is_open(false, &follower);
    let follower = scene.follower(&[]);
    sm.resweep();
    scene.is_routed(&sm, &follower);
    let guard = poll(LIMIT, || guard_of(follower.id()));
    kill_both(guard.expect("a guard"), &follower);
    let from = sm.files.log_len();
    sm.hang_up();
    sleep(Duration::from_millis(500));
    let waits = !sm.files.log_after(from).contains("SUBNET UP");
    assert!(waits, "nobody is there to serve it");
    let again = scene.follower(&[]);
    sm.files.wait_for(from, "SUBNET UP");
    scene.is_routed(&sm, &again);
    assert!(sm.stop());
}

#[test]
fn a_discovery_that_fails_or_hangs_leaves_the_last_tables_and_is_made_up_for() {
    let mut scene = Scene::new();
    let told = scene.sim.dir().join("told");
    let notify = format!("touch {}", told.display());
    let args = ["--limit", "3", "--notify", &notify];
    let (follower, script) = scene.scripted(&args);
    let sm = scene.opensm();
    let (node, port) = scene.net.switch_link();
    for (what, said) in [
        ("exit 3", "exit status: 3"),
        ("sleep 60 &\nwait", "not done in"),
    ] {
        scene.discovers(&script, what);
        let (from, start) = (sm.files.log_len(), Instant::now());
        scene.sim.unlink(node, port);
        // On a busy machine ibsim's trap can be lost.
        sm.hang_up();
        sm.files.wait_for(from, "SUBNET UP");
        let took = start.elapsed();
        // Far less than the sixty seconds that the discovery hangs.
        assert!(took < Duration::from_secs(20), "{took:?}");
        follower.wait_for(said, 1);
        follower.wait_for("the tables are stale since 2", 1);
        sm.files.wait_until_quiet();
        assert!(!is_routed(&sm.files, nodes(&scene.net)), "the link is gone");
        // The follower looks again by itself, without a sweep of OpenSM.
        let _ = fs::remove_file(&told);
        scene.discovers(&script, "");
        wait_until(LIMIT, || told.exists(), || follower.said());
        sm.resweep();
        scene.is_routed(&sm, &follower);
        scene.sim.relink(node, port);
        sm.resweep();
    }
    assert!(sm.stop());
}

#[test]
fn one_that_is_stopped_is_ended_by_its_guard() {
    let scene = Scene::new();
    let mut follower = scene.follower(&["--limit", "3"]);
    let sm = scene.opensm();
    follower.signal("STOP");
    sm.resweep();
    scene.is_routed(&sm, &follower);
    let said = follower.said();
    assert!(said.contains("no sign of the follower for 6s"), "{said}");
    assert_eq!(follower.ends(), None, "a signal ended it");
    assert!(!scene.is_fifo());
    assert!(sm.stop());
}

#[test]
fn without_any_tables_the_next_engine_routes() {
    let scene = Scene::new();
    let args = ["--fifo", path_of(&scene.place)];
    let follower = Follower::discovering(&scene.sim, "false", &args);
    follower.wait_for("'false' has failed", 1);
    let config = Config::engine("file,minhop");
    let config = config.line(format!("lfts_file {}", scene.place.display()));
    let sm = OpenSm::start(&scene.sim, &config);
    assert_eq!(sm.files.log_lines("file tables configured"), [""; 0]);
    assert!(!sm.files.log_lines("minhop tables configured").is_empty());
    follower.signal("KILL");
    let stays = || "a FIFO without a writer stays".into();
    wait_until(LIMIT, || !scene.place.exists(), stays);
    assert!(sm.stop());
}

#[test]
fn with_once_one_reader_is_served() {
    let scene = Scene::new();
    let mut follower = scene.follower(&["--once"]);
    let sm = scene.opensm();
    assert_eq!(follower.ends(), Some(0), "{}", follower.said());
    assert!(!scene.is_fifo() && is_routed(&sm.files, nodes(&scene.net)));
    sm.resweep();
    assert!(sm.stop());
}
