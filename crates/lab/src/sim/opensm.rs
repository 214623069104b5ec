//! The stock OpenSM on a simulated fabric: its configuration, its command, its files.

use super::Ibsim;
use super::process::{Guard, Program, text_of};
use crate::LabError;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

const OPENSM: Program = Program {
    name: "opensm",
    package: "opensm",
};
const LOG: &str = "opensm.log";
const PLUGIN: &str = "libdmodc.so";

/// Dmodc's plugin and the laboratory's: in a known folder, or installed, so that the loader finds them.
#[derive(Clone, Debug)]
pub struct Plugin {
    /// `None` if the loader has to find the plugins.
    dir: Option<PathBuf>,
}

impl Plugin {
    /// Takes the folder of this program if it has `libdmodc.so`; else the loader has to find the plugins.
    pub fn find() -> Plugin {
        let program = env::current_exe().unwrap_or_default();
        let dir = program.parent().filter(|dir| dir.join(PLUGIN).exists());
        Plugin {
            dir: dir.map(Path::to_owned),
        }
    }

    pub fn in_dir(dir: &Path) -> Result<Plugin, LabError> {
        // OpenSM runs in another folder: the path has to be absolute.
        let file = dir.join(PLUGIN);
        let file = fs::canonicalize(&file).map_err(LabError::file(&file))?;
        Ok(Plugin {
            dir: file.parent().map(Path::to_owned),
        })
    }
}

/// The configuration of an OpenSM, and the way to start it.
#[derive(Clone, Debug)]
pub struct Config {
    lines: Vec<String>,
    plugin_dir: Option<PathBuf>,
    log_flags: &'static str,
    host: Option<String>,
    inside: Option<(Program, Vec<String>)>,
    env: Vec<(&'static str, String)>,
}

impl Config {
    /// A configuration with only these engines, separated by commas. If all refuse, the fabric stays unrouted.
    pub fn engines(list: &str) -> Config {
        let config = Config {
            lines: Vec::new(),
            plugin_dir: None,
            log_flags: "0x43",
            host: None,
            inside: None,
            env: Vec::new(),
        };
        config
            .line(format!("routing_engine {list},no_fallback"))
            .line("force_log_flush TRUE")
            // After the first sweep only traps and signals start a sweep. With 0, `opensm -o` would not
            // sleep while it waits (osm_opensm_wait_for_subnet_up), and would take a whole processor.
            .line("sweep_interval 3600")
    }

    /// Adds a line to the configuration file. OpenSM uses the last line for an option.
    pub fn line(mut self, line: impl Into<String>) -> Config {
        self.lines.push(line.into());
        self
    }

    pub fn with_plugin(mut self, plugin: &Plugin) -> Config {
        self.plugin_dir = plugin.dir.clone();
        self.line("event_plugin_name dmodc")
    }

    /// Loads the laboratory's plugin instead, which has the relay.
    pub fn with_relay(self, plugin: &Plugin, dir: &Path) -> Config {
        let dir = dir.display();
        self.with_plugin(plugin)
            .line("event_plugin_name dmodc_lab")
            .line(format!("event_plugin_options dmodc_lab.relay={dir}"))
    }

    /// Sets OpenSM's `-D`, the kinds of log lines and dumps. The default is 0x43: errors, information, and the dumps
    /// of the routing.
    pub fn log_flags(mut self, flags: &'static str) -> Config {
        self.log_flags = flags;
        self
    }

    /// Runs OpenSM at the host with this node name, instead of the first host.
    pub fn run_at(mut self, host: &str) -> Config {
        self.host = Some(host.into());
        self
    }

    /// Runs OpenSM inside another program, for example `valgrind ARGS opensm`.
    pub fn inside(mut self, program: Program, args: &[&str]) -> Config {
        let args = args.iter().map(|&arg| arg.into()).collect();
        self.inside = Some((program, args));
        self
    }

    pub fn env(mut self, name: &'static str, value: impl Into<String>) -> Config {
        self.env.push((name, value.into()));
        self
    }
}

/// The folder of one OpenSM: its configuration, its log, its dumps.
pub struct Files {
    dir: PathBuf,
}

impl Files {
    /// Makes a new folder inside the fabric's folder.
    pub fn new(sim: &Ibsim) -> Result<Files, LabError> {
        let mut dir = tempfile::Builder::new();
        let dir = dir.prefix("opensm-").tempdir_in(sim.dir());
        Ok(Files {
            dir: dir.map_err(LabError::file(sim.dir()))?.keep(),
        })
    }

