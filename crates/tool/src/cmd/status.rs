//! `dmodc status`: how the running engine does, on one screen.
//!
//! It talks to no daemon. The metrics that the plugin writes say how things are, `opensm.conf` says what is in force
//! and where the files are, and the log has the errors since the last sweep. The log is the one that has the line of
//! the metrics' last sweep. Whatever is old or absent is said to be so: then the answer is "cannot tell", never "well".

mod log;

use self::log::Log;
use super::setup::{default_conf, last};
use crate::failure::Outcome;
use crate::output::print;
use dmodc_fabric::Guid;
use dmodc_formats::files;
use dmodc_formats::reference::auto_paths;
use dmodc_watch::sweeps::first_few;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The plugin writes its metrics every 15 seconds.
const FRESH: f64 = 60.0;

/// How many things a line names.
const NAMED: usize = 3;

/// The logs of OpenSM's default, and of Debian's unit, which names it on the command line.
const LOGS: [&str; 2] = ["/var/log/opensm.log", "/var/log/opensm.%g.log"];

/// Say how the running engine does, on one screen
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc status
  dmodc status --metrics /var/lib/prometheus/node-exporter/dmodc-0x0002c90300001234.prom
  dmodc status --json

It reads the files that opensm.conf names: dmodc.metrics of event_plugin_options, and log_file.
A name with %g is that of the only file there, with a port GUID in this place.

Exit codes: 0 all is well, 1 there is something to do, 2 cannot tell.")]
pub struct Args {
    /// The metrics [default: dmodc.metrics in OpenSM's configuration]
    #[arg(long, value_name = "F")]
    metrics: Option<PathBuf>,
    /// OpenSM's log [default: log_file in OpenSM's configuration, /var/log/opensm.log or /var/log/opensm.%g.log, the
    /// one with the last sweep]
    #[arg(long, value_name = "F")]
    log: Option<PathBuf>,
    /// OpenSM's configuration [default: /etc/opensm/opensm.conf, or /etc/rdma/opensm.conf if only that exists]
    #[arg(long, value_name = "F")]
    conf: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let conf = args.conf.unwrap_or_else(default_conf);
    let conf = files::read(&conf).unwrap_or_default();
    let conf = String::from_utf8_lossy(&conf);
    let words = last(&conf, "event_plugin_options").unwrap_or_default();
    let words = words.split_whitespace();
    let options: Vec<&str> = words.filter(|word| word.starts_with("dmodc.")).collect();
    let option = |name: &str| {
        let start = format!("dmodc.{name}=");
        let value = |word: &&str| word.strip_prefix(&*start).map(str::to_owned);
        options.iter().rev().find_map(value)
    };
    let metrics = args.metrics.or_else(|| option("metrics").map(Into::into));
    let logs = match args.log {
        Some(log) => vec![log],
        None => {
            let named = last(&conf, "log_file").map(PathBuf::from);
            named.into_iter().chain(LOGS.map(Into::into)).collect()
        }
    };
    let mut report = Report::default();
    let (mut port, mut sweep, mut is_kept) = (None, None, false);
    match metrics.as_deref().map(of_one_port) {
        None => report.unknown("no metrics: set dmodc.metrics=FILE in event_plugin_options"),
        Some(Err(e)) => report.unknown(&e),
        Some(Ok(metrics)) => {
            report.of_metrics(&metrics);
            port = metrics.port;
            let figures = ["sweep_seconds", "last_sweep_timestamp_seconds"];
            let [took, at] = figures.map(|figure| metrics.one(figure));
            sweep = took.zip(at);
            is_kept = metrics.keep_reference() && option("faults").is_none_or(|f| f != "paper");
        }
    }
    report.of_log(&logs, sweep);
    report.of_reference(option("reference").as_deref(), port, is_kept);
    let words = match options.is_empty() {
        true => "none set".to_owned(),
        false => options.join(" "),
    };
    report.say("options", words);
    report.print(args.json)
}

/// What is said, and what follows from it.
#[derive(Default)]
struct Report {
    lines: Vec<(&'static str, String)>,
    to_do: Vec<String>,
    unknown: Vec<String>,
}

impl Report {
    fn say(&mut self, what: &'static str, text: impl Into<String>) {
        self.lines.push((what, text.into()));
    }

    fn wants(&mut self, what: impl Into<String>) {
        self.to_do.push(what.into());
    }

    fn unknown(&mut self, what: &str) {
        self.unknown.push(what.to_owned());
    }

