//! Runs several engines in one OpenSM, which discovers the fabric once; copies the tables from its memory.
//!
//! The relay of `libdmodc_lab.so` (`lab/src/relay/`) runs the engines of a plan one after another on the
//! same subnet, each from the state in which OpenSM calls its first engine, times them, and ends the
//! process. `tests/daemon/multi_engine_run.rs` compares the tables of each engine with the tables of an OpenSM that has
//! that engine alone. An engine that crashes OpenSM or takes longer than the limit has no tables; a new
//! OpenSM runs the engines after it.

use super::copied::Copied;
use super::engine_spec::EngineSpec;
use super::levels::Levels;
use super::text_of;
use crate::LabError;
use crate::sim::{self, Config, Files, Ibsim, NoTables, Plugin, last_text};
use dmodc::dmodc::{Options, Ranking};
use dmodc::export;
use dmodc::fabric::{Fabric, Guid, Lid};
use dmodc::netlist::Netlist;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::ExitStatus;
use std::str::FromStr;
use std::time::{Duration, Instant};

const RELAY: &str = "dmodc_relay";

/// The time and memory of an engine's callbacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Callbacks {
    pub lid_matrices: Duration,
    pub fwd_tables: Duration,
    /// The rise of OpenSM's peak memory, in KiB. Only the first engine's figure is of use.
    pub extra_kib: u64,
    /// Time for the multicast tree of a group of all end nodes, if requested.
    pub group: Option<Duration>,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    /// The engine made tables, and has service levels if it gives any.
    Routed(Copied, Callbacks, Option<Levels>),
    NoTables(NoTables),
}

pub struct Answer {
    pub version: String,
    /// The base LID of each port that OpenSM found, by port GUID.
    pub lids: HashMap<Guid, Lid>,
    /// One result for each engine, in the order of the request.
    pub outcomes: Vec<Outcome>,
    pub ftree_order: Option<Vec<u8>>,
}

/// Runs engines that share an OpenSM: one discovery for all. After a crash or the limit another OpenSM discovers anew.
pub struct MultiEngineRun {
    pub plugin: Plugin,
    /// The most time for the discovery, and for each engine.
    pub limit: Duration,
    /// Port GUIDs of I/O nodes, for the engines that get such a file.
    pub io: Vec<Guid>,
    /// The whole fabric, for the engines that get a reference; `None`: the fabric to route.
    pub whole: Option<Netlist>,
    /// Whether to time the multicast tree of a group of all end nodes, too.
    pub with_group: bool,
}

impl MultiEngineRun {
    pub fn new(plugin: Plugin, limit: Duration) -> MultiEngineRun {
        MultiEngineRun {
            plugin,
            limit,
            io: Vec::new(),
            whole: None,
            with_group: false,
        }
    }

    pub fn route(&self, netlist: &Netlist, specs: &[EngineSpec]) -> Result<Answer, LabError> {
        let (fabric, _) = netlist.to_fabric(None)?;
        let ibsim = Ibsim::start(netlist)?;
        let roots = roots_file(&fabric);
        let mut outcomes: Vec<Option<Outcome>> = vec![None; specs.len()];
        let mut ftree_order = None;
        loop {
            let open = |i: &usize| outcomes[*i].is_none();
            let mut pending: Vec<usize> = (0..specs.len()).filter(open).collect();
            // The engines of one OpenSM share its configuration, so only engines with the same lines run together.
            let lines = pending.first().map_or(vec![], |&i| specs[i].lines());
            pending.retain(|&i| specs[i].lines() == lines);
            let files = Files::new(&ibsim)?;
            let running: Vec<&EngineSpec> = pending.iter().map(|&i| &specs[i]).collect();
            let whole = self.whole.as_ref().unwrap_or(netlist);
            files.write("whole.net", text_of(whole))?;
            let ending = self.run(&ibsim, &files, (&running, &lines), &roots)?;
            let mut found = read_outcomes(&files)?;
            if found.len() < pending.len() {
                // OpenSM ended, or reached the limit, while it ran the next engine.
                found.push(Outcome::NoTables(ending));
            }
            for (i, outcome) in pending.into_iter().zip(found) {
                outcomes[i] = Some(outcome);
            }
            let order = fs::read(files.path("opensm-ftree-ca-order.dump")).ok();
            ftree_order = ftree_order.or(order);
            if outcomes.iter().all(Option::is_some) {
                let (version, lids) = read_subnet(&files)?;
                return Ok(Answer {
                    version,
                    lids,
                    outcomes: outcomes.into_iter().flatten().collect(),
                    ftree_order,
                });
            }
        }
    }