    /// Writes OpenSM's configuration and returns its command. The caller can append arguments.
    pub fn command(&self, sim: &Ibsim, config: &Config) -> Result<Command, LabError> {
        let mut text = config.lines.join("\n") + "\n";
        for (option, value) in [
            ("dump_files_dir", self.dir.clone()),
            ("log_file", self.log_path()),
            // Not the machine's own files.
            ("partition_config_file", self.path("partitions.conf")),
            ("per_module_logging_file", self.path("modules.conf")),
        ] {
            text += &format!("{option} {}\n", value.display());
        }
        self.write("opensm.conf", text)?;
        let (program, args) = match &config.inside {
            None => (&OPENSM, vec![]),
            Some((program, args)) => (program, [&args[..], &[OPENSM.name.into()]].concat()),
        };
        let mut command = sim.client(program, config.host.as_deref(), &self.dir)?;
        // The loader searches these folders first, in this order.
        let inherited = env::var_os("LD_LIBRARY_PATH").filter(|dirs| !dirs.is_empty());
        let dirs = config.plugin_dir.iter().map(|dir| dir.as_os_str());
        let dirs: Vec<&OsStr> = dirs.chain(inherited.as_deref()).collect();
        command
            .args(args)
            .arg("-F")
            .arg(self.path("opensm.conf"))
            .args(["-D", config.log_flags])
            .env("LD_LIBRARY_PATH", dirs.join(OsStr::new(":")))
            .env("OSM_CACHE_DIR", &self.dir)
            .env("OSM_TMP_DIR", &self.dir)
            .envs(config.env.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }

    pub fn start(&self, sim: &Ibsim, config: &Config, args: &[&str]) -> Result<Guard, LabError> {
        let mut command = self.command(sim, config)?;
        command.args(args);
        Guard::start(command, &self.path("stdout"))
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<PathBuf, LabError> {
        let path = self.path(name);
        fs::write(&path, text).map_err(LabError::file(&path))?;
        Ok(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn log_path(&self) -> PathBuf {
        self.path(LOG)
    }

    pub fn log(&self) -> String {
        text_of(&self.log_path())
    }

    /// The complete lines of the log after its first `from` bytes.
    pub fn log_after(&self, from: u64) -> io::Result<Vec<u8>> {
        let mut log = File::open(self.log_path())?;
        log.seek(SeekFrom::Start(from))?;
        let mut lines = Vec::new();
        log.read_to_end(&mut lines)?;
        let end = lines.iter().rposition(|&byte| byte == b'\n');
        lines.truncate(end.map_or(0, |last| last + 1));
        Ok(lines)
    }

    /// OpenSM's output. A plugin that cannot write to the log yet writes its errors there.
    pub fn printed(&self) -> String {
        text_of(&self.path("stdout"))
    }

    /// Fails with OpenSM's reason if OpenSM could not load the plugin, or refuses an option or its value.
    pub fn check(&self) -> Result<(), LabError> {
        let printed = self.printed();
        let error = |text| Err(LabError::Other(text));
        let mut lines = printed.lines().map(str::trim);
        if let Some(option) = lines.find_map(|line| line.strip_prefix("Unrecognized token: ")) {
            let option = option.trim_matches('"');
            return error(format!("OpenSM has no option '{option}'"));
        }
        let mut lines = printed.lines();
        if let Some(line) = lines.find(|line| line.contains("Invalid Cached Option")) {
            return error(format!("OpenSM: {}", line.trim()));
        }
        let log = self.log();
        let Some((_, name)) = log.split_once("cannot load plugin '") else {
            return Ok(());
        };
        let name = name.split('\'').next().unwrap_or_default();
        let text = printed + &log;
        let mut lines = text.lines();
        let reason = lines.find(|line| line.contains("dmodc: ERR") || line.contains("plugin \""));
        let reason = reason.unwrap_or("no reason given");
        error(format!(
            "OpenSM does not load lib{name}.so, from the folder of this program, from --plugin-dir or where \
             the loader finds it: {reason}"
        ))
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoTables {
    /// The engine refused the fabric, or OpenSM could not set the engine up; the text is the reason.
    #[error("{0}")]
    Refused(String),
    #[error("timed out after {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("opensm ended with {0}")]
    Ended(ExitStatus),
}

impl NoTables {
    /// The kind of the result in one or two words.
    pub fn word(&self) -> &'static str {
        match self {
            NoTables::Refused(_) => "refused",
            NoTables::TimedOut(_) => "timed out",
            NoTables::Ended(_) => "failed",
        }
    }
}
