//! Medians, and comparisons of engines throw by throw.

use super::measures::{Measure, is_comparable, is_connected};
use super::sets::Set;
use crate::compare::{EngineSpec, ThrowRow};
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

pub type Decade = RangeInclusive<usize>;

const DECADES: [(Decade, &str); 5] = [
    (0..=0, "0"),
    (1..=9, "1–9"),
    (10..=99, "10–99"),
    (100..=999, "100–999"),
    (1000..=usize::MAX, "1,000 and more"),
];

/// The median; `None` for no values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5)
}

/// A quantile of ascending values, by linear interpolation.
fn quantile(values: &[f64], part: f64) -> Option<f64> {
    let place = part * values.len().checked_sub(1)? as f64;
    let [low, high] = [place.floor(), place.ceil()].map(|place| values[place as usize]);
    Some(low * (1.0 - place.fract()) + high * place.fract())
}

/// Points by throw: (faults, figure).
pub type ByThrow = HashMap<u32, (usize, f64)>;

/// The figures of rows. A throw counts once, whatever its engines.
pub fn by_throw<'r>(
    rows: impl Iterator<Item = &'r ThrowRow>,
    figure: impl Fn(&ThrowRow) -> Option<f64>,
) -> ByThrow {
    let points = rows.filter_map(|row| Some((row.throw, (row.removed, figure(row)?))));
    points.collect()
}

/// The comparable points of an engine, ascending.
pub fn points(set: &Set, spec: &EngineSpec, measure: Measure) -> Vec<(usize, f64)> {
    let rows = set.rows.iter();
    let rows = rows.filter(|row| row.engine == *spec && row.throw > 0);
    ascending(by_throw(rows, |row| measure.comparable_figure(row)))
}

/// The bounds of a measure in the comparable throws, ascending.
pub fn bounds(set: &Set, measure: Measure) -> Vec<(usize, f64)> {
    let rows = set.rows.iter().filter(|row| row.throw > 0);
    ascending(by_throw(rows, |row| measure.bound(row)))
}

fn ascending(points: ByThrow) -> Vec<(usize, f64)> {
    let mut points: Vec<_> = points.into_values().collect();
    points.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quartiles {
    /// The number of faults.
    pub x: f64,
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

/// Running quartiles over a window of consecutive points with faults: an eighth of them, at least five. They start at
/// the points without faults, and end at the last point, with the quartiles of the last window.
pub fn running(points: &[(usize, f64)]) -> Vec<Quartiles> {
    let (whole, points) = points.split_at(points.partition_point(|p| p.0 == 0));
    let of = |x, run: &[(usize, f64)]| {
        let mut figures: Vec<f64> = run.iter().map(|p| p.1).collect();
        figures.sort_by(f64::total_cmp);
        Some(Quartiles {
            x,
            low: quantile(&figures, 0.25)?,
            median: quantile(&figures, 0.5)?,
            high: quantile(&figures, 0.75)?,
        })
    };
    let mut line: Vec<Quartiles> = of(0.0, whole).into_iter().collect();
    let window = (points.len() / 8).max(5).min(points.len());
    let mut add = |at: Option<Quartiles>| {
        // Keeps only the last of several points with the same x.
        if line.last().map(|last| last.x) == at.map(|at| at.x) {
            line.pop();
        }
        line.extend(at);
    };
    for run in points.windows(window.max(1)) {
        let x = median(run.iter().map(|p| p.0 as f64).collect());
        add(x.and_then(|x| of(x, run)));
    }
    if let Some(last) = points.last() {
        add(of(last.0 as f64, &points[points.len() - window..]));
    }
    line
}

/// A median of an engine, and whether throws are missing that other engines route in full.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Median {
    /// The median; `None` for no throws.
    pub value: Option<f64>,
    /// The number of throws behind the median, if other engines have more.
    pub of_few: Option<usize>,
}

/// The median of a measure over the rows of an engine.
pub fn median_over<'r>(
    all: impl Iterator<Item = &'r ThrowRow> + Clone,
    spec: &EngineSpec,
    measure: Measure,
) -> Median {
    let rows = all.clone().filter(|row| row.engine == *spec);
    let figures = rows.filter_map(|row| measure.comparable_figure(row));
    let figures: Vec<f64> = figures.collect();
    let throws = by_throw(all, |row| measure.comparable_figure(row)).len();
    let few = (1..throws).contains(&figures.len());
    Median {
        of_few: few.then_some(figures.len()),
        value: median(figures),
    }
}

/// The rows of a decade. The complete fabric counts once.
pub fn throws_of<'s>(set: &'s Set, decade: &Decade) -> impl Iterator<Item = &'s ThrowRow> + Clone {
    let once = |row: &&ThrowRow| (row.throw == 0) == (row.removed == 0);
    let rows = set.rows.iter().filter(once);
    rows.filter(move |row| decade.contains(&row.removed))
}

/// The median of a measure's bounds over the comparable throws of a decade.
pub fn bound_of(set: &Set, decade: &Decade, measure: Measure) -> Option<f64> {
    let bounds = by_throw(throws_of(set, decade), |row| measure.bound(row));
    median(bounds.into_values().map(|(_, bound)| bound).collect())
}

