//! Runs several engines in one OpenSM, which discovers the fabric once; copies the tables from its memory.
//!
//! The relay of `libdmodc_lab.so` (`crates/relay`) runs the engines of a plan one after another on the
//! same subnet, each from the state in which OpenSM calls its first engine, times them, and ends the
//! process. `tests/daemon/multi_engine_run.rs` compares the tables of each engine with the tables of an OpenSM that has
//! that engine alone. An engine that crashes OpenSM or takes longer than the limit has no tables; a new
//! OpenSM runs the engines after it.

use super::copied::{Callbacks, Copied, Outcome};
use super::engine_spec::EngineSpec;
use super::foreign;
use super::lanes::Levels;
use crate::LabError;
use crate::sim::{self, Config, Files, Ibsim, NoTables, Plugin};
use dmodc_core::{Options, Ranking};
use dmodc_fabric::{Fabric, Guid, Lid};
use dmodc_formats::netlist::Netlist;
use std::collections::HashMap;
use std::fs;
use std::process::ExitStatus;
use std::str::FromStr;
use std::time::{Duration, Instant};

const RELAY: &str = "dmodc_relay";

#[derive(Default)]
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
    /// The whole fabric, for the engines that get a reference; `None`: the fabric to route.
    pub whole: Option<Netlist>,
}

impl MultiEngineRun {
    pub fn new(plugin: Plugin, limit: Duration) -> MultiEngineRun {
        MultiEngineRun {
            plugin,
            limit,
            whole: None,
        }
    }

    /// Runs engines of OpenSM, programs, and engines whose tables are in files; `stem` begins the names of these. Without
    /// an engine of OpenSM no OpenSM runs.
    pub fn route_all(
        &self,
        stem: &str,
        (netlist, fabric): (&Netlist, &Fabric),
        specs: &[EngineSpec],
    ) -> Result<Answer, LabError> {
        let own = specs.iter().filter(|spec| spec.foreign.is_none());
        let own: Vec<EngineSpec> = own.cloned().collect();
        let mut answer = match own.is_empty() {
            true => Answer::default(),
            false => self.route(netlist, &own)?,
        };
        let mut outcomes = answer.outcomes.drain(..);
        let silent = || LabError::relay("it is silent");
        let all = specs.iter().map(|spec| {
            let Some(source) = &spec.foreign else {
                return outcomes.next().ok_or_else(silent);
            };
            let named = (stem, &*spec.to_string());
            let found = foreign::tables(source, (netlist, fabric), named, self.limit)?;
            Ok(match found {
                Err(why) => Outcome::NoTables(why),
                Ok((tables, took)) => {
                    // A program has no callbacks: its whole time counts as the time of the tables.
                    let callbacks = Callbacks {
                        fwd_tables: took.unwrap_or_default(),
                        ..Callbacks::default()
                    };
                    Outcome::Routed(Copied::new(fabric, &tables), callbacks, None)
                }
            })
        });
        let all: Result<Vec<Outcome>, LabError> = all.collect();
        drop(outcomes);
        answer.outcomes = all?;
        Ok(answer)
    }

    /// Runs engines of OpenSM.
    pub fn route(&self, netlist: &Netlist, specs: &[EngineSpec]) -> Result<Answer, LabError> {
        let (fabric, _) = netlist.to_fabric(None)?;
        let ibsim = Ibsim::start(netlist)?;
        let roots = roots_file(&fabric);
        let lmc = fabric.end_nodes().iter().map(|node| node.lmc).max();
        let lmc = lmc.map(|lmc| format!("lmc {lmc}"));
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
            // An engine's own LMC comes later, so it counts.
            let lines: Vec<String> = lmc.iter().cloned().chain(lines).collect();
            let whole = self.whole.as_ref().unwrap_or(netlist);
            files.write("whole.net", whole.to_text())?;
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
        let line = |spec: &&EngineSpec| {
            let roots = match spec.gets_roots {
                true => roots_file.display().to_string(),
                false => "-".into(),
            };
            let options = match &*spec.plugin_options(&files.path("whole.net")) {
                "" => "-".to_owned(),
                words => words.to_owned(),
            };
            let avoid = ["-", "avoid"][usize::from(spec.avoids_throttled_links())];
            let engine = spec.listed();
            format!("{engine}\t{roots}\t{options}\t{avoid}\n")
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

/// The text of a GUID file with the roots of a fabric, as an administrator would list them.
pub(super) fn roots_file(fabric: &Fabric) -> String {
    let ranking = Ranking::new(fabric, &Options::default());
    let roots = dmodc_core::roots(fabric, &ranking).into_iter();
    roots.map(|s| format!("{}\n", fabric.guid(s))).collect()
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
            [number, "routed", matrices, tables] => {
                let micros = |word| number_in(word, line).map(Duration::from_micros);
                let callbacks = Callbacks {
                    lid_matrices: micros(matrices)?,
                    fwd_tables: micros(tables)?,
                };
                let file = files.path(&format!("{number}.tables"));
                let bytes = fs::read(&file).map_err(LabError::file(&file))?;
                let copied = Copied::parse(&bytes);
                let copied = copied.ok_or_else(|| garbled("tables of", line))?;
                let levels = fs::read(files.path(&format!("{number}.levels"))).ok();
                let levels = levels.map(|bytes| {
                    let levels = Levels::parse(&bytes);
                    levels.ok_or_else(|| garbled("service levels of", line))
                });
                Ok(Outcome::Routed(copied, callbacks, levels.transpose()?))
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

/// The text of the last line of a log that has a time, as `Nov 21 03:23:04 878250 [4896F6C0] 0x02 -> text`.
fn last_text(log: &str) -> Option<&str> {
    log.lines().rev().find_map(|line| {
        let (head, text) = line.split_once(" -> ")?;
        let micros = head.split_whitespace().nth(3)?;
        micros.parse::<u32>().ok().map(|_| text.trim_end())
    })
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
        let guid = guid.parse().map_err(|_| garbled("GUID in", line))?;
        Ok((guid, Lid(number_in(lid, line)?)))
    };
    let lids: Result<_, LabError> = ports.lines().map(port).collect();
    Ok((version.into(), lids?))
}
