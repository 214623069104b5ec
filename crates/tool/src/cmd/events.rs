//! `dmodc events`: what happened, by the lines that Dmodc wrote into OpenSM's log.

use crate::failure::{Outcome, refused};
use crate::input::{self, input};
use crate::output::{print, print_json};
use dmodc_formats::input::{Fault, lines};
use dmodc_formats::log::{Line, Time, YEAR};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Instant;

/// The number of cables to print.
const WORST: usize = 10;

/// What happens, by the first word of a line and by the key of JSON.
const EVENTS: [(&str, &str); 7] = [
    ("lost", "lost"),
    ("back", "back"),
    ("new", "new"),
    ("moved", "moved"),
    ("replaces", "replaced"),
    ("drained", "drained"),
    ("slow", "slow"),
];

/// The figures of a sweep.
const FIGURES: [&str; 7] = [
    "switches",
    "nodes",
    "changed_blocks",
    "displaced",
    "left_out",
    "total_us",
    "proof_us",
];

/// Tell from OpenSM's logs what was lost, came back or was drained, and what it changed
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc events /var/log/opensm.log
  dmodc events /var/log/opensm*log*
  dmodc events opensm.log.2.gz opensm.log.1.gz opensm.log --json
  journalctl -u dmodc-follow | dmodc events -

Logs are in the order of their first lines' times, whatever their names; without a year, which the log
does not have, after the longest gap between them.

A row for each sweep: links, hosts and switches lost, back, new or moved, boxes that replace others,
drained equipment, links that became slow; blocks of 64 LIDs that changed; entries not at their nominal
ports; pairs left out; the proof; the time of the sweep in ms; and below it Dmodc's lines and errors. Sweeps without
any of these are counted. Then the cables that were lost more than once, the ten worst.

Exit code 0.")]
pub struct Args {
    /// OpenSM's logs, or those of 'dmodc follow'
    #[arg(required = true, value_name = "LOG", value_parser = input())]
    logs: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A sweep: the line of its routes, if Dmodc routed, and the lines after it.
#[derive(Default)]
struct Sweep {
    head: Option<Line>,
    time: Option<Time>,
    lines: Vec<Line>,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let mut logs = Vec::new();
    for path in &args.logs {
        let read = input::read(path, |text| {
            let lines = lines(text).filter_map(|(_, line)| Line::parse(line));
            Ok::<Vec<Line>, Fault<Infallible>>(lines.collect())
        })?;
        logs.push(read);
    }
    logs.retain(|log| !log.is_empty());
    if logs.is_empty() {
        let text = "no line of Dmodc in these logs: 'dmodc: …' at OpenSM's log level 0x02 or more";
        return refused(text);
    }
    let sweeps = sweeps(in_order(logs));
    let cables = cables(&sweeps);
    if !args.json {
        return print(text(&sweeps, &cables));
    }
    let cables = cables.iter().take(WORST).map(|(cable, lost)| {
        json!({ "cable": cable, "lost": lost.times, "last": time(lost.last), "is_back": lost.is_back })
    });
    print_json(&json!({
        "sweeps": sweeps.iter().map(Sweep::json).collect::<Value>(),
        "cables": cables.collect::<Value>(),
        "seconds": start.elapsed().as_secs_f64(),
    }))
}

/// The lines of all logs in the order of time. Logs without a time come first.
fn in_order(mut logs: Vec<Vec<Line>>) -> Vec<Line> {
    let first = |log: &Vec<Line>| {
        let time = log.iter().find_map(|line| line.time);
        time.map_or(0, Time::in_year)
    };
    logs.sort_by_key(first);
    let starts: Vec<u64> = logs.iter().map(first).collect();
    let gap = |at: usize| {
        let before = starts[(at + starts.len() - 1) % starts.len()];
        (YEAR + starts[at] - before) % YEAR
    };
    // January may follow December.
    let begin = (0..starts.len()).max_by_key(|&at| (gap(at), Reverse(at)));
    logs.rotate_left(begin.unwrap_or_default());
    logs.concat()
}

fn sweeps(lines: Vec<Line>) -> Vec<Sweep> {
    let mut sweeps = vec![Sweep::default()];
    for line in lines {
        let begins = line.is_routed() || (line.is_error && line.text.starts_with("not routed"));
        if begins {
            sweeps.push(Sweep::default());
        }
        let sweep = sweeps.last_mut().expect("at least one");
        sweep.time = sweep.time.or(line.time);
        match line.is_routed() {
            true => sweep.head = Some(line),
            false => sweep.lines.push(line),
        }
    }
    // What a start says before its first sweep.
    sweeps.retain(|sweep| sweep.head.is_some() || sweep.told().next().is_some());
    sweeps
}

impl Sweep {
    fn figure(&self, name: &str) -> Option<&str> {
        self.head.as_ref()?.figure(name)
    }

