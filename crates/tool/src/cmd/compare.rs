//! `dmodc compare`: OpenSM's own routing engines and ours, on the same fabrics, by the same figures.

mod throws;

use super::args::permutations;
use super::reading::Reading;
use crate::failure::{Failure, Outcome, refused};
use crate::input::input;
use crate::output::{print, print_json, progress};
use dmodc_core::Engine;
use dmodc_formats::netlist::Equipment;
use dmodc_lab::compare::{EngineSpec, Journal, MultiEngineRun, Row, Scale, compare_whole};
use dmodc_lab::sim::{Plugin, when_stopped};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const BAR: &str = "{msg} {wide_bar} {pos}/{len} {eta}";

/// Run OpenSM's routing engines on simulated fabrics and compare them
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc compare fabric.net --engines dmodc,updn,updn+roots -o results
  dmodc compare *.ibnetdiscover > fabrics.txt
  dmodc compare fabric.net --engines dmodc,nue:vls=0,dfsssp:qos,mine=exec:./mine.py
  dmodc compare fabric.net --engines dmodc,ftree,ftree+roots,updn+roots,minhop,sssp \\
      --degrade switches --throws 60 --max-exponent 7 -o results
  dmodc compare fabric.net --engines dmodc,sssp,dfsssp,dfsssp:avoid --degrade slow=1,10,100 -o results

All engines route the fabric, simulated by ibsim, in one stock OpenSM, one after another, each from the
state in which OpenSM calls its first engine. 'ENGINE+roots' gives the engine a root_guid_file with
the switches at the top, 'ENGINE:OPTION=VALUE' any option of OpenSM's configuration, once or more;
'nue:vls=0' gives nue all lanes, 'dfsssp:avoid' and 'nue:avoid' set OpenSM's avoid_throttled_links
(all widths are enabled, as on hardware). 'dmodc:paper' is Dmodc with dmodc.faults=paper,
'dmodc:ignore' with dmodc.capacity=ignore, 'dmodc:reference' with the whole fabric as its
dmodc.reference (without --degrade: the fabric as it is). 'NAME=exec:PROGRAM' is a program that gets a
netlist and the name of the file to write its tables to; 'NAME=lfts:DIR' has tables in
DIR/FABRIC-NAME.lfts or, with --degrade, DIR/FABRIC-WHAT-THROW-NAME.lfts. Neither may contain a comma.
Turns are by Dmodc's ranks, and a defect of Dmodc alone. Credit loops are counted for the routes from
host to host (loops), between hosts and the LIDs of switches (host/sw) and among switches (sw/sw), all
on one lane; with --degrade, rows also have the loops on the lanes of each engine.
'worst' is the most flows that any permutation sends over one port; a2a is a bound of it.

Each finished fabric appends its lines to DIR/compare.csv; the table of the finished fabrics comes also
when Ctrl-C stops the command. Seconds are the time of the engine's callbacks: hop tables and routes;
of a program the whole time. Pairs without a route take no part in A2A, RP and SP, which flatters
an engine that leaves many out. An engine without tables has 'refused:' and its reason, 'timed out', or
how OpenSM ended.

With --degrade each throw degrades floor(2^(M*u) - 1) pieces of the complete fabric, u uniform:
switches without end nodes or links between switches are removed; with 'slow' links between switches
come up at a quarter of their speed. Numbers after '=' replace that count, one for each throw in turn: slow=1,10,100. If speeds differ, rows also have the risks over
capacity, and the table their medians.

Rows go to DIR/throws-FABRIC-WHAT.csv, the complete fabric (throw 0) first; a later run continues an
interrupted one. --jobs makes throws side by side, each with its own ibsim and OpenSM, which affects
the times of all engines alike. --part I/N makes every Nth throw, into
DIR/throws-FABRIC-WHAT-I-of-N.csv, and throw 0 in each part; 'dmodc report' reads the parts of one
folder, or of several. --keep writes FABRIC-WHAT-THROW.net.gz, with LIDs, and
FABRIC-WHAT-THROW-ENGINE.lfts.gz of each new throw; ENGINE=lfts:DIR compares them again. The table printed has medians over the throws that an engine routes
whole: all pairs have an up-down path and a route. Rows are of the contents of fabric, programs and
tables, and no others are taken for them. 'dmodc draw' shows what --keep has kept. See dmodc report.

