//! `dmodc follow`: tables that follow the fabric, for an OpenSM with its engine `file`.

mod discovery;
mod follower;
mod target;

use self::discovery::Commands;
use self::follower::Follower;
use self::target::Target;
use super::args::Routing;
use crate::failure::{Outcome, refused};
use crate::input::is_dash;
use dmodc_lab::sim::PrivateDir;
use dmodc_watch::sweeps::Logged;
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
#[command(
    mut_arg("reference", |arg| arg.value_name("auto|none|NET0").help(
        "The fabric as designed, or as it was when healthy; auto: the places seen so far, in a file in OpenSM's cache \
         folder [default: auto]")),
    after_help = "Examples:
  dmodc follow --lfts /etc/opensm/dmodc.lfts --notify 'pkill -HUP -x opensm'
  dmodc follow --lfts dmodc.lfts --once --reference as-designed.net

Looks at the fabric periodically, and for each line on standard input; after a change it routes the
fabric, checks the tables, replaces the file, and runs the command of --notify. OpenSM runs with
'routing_engine file' and 'lfts_file FILE', and reads the file in each heavy sweep.

Only beside the master: if sminfo finds another host's OpenSM as master, it waits. A look that fails
is logged and changes nothing. Tables are never empty, and have no LID above the subnet's highest.

The log lines and the metrics are the plugin's; dmodc_stale_since_timestamp_seconds is the time since
when the tables are stale. --once ends after one look; exit code 1 if the fabric is refused or the
check fails, 2 if the discovery fails."
)]
pub struct Args {
    /// Keep the tables in this file, as opensm-lfts.dump
    #[arg(long, value_name = "FILE")]
    lfts: PathBuf,
    /// Keep the hop counts between switches in this file, as opensm-lid-matrix.dump
    #[arg(long, value_name = "F")]
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
    /// End after one look
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    routing: Routing,
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
    let outputs = [&args.lfts].into_iter();
    let outputs = outputs.chain(&args.lid_matrix).chain(&args.metrics);
    let files = args.routing.paths().chain(outputs);
    if files.filter(|file| is_dash(file)).count() > 0 {
        return refused(
            "standard input and output are no files here: a line on standard input asks for a look",
        );
    }
    let commands = Commands {
        discover: args.discover,
        sminfo: args.sminfo,
        limit: args.limit,
        dir: PrivateDir::new()?,
    };
    let mut follower = Follower::new(commands, args.routing, args.max_loss, args.metrics)?;
    let mut target = Target {
        file: args.lfts,
        lid_matrix: args.lid_matrix,
        // The follower before may have ended before it told OpenSM. A timer's single looks shall not sweep each time.
        owed: args.notify.is_some() && !args.once,
        notify: args.notify,
        highest: None,
        written: Vec::new(),
        errors: Logged::default(),
    };
    let (asks, asked) = channel();
    read_asks(asks.clone());
    loop {
        let done = target.turn(&mut follower);
        follower.write_metrics(true);
        if args.once {
            // The failure has been logged.
            return Ok(done.map_or_else(|e| e.exit_code(), |()| ExitCode::SUCCESS));
        }
        wait(&mut follower, &asked, Instant::now() + args.every);
    }
}

/// Passes on each line of standard input.
fn read_asks(asks: Sender<String>) {
    thread::spawn(move || {
        let lines = io::stdin().lines().map_while(Result::ok);
        let sent = lines.map_while(|line| asks.send(line).ok());
        sent.for_each(drop);
    });
}

/// Waits for a line on standard input, at most until `until`; writes the metrics when they are due.
fn wait(follower: &mut Follower, asked: &Receiver<String>, until: Instant) {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || asked.recv_timeout(left.min(BEAT)).is_ok() {
            return;
        }
        follower.write_metrics(false);
    }
}