    /// Runs one OpenSM until it ends or its time is over; returns which of the two.
    fn run(
        &self,
        ibsim: &Ibsim,
        files: &Files,
        (specs, lines): (&[&EngineSpec], &[String]),
        roots: &str,
    ) -> Result<NoTables, LabError> {
        let roots_file = files.write("roots", roots)?;
        let io_file = files.write("io", guid_file(self.io.iter().copied()))?;
        let file = |gets: bool, file: &Path| match gets {
            true => file.display().to_string(),
            false => "-".into(),
        };
        let group = if self.with_group { "group" } else { "-" };
        let line = |spec: &&EngineSpec| {
            let roots = file(spec.gets_roots, &roots_file);
            let io = file(spec.gets_io, &io_file);
            let options = match &*spec.plugin_options(&files.path("whole.net")) {
                "" => "-".to_owned(),
                words => words.to_owned(),
            };
            let avoid = ["-", "avoid"][usize::from(spec.avoids_throttled_links())];
            let engine = spec.listed();
            format!("{engine}\t{roots}\t{io}\t{group}\t{options}\t{avoid}\n")
        };
        let text: String = specs.iter().map(line).collect();
        files.write("plan", text)?;
        let engines: Vec<&str> = specs.iter().map(|spec| spec.listed()).collect();
        let engines = Config::engines(&format!("{RELAY},{}", engines.join(",")));
        let config = (lines.iter().fold(engines, Config::line))
            .with_relay(&self.plugin, files.dir())
            // Errors and information.
            .log_flags("0x03");
        let mut process = files.start(ibsim, &config, &["-o"])?;
        let no_relay = format!("Failed to setup routing engine '{RELAY}'");
        let mut settled = (0, Instant::now());
        let ended: Option<ExitStatus> = loop {
            if let Some(status) = sim::poll(Duration::from_millis(100), || process.ended()) {
                break Some(status);
            }
            // Without a relay OpenSM never ends.
            files.check()?;
            if files.log().contains(&no_relay) {
                return Err(LabError::relay("it knows no relay"));
            }
            let now = results(files).lines().count();
            if now > settled.0 {
                settled = (now, Instant::now());
            }
            if settled.1.elapsed() > self.limit {
                break None;
            }
        };
        let ending = ended.map_or(NoTables::TimedOut(self.limit), NoTables::Ended);
        files.check()?;
        if !files.path("results").exists() {
            let log = files.printed() + &files.log();
            return Err(LabError::Other(format!(
                "opensm with engine {RELAY} never came to routing: {ending}; the last lines of its log:\n{log}"
            )));
        }
        Ok(ending)
    }
}

/// Times the callbacks of one engine, and a multicast group. Does not measure the tables. The inner `Err`
/// is the reason why there is no time: for example, the engine refused, or took longer than the limit.
pub fn time_callbacks(
    netlist: &Netlist,
    spec: &EngineSpec,
    plugin: &Plugin,
    limit: Duration,
) -> Result<Result<Callbacks, NoTables>, LabError> {
    let alone = std::slice::from_ref(spec);
    let mut runs = MultiEngineRun::new(plugin.clone(), limit);
    runs.with_group = true;
    let answer = runs.route(netlist, alone)?;
    Ok(match answer.outcomes.into_iter().next() {
        Some(Outcome::Routed(_, callbacks, _)) => Ok(callbacks),
        Some(Outcome::NoTables(why)) => Err(why),
        None => return Err(LabError::relay("it is silent")),
    })
}

