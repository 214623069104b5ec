//! `dmodc compare --degrade`: equipment removed or made slow at random, throw after throw.

use super::drawing::drawings;
use super::{Args, BAR, Degrade};
use crate::failure::{Failure, Outcome};
use crate::output::{progress, say, write_to};
use dmodc::netlist::Netlist;
use dmodc_lab::compare::{
    EngineSpec, HEADER, Journal, Scale, Series, ThrowRow, Thrower, engine_file, read_throws,
};
use dmodc_lab::report::median;
use dmodc_lab::sim::{Plugin, when_stopped};
use indicatif::ProgressBar;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The default folder of rows.
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
    if args.io_guids.is_none() && args.engines.iter().any(EngineSpec::gets_io) {
        return Err(Failure::Usage("'+io' needs --io-guids"));
    }
    let io = args.reading.guids(args.io_guids.as_deref())?;
    let bar = progress(0, BAR);
    let equipment = degrade.equipment;
    for path in &args.nets {
        let netlist = args.reading.netlist(path)?;
        let fabric = path.file_stem().unwrap_or(path.as_os_str());
        let default = || equipment.default_exponent(&netlist);
        let series = Series {
            fabric: fabric.to_string_lossy().into_owned(),
            equipment,
            max_exponent: args.max_exponent.unwrap_or_else(default),
            counts: degrade.counts.clone(),
            seed: args.seed,
            scale,
            io: io.clone(),
            keep: args.keep.clone(),
        };
        let title = format!(
            "{}: {} throws, {}",
            series.fabric,
            args.throws,
            equipment.faults()
        );
        let (file, appended) = fill(args, series, netlist, plugin.clone(), limit, dir, &bar)?;
        bar.finish_and_clear();
        let rows = read_throws(&file)?;
        let table = table(&rows, &args.engines);
        say(
            &format!("{title}, {appended} rows appended\n{table}"),
            false,
        )?;
    }
    let dir = dir.display();
    say(
        &format!("\n'dmodc report {dir}' makes a page with figures of it\n"),
        false,
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The medians of each engine over the throws that it routed with no pair left out.
fn table(rows: &[ThrowRow], engines: &[EngineSpec]) -> String {
    let over = rows.iter().any(|row| row.a2a_capacity.is_some());
    let mut text = format!(
        "{:<18}  {:>6}  {:>6}  {:>8}  {:>8}  {:>8}  {:>9}{}\n",
        "medians",
        "throws",
        "whole",
        "A2A",
        "RP",
        "SP",
        "ms",
        if over {
            "  over capacity: A2A        RP        SP"
        } else {
            ""
        }
    );
    for engine in engines {
        let of_engine = rows
            .iter()
            .filter(|row| row.engine == *engine && row.throw > 0);
        let throws = of_engine.clone().count();
        let whole: Vec<&ThrowRow> = of_engine.filter(|row| row.is_routed_in_full()).collect();
        let middle = |of: fn(&ThrowRow) -> Option<f64>| {
            median(whole.iter().filter_map(|row| of(row)).collect())
        };
        let cell = |value: Option<String>| value.unwrap_or("-".into());
        let risk = |of: fn(&ThrowRow) -> Option<f64>| cell(middle(of).map(|v| v.to_string()));
        let real = |of: fn(&ThrowRow) -> Option<f64>| cell(middle(of).map(|v| format!("{v:.2}")));
        let took = cell(middle(ThrowRow::callbacks_ms).map(|ms| format!("{ms:.3}")));
        text += &format!(
            "{:<18}  {:>6}  {:>6}  {:>8}  {:>8}  {:>8}  {took:>9}",
            engine.to_string(),
            throws,
            whole.len(),
            risk(|row| row.a2a.map(f64::from)),
            risk(|row| row.rp.map(f64::from)),
            risk(|row| row.sp_dmodc.map(f64::from)),
        );
        if over {
            text += &format!(
                "  {:>18}  {:>8}  {:>8}",
                real(|row| Some(row.a2a_capacity?.0)),
                real(|row| Some(row.rp_capacity?.0)),
                real(|row| Some(row.sp_dmodc_capacity?.0))
            );
        }
        text.push('\n');
    }
    text
}

/// Brings a series up to the requested number of throws. Returns the file of its rows, and how many throws it
/// made.
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
    let mut journal = Journal::open(&file, HEADER)?;
    let rows = read_throws(&file)?;
    let (done, bar_of_all, engines) = (file.clone(), bar.clone(), args.engines.clone());
    when_stopped(move || {
        bar_of_all.finish_and_clear();
        if let Ok(rows) = read_throws(&done) {
            let table = table(&rows, &engines);
            let _ = say(
                &format!("stopped; the same command goes on\n{table}"),
                false,
            );
        }
    });
    if !rows.iter().all(|row| is_of(row, &series)) {
        return Err(Failure::Usage(
            "DIR holds throws of another exponent, of other numbers, of another seed or number of permutations",
        ));
    }
    let made: HashSet<(u32, EngineSpec)> = rows
        .iter()
        .map(|row| (row.throw, row.engine.clone()))
        .collect();
    let is_missing = |throw: u32, c: &EngineSpec| !made.contains(&(throw, c.clone()));
    let missing = |throw: u32| -> Vec<EngineSpec> {
        let all = args.engines.iter();
        all.filter(|c| is_missing(throw, c)).cloned().collect()
    };
    let is_ours = |throw: &u32| args.part.is_none_or(|(i, n)| throw % n == i - 1);
    let ours: Vec<u32> = (0..=args.throws)
        .filter(|throw| *throw == 0 || is_ours(throw))
        .collect();
    let open = ours.iter().copied().filter(|&t| !missing(t).is_empty());
    let open: Vec<u32> = open.collect();
    let drawn = |spec: &EngineSpec| engine_file(dir, &format!("drawn-{name}"), spec, "svg");
    let are_drawn = args.engines.iter().any(|spec| drawn(spec).exists());
    let to_draw = series.worth_drawing(&netlist, args.throws).filter(is_ours);
    let to_draw = to_draw.filter(|_| !(open.is_empty() && are_drawn));
    if open.is_empty() && to_draw.is_none() {
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
        journal.append(rows.iter().map(ThrowRow::record))
    };
    let mut open = open;
    if open.first() == Some(&0) {
        open.remove(0);
        add(&rows)?;
    }
    let throw = |number: &u32| thrower.throw(*number, &missing(*number));
    side_by_side(args.jobs.into(), &open, throw, |rows| add(&rows))?;
    if let Some(number) = to_draw {
        for (spec, svg) in drawings(&thrower.repeated(number)?)? {
            write_to(&drawn(&spec), |out| out.write_all(svg.as_bytes()))?;
        }
    }
    Ok((file, appended))
}

/// Does work in up to `jobs` threads, and passes on the results in the order of the work. After the first
/// error nothing new begins.
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

fn is_of(row: &ThrowRow, series: &Series) -> bool {
    let key = (row.max_exponent, row.seed, row.permutations, row.removed);
    let removed = series.removal(row.throw).0;
    key == (
        series.max_exponent,
        series.seed,
        series.scale.permutations,
        removed,
    )
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    #[test]
    fn results_come_in_order_and_an_error_ends_all() {
        for jobs in [1, 2, 7] {
            let work: Vec<u64> = (0..40).collect();
            let slow = |&n: &u64| {
                std::thread::sleep(std::time::Duration::from_micros((n * 7919) % 500));
                if n == 25 { Err(n) } else { Ok(n) }
            };
            let mut taken = Vec::new();
            let result = side_by_side(jobs, &work, slow, |n| {
                taken.push(n);
                Ok(())
            });
            assert_eq!(result, Err(25));
            assert!(taken.len() <= 25 && taken.iter().eq(&work[..taken.len()]));
            taken.clear();
            side_by_side(jobs, &work[..25], slow, |n| {
                taken.push(n);
                Ok(())
            })
            .unwrap();
            assert_eq!(taken, work[..25]);
        }
    }
}
