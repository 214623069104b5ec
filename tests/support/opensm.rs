//! The stock OpenSM on a simulated fabric: once and out, in the foreground, or as a daemon.

use super::ibsim::Ibsim;
use super::offline::Offline;
use super::process::{self, Detached, Finished, Guard, program};
use dmodc_core::Options;
use dmodc_fabric::PortNumber;
use dmodc_formats::files::of_ports;
use dmodc_formats::netlist::Netlist;
use dmodc_lab::sim::{self, Plugin};
use std::env;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use dmodc_lab::sim::Config;

/// Time for a sweep of any fabric that these tests use, on a busy machine.
const SWEEP: Duration = Duration::from_secs(60);
/// The log has to be silent this long before the subnet counts as settled.
const QUIET: Duration = Duration::from_millis(400);
/// What OpenSM logs at the end of each complete heavy sweep.
const SUBNET_UP: &str = "SUBNET UP";

/// What tests say of the configuration of an OpenSM.
pub trait Tested: Into<Config> {
    /// Dmodc, with the plugin of the build under test.
    fn dmodc() -> Config {
        Config::engines("dmodc").with_plugin(&plugin())
    }

    /// Dmodc, and another engine for the fabrics that Dmodc refuses.
    fn dmodc_or(other: &str) -> Config {
        Config::engines(&format!("dmodc,{other}")).with_plugin(&plugin())
    }

    /// Sets options of the plugin.
    fn options(self, options: &str) -> Config {
        self.into().line(format!("event_plugin_options {options}"))
    }

    /// 2^lmc LIDs for each port.
    fn lmc(self, lmc: u8) -> Config {
        self.into().line(format!("lmc {lmc}"))
    }

    /// Runs under valgrind, which leaves `findings.xml` in the folder of OpenSM.
    fn under_valgrind(self) -> Config {
        let args = [
            "--xml=yes",
            "--xml-file=findings.xml",
            "--leak-check=full",
            "--show-leak-kinds=all",
            "--num-callers=100",
        ];
        self.into().inside(program("valgrind"), &args)
    }

    /// Keeps the files that outlive OpenSM (`OSM_CACHE_DIR`) in this folder.
    fn cache_dir(self, dir: &Path) -> Config {
        let dir = dir.to_str().expect("the path is plain text");
        self.into().env("OSM_CACHE_DIR", dir)
    }
}

impl Tested for Config {}