    /// The lines about an event, without its word.
    fn of<'s>(&'s self, word: &'s str) -> impl Iterator<Item = &'s str> {
        let lines = self.lines.iter().filter(|line| !line.is_error);
        lines.filter_map(move |line| line.text.strip_prefix(word)?.strip_prefix(": "))
    }

    /// The lines to print: events and errors.
    fn told(&self) -> impl Iterator<Item = &Line> {
        let is_event = |line: &Line| {
            let word = line.text.split_once(": ").map(|(word, _)| word);
            line.is_error || EVENTS.iter().any(|(event, _)| Some(*event) == word)
        };
        self.lines.iter().filter(move |line| is_event(line))
    }

    fn json(&self) -> Value {
        let mut one = json!({ "time": time(self.time), "proof": self.figure("proof") });
        for name in FIGURES {
            let number = self.figure(name).and_then(|n| n.parse::<u64>().ok());
            one[name] = number.into();
        }
        for (word, key) in EVENTS {
            one[key] = self.of(word).collect();
        }
        let errors = self.lines.iter().filter(|line| line.is_error);
        one["errors"] = errors.map(|line| line.text.as_str()).collect();
        one
    }
}

fn time(time: Option<Time>) -> Option<String> {
    time.map(|time| time.to_string())
}

/// How often a cable was lost.
#[derive(Default)]
struct Lost {
    times: usize,
    last: Option<Time>,
    is_back: bool,
}

/// The cables that were lost several times, the worst first.
fn cables(sweeps: &[Sweep]) -> Vec<(String, Lost)> {
    let mut all: BTreeMap<String, Lost> = BTreeMap::new();
    for sweep in sweeps {
        for cable in sweep.of("lost").flat_map(each) {
            let lost = all.entry(cable).or_default();
            lost.times += 1;
            (lost.last, lost.is_back) = (sweep.time, false);
        }
        for cable in sweep.of("back").flat_map(each) {
            if let Some(lost) = all.get_mut(&cable) {
                lost.is_back = true;
            }
        }
    }
    let mut all: Vec<_> = all.into_iter().filter(|(_, lost)| lost.times > 1).collect();
    all.sort_by_key(|(_, lost)| Reverse(lost.times));
    all
}

/// The cables of a line, which may have several hosts of one switch: `2 hosts at 'leaf': 'a' [1], 'b' [2]`.
fn each(line: &str) -> Vec<String> {
    let several = line.split_once(" hosts at ");
    let Some((switch, hosts)) = several.and_then(|(_, rest)| rest.split_once(": ")) else {
        return vec![line.to_owned()];
    };
    let hosts = hosts.split(", ").filter_map(|host| host.rsplit_once(" ["));
    let cable = |(host, port)| format!("host {host} at {switch} [{port}");
    hosts.map(cable).collect()
}

fn text(sweeps: &[Sweep], cables: &[(String, Lost)]) -> String {
    let mut text = format!("{:<15}", "time");
    for (_, key) in EVENTS {
        text += &format!(" {key:>8}");
    }
    text += &format!(
        " {:>7} {:>9} {:>8} {:>7} {:>8}\n",
        "blocks", "displaced", "left out", "proof", "ms"
    );
    let mut quiet = 0;
    let tell_quiet = |quiet: &mut usize| match std::mem::take(quiet) {
        0 => String::new(),
        count => format!("… {count} sweeps without a change\n"),
    };
    for sweep in sweeps {
        let is_changed = |name| sweep.figure(name).is_some_and(|figure| figure != "0");
        if sweep.told().next().is_none() && !is_changed("changed_blocks") {
            quiet += 1;
            continue;
        }
        text += &tell_quiet(&mut quiet);
        let figure = |name| sweep.figure(name).unwrap_or("-");
        text += &format!("{:<15}", time(sweep.time).unwrap_or_default());
        for (word, _) in EVENTS {
            text += &format!(" {:>8}", sweep.of(word).count());
        }
        let total = figure("total_us").parse::<f64>();
        let ms = total.map_or("-".into(), |us| format!("{:.1}", us / 1000.0));
        let [blocks, displaced, left_out, proof] =
            ["changed_blocks", "displaced", "left_out", "proof"].map(figure);
        text += &format!(" {blocks:>7} {displaced:>9} {left_out:>8} {proof:>7} {ms:>8}\n");
        for line in sweep.told() {
            let word = if line.is_error { "ERR: " } else { "" };
            text += &format!("  {word}{}\n", line.text);
        }
    }
    text += &tell_quiet(&mut quiet);
    if !cables.is_empty() {
        text += "\nlost more than once:\n";
    }
    for (cable, lost) in cables.iter().take(WORST) {
        let state = if lost.is_back { "back" } else { "gone" };
        let last = time(lost.last).map_or_else(String::new, |last| format!(", last {last}"));
        text += &format!("{:>6} times{last}, {state}: {cable}\n", lost.times);
    }
    text
}
