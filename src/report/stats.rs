//! Medians, and comparisons of engines throw by throw.

use super::sets::{Pattern, Set, comparable, known};
use crate::compare::{EngineSpec, ThrowRow};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Decades of faults, with their names.
pub const DECADES: [(RangeInclusive<usize>, &str); 5] = [
    (0..=0, "0"),
    (1..=9, "1–9"),
    (10..=99, "10–99"),
    (100..=999, "100–999"),
    (1000..=usize::MAX, "1,000 and more"),
];

/// The median; `None` for no values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = values.get(middle)?;
    Some(match values.len() % 2 {
        1 => *upper,
        _ => (values[middle - 1] + upper) / 2.0,
    })
}

/// The comparable points of an engine: (faults, risk), ascending.
pub fn points(set: &Set, spec: &EngineSpec, pattern: Pattern) -> Vec<(usize, u32)> {
    let of = |row: &&ThrowRow| row.spec == *spec && row.throw > 0;
    let rows = set.rows.iter().filter(of);
    let mut points: Vec<(usize, u32)> = rows
        .filter_map(|row| Some((row.removed, known(row, pattern)?)))
        .collect();
    points.sort_unstable();
    points
}

/// The running median over a window of consecutive points: an eighth of them, at least five.
pub fn running_median(points: &[(usize, u32)]) -> Vec<(f64, f64)> {
    let window = (points.len() / 8).max(5).min(points.len());
    let mut line: Vec<(f64, f64)> = Vec::new();
    for run in points.windows(window.max(1)) {
        let x = median(run.iter().map(|p| p.0 as f64).collect());
        let y = median(run.iter().map(|p| p.1.into()).collect());
        let at = x.zip(y);
        // Of points at one place, the last.
        if line.last().map(|last| last.0) == x {
            line.pop();
        }
        line.extend(at);
    }
    line
}

/// The median of a figure over the throws of a decade.
pub fn median_of(
    set: &Set,
    spec: &EngineSpec,
    decade: &RangeInclusive<usize>,
    figure: impl Fn(&ThrowRow) -> Option<f64>,
) -> Option<f64> {
    let of = |row: &&ThrowRow| row.spec == *spec && decade.contains(&row.removed);
    // The complete fabric counts once.
    let rows = set.rows.iter().filter(of);
    let rows = rows.filter(|row| (row.throw == 0) == (row.removed == 0));
    median(rows.filter_map(figure).collect())
}

/// The decades with throws.
pub fn decades(set: &Set) -> Vec<(RangeInclusive<usize>, &'static str)> {
    let has = |decade: &RangeInclusive<usize>| {
        let mut rows = set.rows.iter();
        rows.any(|row| decade.contains(&row.removed) && comparable(row).is_some())
    };
    let all = DECADES.into_iter();
    all.filter(|(decade, _)| has(decade)).collect()
}

/// Changed blocks per removed piece.
pub fn blocks_per_fault(row: &ThrowRow) -> Option<f64> {
    let blocks = comparable(row)?.changed_blocks?;
    (row.removed > 0).then(|| blocks as f64 / row.removed as f64)
}

/// An engine beside another, throw by throw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Duel {
    /// Throws in which its risk is lower.
    pub better: usize,
    /// Throws in which both have the same risk.
    pub equal: usize,
    /// Throws in which its risk is higher.
    pub worse: usize,
}

/// Compares two engines over the throws with faults in which both are comparable.
pub fn duel(set: &Set, one: &EngineSpec, other: &EngineSpec, pattern: Pattern) -> Duel {
    let of = |spec: &EngineSpec| -> HashMap<u32, u32> {
        let rows = set.rows.iter().filter(|row| row.spec == *spec);
        let faulty = rows.filter(|row| row.removed > 0);
        faulty
            .filter_map(|row| Some((row.throw, known(row, pattern)?)))
            .collect()
    };
    let theirs = of(other);
    let mut duel = Duel::default();
    for (throw, risk) in of(one) {
        match theirs.get(&throw).map(|other| risk.cmp(other)) {
            None => {}
            Some(std::cmp::Ordering::Less) => duel.better += 1,
            Some(std::cmp::Ordering::Equal) => duel.equal += 1,
            Some(std::cmp::Ordering::Greater) => duel.worse += 1,
        }
    }
    duel
}

/// The outcomes of the throws with faults for one engine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Endings {
    /// Throws in which it took part.
    pub throws: usize,
    /// Throws that it refused.
    pub refused: usize,
    /// Throws in which all pairs have an up-down path and it left one without a route.
    pub incomplete: usize,
    /// The most frequent reason of a refusal.
    pub reason: Option<String>,
}

/// Counts the outcomes.
pub fn endings(set: &Set, spec: &EngineSpec) -> Endings {
    let mut endings = Endings::default();
    let mut reasons: HashMap<&str, usize> = HashMap::new();
    let of = |row: &&ThrowRow| row.spec == *spec && row.removed > 0;
    for row in set.rows.iter().filter(of) {
        endings.throws += 1;
        match &row.outcome {
            Err(reason) => {
                endings.refused += 1;
                *reasons.entry(reason).or_default() += 1;
            }
            Ok(routed) => {
                let is_short = row.unreachable_pairs == Some(0) && routed.risks.no_route > 0;
                endings.incomplete += usize::from(is_short);
            }
        }
    }
    let most = reasons
        .into_iter()
        .max_by_key(|&(reason, count)| (count, reason));
    endings.reason = most.map(|(reason, _)| reason.to_owned());
    endings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn a_running_median_forgets_outliers() {
        let mut points: Vec<(usize, u32)> = (1..=40).map(|x| (x, 10)).collect();
        points[20].1 = 1000;
        let line = running_median(&points);
        assert!(line.iter().all(|&(_, y)| y == 10.0), "{line:?}");
        assert_eq!(line.first(), Some(&(3.0, 10.0)));
        assert_eq!(running_median(&[]), []);
        assert_eq!(running_median(&[(2, 7)]), [(2.0, 7.0)]);
    }
}
