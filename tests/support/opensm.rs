//! The stock OpenSM on a simulated fabric: once and out, in the foreground, or as a daemon.

use super::ibsim::Ibsim;
use super::process::{self, Detached, Finished, Guard};
use dmodc::fabric::lid_range;
use dmodc::netlist::Netlist;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Time for a sweep of any fabric that these tests use, on a busy machine.
const SWEEP: Duration = Duration::from_secs(20);
/// The log has to be silent this long before the subnet counts as settled.
const QUIET: Duration = Duration::from_millis(400);
/// What OpenSM logs at the end of each complete heavy sweep.
const SUBNET_UP: &str = "SUBNET UP";

/// What OpenSM runs inside of.
#[derive(Clone, Copy)]
enum Inside {
    Nothing,
    Valgrind,
    /// No more bytes of addresses than this.
    AddressSpace(u64),
}

/// How OpenSM is to run.
#[derive(Clone)]
pub struct Config {
    /// The LMC of end nodes.
    pub lmc: u8,
    lines: Vec<String>,
    libraries: PathBuf,
    /// 0x43: errors, information, and the dumps of the routing.
    log_flags: &'static str,
    host: usize,
    inside: Inside,
    one_arena: bool,
}

impl Config {
    /// One engine and no other: a refused fabric stays unrouted.
    pub fn engine(name: &str) -> Config {
        let lines = vec![format!("routing_engine {name},no_fallback")];
        Config {
            lmc: 0,
            lines,
            libraries: plugin_dir(),
            log_flags: "0x43",
            host: 0,
            inside: Inside::Nothing,
            one_arena: false,
        }
        .line("force_log_flush TRUE")
    }

    /// Our engine, with the plugin of the build under test.
    pub fn dmodc() -> Config {
        Config::engine("dmodc").line("event_plugin_name dmodc")
    }

    /// Our engine, and another one for what ours refuses.
    pub fn dmodc_or(other: &str) -> Config {
        Config::engine(&format!("dmodc,{other}")).line("event_plugin_name dmodc")
    }

    /// One more line of the configuration file.
    pub fn line(mut self, line: impl Into<String>) -> Config {
        self.lines.push(line.into());
        self
    }

    /// 2^lmc LIDs for each port.
    pub fn lmc(mut self, lmc: u8) -> Config {
        self.lmc = lmc;
        self.line(format!("lmc {lmc}"))
    }

    /// What OpenSM logs and dumps, as its `-D`. Without 0x40 it does not dump the routing, which
    /// takes longer than all else on large fabrics.
    pub fn log_flags(mut self, flags: &'static str) -> Config {
        self.log_flags = flags;
        self
    }

    /// Sits at another host than the first.
    pub fn at(mut self, host: usize) -> Config {
        self.host = host;
        self
    }

    /// Runs under valgrind, which leaves `findings.xml`.
    pub fn under_valgrind(mut self) -> Config {
        self.inside = Inside::Valgrind;
        self
    }

    /// Has no more bytes of addresses than this.
    pub fn address_space(mut self, bytes: u64) -> Config {
        self.inside = Inside::AddressSpace(bytes);
        self
    }

    /// Lets all threads allocate from one arena of glibc's. With one for each, free memory of one is
    /// no use to another, and what is resident grows for long without anything being kept.
    pub fn one_arena(mut self) -> Config {
        self.one_arena = true;
        self
    }

    /// Looks for plugins in this folder.
    pub fn libraries(mut self, dir: &Path) -> Config {
        self.libraries = dir.to_owned();
        self
    }
}

/// The folder where cargo has put `libdmodc.so` for this very test build. Beside the tool lies a
/// link that only `cargo build` renews; `deps` is where the compiler writes.
pub fn plugin_dir() -> PathBuf {
    let bin = Path::new(env!("CARGO_BIN_EXE_dmodc"));
    let dir = bin
        .parent()
        .expect("the tool lies in a folder")
        .join("deps");
    assert!(
        dir.join("libdmodc.so").exists(),
        "no libdmodc.so in {}",
        dir.display()
    );
    dir
}

