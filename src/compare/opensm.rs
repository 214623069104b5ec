//! One run of OpenSM: `opensm -o` with one engine on a simulated fabric.
//!
//! The log is watched while it runs: an OpenSM whose engine refuses, and that may not fall back,
//! sweeps for ever, and is ended at the first refusal.

use super::CompareError;
use super::contestant::Contestant;
use super::opensm_log::{Ending, Reading, read_log};
use crate::fabric::Guid;
use crate::sim::{self, Ibsim, Program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// OpenSM itself.
pub const OPENSM: Program = Program {
    name: "opensm",
    package: "opensm",
};

/// Name of its log.
const LOG: &str = "opensm.log";

/// What a run left.
pub struct Run {
    /// Whether the engine's tables are in the dumps.
    pub ending: Ending,
    /// Time of the engine's stage.
    pub stage: Option<Duration>,
    /// Time of the whole run: discovery, routing, set-up, dumps.
    pub whole: Duration,
    dir: PathBuf,
}

impl Run {
    /// OpenSM's dump of the fabric.
    pub fn subnet(&self) -> PathBuf {
        self.dir.join("opensm-subnet.lst")
    }

    /// OpenSM's dump of the forwarding tables.
    pub fn lfts(&self) -> PathBuf {
        self.dir.join("opensm-lfts.dump")
    }
}

/// Runs one engine. `roots` are for contestants that are told them; `plugin_dir` holds
/// `libdmodc.so`.
pub fn run(
    ibsim: &Ibsim,
    contestant: &Contestant,
    roots: &[Guid],
    plugin_dir: &Path,
    limit: Duration,
) -> Result<Run, CompareError> {
    let dir = ibsim.dir().join("opensm");
    fs::create_dir(&dir).map_err(CompareError::file(&dir))?;
    let mut lines = vec![format!(
        "routing_engine {},no_fallback",
        contestant.engine()
    )];
    if contestant.is_dmodc() {
        lines.push("event_plugin_name dmodc".into());
    }
    if contestant.is_told_roots() {
        let file = dir.join("roots");
        write_guids(&file, roots)?;
        lines.push(format!("root_guid_file {}", file.display()));
    }
    let start = Instant::now();
    // 0x43: errors, information, and the dumps of the routing.
    let command = command(ibsim, &dir, lines, "0x43", &[plugin_dir])?;
    let mut opensm = OPENSM.start(command, &dir.join("stdout"))?;
    let read = || read_log(&log(&dir), contestant.engine());
    let ended = sim::poll(limit, || {
        // In this order, or the last lines of a log could be missed.
        let status = opensm.ended();
        let reading = read();
        let refused = matches!(reading.ending, Ending::Refused(_));
        (refused || status.is_some()).then_some((status, reading))
    });
    let (status, Reading { ending, stage }) = ended.unwrap_or_else(|| (None, read()));
    Ok(Run {
        ending: judge(status, ending, limit),
        stage,
        whole: start.elapsed(),
        dir,
    })
}

/// Tables count once OpenSM is done with them and has written its dumps.
fn judge(status: Option<ExitStatus>, ending: Ending, limit: Duration) -> Ending {
    match (status, ending) {
        (_, Ending::Refused(reason)) => Ending::Refused(reason),
        (Some(status), Ending::Routed) if status.success() => Ending::Routed,
        (Some(status), _) => Ending::Refused(format!("opensm ended with {status}")),
        (None, _) => Ending::Refused(format!("opensm not done in {} s", limit.as_secs())),
    }
}

/// The command that runs OpenSM once in a folder, where its files and its log are to lie, with
/// these lines in its configuration beside those of every run.
pub fn command(
    ibsim: &Ibsim,
    dir: &Path,
    mut lines: Vec<String>,
    log_flags: &str,
    plugin_dirs: &[&Path],
) -> Result<Command, CompareError> {
    let path = |name: &str| dir.join(name);
    lines.extend([
        format!("dump_files_dir {}", dir.display()),
        format!("log_file {}", path(LOG).display()),
        // None of the machine's own configuration.
        format!(
            "partition_config_file {}",
            path("partitions.conf").display()
        ),
        format!("per_module_logging_file {}", path("modules.conf").display()),
        // One sweep is all. With 0 `opensm -o` does not sleep until then, but turns on the spot
        // (osm_opensm_wait_for_subnet_up), and takes a processor from what is to be timed.
        "sweep_interval 3600".into(),
        "force_log_flush TRUE".into(),
    ]);
    let files = [
        // The line that says when an engine begins is VERBOSE, few other lines of its module are.
        ("modules.conf", "osm_ucast_mgr.c 0x47\n".to_owned()),
        ("opensm.conf", lines.join("\n") + "\n"),
    ];
    for (name, text) in files {
        fs::write(path(name), text).map_err(CompareError::file(&path(name)))?;
    }
    let plugin_dirs = plugin_dirs.iter().map(|dir| dir.display().to_string());
    let mut command = ibsim.client(&OPENSM);
    command
        .arg("-o")
        .args(["-D", log_flags, "-F"])
        .arg(path("opensm.conf"))
        .env("LD_LIBRARY_PATH", plugin_dirs.collect::<Vec<_>>().join(":"))
        .env("OSM_CACHE_DIR", dir)
        .env("OSM_TMP_DIR", dir);
    Ok(command)
}

/// What OpenSM has logged in this folder.
pub fn log(dir: &Path) -> String {
    let log = fs::read(dir.join(LOG)).unwrap_or_default();
    String::from_utf8_lossy(&log).into_owned()
}

/// Writes a file of GUIDs as OpenSM reads them.
pub fn write_guids(path: &Path, guids: &[Guid]) -> Result<(), CompareError> {
    let text: String = guids.iter().map(|guid| format!("{guid}\n")).collect();
    fs::write(path, text).map_err(CompareError::file(path))
}