/// The decades with comparable throws. Their names have in brackets the number of throws in which all pairs have an
/// up-down path.
pub fn decades(set: &Set) -> Vec<(Decade, String)> {
    let has = |decade: &Decade| {
        let mut rows = set.rows.iter();
        rows.any(|row| decade.contains(&row.removed) && is_comparable(row))
    };
    let named = |(decade, name): (Decade, &str)| {
        let connected = throws_of(set, &decade).filter(|row| is_connected(row));
        let throws: HashSet<u32> = connected.map(|row| row.throw).collect();
        (decade, format!("{name} ({})", throws.len()))
    };
    let all = DECADES.into_iter().filter(|(decade, _)| has(decade));
    all.map(named).collect()
}

type Count = fn(&ThrowRow) -> Option<usize>;

/// The kinds of credit loops, and their number in a row.
pub const LOOPS: [(&str, Count); 5] = [
    ("host to host", |row| row.host_credit_loops),
    ("on its lanes", |row| row.lane_credit_loops),
    ("hosts and switches", |row| row.host_switch_credit_loops),
    ("among switches", |row| row.switch_credit_loops),
    ("all", |row| row.credit_loops),
];

/// In how many of the throws of both engines the first is better, equal and worse.
pub fn duel(measure: Measure, mine: &ByThrow, theirs: &ByThrow) -> [usize; 3] {
    let mut counts = [0; 3];
    for (throw, &(_, mine)) in mine {
        if let Some(&(_, theirs)) = theirs.get(throw) {
            let not_better = usize::from(!measure.is_better(mine, theirs));
            counts[not_better + usize::from(measure.is_better(theirs, mine))] += 1;
        }
    }
    counts
}

/// The first words of the reasons that are no refusal, in rows of this version and of earlier ones.
const FAILED: [&str; 3] = ["timed out", "not done in", "opensm ended"];

/// The outcomes of the throws with faults for one engine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Endings {
    pub throws: usize,
    pub refused: usize,
    /// Throws in which the engine ran out of time, or OpenSM ended.
    pub failed: usize,
    /// Throws in which the engine leaves pairs without a route, though all pairs have an up-down path.
    pub incomplete: usize,
    /// Throws in which the engine leaves pairs without a route, and some pairs have no up-down path.
    pub cut: usize,
    pub most_left_out: u64,
    /// Throws in which the routes have a credit loop, by [`LOOPS`]; unknown in rows of earlier versions.
    pub looping: [Option<usize>; LOOPS.len()],
    /// The most lanes for routes from host to host in a throw; unknown in rows of earlier versions.
    pub lanes: Option<usize>,
    pub reason: Option<String>,
}

pub fn endings(set: &Set, spec: &EngineSpec) -> Endings {
    let mut endings = Endings::default();
    let mut reasons: HashMap<&str, usize> = HashMap::new();
    let of = |row: &&ThrowRow| row.engine == *spec && row.removed > 0;
    for row in set.rows.iter().filter(of) {
        endings.throws += 1;
        if !row.accepted {
            let failed = FAILED.iter().any(|start| row.reason.starts_with(start));
            endings.failed += usize::from(failed);
            endings.refused += usize::from(!failed);
            *reasons.entry(&row.reason).or_default() += 1;
            continue;
        }
        let left_out = row.no_route.unwrap_or(0);
        let count = match row.unreachable_pairs {
            Some(0) => &mut endings.incomplete,
            _ => &mut endings.cut,
        };
        *count += usize::from(left_out > 0);
        endings.most_left_out = endings.most_left_out.max(left_out);
        endings.lanes = endings.lanes.max(row.lanes);
        for (throws, (_, loops)) in endings.looping.iter_mut().zip(LOOPS) {
            if let Some(loops) = loops(row) {
                *throws.get_or_insert(0) += usize::from(loops > 0);
            }
        }
    }
    let reasons = reasons.into_iter();
    let most = reasons.max_by_key(|&(reason, count)| (count, reason));
    endings.reason = most.map(|(reason, _)| reason.to_owned());
    endings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_quartiles_forget_outliers_and_end_at_the_last_throw() {
        let mut points: Vec<(usize, f64)> = (1..=40).map(|x| (x, 10.0)).collect();
        points[20].1 = 1000.0;
        let line = running(&points);
        let flat = |q: &Quartiles| [q.low, q.median, q.high] == [10.0; 3];
        assert!(line.iter().all(flat), "{line:?}");
        let ends = [line.first(), line.last()].map(|q| q.unwrap().x);
        assert_eq!(ends, [3.0, 40.0]);
        assert_eq!(running(&[]), []);
        let medians = |points: &[(usize, f64)]| -> Vec<(f64, f64)> {
            let line = running(points).into_iter();
            line.map(|q| (q.x, q.median)).collect()
        };
        let start = medians(&[(0, 1.0), (0, 3.0), (2, 7.0)]);
        assert_eq!(start, [(0.0, 2.0), (2.0, 7.0)]);
        assert_eq!(medians(&[(2, 7.0)]), [(2.0, 7.0)]);
        // 1 to 5: the quartiles are 2 and 4.
        let five: Vec<(usize, f64)> = (1..=5).map(|x| (x, x as f64)).collect();
        let found = running(&five)[0];
        assert_eq!([found.low, found.median, found.high], [2.0, 3.0, 4.0]);
    }
}
