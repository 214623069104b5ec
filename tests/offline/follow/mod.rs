//! `dmodc follow` with a file, on captures instead of a live fabric: which captures it believes, and what it writes,
//! over several looks. A single look is tested in `tests/data/answers/follow.txt`.

mod killed;

use crate::support::*;
use dmodc_lab::sim::poll;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest wait, for a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

const STALE: &str = "dmodc_stale_since_timestamp_seconds";

/// A folder with captures of a fabric. The discovery command prints one of them.
struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    /// The discovery finds a whole fabric.
    fn new() -> Scene {
        let dir = tempfile::tempdir().unwrap();
        let scene = Scene { dir };
        let shape = "PGFT(2;4,6;1,4;1,1)";
        ok(["generate", shape, "--seed", "1", "-o", &scene.file("whole")]);
        scene.finds("whole");
        scene
    }

    fn file(&self, name: &str) -> String {
        path_of(&self.dir.path().join(name)).to_owned()
    }

    /// Writes the fabric without some parts. All others keep their LIDs.
    fn without(&self, name: &str, parts: &[&str]) {
        let (whole, less) = (self.file("whole"), self.file(name));
        let removed = parts.iter().flat_map(|part| ["--remove", part]);
        let args = ["degrade", &whole, "-o", &less].into_iter().chain(removed);
        ok(args);
    }

    fn finds(&self, name: &str) {
        self.discovers(&format!("cat {}", self.file(name)));
    }

    fn discovers(&self, script: &str) {
        // By a rename, so that no follower reads half a script.
        fs::write(self.file("new-script"), script).unwrap();
        fs::rename(self.file("new-script"), self.file("script")).unwrap();
    }

    /// Without a reference, the tables depend on what the last look finds alone.
    fn args(&self, more: &[&str]) -> Vec<String> {
        let discover = format!("sh {}", self.file("script"));
        let tables = self.file("tables");
        let [lfts, reference] = [["--lfts", &tables], ["--reference", "none"]];
        let args = [&["follow", "--discover", &discover], &lfts[..], &reference].concat();
        args.iter().chain(more).map(|&arg| arg.to_owned()).collect()
    }

    /// One look of a follower, which ends with this exit code.
    fn once(&self, more: &[&str], code: i32) {
        ends(&mut tool(self.args(&[&["--once"], more].concat())), code);
    }

    /// The tables that `dmodc route` makes of a capture.
    fn routed(&self, name: &str) -> Vec<u8> {
        let routed = self.file("routed");
        ok(["route", &self.file(name), "--lfts", &routed, "--plain"]);
        fs::read(self.file("routed")).unwrap()
    }

    /// A figure of the metrics in the file `prom`, which a follower may be about to begin.
    fn figure(&self, name: &str) -> Option<f64> {
        let text = fs::read_to_string(self.file("prom")).ok()?;
        let line = text.lines().find(|l| l.split(' ').next() == Some(name));
        line?.split(' ').next_back()?.parse().ok()
    }

    fn has_tables_of(&self, name: &str) -> bool {
        fs::read(self.file("tables")).is_ok_and(|tables| tables == self.routed(name))
    }
}

#[track_caller]
fn wait_until(is: impl Fn() -> bool) {
    assert!(poll(LIMIT, || is().then_some(())).is_some());
}

