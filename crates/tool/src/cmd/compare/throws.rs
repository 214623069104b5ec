//! `dmodc compare --degrade`: equipment removed or made slow at random, throw after throw.

use super::{Args, BAR, Degrade, names_differ, stem};
use crate::cmd::reading::warn;
use crate::failure::{Failure, Outcome, refused};
use crate::output::{print, progress};
use dmodc_formats::netlist::Netlist;
use dmodc_lab::compare::{
    EngineSpec, Journal, Scale, Series, ThrowRow, Thrower, content_hash, header, read_throws,
};
use dmodc_lab::report::medians;
use dmodc_lab::sim::{Plugin, when_stopped};
use indicatif::ProgressBar;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const OUT: &str = "results";

/// Makes the missing throws, and prints a summary of all.
pub fn run(
    args: &Args,
    degrade: &Degrade,
    plugin: Plugin,
    scale: Scale,
    limit: Duration,
) -> Outcome {
    let dir = args.out.as_deref().unwrap_or(Path::new(OUT));
    for dir in [Some(dir), args.keep.as_deref()].into_iter().flatten() {
        fs::create_dir_all(dir).map_err(Failure::unwritable(dir))?;
    }
    names_differ("fabrics", args.nets.iter().map(|path| stem(path)))?;
    let bar = progress(0, BAR);
    let equipment = degrade.equipment;
    for path in &args.nets {
        let netlist = args.reading.netlist(path)?;
        let default = || equipment.default_exponent(&netlist);
        let series = Series {
            fabric: stem(path),
            equipment,
            max_exponent: args.max_exponent.unwrap_or_else(default),
            counts: degrade.counts.clone(),
            scale,
            fabric_hash: content_hash(&netlist.to_text()),
            keep: args.keep.clone(),
        };
        let faults = equipment.faults();
        let title = format!("{}: {} throws, {faults}", series.fabric, args.throws);
        let (file, appended) = fill(args, series, netlist, plugin.clone(), limit, dir, &bar)?;
        bar.finish_and_clear();
        let table = medians(&read_throws(&file)?, &args.engines);
        print(format!("{title}, {appended} rows appended\n{table}"))?;
    }
    let dir = dir.display();
    print(format!(
        "\n'dmodc report {dir}' makes a page with figures of it\n"
    ))
}