/// The files of one OpenSM: its log and its dumps.
pub struct Files {
    dir: PathBuf,
}

impl Files {
    fn prepare(sim: &Ibsim, config: &Config) -> Files {
        let dir = tempfile::Builder::new()
            .prefix("opensm-")
            .tempdir_in(sim.dir());
        // The fabric's folder is removed as a whole, when nothing writes to it any more.
        let files = Files {
            dir: dir.expect("a folder for OpenSM").keep(),
        };
        let mut text = config.lines.join("\n");
        text += &format!("\ndump_files_dir {}\n", files.dir.display());
        text += &format!("log_file {}\n", files.path("opensm.log").display());
        // None of the machine's own configuration.
        text += &format!(
            "partition_config_file {}\n",
            files.path("partitions.conf").display()
        );
        // Sweeps come from traps and signals alone.
        text += "sweep_interval 0\n";
        fs::write(files.path("opensm.conf"), text).expect("the configuration can be written");
        files
    }

    fn command(&self, sim: &Ibsim, config: &Config) -> Command {
        let host = &sim.hosts()[config.host];
        let mut command = match config.inside {
            Inside::Nothing => sim.client("opensm", host, &self.dir),
            Inside::Valgrind => {
                let mut command = sim.client("valgrind", host, &self.dir);
                let file = self.path("findings.xml");
                command.args(["--xml=yes", &format!("--xml-file={}", file.display())]);
                command.args(["--leak-check=full", "--show-leak-kinds=all"]);
                command.args(["--num-callers=100", "opensm"]);
                command
            }
            Inside::AddressSpace(bytes) => {
                let mut command = sim.client("prlimit", host, &self.dir);
                command.args([&format!("--as={bytes}"), "opensm"]);
                command
            }
        };
        command
            .arg("-F")
            .arg(self.path("opensm.conf"))
            .args(["-D", config.log_flags]);
        command
            .env("LD_LIBRARY_PATH", &config.libraries)
            .env("OSM_CACHE_DIR", &self.dir);
        command.env("OSM_TMP_DIR", &self.dir);
        if config.one_arena {
            command.env("MALLOC_ARENA_MAX", "1");
        }
        command
    }

