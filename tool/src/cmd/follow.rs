//! `dmodc follow`: tables that follow the fabric, for an OpenSM with its engine `file`.

mod discovery;
mod door;
mod fifo;
mod follower;
mod guard;
mod routed;
mod target;

use self::discovery::Commands;
use self::door::{Door, Visit, last_of};
use self::follower::Follower;
use self::target::Target;
use super::args::Routing;
use crate::failure::{Failure, Outcome};
use crate::input::is_dash;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often to check whether the file of `--metrics` is due.
const BEAT: Duration = Duration::from_secs(1);

/// Keep the tables of an OpenSM with the engine 'file' current
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc follow --lfts /etc/opensm/dmodc.lfts --notify 'pkill -HUP -x opensm'
  dmodc follow --lfts dmodc.lfts --once --reference as-designed.net
  dmodc follow --fifo /run/dmodc/lfts --metrics dmodc.prom

Looks at the fabric periodically, and for each line on standard input; after a change it routes the
fabric, checks the tables, replaces the file, and runs the command of --notify. OpenSM runs with
'routing_engine file' and 'lfts_file FILE', and reads the file in each heavy sweep.

With --fifo the file is a FIFO: OpenSM opens it in each heavy sweep, and waits until it gets the
tables of that moment. FILE.last has the last good tables; a second process puts them in the place of
the FIFO when this one ends for any reason, and gives them to a waiting OpenSM.

Only beside the master: if sminfo finds another host's OpenSM as master, it waits (except with a
FIFO). A look that fails is logged and changes nothing. Tables are never empty, and have no LID above
the subnet's highest. With '--reference auto' it keeps the places seen so far in OpenSM's cache
folder, as the plugin does.

The log lines and the metrics are the plugin's; dmodc_stale_since_timestamp_seconds is the time since
when the tables are stale. --once ends after one look; exit code 1 if the fabric is refused or the
check fails, 2 if the discovery fails.")]
pub struct Args {
    #[command(flatten)]
    target: Where,
    /// Keep the hop counts between switches in this file, as opensm-lid-matrix.dump
    #[arg(long, value_name = "F", conflicts_with = "fifo")]
    lid_matrix: Option<PathBuf>,
    /// Run this command to make OpenSM sweep for new tables
    #[arg(long, value_name = "CMD")]
    notify: Option<String>,
    /// Command that prints the fabric
    #[arg(long, value_name = "CMD", default_value = "ibnetdiscover")]
    discover: String,
    /// Command that prints the master
    #[arg(long, value_name = "CMD", default_value = "sminfo")]
    sminfo: String,
    /// Time between two looks
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    every: Duration,
    /// A look whose discoveries take longer has failed
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    limit: Duration,
    /// Look again before believing that more hosts or switches than this are gone at once
    #[arg(long, value_name = "PERCENT", default_value = "10", value_parser = percent)]
    max_loss: f64,
    /// Keep metrics for Prometheus in this file
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
    /// End after one look, or after one reader of the FIFO
    #[arg(long)]
    once: bool,
    /// Be the guard of a FIFO; the answering process starts it
    #[arg(long, hide = true, requires = "fifo")]
    guard: bool,
    #[command(flatten)]
    routing: Routing,
}

/// Where OpenSM reads the tables.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Where {
    /// Keep the tables in this file, as opensm-lfts.dump
    #[arg(long, value_name = "FILE")]
    lfts: Option<PathBuf>,
    /// Experimental: answer at a FIFO, with the tables of the moment when OpenSM opens it
    #[arg(long, value_name = "FILE")]
    fifo: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    within(text, 0.01..=86_400.0).map(Duration::from_secs_f64)
}

fn percent(text: &str) -> Result<f64, String> {
    within(text, 0.0..=100.0)
}

fn within(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let number = text.parse().map_err(|_| "not a number")?;
    match range.contains(&number) {
        true => Ok(number),
        false => Err(format!("not between {} and {}", range.start(), range.end())),
    }
}

