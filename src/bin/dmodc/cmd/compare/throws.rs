//! `dmodc compare --degrade`: equipment removed at random, throw after throw.

use super::super::{Failure, Outcome};
use super::{Args, plugin_dir, unwritable};
use crate::output::say;
use dmodc::compare::{Contestant, Equipment, Journal, Scale, Series, ThrowRow, Thrower};
use dmodc::netlist::{Netlist, read_guids};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How many of an engine's worst ports are drawn.
const WORST: usize = 150;

/// Makes the throws that are not made yet.
pub fn run(
    args: &Args,
    equipment: Equipment,
    max_exponent: f64,
    scale: Scale,
    limit: Duration,
) -> Outcome {
    let Some(dir) = &args.out else {
        return Err(Failure::Usage("--degrade needs -o DIR"));
    };
    fs::create_dir_all(dir).map_err(unwritable(dir))?;
    let io = match &args.io_guids {
        Some(path) => read_guids(path)?,
        None if args.engines.iter().any(Contestant::is_told_io) => {
            return Err(Failure::Usage("'+io' needs --io-guids"));
        }
        None => vec![],
    };
    let plugin_dir = plugin_dir(args.plugin.as_deref())?;
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    for path in &args.nets {
        let netlist = Netlist::read(path)?;
        let fabric = path.file_stem().unwrap_or(path.as_os_str());
        let series = Series {
            fabric: fabric.to_string_lossy().into_owned(),
            equipment,
            max_exponent,
            seed: args.seed,
            scale,
            io: io.clone(),
        };
        let rows = fill(args, series, netlist, &plugin_dir, limit, dir, &bar)?;
        bar.finish_and_clear();
        let fabric = fabric.to_string_lossy();
        let text = format!("{fabric}: {} throws, {rows} rows appended\n", args.throws);
        say(&text, false)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Brings a series up to the number of throws asked for. How many rows that took.
fn fill(
    args: &Args,
    series: Series,
    netlist: Netlist,
    plugin_dir: &Path,
    limit: Duration,
    dir: &Path,
    bar: &ProgressBar,
) -> Result<usize, Failure> {
    let name = format!("throws-{}-{}.csv", series.fabric, series.equipment);
    let mut journal = Journal::open(&dir.join(name))?;
    if !journal.rows().iter().all(|row| is_of(row, &series)) {
        return Err(Failure::Usage(
            "DIR holds throws of another exponent, seed or number of permutations",
        ));
    }
    let made: HashSet<(u32, Contestant)> = journal
        .rows()
        .iter()
        .map(|row| (row.throw, row.contestant.clone()))
        .collect();
    let is_missing = |throw: u32, c: &Contestant| !made.contains(&(throw, c.clone()));
    let missing = |throw: u32| -> Vec<Contestant> {
        let all = args.engines.iter();
        all.filter(|c| is_missing(throw, c)).cloned().collect()
    };
    let open: Vec<u32> = (0..=args.throws)
        .filter(|&t| !missing(t).is_empty())
        .collect();
    let drawn = dir.join(format!("drawn-{}-{}.csv", series.fabric, series.equipment));
    let to_draw = series.worth_drawing(&netlist, args.throws);
    let to_draw = to_draw.filter(|_| !(open.is_empty() && drawn.exists()));
    if open.is_empty() && to_draw.is_none() {
        return Ok(0);
    }
    bar.set_length(u64::from(args.throws) + 1);
    bar.set_position((args.throws as usize + 1 - open.len()) as u64);
    bar.reset_eta();
    bar.set_message(format!("{} complete", series.fabric));
    let name = format!("{} minus {}", series.fabric, series.equipment);
    let engines = args.engines.clone();
    let (thrower, mut rows) = Thrower::new(series, netlist, engines, plugin_dir, limit)?;
    rows.retain(|row| is_missing(0, &row.contestant));
    let mut appended = 0;
    for throw in open {
        bar.set_message(name.clone());
        if throw > 0 {
            rows = thrower.throw(throw, &missing(throw))?;
        }
        journal.append(&rows)?;
        appended += rows.len();
        bar.inc(1);
    }
    if let Some(number) = to_draw {
        thrower.portrait(number, WORST)?.write(&drawn)?;
    }
    Ok(appended)
}

fn is_of(row: &ThrowRow, series: &Series) -> bool {
    let key = (row.max_exponent, row.seed, row.permutations);
    key == (series.max_exponent, series.seed, series.scale.permutations)
}
