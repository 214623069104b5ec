//! The folder where `reference=auto` keeps its file: no room, no permission, two OpenSMs, and death in the
//! middle of a write.

use super::{SPINE, TREE, assert_tables_fit, at_port, other, places, with_option};
use crate::promtool::promtool;
use crate::storm::NODES_100;
use crate::support::opensm::by_port;
use crate::support::*;
use dmodc_formats::netlist::Netlist;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

const LIMIT: Duration = Duration::from_secs(30);

/// A spine has gone, and the master dies. The standby makes the same tables with the same file; an OpenSM without it
/// makes those of the fabric as it is.
#[test]
fn a_standby_with_the_same_file_makes_the_same_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let (net, mut sim) = Net::simulated(TREE);
    let hosts = sim.hosts().to_vec();
    let shared = |priority: u8, host: usize| {
        let config = with_option("auto")
            .cache_dir(folder.path())
            .run_at(&hosts[host]);
        let config = config.line(format!("sm_priority {priority}"));
        // Few polls: a poll on its way when the first dies gets no reply here, and no timeout.
        let config = config.line("sminfo_polling_timeout 700");
        config.line("polling_retry_number 1")
    };
    let first = OpenSm::start(&sim, &shared(9, 0));
    let [kept, theirs] = [0, 5].map(|host| folder.path().join(at_port(&net, host)));
    let seen = places(&kept);
    sim.unlink_all(net.node(SPINE));
    first.resweep();
    let without = first.files.lfts();
    fs::copy(&kept, theirs).expect("copied");
    let standby = OpenSm::launch(&sim, &shared(3, 5));
    standby.files.wait_for(0, "Entering STANDBY state");
    standby.files.wait_until_quiet();
    drop(first);
    standby.files.wait_for_sweep(0);
    assert!(standby.files.lfts() == without, "other tables");
    assert_tables_fit(&standby.files, Some(seen));
    standby.files.assert_errors(&[]);
    drop(standby);
    let other = OpenSm::start(&sim, &Config::dmodc());
    assert_tables_fit(&other.files, None);
}

/// Two subnets on one host, with one folder: each has its own files, by its port GUID, and its own metrics.
#[test]
fn two_subnets_on_one_host_share_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let nets = [Net::pgft(TREE), Net::write(other(TREE))];
    let sims = nets.each_ref().map(|net| Ibsim::start(&net.path));
    let prom = folder.path().join("dmodc-%g.prom");
    let options = format!("dmodc.metrics={}", prom.display());
    let config = Config::dmodc().options(&options).cache_dir(folder.path());
    let sms = sims.each_ref().map(|sim| OpenSm::start(sim, &config));
    for (sm, net) in sms.iter().zip(&nets) {
        sm.resweep();
        sm.files.assert_errors(&[]);
        let file = at_port(net, 0);
        let seen = places(&folder.path().join(&file));
        assert_tables_fit(&sm.files, Some(seen));
        let order = sm.files.by_port(Files::ORDER);
        let port = file.split(['-', '.']).rev().nth(1).expect("a port");
        assert!(order.display().to_string().contains(port), "{order:?}");
        let metrics = folder.path().join(format!("dmodc-{port}.prom"));
        wait_until(LIMIT, || metrics.exists(), || "no metrics".into());
        let text = fs::read_to_string(&metrics).expect("metrics");
        let figure = format!("dmodc_switches{{sm=\"{port}\"}} 10\n");
        assert!(text.contains(&figure), "{text}");
        promtool(folder.path(), &["check", "metrics"], text.as_bytes());
        // `status` reads the one that is named, and finds the reference of the same port.
        let said = tool(["status", "--log", "none", "--conf", "none", "--metrics"])
            .arg(&metrics)
            .env("OSM_CACHE_DIR", folder.path())
            .output();
        let said = said.expect("it runs").stdout;
        let said = String::from_utf8_lossy(&said);
        has(&said, &file);
        has(&said, "10 switches");
    }
    assert!(sms.into_iter().all(OpenSm::stop));
}