/// Brings a series up to the requested number of throws. Returns the file of its rows, and the number of rows
/// appended.
fn fill(
    args: &Args,
    series: Series,
    netlist: Netlist,
    plugin: Plugin,
    limit: Duration,
    dir: &Path,
    bar: &ProgressBar,
) -> Result<(PathBuf, usize), Failure> {
    let part = args.part.map(|(i, n)| format!("-{i}-of-{n}"));
    let name = format!("{}-{}", series.fabric, series.equipment);
    let file = dir.join(format!("throws-{name}{}.csv", part.unwrap_or_default()));
    let mut journal = Journal::open(&file, &header())?;
    let rows = read_throws(&file)?;
    let (done, bar_of_all, engines) = (file.clone(), bar.clone(), args.engines.clone());
    when_stopped(move || {
        bar_of_all.finish_and_clear();
        if let Ok(rows) = read_throws(&done) {
            let table = medians(&rows, &engines);
            let _ = print(format!("stopped; the same command goes on\n{table}"));
        }
    });
    let why = |row| is_other(row, &series, &args.engines);
    if let Some(why) = rows.iter().find_map(why) {
        let text = format!("{}: {why}; give another folder (-o)", file.display());
        return refused(text);
    }
    if let Some(old) = rows.iter().find(|row| row.is_of_another_dmodc()) {
        let (old, kept) = (old.made_by(), "which is not this one, stay as they are");
        warn(&file, format!("rows of Dmodc by {old}, {kept}"));
    }
    let made = rows.iter().map(|row| (row.throw, row.engine.clone()));
    let made: HashSet<(u32, EngineSpec)> = made.collect();
    let is_missing = |throw: u32, c: &EngineSpec| !made.contains(&(throw, c.clone()));
    let missing = |throw: u32| -> Vec<EngineSpec> {
        let all = args.engines.iter();
        all.filter(|c| is_missing(throw, c)).cloned().collect()
    };
    let is_ours = |throw: &u32| args.part.is_none_or(|(i, n)| throw % n == i - 1);
    let ours = (0..=args.throws).filter(|throw| *throw == 0 || is_ours(throw));
    let ours: Vec<u32> = ours.collect();
    let open = ours.iter().copied().filter(|&t| !missing(t).is_empty());
    let mut open: Vec<u32> = open.collect();
    if open.is_empty() {
        return Ok((file, 0));
    }
    bar.set_length(ours.len() as u64);
    bar.set_position((ours.len() - open.len()) as u64);
    bar.reset_eta();
    bar.set_message(format!("{} complete", series.fabric));
    let title = format!("{}: {}", series.fabric, series.equipment.faults());
    let engines = args.engines.clone();
    let (thrower, mut rows) = Thrower::new(series, netlist, engines, plugin, limit)?;
    rows.retain(|row| is_missing(0, &row.engine));
    let mut appended = 0;
    let mut add = |rows: &[ThrowRow]| {
        bar.set_message(title.clone());
        appended += rows.len();
        bar.inc(1);
        journal.append(rows)
    };
    if open.first() == Some(&0) {
        open.remove(0);
        add(&rows)?;
    }
    let throw = |number: &u32| {
        let (_, rows) = thrower.throw(*number, &missing(*number))?;
        Ok(rows)
    };
    side_by_side(args.jobs.into(), &open, throw, |rows| add(&rows))?;
    Ok((file, appended))
}

/// Does work in up to `jobs` threads, and passes the results to `take` in the order of the work. After the first
/// error no new work begins.
fn side_by_side<W: Sync, R: Send, E: Send>(
    jobs: usize,
    work: &[W],
    do_one: impl Fn(&W) -> Result<R, E> + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, done) = mpsc::channel();
        for _ in 0..jobs.min(work.len()) {
            let (sender, next, do_one) = (sender.clone(), &next, &do_one);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(work) = work.get(number) else { break };
                    if sender.send((number, do_one(work))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut taken = 0;
        for (number, result) in done {
            early.insert(number, result?);
            while let Some(result) = early.remove(&taken) {
                take(result)?;
                taken += 1;
            }
        }
        Ok(())
    })
}

/// The reason why a row, and so its file, does not belong to this series. Rows of an earlier version have no hashes.
fn is_other(row: &ThrowRow, series: &Series, specs: &[EngineSpec]) -> Option<String> {
    let key = (row.max_exponent, row.seed, row.permutations, row.removed);
    let (removed, permutations) = (series.removal(row.throw).0, series.scale.permutations);
    let (exponent, seed) = (series.max_exponent, series.scale.seed);
    if key != (exponent, seed, permutations, removed) {
        let text = "another exponent, of other numbers, of another seed or number of permutations";
        return Some(format!("it is of {text}"));
    }
    let name = row.engine.to_string();
    let spec = specs.iter().find(|spec| spec.to_string() == name);
    if spec.is_some_and(|spec| *spec != row.engine) {
        return Some(format!("its rows of '{name}' are of {:#}", row.engine));
    }
    // For an engine that takes no part, only the fabric counts.
    let of = series.hashes(row.throw, spec.or(specs.first())?);
    let mut parts = row.of.split(' ').zip(of.split(' '));
    let other = parts.position(|(is, expected)| is != expected);
    Some(match other.filter(|_| !row.of.is_empty())? {
        0 => format!("it is of another fabric of the name '{}'", series.fabric),
        _ => format!(
            "its rows of '{name}' are of other files than {:#} has now",
            spec?
        ),
    })
}