    /// Path of one of the files.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// A dump, or whatever else OpenSM wrote.
    pub fn read(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}\n{}", path.display(), self.log()))
    }

    /// The unicast tables, as OpenSM holds them.
    pub fn lfts(&self) -> Vec<u8> {
        self.read("opensm-lfts.dump")
    }

    /// The log so far.
    pub fn log(&self) -> String {
        let bytes = fs::read(self.path("opensm.log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What OpenSM printed, where a plugin that cannot log yet complains too.
    pub fn stdout(&self) -> String {
        let bytes = fs::read(self.path("stdout")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The lines of the log that hold a text.
    pub fn log_lines(&self, text: &str) -> Vec<String> {
        self.log()
            .lines()
            .filter(|l| l.contains(text))
            .map(str::to_owned)
            .collect()
    }

    /// The subnet as OpenSM saw it last.
    pub fn subnet(&self) -> Netlist {
        Netlist::read(&self.path("opensm-subnet.lst")).expect("OpenSM's own dump")
    }

    /// The LIDs of all end nodes, LMC counted, in ascending order.
    pub fn end_node_lids(&self, lmc: u8) -> Vec<u16> {
        let (fabric, _) = self.subnet().to_fabric(Some(lmc)).expect("LIDs for all");
        let mut lids: Vec<u16> = fabric
            .end_nodes()
            .iter()
            .filter_map(|node| lid_range(node.lid, node.lmc))
            .flatten()
            .collect();
        lids.sort_unstable();
        lids
    }

    /// Waits for a text in the log beyond its first `from` bytes.
    pub fn wait_for(&self, from: usize, text: &str) {
        let seen = process::poll(SWEEP, || {
            self.log()
                .get(from..)
                .is_some_and(|new| new.contains(text))
                .then_some(())
        });
        let (log, stdout) = (self.log(), self.stdout());
        assert!(
            seen.is_some(),
            "no {text:?} in OpenSM's log:\n{log}\n{stdout}"
        );
    }

    /// Waits until the log has been silent for a while.
    pub fn wait_until_quiet(&self) {
        let mut last = (0, std::time::Instant::now());
        let quiet = process::poll(SWEEP, || {
            let len = self.log().len();
            if len != last.0 {
                last = (len, std::time::Instant::now());
            }
            (last.1.elapsed() >= QUIET).then_some(())
        });
        assert!(
            quiet.is_some(),
            "OpenSM does not come to rest:\n{}",
            self.log()
        );
    }
}

/// Runs `opensm -o`: one sweep, then the end. An engine that refuses makes OpenSM sweep for ever,
/// hence the limit.
pub fn once(sim: &Ibsim, config: &Config, limit: Duration) -> (Files, Finished) {
    let files = Files::prepare(sim, config);
    let mut command = files.command(sim, config);
    command.arg("-o");
    let finished = process::run(command, &files.path("stdout"), limit);
    (files, finished)
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
    /// Its log and dumps.
    pub files: Files,
}

enum Process {
    Foreground(Guard),
    Daemon(Detached),
}

impl OpenSm {
    /// Starts OpenSM in the foreground and waits for nothing.
    pub fn launch(sim: &Ibsim, config: &Config) -> OpenSm {
        OpenSm::launch_in(Files::prepare(sim, config), sim, config)
    }

    /// Starts OpenSM where another one has run: with its configuration and all that it has left.
    pub fn again(files: Files, sim: &Ibsim, config: &Config) -> OpenSm {
        let from = files.log().len();
        let sm = OpenSm::launch_in(files, sim, config);
        sm.files.wait_for(from, SUBNET_UP);
        sm.files.wait_until_quiet();
        sm
    }

    fn launch_in(files: Files, sim: &Ibsim, config: &Config) -> OpenSm {
        let guard = process::start(files.command(sim, config), &files.path("stdout"));
        OpenSm {
            process: Process::Foreground(guard),
            files,
        }
    }

    /// Starts OpenSM in the foreground and waits for its first sweep.
    pub fn start(sim: &Ibsim, config: &Config) -> OpenSm {
        let sm = OpenSm::launch(sim, config);
        sm.files.wait_for(0, SUBNET_UP);
        sm.files.wait_until_quiet();
        sm
    }

    /// Starts OpenSM as a daemon (`-B`), which forks before it loads plugins.
    pub fn daemon(sim: &Ibsim, config: &Config) -> OpenSm {
        let files = Files::prepare(sim, config);
        let pid_file = files.path("pid");
        let mut command = files.command(sim, config);
        command.arg("-B").arg("--pidfile").arg(&pid_file);
        let parent = process::run(command, &files.path("stdout"), SWEEP);
        assert!(parent.success(), "{}", parent.output);
        let pid = process::poll(SWEEP, || {
            fs::read_to_string(&pid_file).ok()?.trim().parse().ok()
        });
        let daemon = Detached(pid.expect("the daemon writes its process id"));
        let sm = OpenSm {
            process: Process::Daemon(daemon),
            files,
        };
        sm.files.wait_for(0, SUBNET_UP);
        sm.files.wait_until_quiet();
        sm
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        match &self.process {
            Process::Foreground(guard) => guard.id(),
            Process::Daemon(daemon) => daemon.0,
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

    /// Asks OpenSM for a heavy sweep, and waits for nothing.
    pub fn hang_up(&self) {
        process::signal(self.pid(), "HUP");
    }

    /// Makes OpenSM sweep heavily and waits for the end of it, and of any sweep that a trap of
    /// the fabric has started meanwhile.
    pub fn resweep(&self) {
        let from = self.files.log().len();
        self.hang_up();
        self.files.wait_for(from, SUBNET_UP);
        self.files.wait_until_quiet();
    }

    /// Ends OpenSM in good order and says whether it did so by itself.
    pub fn stop(self) -> bool {
        self.stop_for_files().is_some()
    }

    /// As [`OpenSm::stop`]; what it leaves, if it did end by itself.
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