/// At an upgrade the file that had no port in its name is taken over, and put aside: what is forgotten later does not
/// come back with it. One of another fabric stays for the OpenSM whose it is, and one that is damaged.
#[test]
fn the_file_of_an_earlier_version_is_taken_over_once() {
    let (net, mut sim) = Net::simulated(TREE);
    let folder = tempfile::tempdir().expect("a folder");
    let [old, aside] =
        ["net", "net.old"].map(|end| folder.path().join(format!("opensm-dmodc-reference.{end}")));
    let own = folder.path().join(at_port(&net, 0));
    let config = with_option("auto").cache_dir(folder.path());
    fs::write(&old, net.netlist.to_text()).expect("written");
    sim.unlink_all(net.node(SPINE));
    let sm = OpenSm::start(&sim, &config);
    sm.files.wait_for(0, "has what");
    assert_tables_fit(&sm.files, Some(places(&own)));
    assert_eq!(places(&own).switches().len(), 10);
    assert!(aside.exists() && !old.exists());
    done(tool(["forget", SPINE, "--reference"]).arg(&own));
    fs::remove_file(&own).expect("removed");
    sm.resweep();
    assert_eq!(places(&own).switches().len(), 9, "it came back");
    sm.files.assert_errors(&[]);
    assert!(sm.stop());

    fs::remove_file(&own).expect("removed");
    let foreign = other(TREE).to_text();
    fs::write(&old, &foreign).expect("written");
    let sm = OpenSm::start(&sim, &config);
    sm.resweep();
    has(&sm.files.log_line("of another fabric"), "dmodc: reference");
    sm.files.assert_errors(&[]);
    assert_eq!(places(&own).switches().len(), 9);
    assert_eq!(fs::read(&old).expect("there"), foreign);
    assert_tables_fit(&sm.files, Some(places(&own)));
    assert!(sm.stop());

    // One that cannot be read stays, too.
    fs::remove_file(&own).expect("removed");
    fs::write(&old, "damaged").expect("written");
    let sm = OpenSm::start(&sim, &config);
    sm.resweep();
    assert_eq!(places(&own).switches().len(), 9);
    assert_eq!(fs::read_to_string(&old).expect("there"), "damaged");
    assert!(sm.files.log_lines("has what").is_empty() && sm.stop());
}

/// A damaged file is kept: what it knew can be had again.
#[test]
fn a_damaged_file_is_kept_beside_the_new_one() {
    let (net, mut sim) = Net::simulated(TREE);
    let folder = tempfile::tempdir().expect("a folder");
    let config = with_option("auto").cache_dir(folder.path());
    assert!(OpenSm::start(&sim, &config).stop());
    let path = by_port(folder.path(), Files::REFERENCE);
    let whole = fs::read(&path).expect("the places");
    let damaged = &whole[..whole.len() / 2];
    fs::write(&path, damaged).expect("written");
    sim.unlink_all(net.node(SPINE));
    let sm = OpenSm::start(&sim, &config);
    let bad = PathBuf::from(format!("{}.bad", path.display()));
    wait_until(LIMIT, || bad.exists(), || "no file is kept".into());
    sm.files.wait_for(0, "a new one begins");
    sm.resweep();
    assert_eq!(fs::read(&bad).expect("kept"), damaged);
    assert_eq!(places(&path).switches().len(), 9);
    assert_tables_fit(&sm.files, None);
    // An administrator puts the memory back.
    fs::write(&path, &whole).expect("written");
    sm.resweep();
    assert_tables_fit(&sm.files, Some(places(&path)));
    assert_eq!(places(&path).switches().len(), 10);
    assert_eq!(sm.files.log_lines("dmodc: ERR").len(), 1);
    assert!(sm.stop());
}

