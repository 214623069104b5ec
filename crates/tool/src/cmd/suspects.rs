//! `dmodc suspects`: which cable first, by error counters; and what slow pairs of hosts have in common.

mod counters;
mod drained;
mod pairs;

use super::tables::Input;
use crate::failure::{Outcome, refused};
use crate::input::input;
use crate::output::{print_beside, print_json, stdout_among};
use dmodc_analysis::Traffic;
use dmodc_fabric::NodeId;
use dmodc_watch::suspects::Cable;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Name the cables that hurt most, or what slow pairs of hosts have in common
#[derive(clap::Args)]
#[command(
    group = clap::ArgGroup::new("evidence").required(true).args(["counters", "pairs"]),
    after_help = "Examples:
  ibqueryerrors --details > errors.txt; dmodc suspects fabric.net now.lfts --counters errors.txt
  dmodc suspects fabric.net now.lfts --counters yesterday.txt today.txt
  dmodc suspects fabric.net now.lfts --counters ibdiagnet2.db_csv --drain drain.txt --at-most 1
  dmodc suspects fabric.net now.lfts --pairs bandwidths.txt

--counters takes the output of ibqueryerrors or perfquery (that of many ports in one file), ibdiagnet's
db_csv (PM_INFO, PHY_DB16 and other sections with counters of ports) or net_dump_ext. One file is what
was counted since the counters were cleared; of several, the oldest first, what was counted between the
first and the last: a counter that went down was cleared. ibqueryerrors leaves out what is below its
thresholds.

A link is a suspect if its errors weigh 100 or more: a time down 1000 (of a host, which may have been
restarted, 10), a recovery or an integrity error 100, a packet received with errors 10, a symbol error 1,
a BER at its limit 1000, and 1000 more for each power of ten. The limit is 1e-12 up to FDR10, 1e-15 from
FDR on, by the effective BER, from HDR on by the symbol BER. Only what is above twice the median of all
links between switches, or of hosts, counts, if there are three; of times down what not all links of the
switch count, for then it was restarted. Suspects are in the order of the weight times the routes
that it hurts: errors hurt those that enter by the port which counts them. Remote errors, discards and
waiting are no fault of the link, and do not count.

--drain writes suspects between switches to a file for dmodc.drain, the worst first, with reasons. It
leaves out a link if some packet would have no other way up and down the tree, or if a switch would lose
more than --at-most of its uplinks. It prints A2A, RP and SP of Dmodc's tables before and after.

--pairs takes measured pairs, FROM TO [figure] one a line, with tabs or commas where names have blanks.
The figure is a bandwidth, slow or fast; a pair is slow below 0.8 (--below) of the bandwidth that a
quarter of the pairs reach: tests of good links differ by a few percent, and a quarter is right even if most
pairs are slow. Without any figure all lines are slow pairs, and pairs of the same hosts that the file
does not have stand for fast ones. Routes go from FROM to TO, and back if that tells better. It names
the link, the direction of a link, host or switch that tells slow from fast pairs best, with the pairs over
it; then what the rest of the pairs have in common. Chance would look so less than once in a hundred
files. What is less than a hundred times less likely than the best is named as well.
Of a server with several ports each sends to the port of the same number.

Exit code 0 if there is no suspect, 1 if there is one."
)]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Error counters of ports: one reading, or several, the oldest first
    #[arg(long, value_name = "F", num_args = 1.., value_parser = input())]
    counters: Vec<PathBuf>,
    /// Measured pairs of hosts
    #[arg(long, value_name = "F", value_parser = input())]
    pairs: Option<PathBuf>,
    /// A pair is slow below this part of the bandwidth that a quarter of the pairs reach
    #[arg(
        long,
        value_name = "PART",
        default_value = "0.8",
        conflicts_with = "counters"
    )]
    below: f64,
    /// Write suspects that can be spared to this file, for dmodc.drain
    #[arg(long, value_name = "OUT")]
    drain: Option<PathBuf>,
    /// The most uplinks of a switch to drain: a number, or a part in percent, rounded down
    #[arg(long, value_name = "N|N%", default_value = "25%", requires = "drain")]
    at_most: drained::AtMost,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What the evidence says.
struct Answer {
    /// Each suspect that is known for sure, with the evidence; no cable for a switch.
    told: Vec<(Option<Cable>, String)>,
    json: Value,
    text: String,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let to_stdout = stdout_among(&args.drain, args.json)?;
    let mut all = args.input.load(None)?;
    if all.len() > 1 {
        return refused("suspects takes a file with one fabric");
    }
    let judged = all.remove(0);
    let order: Vec<NodeId> = judged.fabric.end_nodes().keys().collect();
    let traffic = Traffic::new(&judged.fabric, &judged.tables, &order);
    let (is_any, answer) = match &args.pairs {
        Some(path) => pairs::answer(&args, path, &judged, &traffic)?,
        None => counters::answer(&args, &judged, &traffic)?,
    };
    let Answer { told, json, text } = answer;
    let drain = args.drain.as_deref();
    let cost = drain.map(|path| drained::write(path, args.at_most, &judged, &told));
    let cost = cost.transpose()?;
    if args.json {
        let mut json = json;
        json["drained"] = cost.into();
        json["seconds"] = json!(start.elapsed().as_secs_f64());
        print_json(&json)?;
    } else {
        let cost = cost.as_ref().map_or_else(String::new, drained::text);
        print_beside(to_stdout, &(text + &cost))?;
    }
    Ok(ExitCode::from(u8::from(is_any)))
}