Needs the packages opensm and ibsim-utils, and libdmodc_lab.so beside libdmodc.so: beside this program, in --plugin-dir
or where the loader finds it.")]
pub struct Args {
    /// The fabrics
    #[arg(required = true, value_parser = input())]
    nets: Vec<PathBuf>,
    /// Routing engines, with commas between them
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = engine, default_values = ["dmodc", "ftree", "updn", "minhop", "sssp"])]
    engines: Vec<EngineSpec>,
    /// Folder for the rows, which are appended [default with --degrade: results; else none]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Remove equipment at random, or make it slow, again and again, instead of routing the fabrics as they are: WHAT
    /// is switches, links or slow
    #[arg(long, value_name = "WHAT[=N,...]", value_parser = degrade)]
    degrade: Option<Degrade>,
    /// How often
    #[arg(long, value_name = "N", default_value = "60", requires = "degrade")]
    throws: u32,
    /// Up to 2^M - 1 pieces are hit [default: the greatest whole M that leaves half of them]
    #[arg(long, value_name = "M", requires = "degrade", value_parser = exponent)]
    max_exponent: Option<f64>,
    /// Throws made side by side. More than 1 affects the times
    #[arg(long, value_name = "N", default_value = "1", requires = "degrade",
        value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Make only every Nth throw, from the Ith on, into a file of its own: for many machines
    #[arg(long, value_name = "I/N", requires = "degrade", value_parser = part)]
    part: Option<(u32, u32)>,
    /// Keep the netlist of each throw and the tables of each engine in this folder, packed
    #[arg(long, value_name = "DIR", requires = "degrade")]
    keep: Option<PathBuf>,
    /// Folder of libdmodc.so and libdmodc_lab.so [default: that of this program, or where the loader finds it]
    #[arg(long, value_name = "DIR", alias = "plugin")]
    plugin_dir: Option<PathBuf>,
    /// Number of random permutations
    #[arg(long, value_name = "N", default_value = "1000", value_parser = permutations())]
    permutations: u32,
    /// Seed of the random permutations, and of the throws
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// Time for each engine, in seconds
    #[arg(long, value_name = "S", default_value = "300", value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    #[command(flatten)]
    reading: Reading,
    /// Print one JSON object
    #[arg(long, conflicts_with_all = ["degrade", "throws", "max_exponent", "jobs", "part", "keep"])]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    names_differ("engines", args.engines.iter().map(EngineSpec::to_string))?;
    let scale = Scale {
        permutations: args.permutations,
        seed: args.seed,
    };
    let limit = Duration::from_secs(args.limit);
    let plugin = match &args.plugin_dir {
        Some(dir) => Plugin::in_dir(dir)?,
        None => Plugin::find(),
    };
    if let Some(degrade) = &args.degrade {
        if !degrade.counts.is_empty() && args.max_exponent.is_some() {
            return refused("WHAT=N,... leaves nothing to --max-exponent");
        }
        return throws::run(&args, degrade, plugin, scale, limit);
    }
    let (runs, engine) = (MultiEngineRun::new(plugin, limit), Engine::new(0)?);
    let mut journal = None;
    if let Some(dir) = &args.out {
        fs::create_dir_all(dir).map_err(Failure::unwritable(dir))?;
        journal = Some(Journal::open(&dir.join("compare.csv"), Row::COLUMNS)?);
    }
    let bar = progress(args.nets.len() as u64, BAR);
    let rows = Arc::new(Mutex::new(Vec::new()));
    let (done, bar_of_all) = (rows.clone(), bar.clone());
    when_stopped(move || {
        bar_of_all.finish_and_clear();
        if !args.json {
            let _ = print(text(&lock(&done)));
        }
    });
    for path in &args.nets {
        let netlist = args.reading.netlist(path)?;
        let name = stem(path);
        bar.set_message(name.clone());
        let found = compare_whole(&runs, (&engine, &scale), (&name, &netlist), &args.engines)?;
        if let Some(journal) = &mut journal {
            journal.append(found.iter().map(|row| row.record(&scale)))?;
        }
        lock(&rows).extend(found);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let rows = lock(&rows);
    if !args.json {
        return print(text(&rows));
    }
    let rows: Value = rows.iter().map(|row| row.figures.clone()).collect();
    print_json(&json!({ "rows": rows, "permutations": args.permutations, "seed": args.seed }))
}