/// Whenever OpenSM dies, the file is the old one or the new one.
#[test]
fn killed_while_it_writes_the_file_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let (net, sim) = Net::simulated(NODES_100);
    let config = with_option("auto")
        .cache_dir(folder.path())
        .log_flags("0x03");
    let path = folder.path().join(at_port(&net, 0));
    let write = || {
        let sm = OpenSm::start(&sim, &config);
        assert!(sm.stop());
        fs::read(&path).expect("the places")
    };
    write();
    // The places without the last node.
    let netlist = Netlist::read(&path).expect("a netlist");
    let last = netlist.nodes.len() as u32 - 1;
    let old = netlist.without_nodes(&[last]).to_text();
    fs::write(&path, &old).expect("written");
    let new = write();
    assert_ne!(old, new);
    let unfinished = || -> Option<PathBuf> {
        let files = fs::read_dir(folder.path()).expect("the folder").flatten();
        let mut files = files.map(|file| file.path());
        files.find(|file| file.extension().is_some_and(|e| e == "tmp"))
    };
    for microseconds in [0, 100, 500, 2_000, 100_000] {
        fs::write(&path, &old).expect("written");
        let sm = OpenSm::launch(&sim, &config);
        // The loop has no pause: the unfinished file is there for a moment only.
        let start = Instant::now();
        while unfinished().is_none() && fs::read(&path).expect("the file") == old {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{}",
                sm.files.log()
            );
        }
        std::thread::sleep(Duration::from_micros(microseconds));
        // Kills OpenSM.
        drop(sm);
        let found = fs::read(&path).expect("the file");
        println!(
            "killed {microseconds} us after: {}",
            if found == old { "old" } else { "new" }
        );
        assert!(found == old || found == new, "neither old nor new");
        if let Some(left) = unfinished() {
            // An old file counts as left behind: no OpenSM is writing to it.
            let left = File::options().write(true).open(left).expect("it is there");
            let then = SystemTime::now() - Duration::from_secs(3600);
            left.set_modified(then).expect("set");
            fs::write(&path, &old).expect("written");
            write();
            assert_eq!(unfinished(), None, "the next OpenSM leaves the rest there");
        }
    }
}

/// A file system of a few pages, where root may mount one.
struct Tiny(tempfile::TempDir);

impl Tiny {
    fn new() -> Option<Tiny> {
        let dir = tempfile::tempdir().expect("a folder");
        run(
            "mount",
            &["-t", "tmpfs", "-o", "size=64k", "tmpfs"],
            dir.path(),
        )
        .then_some(Tiny(dir))
    }
}

impl Drop for Tiny {
    fn drop(&mut self) {
        run("umount", &["-l"], self.0.path());
    }
}

fn run(program: &str, args: &[&str], path: &Path) -> bool {
    let output = Command::new(program).args(args).arg(path).output();
    output.is_ok_and(|output| output.status.success())
}

/// A link is read, but not replaced: the reference stays in use, and the log says once that it does not grow.
#[test]
fn a_reference_that_cannot_be_replaced_is_used_and_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (net, mut sim) = Net::simulated(TREE);
    let sm = OpenSm::start(&sim, &with_option("auto").cache_dir(folder.path()));
    let file = by_port(folder.path(), Files::REFERENCE);
    let kept = folder.path().join("kept");
    fs::rename(&file, &kept).expect("the places");
    symlink(&kept, &file).expect("a link");
    sim.unlink_all(net.node(SPINE));
    let sweep_thrice = || {
        for _ in 0..3 {
            sm.resweep();
        }
        sm.files.log_lines("cannot be written: ").len()
    };
    assert_eq!(sweep_thrice(), 1);
    has(
        &sm.files.log_line("cannot be written: "),
        "; changes are not remembered",
    );
    fs::remove_file(&file).expect("the link");
    fs::rename(&kept, &file).expect("the places");
    assert_eq!(sweep_thrice(), 1);
    let written = fs::read_to_string(&file).expect("the places");
    has(&written, "seen ");
    assert!(sm.stop());
}

#[test]
fn a_folder_that_is_full_or_read_only_is_one_line() {
    for read_only in [false, true] {
        let Some(tiny) = Tiny::new() else {
            crate::skip::skipped("nothing can be mounted here");
            return;
        };
        let path = tiny.0.path();
        let sim = Ibsim::start(&Net::pgft(TREE).path);
        // OpenSM does not start where it cannot write its own files.
        let sm = OpenSm::start(&sim, &with_option("auto").cache_dir(path));
        fs::remove_file(by_port(path, Files::REFERENCE)).expect("the places");
        match read_only {
            true => assert!(run("mount", &["-o", "remount,ro"], path)),
            // The write ends when the file system is full.
            false => drop(fs::write(path.join("all"), vec![0; 1 << 20])),
        }
        sm.resweep();
        sm.resweep();
        sm.files.assert_errors(&["cannot be written"]);
        assert_tables_fit(&sm.files, None);
        let left: Vec<_> = fs::read_dir(path).expect("the folder").flatten().collect();
        let ours = left
            .iter()
            .filter(|f| f.file_name().to_string_lossy().contains("dmodc"));
        assert_eq!(ours.count(), 0, "what could not be written is left");
        assert!(sm.stop());
    }
}