/// The folder `deps`, where the compiler writes the `libdmodc.so` of this test build. The link beside the tool is not
/// enough: only `cargo build` renews it. `DMODC_PLUGIN_DIR` names another folder, with a plugin for another OpenSM
/// (`make versions`).
pub fn plugin_dir() -> PathBuf {
    if let Some(dir) = env::var_os("DMODC_PLUGIN_DIR") {
        return dir.into();
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_dmodc"));
    let dir = bin.parent().expect("the tool lies in a folder");
    dir.join("deps")
}

pub fn plugin() -> Plugin {
    Plugin::in_dir(&plugin_dir()).unwrap_or_else(|e| panic!("{e}"))
}

/// The files of one OpenSM: its log and its dumps.
pub struct Files(sim::Files);

impl Deref for Files {
    type Target = sim::Files;

    fn deref(&self) -> &sim::Files {
        &self.0
    }
}

/// A file of the only OpenSM in a folder, whose port GUID is at `%g` of the name.
#[track_caller]
pub fn by_port(folder: &Path, name: &str) -> PathBuf {
    let there = of_ports(&folder.join(name));
    assert_eq!(there.len(), 1, "{name}: {there:?}");
    there.into_iter().next().expect("one")
}

impl Files {
    /// The file that `reference=auto` keeps.
    pub const REFERENCE: &str = "opensm-dmodc-reference-%g.net";
    /// The hosts in topological order.
    pub const ORDER: &str = "opensm-dmodc-ca-order-%g.dump";

    /// A file with the port GUID of this OpenSM in its name.
    #[track_caller]
    pub fn by_port(&self, name: &str) -> PathBuf {
        by_port(&self.path(""), name)
    }

    fn new(sim: &Ibsim) -> Files {
        Files(sim::Files::new(sim).expect("a folder for OpenSM"))
    }

    fn start(&self, sim: &Ibsim, config: &Config, args: &[&str]) -> Guard {
        let started = self.0.start(sim, config, args);
        started.unwrap_or_else(|e| panic!("{e}; `make programs` installs it"))
    }

    /// A dump or another file that OpenSM wrote.
    pub fn read(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}\n{}", path.display(), self.log()))
    }

    /// The unicast tables, as OpenSM holds them.
    pub fn lfts(&self) -> Vec<u8> {
        self.read("opensm-lfts.dump")
    }

    /// The present length of the log in bytes; 0 without a log.
    pub fn log_len(&self) -> u64 {
        fs::metadata(self.log_path()).map_or(0, |log| log.len())
    }

    /// The complete lines of the log after its first `from` bytes; none without a log. A long test logs hundreds of
    /// megabytes.
    pub fn log_after(&self, from: u64) -> String {
        let lines = self.0.log_after(from).unwrap_or_default();
        String::from_utf8_lossy(&lines).into_owned()
    }

    pub fn log_lines(&self, text: &str) -> Vec<String> {
        self.log()
            .lines()
            .filter(|l| l.contains(text))
            .map(str::to_owned)
            .collect()
    }

    /// The only line with a text.
    #[track_caller]
    pub fn log_line(&self, text: &str) -> String {
        let lines = self.log_lines(text);
        assert_eq!(lines.len(), 1, "{text}: {lines:#?}");
        lines.concat()
    }

    /// How many times Dmodc has routed, by the log.
    pub fn routed(&self) -> usize {
        self.log_lines("dmodc: routed ").len()
    }

    /// Asserts that Dmodc has logged exactly these errors, in this order; each line contains its text.
    #[track_caller]
    pub fn assert_errors(&self, texts: &[&str]) {
        let errors = self.log_lines("dmodc: ERR");
        let has = |(error, text): (&String, &&str)| error.contains(*text);
        let holds = errors.len() == texts.len() && errors.iter().zip(texts).all(has);
        assert!(holds, "{texts:#?} in {errors:#?}");
    }

    /// Asserts that OpenSM's tables are Dmodc's offline tables, with these options, of OpenSM's last subnet dump.
    #[track_caller]
    pub fn assert_routed(&self, options: &Options) -> Offline {
        let offline = Offline::route(&self.subnet(), 0, 1, options);
        offline.assert_same(&self.lfts());
        offline
    }

    /// The values of a field in Dmodc's sweep lines, after the first `from` bytes of the log.
    pub fn swept(&self, from: u64, name: &str) -> Vec<String> {
        let value = |line: &str| {
            let mut words = line.split(' ');
            let value = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.expect("a field").to_owned()
        };
        let log = self.log_after(from);
        let lines = log.lines().filter(|l| l.contains("dmodc: routed "));
        lines.map(value).collect()
    }

    /// A field of Dmodc's last sweep line.
    #[track_caller]
    pub fn last(&self, name: &str) -> String {
        self.swept(0, name).pop().expect("Dmodc has routed")
    }

    /// As [`Files::swept`], for a field of numbers.
    pub fn numbers(&self, from: u64, name: &str) -> Vec<usize> {
        let values = self.swept(from, name).into_iter();
        values.map(|v| v.parse().expect("a number")).collect()
    }

    /// OpenSM's last dump of its subnet.
    pub fn subnet(&self) -> Netlist {
        Netlist::read(&self.path("opensm-subnet.lst")).expect("OpenSM's own dump")
    }

    /// The LIDs of all end nodes, LMC counted, in ascending order.
    pub fn end_node_lids(&self, lmc: u8) -> Vec<u16> {
        let (fabric, _) = self.subnet().to_fabric(Some(lmc)).expect("LIDs for all");
        let of_nodes = fabric.lids().filter(|to| to.2 > PortNumber::ZERO);
        let mut lids: Vec<u16> = of_nodes.map(|(lid, ..)| lid.0).collect();
        lids.sort_unstable();
        lids
    }

    /// Waits for a text in the log after its first `from` bytes.
    pub fn wait_for(&self, from: u64, text: &str) {
        let is_there = || self.log_after(from).contains(text);
        process::wait_until(SWEEP, is_there, || {
            let (log, stdout) = (self.log(), self.printed());
            format!("no {text:?} in OpenSM's log:\n{log}\n{stdout}")
        });
    }

    /// Waits until the log has been silent for a while.
    pub fn wait_until_quiet(&self) {
        let mut last = (0, Instant::now());
        let is_quiet = || {
            let len = self.log_len();
            if len != last.0 {
                last = (len, Instant::now());
            }
            last.1.elapsed() >= QUIET
        };
        process::wait_until(SWEEP, is_quiet, || {
            format!("OpenSM does not come to rest:\n{}", self.log())
        });
    }

    /// Waits until a sweep after the first `from` bytes of the log has ended, and all sweeps that follow it.
    pub fn wait_for_sweep(&self, from: u64) {
        self.wait_for(from, SUBNET_UP);
        self.wait_until_quiet();
    }
}