fn lock(rows: &Mutex<Vec<Row>>) -> MutexGuard<'_, Vec<Row>> {
    rows.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name of a fabric.
fn stem(path: &Path) -> String {
    let name = path.file_stem().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn names_differ(what: &str, mut names: impl Iterator<Item = String>) -> Result<(), Failure> {
    let mut known = HashSet::new();
    let Some(name) = names.find(|name| !known.insert(name.clone())) else {
        return Ok(());
    };
    let text = format!("two {what} have the name '{name}', which their rows would share");
    refused(text)
}

fn engine(text: &str) -> Result<EngineSpec, Box<dyn Error + Send + Sync>> {
    Ok(text.parse::<EngineSpec>()?.known()?)
}

/// The equipment that a throw degrades, and the numbers of pieces, if given.
#[derive(Clone)]
struct Degrade {
    equipment: Equipment,
    counts: Vec<usize>,
}

fn degrade(text: &str) -> Result<Degrade, String> {
    let (what, counts) = text.split_once('=').unzip();
    let count = |word: &str| match word.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(format!("'{word}' is no number of pieces")),
    };
    let counts = counts.map(|list| list.split(',').map(count).collect());
    Ok(Degrade {
        equipment: what.unwrap_or(text).parse()?,
        counts: counts.unwrap_or(Ok(vec![]))?,
    })
}

fn exponent(text: &str) -> Result<f64, &'static str> {
    let expected = "a number from 0 to 20";
    let exponent: f64 = text.parse().map_err(|_| expected)?;
    let fits = (0.0..=20.0).contains(&exponent);
    fits.then_some(exponent).ok_or(expected)
}

/// `2/8`: the second of eight.
fn part(text: &str) -> Result<(u32, u32), &'static str> {
    let numbers = text.split_once('/');
    let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let fits = numbers.filter(|(i, n)| (1..=*n).contains(i));
    fits.ok_or("I/N expected, with I from 1 to N")
}

/// The columns of the table between engine and time: heading, figure, width.
const COLUMNS: [(&str, &str, usize); 10] = [
    ("undelivered", "undelivered", 11),
    ("no route", "no_route", 8),
    ("turns", "turns", 6),
    ("loops", "host_credit_loops", 5),
    ("host/sw", "host_switch_credit_loops", 7),
    ("sw/sw", "switch_credit_loops", 6),
    ("a2a", "a2a", 6),
    ("worst", "exact", 6),
    ("rp", "rp", 5),
    ("sp", "sp", 5),
];

fn text(rows: &[Row]) -> String {
    let widest = rows.iter().map(|row| row.text("fabric").len()).max();
    let wide = widest.unwrap_or(0).max(6);
    let mut text = format!("{:<wide$}  {:<15}  ", "fabric", "engine");
    for (heading, _, width) in COLUMNS {
        text += &format!("{heading:>width$}  ");
    }
    text += &format!("{:>8}\n", "ms");
    for row in rows {
        let (fabric, reason) = (row.text("fabric"), row.text("reason"));
        text += &format!("{fabric:<wide$}  {:<15}  ", row.spec);
        match &*row.text("outcome") {
            "routed" => {
                for (_, figure, width) in COLUMNS {
                    text += &format!("{:>width$}  ", row.text(figure));
                }
                let seconds = row.figures["seconds"].as_f64();
                text += &format!("{:>8.1}\n", seconds.unwrap_or_default() * 1e3);
            }
            "refused" => text += &format!("refused: {reason}\n"),
            _ => text += &format!("{reason}\n"),
        }
    }
    text
}