/// The text of a GUID file with the roots of a fabric, as an administrator would list them.
pub(super) fn roots_file(fabric: &Fabric) -> String {
    let ranking = Ranking::new(fabric, &Options::default());
    let roots = export::roots(fabric, &ranking).into_iter();
    guid_file(roots.map(|s| fabric.switches()[s as usize].guid))
}

fn guid_file(guids: impl IntoIterator<Item = Guid>) -> String {
    guids.into_iter().map(|guid| format!("{guid}\n")).collect()
}

fn results(files: &Files) -> String {
    fs::read_to_string(files.path("results")).unwrap_or_default()
}

/// The outcomes so far, in the order of the plan.
fn read_outcomes(files: &Files) -> Result<Vec<Outcome>, LabError> {
    let log = fs::read(files.log_path()).unwrap_or_default();
    let results = results(files);
    let complete = results.lines().take(results.matches('\n').count());
    let refused = |reason| Ok(Outcome::NoTables(NoTables::Refused(reason)));
    let outcome = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            [number, "routed", matrices, tables, extra, group] => {
                let micros = |word| number_in(word, line).map(Duration::from_micros);
                let callbacks = Callbacks {
                    lid_matrices: micros(matrices)?,
                    fwd_tables: micros(tables)?,
                    extra_kib: number_in(extra, line)?,
                    group: match group {
                        "-" => None,
                        took => Some(micros(took)?),
                    },
                };
                let file = files.path(&format!("{number}.tables"));
                let bytes = fs::read(&file).map_err(LabError::file(&file))?;
                let copied = Copied::parse(&bytes);
                let copied = copied.ok_or_else(|| garbled("tables of", line))?;
                let levels = match fs::read(files.path(&format!("{number}.levels"))) {
                    Ok(bytes) => {
                        let levels = Levels::parse(&bytes);
                        Some(levels.ok_or_else(|| garbled("service levels of", line))?)
                    }
                    Err(_) => None,
                };
                Ok(Outcome::Routed(copied, callbacks, levels))
            }
            [_, "refused", from, to] => {
                let (from, to): (usize, usize) = (number_in(from, line)?, number_in(to, line)?);
                let lines = log.get(from..to).unwrap_or_default();
                let reason = last_text(&String::from_utf8_lossy(lines)).map(str::to_owned);
                refused(reason.unwrap_or("no reason given".into()))
            }
            [_, "missing"] => refused("OpenSM could not set it up".into()),
            _ => Err(garbled("line", line)),
        }
    };
    complete.map(outcome).collect()
}

fn number_in<T: FromStr>(word: &str, line: &str) -> Result<T, LabError> {
    word.parse().map_err(|_| garbled("number in", line))
}

/// The error for output of a relay of another version.
fn garbled(what: &str, line: &str) -> LabError {
    LabError::relay(format!("{what} {line:?}"))
}

fn read_subnet(files: &Files) -> Result<(String, HashMap<Guid, Lid>), LabError> {
    let path = files.path("subnet");
    let text = fs::read_to_string(&path).map_err(LabError::file(&path))?;
    let (version, ports) = text.split_once('\n').unwrap_or_default();
    let port = |line: &str| {
        let (guid, lid) = line.split_once(' ').ok_or_else(|| garbled("port", line))?;
        let digits = guid.trim_start_matches("0x");
        let guid = u64::from_str_radix(digits, 16).map_err(|_| garbled("GUID in", line))?;
        Ok((Guid(guid), Lid(number_in(lid, line)?)))
    };
    let lids: Result<_, LabError> = ports.lines().map(port).collect();
    Ok((version.into(), lids?))
}