    /// Prints all; the exit code is the verdict.
    fn print(self, as_json: bool) -> Outcome {
        let (code, verdict) = match (&self.unknown[..], &self.to_do[..]) {
            ([], []) => (0, "well".to_owned()),
            ([], to_do) => (1, format!("to do: {}", to_do.join("; "))),
            (unknown, []) => (2, format!("cannot tell: {}", unknown.join("; "))),
            (unknown, to_do) => {
                let (unknown, to_do) = (unknown.join("; "), to_do.join("; "));
                (2, format!("cannot tell: {unknown}; to do: {to_do}"))
            }
        };
        if as_json {
            let lines: Value = self.lines.into_iter().collect();
            let word = ["well", "to do", "cannot tell"][code];
            let whole = json!({ "verdict": word, "to_do": self.to_do, "unknown": self.unknown, "lines": lines });
            print(format!("{whole}\n"))?;
        } else {
            let lines = self.lines.iter();
            let lines = lines.map(|(what, text)| format!("{what:<10} {text}\n"));
            print(lines.collect::<String>() + &verdict + "\n")?;
        }
        Ok(ExitCode::from(code as u8))
    }

    fn of_metrics(&mut self, metrics: &Metrics) {
        let time = |name: &str| metrics.one(name).filter(|&at| at > 0.0);
        let age = |name: &str| time(name).map(|at| now() - at);
        let written = age("last_write_timestamp_seconds");
        let is_fresh = written.is_some_and(|old| old <= FRESH);
        match written {
            _ if is_fresh => {}
            Some(old) => {
                let old = words(old);
                let why = "OpenSM has ended or hangs, or it cannot write them";
                self.unknown(&format!("the metrics are {old} old: {why}"));
            }
            None => self.unknown("the metrics have no time"),
        }
        let is_master = metrics.one("master") == Some(1.0);
        let since = age("role_since_timestamp_seconds");
        let since = since.map_or(String::new(), |age| format!(" for {}", words(age)));
        let role = if is_master { "master" } else { "not master" };
        self.say("role", format!("{role}{since}"));
        let interval = metrics.one("sweep_interval_seconds");
        if let Some((idle, interval)) = age("last_activity_timestamp_seconds").zip(interval) {
            self.say("opensm", format!("last sent a packet {} ago", words(idle)));
            if is_fresh && interval > 0.0 && idle > 60.0 + 6.0 * interval {
                self.wants("OpenSM hangs: restart it");
            }
        }
        if !is_master {
            return;
        }
        let by = match metrics.one("engine_in_use") {
            Some(1.0) => "by Dmodc",
            Some(_) => "by another engine",
            None => "none yet",
        };
        let swept = age("last_sweep_timestamp_seconds");
        let swept = swept.map_or(String::new(), |age| format!("{} ago, ", words(age)));
        let ms = metrics.one("sweep_seconds").map(|took| took * 1000.0);
        let ms = ms.filter(|_| by == "by Dmodc");
        let took = ms.map_or(String::new(), |ms| format!(", in {ms:.1} ms"));
        self.say("sweep", format!("{swept}{by}{took}"));
        match by {
            "by Dmodc" => {}
            "none yet" => self.unknown("no sweep yet"),
            _ if metrics.one("refusals_total") == Some(0.0) => {
                self.wants(
                    "another engine routes: OpenSM has not called Dmodc, see routing_engine",
                );
            }
            _ => self.wants("another engine routes: the log has 'dmodc: ERR: not routed'"),
        }
        let Some(switches) = metrics.one("switches") else {
            return;
        };
        // The figures stay those of the last sweep that Dmodc routed.
        let read = age("last_read_timestamp_seconds").filter(|_| by != "by Dmodc");
        if let Some(old) = read.map(words) {
            self.say("figures", format!("of {old} ago, when Dmodc last routed"));
        }
        let nodes = metrics.one("nodes").unwrap_or_default();
        let missing = self.missing(metrics);
        let state = match missing.is_empty() {
            true => "whole".into(),
            false => missing.join("; "),
        };
        let fabric = format!("{switches} switches, {nodes} ports of hosts; {state}");
        self.say("fabric", fabric);
        self.of_links(metrics);
        let standby = match metrics.one("other_managers") {
            Some(0.0) => "none: this host is not safe to reboot".to_owned(),
            Some(count) => amount(count as usize, "other subnet manager") + " seen",
            None => "not known".into(),
        };
        self.say("standby", standby);
    }