struct Running {
    child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Running {
    fn start(scene: &Scene, more: &[&str]) -> Running {
        // A follower that is killed leaves its temporary folder.
        Running::spawn(tool(scene.args(more)).env("TMPDIR", scene.dir.path()))
    }

    fn spawn(command: &mut Command) -> Running {
        let mut child = command
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let errors = child.stderr.take().unwrap();
        let (line, lines) = channel();
        thread::spawn(move || {
            let all = BufReader::new(errors).lines().map_while(Result::ok);
            all.map_while(|l| line.send(l).ok()).for_each(drop);
        });
        Running {
            child,
            lines,
            said: Vec::new(),
        }
    }

    fn ask(&mut self) {
        writeln!(self.child.stdin.as_mut().unwrap(), "look").unwrap();
    }

    fn says(&mut self, text: &str) -> String {
        let until = Instant::now() + LIMIT;
        while let Ok(line) = self.lines.recv_timeout(until - Instant::now()) {
            self.said.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
        panic!("no {text:?} in {:#?}", self.said);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn half_a_fabric_is_not_believed_at_once() {
    let scene = Scene::new();
    scene.without("half", &["L1-0", "L1-1", "L1-2"]);
    scene.without("other", &["L1-2", "L1-3", "L1-4"]);
    scene.without("bit", &["node-3"]);
    let (whole, half, other) = (scene.file("whole"), scene.file("half"), scene.file("other"));
    let mut follower = Running::start(&scene, &["--every", "3600"]);
    follower.says("ranks: ");
    let flag = scene.file("flag");
    // The first look finds half of the fabric, the next all of it.
    scene.discovers(&format!(
        "if [ -e {flag} ]; then cat {whole}; else touch {flag}; cat {half}; fi"
    ));
    follower.ask();
    follower.says("12 of 24 hosts and 3 of 10 switches are gone at once: looking again");
    follower.says("they are there again");
    // Each look finds another part.
    let odd = scene.file("odd");
    scene.discovers(&format!(
        "if [ -e {odd} ]; then rm {odd}; cat {other}; else touch {odd}; cat {half}; fi"
    ));
    follower.ask();
    follower.says("3 looks differ, and in the last one 12 of 24 hosts");
    assert!(scene.has_tables_of("whole"));
    // The follower believes a small loss at once, and a large one if two looks find it.
    scene.finds("bit");
    follower.ask();
    follower.says("lost: host 'node-3'");
    follower.says("no longer stale");
    assert!(scene.has_tables_of("bit"));
    scene.finds("half");
    follower.ask();
    follower.says("are gone at once: looking again");
    follower.says("lost: switch");
    assert!(scene.has_tables_of("half"));
}

#[test]
fn no_lid_is_above_the_highest_of_the_subnet() {
    let scene = Scene::new();
    let highest = |name: &str| {
        let text = fs::read_to_string(scene.file(name)).unwrap();
        let lids = text
            .lines()
            .filter_map(|l| l.strip_prefix("0x")?.split(' ').next());
        lids.map(|lid| u16::from_str_radix(lid, 16).unwrap()).max()
    };
    let mut follower = Running::start(&scene, &["--every", "3600", "--on-unreachable", "fail"]);
    follower.says("ranks: ");
    assert_eq!(highest("tables"), Some(34));
    // This fabric is refused, since a leaf has no link; and the host with the highest LID is gone.
    scene.without("cut", &["L1-1:5", "L1-1:6", "L1-1:7", "L1-1:8", "node-19"]);
    scene.finds("cut");
    follower.ask();
    follower.says("ERR: not routed: 5 pairs of switches with hosts have no up-down path");
    assert_eq!(highest("tables"), Some(33));
    // The same for tables that an earlier follower has left, also where the fabric is refused.
    fs::write(scene.file("tables"), scene.routed("whole")).unwrap();
    assert_eq!(highest("tables"), Some(34));
    scene.once(&["--on-unreachable", "fail"], 1);
    assert_eq!(highest("tables"), Some(33));
    // A host without a LID gets a free LID, or is left out.
    let text = fs::read_to_string(scene.file("whole")).unwrap();
    let fresh = text.replace(" lid 34 ", " lid 0 ");
    assert_ne!(text, fresh);
    fs::write(scene.file("fresh"), fresh).unwrap();
    scene.finds("fresh");
    follower.ask();
    follower.says("no longer stale");
    assert_eq!(highest("tables"), Some(33));
}

#[test]
fn changed_or_removed_files_are_read_and_written_again() {
    let scene = Scene::new();
    let roots = scene.file("roots");
    fs::write(&roots, "0x0002000200000000\n0x0002000200000001\n").unwrap();
    let args = ["--every", "3600", "--root-guids", &roots];
    let mut follower = Running::start(&scene, &args);
    follower.says("ranks: ");
    let tables = fs::read(scene.file("tables")).unwrap();
    let restored = |follower: &mut Running| {
        follower.ask();
        follower.says("tables written");
        assert!(fs::read(scene.file("tables")).unwrap() == tables);
    };
    fs::remove_file(scene.file("tables")).unwrap();
    restored(&mut follower);
    fs::write(scene.file("tables"), "rubbish").unwrap();
    restored(&mut follower);
    fs::write(&roots, "0x0002000200000002\n").unwrap();
    follower.ask();
    follower.says("routed switches=10");
}

#[test]
fn figures_say_since_when_tables_are_stale() {
    let scene = Scene::new();
    let args = ["--every", "3600", "--metrics", &scene.file("prom")];
    let mut follower = Running::start(&scene, &args);
    follower.says("ranks: ");
    wait_until(|| scene.figure("dmodc_nodes") == Some(24.0));
    assert_eq!(scene.figure(STALE), Some(0.0));
    assert_eq!(scene.figure("dmodc_engine_in_use"), Some(1.0));
    scene.discovers("exit 1");
    follower.ask();
    wait_until(|| scene.figure(STALE) > Some(1e9));
    assert_eq!(scene.figure("dmodc_refusals_total"), Some(1.0));
    scene.finds("whole");
    follower.ask();
    wait_until(|| scene.figure(STALE) == Some(0.0));
}

#[test]
fn a_command_that_fails_is_run_again() {
    let scene = Scene::new();
    let [fine, told, tries] = ["fine", "told", "tries"].map(|name| scene.file(name));
    let notify = format!("echo >>{tries}; test -e {fine} && touch {told}");
    let args = ["--every", "0.1", "--notify", &notify];
    let mut follower = Running::start(
        &scene,
        &[&args[..], &["--metrics", &scene.file("prom")]].concat(),
    );
    wait_until(|| fs::metadata(&tries).is_ok_and(|file| file.len() > 2));
    // OpenSM does not have the tables.
    assert!(scene.figure(STALE) > Some(1e9));
    assert!(!fs::exists(&told).unwrap());
    fs::write(&fine, "").unwrap();
    follower.says("no longer stale");
    assert!(fs::exists(&told).unwrap());
    let told_why = |line: &&String| line.contains("OpenSM was not notified of new tables: 'echo");
    assert_eq!(follower.said.iter().filter(told_why).count(), 1);
    wait_until(|| scene.figure(STALE) == Some(0.0));
    drop(follower);
    // The next one does not know whether this one has told OpenSM.
    fs::remove_file(&told).unwrap();
    let _next = Running::start(&scene, &args);
    wait_until(|| fs::exists(&told).unwrap());
}
