//! The reference under a running OpenSM: what is gone keeps its place, and a file that is no reference
//! does no harm.

use crate::storm::NODES_100;
use crate::support::fabrics::{FIGURE_1, Net};
use crate::support::ibsim::Ibsim;
use crate::support::offline::Offline;
use crate::support::opensm::{self, Config, Files, OpenSm};
use dmodc::dmodc::Options;
use dmodc::fabric::{Fabric, Guid};
use dmodc::netlist::Netlist;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TREE: &str = "PGFT(2;4,6;1,4;1,1)";
const NAME: &str = "opensm-dmodc-reference.net";

fn with(reference: &str) -> Config {
    Config::dmodc().line(format!("event_plugin_options dmodc.reference={reference}"))
}

fn places(path: &Path) -> Fabric {
    let netlist = Netlist::read(path).expect("a netlist");
    netlist.to_fabric(None).expect("LIDs").0
}

/// A fabric of which no other has anything.
fn other(shape: &str) -> Netlist {
    let mut other = Net::pgft(shape).netlist;
    for node in &mut other.nodes {
        node.guid = Guid(node.guid.0 ^ 1 << 60);
        node.id = format!("other-{}", node.id);
        node.ports.iter_mut().for_each(|port| port.guid = None);
    }
    other
}

/// The ports of the first spine.
fn spine(net: &Net) -> (String, Vec<u8>) {
    let spines = net.netlist.switches();
    let spine = spines.filter(|s| {
        s.ports
            .iter()
            .all(|p| net.netlist.nodes[p.peer as usize].kind == dmodc::netlist::Kind::Switch)
    });
    let spine = spine.into_iter().next().expect("a spine");
    (
        spine.id.clone(),
        spine.ports.iter().map(|p| p.number).collect(),
    )
}

/// The tables of the fabric as OpenSM saw it last, with these places.
fn assert_tables_fit(files: &Files, reference: Option<Fabric>) {
    let options = Options {
        reference: reference.map(Arc::new),
        ..Options::default()
    };
    let offline = Offline::route(&files.subnet(), 0, 2, &options);
    offline.assert_same(&files.lfts());
    offline.assert_clean(&files.lfts());
}

#[test]
fn a_spine_that_goes_keeps_its_place_also_for_the_next_opensm() {
    let net = Net::pgft(TREE);
    let mut sim = Ibsim::start(&net.path);
    let config = with("auto");
    let sm = OpenSm::start(&sim, &config);
    let (whole, seen) = (sm.files.lfts(), places(&sm.files.path(NAME)));
    assert_eq!(seen.switches().len(), 10);
    let (spine, ports) = spine(&net);
    for &port in &ports {
        sim.unlink(&spine, port);
    }
    sm.resweep();
    let without = sm.files.lfts();
    assert_tables_fit(&sm.files, Some(seen.clone()));
    assert!(
        places(&sm.files.path(NAME)).has_places_of(&seen),
        "the file has forgotten"
    );
    let files = sm.stop_for_files().expect("it ends");
    let next = OpenSm::again(files, &sim, &config);
    assert!(
        next.files.lfts() == without,
        "the next OpenSM has other tables"
    );
    for &port in &ports {
        sim.relink(&spine, port);
    }
    next.resweep();
    assert!(next.files.lfts() == whole, "the tables did not return");
    assert_eq!(next.files.log_lines("dmodc: ERR"), [""; 0]);
}

#[test]
fn what_is_no_reference_is_one_line_and_does_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("plain text").to_owned()
    };
    let mut text = Vec::new();
    other(FIGURE_1).write(&mut text).expect("memory takes it");
    // It takes no room: nothing is in it.
    let huge = file("huge", b"");
    let grown = File::options().write(true).open(&huge);
    let grown = grown.and_then(|file| file.set_len(1 << 40));
    grown.expect("a file with a hole");
    for (reference, reason) in [
        (file("half", &text[..text.len() / 2]), "half"),
        (file("noise", b"\0\xff reference \n"), "noise"),
        (
            folder.path().join("none").to_str().expect("text").into(),
            "No such file",
        ),
        (folder.path().to_str().expect("text").into(), "not a file"),
        (file("other", &text), "of another fabric"),
        (huge, "more than any fabric needs"),
    ] {
        let sim = Ibsim::start(&Net::pgft(TREE).path);
        let sm = OpenSm::start(&sim, &with(&reference));
        sm.resweep();
        let errors = sm.files.log_lines("dmodc: ERR");
        assert_eq!(errors.len(), 1, "{reason}: {errors:#?}");
        assert!(errors[0].contains(reason), "{reason}: {errors:#?}");
        assert_tables_fit(&sm.files, None);
    }
}

#[test]
fn a_folder_that_takes_no_file_is_one_line() {
    let sim = Ibsim::start(&Net::pgft(TREE).path);
    let sm = OpenSm::launch(&sim, &with("auto"));
    // A folder of that name, before the first sweep is over.
    fs::create_dir(sm.files.path(NAME)).expect("nothing is there yet");
    sm.files.wait_for(0, "SUBNET UP");
    sm.files.wait_until_quiet();
    sm.resweep();
    let errors = sm.files.log_lines("dmodc: ERR");
    assert!(
        !errors.is_empty() && errors[0].contains("reference "),
        "{errors:#?}"
    );
    assert_tables_fit(&sm.files, None);
}