    /// What the fabric lacks.
    fn missing(&mut self, metrics: &Metrics) -> Vec<String> {
        let mut missing = Vec::new();
        for (figure, one, many) in [
            ("switch_lost", "switch lost", "switches lost"),
            ("host_lost", "host lost", "hosts lost"),
        ] {
            let names = metrics.names(figure, |value| value > 0.0);
            if !names.is_empty() {
                let what = if names.len() == 1 { one } else { many };
                let count = names.len();
                missing.push(format!("{count} {what}: {}", first_few(names, NAMED)));
            }
        }
        let lacking = metrics.names("missing_uplinks", |value| value > 0.0);
        if !lacking.is_empty() {
            let names = first_few(lacking, NAMED);
            missing.push(format!("uplinks missing at {names}"));
        }
        missing.iter().for_each(|what| self.wants(what.as_str()));
        missing
    }

    /// Slow and drained links, and pairs left out.
    fn of_links(&mut self, metrics: &Metrics) {
        let slow = metrics.names("links_slow", |_| true);
        match slow.len() {
            0 => self.say("slow", "none"),
            count => {
                let links = amount(count, "link");
                self.say("slow", format!("{links}, at {}", first_few(slow, NAMED)));
                self.wants(amount(count, "slow link"));
            }
        }
        let figure = |name: &str| metrics.one(name).unwrap_or_default();
        let drained = match (figure("drained"), figure("drained_routes")) {
            (0.0, _) => "none".to_owned(),
            (count, 0.0) => format!("{count}, empty"),
            (count, routes) => format!("{count}, not empty: {routes} routes"),
        };
        let odd = figure("drain_odd_lines");
        if odd > 0.0 {
            let lines = amount(odd as usize, "line");
            self.wants(format!(
                "{lines} of the drain file without effect, or it is unreadable"
            ));
        }
        self.say("drained", drained);
        let (out, turned) = (figure("left_out_host_pairs"), figure("turned_host_pairs"));
        let pairs = match (out, turned) {
            (0.0, 0.0) => "no pair of hosts".to_owned(),
            (0.0, turned) => format!("no pair of hosts; {turned} on detours"),
            (out, turned) => format!("{out} pairs of hosts; {turned} on detours"),
        };
        self.say("left out", pairs);
        if out > 0.0 {
            self.wants(format!("{out} pairs of hosts have no route"));
        }
    }

    /// The proof of the last sweep that Dmodc routed, and the errors of that sweep, before and after its line, and since:
    /// of the log with the line of the metrics' last `sweep`, the seconds that it took and when, or of one that goes on
    /// after it.
    fn of_log(&mut self, logs: &[PathBuf], sweep: Option<(f64, f64)>) {
        let there = logs.iter().flat_map(|name| files::of_ports(name));
        let mut read: Vec<Log> = there.filter_map(|path| Log::read(&path)).collect();
        if read.is_empty() {
            self.say("log", format!("{}: cannot be read", paths(logs)));
            return self.unknown("the log cannot be read: name it with --log");
        }
        let has_sweep = |log: &Log| sweep.is_none_or(|(took, _)| log.has_sweep(took));
        let chosen = read.iter().position(has_sweep);
        let (log, has_it) = (read.swap_remove(chosen.unwrap_or(0)), chosen.is_some());
        if !has_it && sweep.is_some_and(|(_, at)| !log.goes_on(at)) {
            let path = log.path.display();
            self.say("log", format!("{path}: not of the last sweep"));
            return self.unknown(&format!(
                "{path} lacks the last sweep: name the log with --log"
            ));
        }
        let lines = log.lines;
        let proof = log.routed[0].and_then(|at| lines[at].figure("proof"));
        self.say("proof", proof.unwrap_or("the log does not say"));
        if proof.is_some_and(|proof| proof != "passed") {
            self.wants("the proof of the tables failed");
        }
        let errors = lines[log.start..].iter().filter(|line| line.is_error);
        let errors: Vec<&str> = errors.map(|line| &*line.text).collect();
        match errors.last() {
            None if has_it => self.say("log", "no error in the last sweep and since"),
            None => self.say("log", "no error, but it begins after the last sweep"),
            Some(last) => {
                let count = amount(errors.len(), "error");
                let text = format!("{count} in the last sweep and since, the last: {last}");
                self.say("log", text);
                self.wants(format!("{count} in the log"));
            }
        }
    }