/// Runs `opensm -o`: one sweep, then the end. An engine that refuses the fabric makes OpenSM sweep for ever, hence the
/// limit.
pub fn once(sim: &Ibsim, config: &Config, limit: Duration) -> (Files, Finished) {
    let files = Files::new(sim);
    let status = files.start(sim, config, &["-o"]).wait(limit);
    let output = files.printed();
    (files, Finished { status, output })
}

/// As [`once`], for a fabric that must be routed.
pub fn route(sim: &Ibsim, config: &Config) -> Files {
    let (files, finished) = once(sim, config, SWEEP);
    assert!(finished.success(), "{}\n{}", finished.output, files.log());
    assert!(files.log().contains(SUBNET_UP), "{}", files.log());
    files
}

/// An OpenSM that stays, killed when dropped.
pub struct OpenSm {
    process: Process,
    pub files: Files,
}

enum Process {
    Foreground(Guard),
    Daemon(Detached),
}

impl OpenSm {
    /// Starts OpenSM in the foreground and waits for nothing.
    pub fn launch(sim: &Ibsim, config: &Config) -> OpenSm {
        let files = Files::new(sim);
        OpenSm {
            process: Process::Foreground(files.start(sim, config, &[])),
            files,
        }
    }

    /// Starts OpenSM in the foreground and waits for its first sweep.
    pub fn start(sim: &Ibsim, config: &Config) -> OpenSm {
        let sm = OpenSm::launch(sim, config);
        sm.files.wait_for_sweep(0);
        sm
    }

    /// Starts OpenSM as a daemon (`-B`), which forks before it loads plugins.
    pub fn daemon(sim: &Ibsim, config: &Config) -> OpenSm {
        let files = Files::new(sim);
        let pid_file = files.path("pid");
        let pid_path = pid_file.to_str().expect("the path is plain text");
        let mut parent = files.start(sim, config, &["-B", "--pidfile", pid_path]);
        let ended = parent.wait(SWEEP).is_some_and(|status| status.success());
        assert!(ended, "{}", files.printed());
        let pid = process::poll(SWEEP, || {
            fs::read_to_string(&pid_file).ok()?.trim().parse().ok()
        });
        let daemon = Detached::new(pid.expect("the daemon writes its process id"));
        let sm = OpenSm {
            process: Process::Daemon(daemon),
            files,
        };
        sm.files.wait_for_sweep(0);
        sm
    }

    pub fn pid(&self) -> u32 {
        match &self.process {
            Process::Foreground(guard) => guard.id(),
            Process::Daemon(daemon) => daemon.id(),
        }
    }

    /// Memory that is resident, in KiB.
    pub fn resident(&self) -> usize {
        let path = format!("/proc/{}/status", self.pid());
        let status = fs::read_to_string(path).expect("OpenSM is alive");
        let value = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
        let number = value.and_then(|v| v.split_whitespace().next()?.parse().ok());
        number.expect("Linux says how much memory a process has")
    }

    /// Triggers a heavy sweep by HUP, and does not wait for it.
    pub fn hang_up(&self) {
        process::signal(self.pid(), "HUP");
    }

    /// Triggers a heavy sweep, and waits for its end and the end of any sweep that a trap has started meanwhile.
    pub fn resweep(&self) {
        let from = self.files.log_len();
        self.hang_up();
        self.files.wait_for_sweep(from);
    }

    /// Ends OpenSM by TERM; returns whether it has ended by itself.
    pub fn stop(self) -> bool {
        self.stop_for_files().is_some()
    }

    /// As [`OpenSm::stop`]; returns OpenSM's files if it has ended by itself.
    pub fn stop_for_files(mut self) -> Option<Files> {
        process::signal(self.pid(), "TERM");
        let ended = match &mut self.process {
            Process::Foreground(guard) => guard.wait(SWEEP).is_some_and(|s| s.success()),
            Process::Daemon(daemon) => {
                process::poll(SWEEP, || (!daemon.is_alive()).then_some(())).is_some()
            }
        };
        ended.then_some(self.files)
    }
}
