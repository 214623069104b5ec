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

/// The plugin and engine of `tools/callback-timer`.
const TIMER: &str = "callback_timer";

/// How the time of an engine is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// By the stamps of the log, OpenSM as shipped.
    Stage,
    /// By wrappers around the engine's callbacks as well.
    Callbacks,
}

/// What an engine's callbacks took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Callbacks {
    /// `build_lid_matrices`.
    pub lid_matrices: Duration,
    /// `ucast_build_fwd_tables`.
    pub fwd_tables: Duration,
    /// By how much they raised the peak of OpenSM's memory over what it held before.
    pub extra_kib: u64,
}

/// What a run left.
pub struct Run {
    /// Whether the engine's tables are in the dumps.
    pub ending: Ending,
    /// Time of the engine's stage.
    pub stage: Option<Duration>,
    /// Time of the whole run: discovery, routing, set-up, dumps.
    pub whole: Duration,
    /// What the callback timer says of the engine, where it was asked to listen.
    pub callbacks: Option<Callbacks>,
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
/// `libdmodc.so`, and, if the callbacks are to be timed, `libcallback_timer.so`.
pub fn run(
    ibsim: &Ibsim,
    contestant: &Contestant,
    roots: &[Guid],
    plugin_dir: &Path,
    limit: Duration,
    timing: Timing,
) -> Result<Run, CompareError> {
    let dir = ibsim.dir().join("opensm");
    fs::create_dir(&dir).map_err(CompareError::file(&dir))?;
    let path = |name: &str| dir.join(name);
    configure(&dir, contestant, roots, timing)?;
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
        callbacks: callbacks(&fs::read_to_string(path("stdout")).unwrap_or_default()),
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

fn configure(
    dir: &Path,
    contestant: &Contestant,
    roots: &[Guid],
    timing: Timing,
) -> Result<(), CompareError> {
    let path = |name: &str| dir.join(name);
    let engine = contestant.engine();
    let mut lines = vec![
        match timing {
            Timing::Stage => format!("routing_engine {engine},no_fallback"),
            // The timer takes minhop's callbacks for those that an engine leaves to OpenSM.
            Timing::Callbacks => format!("routing_engine {TIMER},{engine},minhop,no_fallback"),
        },
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
    match (timing, contestant.is_dmodc()) {
        (Timing::Stage, false) => {}
        (Timing::Stage, true) => lines.push("event_plugin_name dmodc".into()),
        (Timing::Callbacks, false) => lines.push(format!("event_plugin_name {TIMER}")),
        (Timing::Callbacks, true) => lines.push(format!("event_plugin_name {TIMER} dmodc")),
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

/// The first line of the timer's.
fn callbacks(output: &str) -> Option<Callbacks> {
    let mut lines = output.lines();
    let line = lines.find_map(|l| l.strip_prefix(TIMER)?.strip_prefix(": engine="))?;
    let value = |name: &str| -> Option<u64> {
        let mut words = line.split_whitespace();
        words
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?
            .parse()
            .ok()
    };
    Some(Callbacks {
        lid_matrices: Duration::from_micros(value("lid_matrices_us")?),
        fwd_tables: Duration::from_micros(value("fwd_tables_us")?),
        extra_kib: value("extra_kib")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timer_s_line_is_found_among_opensm_s() {
        let output = "Reading Cached Option File\n\
            callback_timer: engine=ftree lid_matrices_us=1500000 fwd_tables_us=7 extra_kib=12\n\
            callback_timer: engine=ftree lid_matrices_us=1 fwd_tables_us=1 extra_kib=1\n";
        let found = callbacks(output).expect("it is there");
        assert_eq!(found.lid_matrices, Duration::from_millis(1500));
        assert_eq!(found.fwd_tables, Duration::from_micros(7));
        assert_eq!(found.extra_kib, 12);
        assert_eq!(callbacks("callback_timer: no minhop in the list\n"), None);
    }
}
