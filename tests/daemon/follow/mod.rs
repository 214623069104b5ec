//! `dmodc follow` beside the stock OpenSM with its engine `file`: tables that follow the fabric.

mod storm;

use crate::support::*;
use dmodc_formats::netlist::Netlist;
use dmodc_lab::sim::Program;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest wait, for a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// A shell command that runs a program at a host of the fabric.
pub fn seen_from(sim: &Ibsim, host: usize, program: &'static str) -> String {
    let command = sim.client(program, &sim.hosts()[host], sim.dir());
    let mut words = vec!["env".to_owned()];
    for (name, value) in command.get_envs() {
        let [name, value] = [Some(name), value].map(|text| text.expect("set").to_str());
        words.push(format!(
            "{}='{}'",
            name.expect("text"),
            value.expect("text")
        ));
    }
    words.push(program.to_owned());
    words.join(" ")
}

/// A follower beside the OpenSM at the first host.
pub struct Follower {
    process: Guard,
    output: PathBuf,
}

impl Follower {
    pub fn start(sim: &Ibsim, args: &[&str]) -> Follower {
        let discover = seen_from(sim, 0, "ibnetdiscover");
        Follower::discovering(sim, &discover, args)
    }

    /// As [`Follower::start`], with another discovery command.
    pub fn discovering(sim: &Ibsim, discover: &str, args: &[&str]) -> Follower {
        const DMODC: Program = Program {
            name: env!("CARGO_BIN_EXE_dmodc"),
            package: "none",
        };
        let mut command = DMODC.command(sim.dir()).expect("it has been built");
        let sminfo = seen_from(sim, 0, "sminfo");
        let given = ["follow", "--discover", discover, "--sminfo", &sminfo];
        command.args(given).args(["--reference", "none"]).args(args);
        // A follower that is killed leaves its temporary folder.
        command.env("TMPDIR", sim.dir());
        if !args.contains(&"--every") {
            command.args(["--every", "0.3"]);
        }
        let file = tempfile::Builder::new()
            .prefix("follow-")
            .tempfile_in(sim.dir());
        let (_, output) = file.expect("a file").keep().expect("it stays");
        Follower {
            process: Guard::start(command, &output).expect("it starts"),
            output,
        }
    }

    pub fn said(&self) -> String {
        fs::read_to_string(&self.output).expect("its output")
    }

    /// Waits until its output has a text so many times.
    pub fn wait_for(&self, text: &str, times: usize) {
        let has_said = || self.said().matches(text).count() >= times;
        wait_until(LIMIT, has_said, || {
            format!("no {text:?} in:\n{}", self.said())
        });
    }

    pub fn ends(&mut self) -> Option<i32> {
        self.process.wait(LIMIT).expect("it ends").code()
    }
}

/// OpenSM with the engine `file` alone: without tables the fabric stays unrouted.
pub fn config(tables: &Path) -> Config {
    Config::engines("file").line(format!("lfts_file {}", tables.display()))
}

/// Waits until OpenSM sees so many nodes and has Dmodc's tables of them.
pub fn wait_until_routed(files: &Files, nodes: usize) {
    let read = |name| fs::read(files.path(name)).unwrap_or_default();
    let is_routed = || {
        let Ok(subnet) = Netlist::parse(&read("opensm-subnet.lst")) else {
            return false;
        };
        let there = subnet.nodes.iter().filter(|n| !n.ports.is_empty());
        let offline = Offline::route(&subnet, 0, 1, &Options::default());
        there.count() == nodes && offline.has_entries(&read("opensm-lfts.dump"))
    };
    wait_until(LIMIT, is_routed, || files.log());
}

/// A command for `--notify` that makes an OpenSM sweep.
pub fn hang_up(sm: &OpenSm) -> String {
    format!("kill -HUP {}", sm.pid())
}

#[test]
fn tables_follow_links_hosts_and_switches() {
    let (net, mut sim) = Net::simulated(FIGURE_1);
    let nodes = net.netlist.nodes.len();
    let file = sim.dir().join("tables");
    let path = path_of(&file).to_owned();
    let hops = sim.dir().join("hops");
    // Before OpenSM has assigned LIDs.
    let keeps = ["--lfts", &path, "--lid-matrix", path_of(&hops)];
    let mut first = Follower::start(&sim, &[&keeps[..], &["--once"]].concat());
    assert_eq!(first.ends(), Some(0), "{}", first.said());
    let matrix = format!("lid_matrix_dump_file {}", hops.display());
    let sm = OpenSm::start(&sim, &config(&file).line(matrix));
    let notify = hang_up(&sm);
    let follower = Follower::start(&sim, &[&keeps[..], &["--notify", &notify]].concat());
    follower.wait_for("tables written", 1);
    wait_until_routed(&sm.files, nodes);
    let whole = fs::read(&file).expect("tables");
    follower.wait_for("this host's OpenSM is master", 1);

    let (node, port) = net.switch_link();
    let host = sim.hosts()[5].clone();
    sim.unlink(node, port);
    follower.wait_for("lost: '", 1);
    sim.unlink(&host, PortNumber(1));
    follower.wait_for("lost: host", 1);
    wait_until_routed(&sm.files, nodes - 1);
    sim.relink(&host, PortNumber(1));
    sim.relink(node, port);
    follower.wait_for("back: ", 2);
    wait_until_routed(&sm.files, nodes);
    assert!(fs::read(&file).expect("tables") == whole, "they return");
    assert_eq!(sm.files.log_lines("PARSE"), [""; 0]);
    let said = follower.said();
    assert!(!said.contains("ERR"), "{said}");
    // Before, the follower may have OpenSM sweep once more, and write its dumps anew.
    let files = sm.stop_for_files().expect("OpenSM ends");
    tools::ibdmchk(&sim, &files);
}

#[test]
fn beside_a_standby_it_waits() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let file = sim.dir().join("tables");
    let path = path_of(&file).to_owned();
    let _sm = OpenSm::start(&sim, &Config::engines("minhop"));
    let elsewhere = seen_from(&sim, 3, "ibnetdiscover");
    let follower = Follower::discovering(&sim, &elsewhere, &["--lfts", &path]);
    follower.wait_for("another host's OpenSM is master: waiting", 1);
    assert!(!file.exists());
}
