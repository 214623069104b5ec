//! The medians of a series in a few lines, for a terminal.

use super::measures::{Measure, is_comparable};
use super::stats::median_over;
use super::tables::median_cell;
use crate::compare::{EngineSpec, ThrowRow};
use std::fmt::Write;

/// The medians of some engines over all throws except throw 0, the complete fabric; for a terminal.
pub fn medians(rows: &[ThrowRow], specs: &[EngineSpec]) -> String {
    let is_shown = |row: &&ThrowRow| row.throw > 0 && specs.contains(&row.engine);
    let rows = rows.iter().filter(is_shown);
    let mut measures = vec![Measure::A2a, Measure::Rp, Measure::SpDmodc, Measure::Time];
    if rows.clone().any(|row| row.a2a_capacity.is_some()) {
        measures.extend([
            Measure::A2aCapacity,
            Measure::RpCapacity,
            Measure::SpDmodcCapacity,
        ]);
    }
    let mut text = format!("{:<18}  {:>6}  {:>6}", "medians", "throws", "whole");
    for measure in &measures {
        let _ = write!(text, "  {:>9}", measure.name());
    }
    for spec in specs {
        let of_engine = rows.clone().filter(|row| row.engine == *spec);
        let whole = of_engine.clone().filter(|row| is_comparable(row)).count();
        let _ = write!(text, "\n{spec:<18}  {:>6}  {whole:>6}", of_engine.count());
        for &measure in &measures {
            let median = median_cell(median_over(rows.clone(), spec, measure));
            let _ = write!(text, "  {median:>w$}", w = measure.name().len().max(9));
        }
    }
    text + "\nwhole: all pairs have an up-down path and a route. Medians are over these throws; in brackets, how many \
            they are where another engine has more\n"
}
