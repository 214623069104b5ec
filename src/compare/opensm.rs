//! One run of OpenSM: `opensm -o` with one engine on a simulated fabric.
//!
//! The log is watched while it runs: an OpenSM whose engine refuses, and that may not fall back,
//! sweeps for ever, and is ended at the first refusal.

use super::CompareError;
use super::bench::Contestant;
use super::ibsim::Ibsim;
use super::opensm_log::{Ending, Reading, read_log};
use super::process::{self, Program};
use crate::fabric::Guid;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

const OPENSM: Program = Program {
    name: "opensm",
    package: "opensm",
};

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
    let path = |name: &str| dir.join(name);
    configure(&dir, contestant, roots)?;
    let mut command = ibsim.client(&OPENSM);
    // 0x43: errors, information, and the dumps of the routing.
    command
        .arg("-o")
        .args(["-D", "0x43", "-F"])
        .arg(path("opensm.conf"));
    command
        .env("LD_LIBRARY_PATH", plugin_dir)
        .env("OSM_CACHE_DIR", &dir);
    command.env("OSM_TMP_DIR", &dir);
    let start = Instant::now();
    let mut opensm = OPENSM.start(command, &path("stdout"))?;
    let read = || {
        let log = fs::read(path("opensm.log")).unwrap_or_default();
        read_log(&String::from_utf8_lossy(&log), contestant.engine())
    };
    let ended = process::poll(limit, || {
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

fn configure(dir: &Path, contestant: &Contestant, roots: &[Guid]) -> Result<(), CompareError> {
    let path = |name: &str| dir.join(name);
    let mut lines = vec![
        format!("routing_engine {},no_fallback", contestant.engine()),
        format!("dump_files_dir {}", dir.display()),
        format!("log_file {}", path("opensm.log").display()),
        // None of the machine's own configuration.
        format!(
            "partition_config_file {}",
            path("partitions.conf").display()
        ),
        format!("per_module_logging_file {}", path("modules.conf").display()),
        "sweep_interval 0".into(),
        "force_log_flush TRUE".into(),
    ];
    let mut files = vec![
        // The line that says when an engine begins is VERBOSE, few other lines of its module are.
        ("modules.conf", "osm_ucast_mgr.c 0x47\n".to_owned()),
    ];
    if contestant.is_dmodc() {
        lines.push("event_plugin_name dmodc".into());
    }
    if contestant.is_told_roots() {
        lines.push(format!("root_guid_file {}", path("roots").display()));
        let roots: String = roots.iter().map(|guid| format!("{guid}\n")).collect();
        files.push(("roots", roots));
    }
    files.push(("opensm.conf", lines.join("\n") + "\n"));
    for (name, text) in files {
        fs::write(path(name), text).map_err(CompareError::file(&path(name)))?;
    }
    Ok(())
}