#[test]
fn the_papers_rule_takes_no_reference() {
    let sim = Ibsim::start(&Net::pgft(TREE).path);
    let options = "event_plugin_options dmodc.reference=auto dmodc.faults=paper";
    let files = opensm::route(&sim, &Config::dmodc().line(options));
    let errors = files.log_lines("dmodc: ERR");
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0].contains("dmodc.faults=paper"), "{errors:#?}");
}

/// A spine has left, and OpenSM dies. The standby makes the same tables with the same file, and without it
/// those of the fabric as it is.
#[test]
fn a_standby_with_the_same_file_makes_the_same_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let net = Net::pgft(TREE);
    let mut sim = Ibsim::start(&net.path);
    let shared = |priority: u8, host: usize| {
        let config = with("auto").cache_dir(folder.path()).at(host);
        let config = config.line(format!("sm_priority {priority}"));
        // A poll on its way when the first dies is never answered here, nor timed out: few polls.
        let config = config.line("sminfo_polling_timeout 700");
        config.line("polling_retry_number 1")
    };
    let first = OpenSm::start(&sim, &shared(9, 0));
    let seen = places(&folder.path().join(NAME));
    let (spine, ports) = spine(&net);
    ports.iter().for_each(|&port| sim.unlink(&spine, port));
    first.resweep();
    let without = first.files.lfts();
    let standby = OpenSm::launch(&sim, &shared(3, 5));
    standby.files.wait_for(0, "Entering STANDBY state");
    standby.files.wait_until_quiet();
    drop(first);
    standby.files.wait_for(0, "SUBNET UP");
    standby.files.wait_until_quiet();
    assert!(
        standby.files.lfts() == without,
        "the standby has other tables"
    );
    assert_tables_fit(&standby.files, Some(seen));
    assert_eq!(standby.files.log_lines("dmodc: ERR"), [""; 0]);
    drop(standby);
    let other = OpenSm::start(&sim, &Config::dmodc());
    assert_tables_fit(&other.files, None);
}

/// Two subnets want a folder each, for `guid2lid` too. With one, each OpenSM says so, and both route.
#[test]
fn two_subnets_on_one_folder_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let nets = [Net::pgft(TREE), Net::write(other(TREE))];
    let sims = nets.each_ref().map(|net| Ibsim::start(&net.path));
    let config = with("auto").cache_dir(folder.path());
    let sms = sims.each_ref().map(|sim| OpenSm::start(sim, &config));
    for sm in &sms {
        sm.resweep();
        let errors = sm.files.log_lines("dmodc: ERR");
        assert!(
            errors.iter().all(|line| line.contains("of another fabric")),
            "{errors:#?}"
        );
        assert!(!errors.is_empty());
        assert_tables_fit(&sm.files, None);
    }
    assert!(sms.into_iter().all(OpenSm::stop));
}

/// Whenever OpenSM dies, the file is the old one or the new one.
#[test]
fn killed_while_it_writes_the_file_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let sim = Ibsim::start(&Net::pgft(NODES_100).path);
    let config = with("auto").cache_dir(folder.path()).log_flags("0x03");
    let path = folder.path().join(NAME);
    let write = || {
        let sm = OpenSm::start(&sim, &config);
        assert!(sm.stop());
        fs::read(&path).expect("the places")
    };
    write();
    // The places but for those of one switch.
    let netlist = Netlist::read(&path).expect("a netlist");
    let last = netlist.nodes.len() as u32 - 1;
    let mut old = Vec::new();
    netlist
        .without_nodes(&[last])
        .write(&mut old)
        .expect("memory takes it");
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
        // Without a pause: the file is there for a moment only.
        let start = Instant::now();
        while unfinished().is_none() && fs::read(&path).expect("the file") == old {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{}",
                sm.files.log()
            );
        }
        std::thread::sleep(Duration::from_micros(microseconds));
        // With KILL.
        drop(sm);
        let found = fs::read(&path).expect("the file");
        println!(
            "killed {microseconds} us after: {}",
            if found == old { "old" } else { "new" }
        );
        assert!(found == old || found == new, "neither old nor new");
        if let Some(rest) = unfinished() {
            fs::remove_file(rest).expect("it can be removed");
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

#[test]
fn a_folder_that_is_full_or_read_only_is_one_line() {
    for read_only in [false, true] {
        let Some(tiny) = Tiny::new() else {
            println!("skipped: nothing can be mounted here");
            return;
        };
        let path = tiny.0.path();
        let sim = Ibsim::start(&Net::pgft(TREE).path);
        // OpenSM does not even start without files of its own there.
        let sm = OpenSm::start(&sim, &with("auto").cache_dir(path));
        fs::remove_file(path.join(NAME)).expect("the places");
        match read_only {
            true => assert!(run("mount", &["-o", "remount,ro"], path)),
            // It ends when there is no room.
            false => drop(fs::write(path.join("all"), vec![0; 1 << 20])),
        }
        sm.resweep();
        sm.resweep();
        let errors = sm.files.log_lines("dmodc: ERR");
        assert_eq!(errors.len(), 1, "{errors:#?}");
        assert!(errors[0].contains("cannot be written"), "{errors:#?}");
        assert_tables_fit(&sm.files, None);
        let left: Vec<_> = fs::read_dir(path).expect("the folder").flatten().collect();
        let ours = left
            .iter()
            .filter(|f| f.file_name().to_string_lossy().contains("dmodc"));
        assert_eq!(ours.count(), 0, "what could not be written is left");
        assert!(sm.stop());
    }
}