    /// `is_kept`: the default's file must be there.
    fn of_reference(&mut self, option: Option<&str>, port: Option<Guid>, is_kept: bool) {
        let option = option.filter(|file| *file != "auto");
        let path = match option {
            Some("none") => return self.say("reference", "none set"),
            None => {
                let [by_port, _] = auto_paths();
                let mut there = files::of_ports(&by_port);
                match (port, there.len()) {
                    (Some(port), _) => files::of_port(&by_port, port),
                    (None, 1) => there.remove(0),
                    (None, 0) => by_port,
                    (None, _) => return self.say("reference", several(&there)),
                }
            }
            Some(file) => file.into(),
        };
        let age = files::stamp(&path).and_then(|(written, _)| written.elapsed().ok());
        let age = age.map(|age: Duration| words(age.as_secs_f64()));
        match age {
            Some(age) => self.say("reference", format!("{}, {age} old", path.display())),
            None => {
                self.say("reference", format!("{}: not there", path.display()));
                if option.is_some() || is_kept {
                    self.wants(
                        "the reference is not there: the log has why, or OSM_CACHE_DIR differs",
                    );
                }
            }
        }
    }
}

/// The metrics of a file; of the only subnet manager, if their name is another one for each.
fn of_one_port(path: &Path) -> Result<Metrics, String> {
    let (there, file) = (files::of_ports(path), path.display());
    match &there[..] {
        [one] => Metrics::read(one),
        [] => Err(format!("{file}: no subnet manager has written it")),
        _ => Err(format!("{}: name one with --metrics", several(&there))),
    }
}

/// The files of several subnet managers of this host.
fn several(files: &[PathBuf]) -> String {
    format!("of several subnet managers: {}", paths(files))
}

fn paths(files: &[PathBuf]) -> String {
    let names = files.iter().map(|file| file.display().to_string());
    names.collect::<Vec<String>>().join(", ")
}

fn now() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs_f64()
}

/// A number of things.
fn amount(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// A time in words.
fn words(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86400),
    }
}

/// The value of a label, up to its quotation mark: `\\` and `\"` are a character each.
fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    let next = || match chars.next()? {
        '"' => None,
        '\\' => chars.next(),
        other => Some(other),
    };
    std::iter::from_fn(next).collect()
}

/// The samples of a file of metrics, by name and labels.
struct Metrics {
    samples: BTreeMap<String, f64>,
    /// The subnet manager, if the file says it.
    port: Option<Guid>,
}

impl Metrics {
    fn read(path: &Path) -> Result<Metrics, String> {
        let read = files::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let text = String::from_utf8_lossy(&read);
        let mut port = None;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let samples = lines.filter_map(|line| {
            let (series, value) = line.rsplit_once(' ')?;
            let Some((name, labels)) = series.split_once("{sm=\"") else {
                return Some((series.to_owned(), value.parse().ok()?));
            };
            let (sm, labels) = labels.split_once('"')?;
            port = sm.parse().ok();
            let others = labels.strip_prefix(',').map(|labels| format!("{{{labels}"));
            let series = name.to_owned() + &others.unwrap_or_default();
            Some((series, value.parse().ok()?))
        });
        let samples = samples.collect();
        Ok(Metrics { samples, port })
    }

    /// Whether they are of a plugin that must have written its own reference: a thread does so after the first sweep
    /// that it routes. Only `dmodc follow` has the time since when tables are stale.
    fn keep_reference(&self) -> bool {
        let total = |what| self.one(what).unwrap_or_default();
        let is_plugin = self.one("stale_since_timestamp_seconds").is_none();
        is_plugin && total("sweeps_total") - total("refusals_total") > 1.0
    }

    /// A figure without labels.
    fn one(&self, name: &str) -> Option<f64> {
        self.samples.get(&format!("dmodc_{name}")).copied()
    }

    /// The names of the switches or hosts of a figure whose values count.
    fn names(&self, figure: &str, counts: impl Fn(f64) -> bool) -> Vec<String> {
        let start = format!("dmodc_{figure}{{");
        let mut names = Vec::new();
        for (series, value) in &self.samples {
            if series.starts_with(&start) && counts(*value) {
                let label = |label: &str| {
                    let (_, rest) = series.split_once(&format!("{label}=\""))?;
                    let value = unescaped(rest);
                    (!value.is_empty()).then_some(value)
                };
                let name = label("description").or_else(|| label("guid"));
                names.push(name.unwrap_or_default());
            }
        }
        names
    }
}