pub fn run(args: Args) -> Outcome {
    let outputs = args.target.lfts.iter().chain(&args.target.fifo);
    let outputs = outputs.chain(&args.lid_matrix).chain(&args.metrics);
    if args
        .routing
        .paths()
        .chain(outputs)
        .any(|file| is_dash(file))
    {
        return Err(Failure::Usage(
            "standard input and output are no files here: a line on standard input asks for a look",
        ));
    }
    let patience = args.limit * 2;
    let place = args.target.fifo.as_deref();
    if let Some(place) = place.filter(|_| args.guard) {
        let done = guard::run(place, &last_of(place), patience);
        done.map_err(Failure::unwritable(place))?;
        return Ok(ExitCode::SUCCESS);
    }
    let door = place.map(|place| {
        let limit = args.limit.as_secs_f64().to_string();
        let mut words = ["follow", "--guard", "--limit", &limit, "--fifo"]
            .map(str::to_owned)
            .to_vec();
        words.push(place.display().to_string());
        Door::new(place, words)
    });
    let file = place.map(last_of).or(args.target.lfts);
    let file = file.expect("clap asks for one of them");
    let commands = Commands::new(args.discover, args.sminfo, args.limit)?;
    let mut follower = Follower::new(commands, args.routing, args.max_loss, args.metrics)?;
    let target = Target {
        file,
        lid_matrix: args.lid_matrix,
        notify: args.notify,
        highest: None,
        owed: false,
        asks_master: door.is_none(),
    };
    match door {
        None => keep_file(&mut follower, target, args.every, args.once),
        Some(door) => {
            let place = door.place().to_owned();
            let kept = keep_fifo(&mut follower, target, door, args.every, args.once);
            kept.map_err(Failure::unwritable(&place))
        }
    }
}

/// Keeps a file current, look after look.
fn keep_file(follower: &mut Follower, mut target: Target, every: Duration, once: bool) -> Outcome {
    let (wakes, woken) = channel();
    read_asks(wakes.clone());
    loop {
        let done = target.turn(follower);
        follower.write_metrics(true);
        if once {
            // The failure has been logged.
            return Ok(done.map_or_else(|e| e.exit_code(), |()| ExitCode::SUCCESS));
        }
        wait(follower, &woken, Some(Instant::now() + every));
    }
}

/// Serves a FIFO, reader after reader. Between readers it looks at the fabric on request, and periodically
/// while its tables are stale.
fn keep_fifo(
    follower: &mut Follower,
    mut target: Target,
    mut door: Door,
    every: Duration,
    once: bool,
) -> io::Result<ExitCode> {
    let (wakes, woken) = channel();
    read_asks(wakes.clone());
    // If an earlier follower's FIFO was left, OpenSM may have no tables.
    target.owed = door.open(wakes.clone())?;
    // Makes the first tables, in case a later look fails.
    let _ = target.turn(follower);
    loop {
        follower.write_metrics(true);
        let until = follower.is_stale().then(|| Instant::now() + every);
        match wait(follower, &woken, until) {
            Some(Wake::Visited(visit)) => {
                if !once {
                    door.open(wakes.clone())?;
                }
                door.alive();
                let looked = target.look(follower, &mut || door.alive());
                if once {
                    door.shut()?;
                }
                let has_all = door.serve(visit);
                target.read(follower, &looked, has_all);
                if once {
                    return Ok(looked.map_or_else(|e| e.exit_code(), |_| ExitCode::SUCCESS));
                }
            }
            _ => {
                let _ = target.turn(follower);
            }
        }
    }
}

enum Wake {
    /// A line on standard input.
    Asked,
    /// OpenSM has opened the FIFO.
    Visited(Visit),
}

/// Sends a request for each line of standard input.
fn read_asks(wakes: Sender<Wake>) {
    thread::spawn(move || {
        let lines = io::stdin().lines().map_while(Result::ok);
        let sent = lines.map_while(|_| wakes.send(Wake::Asked).ok());
        sent.for_each(drop);
    });
}

/// Waits for a request or visit, at most until `until`; writes the metrics when they are due.
fn wait(follower: &mut Follower, woken: &Receiver<Wake>, until: Option<Instant>) -> Option<Wake> {
    loop {
        let now = Instant::now();
        let left = until.map_or(BEAT, |until| until.saturating_duration_since(now));
        if left.is_zero() {
            return None;
        }
        if let Ok(wake) = woken.recv_timeout(left.min(BEAT)) {
            return Some(wake);
        }
        follower.write_metrics(false);
    }
}
