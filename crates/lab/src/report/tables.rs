//! The tables of the report, as HTML, and the medians of a series for a terminal.

use super::measures::{Measure, is_comparable, is_connected};
use super::sets::{Set, engines};
use super::stats::{
    ByThrow, Decade, Endings, LOOPS, Median, bound_of, by_throw, decades, duel, endings, median,
    median_over, throws_of,
};
use super::style::number;
use crate::compare::{EngineSpec, ThrowRow};
use crate::xml::escaped;
use std::collections::BTreeSet;
use std::fmt::{Display, Write};

/// A figure; `–` for none.
fn cell(value: Option<f64>) -> String {
    value.map_or("–".into(), number)
}

/// A median, and in brackets its number of throws if other engines have more.
fn median_cell(median: Median) -> String {
    let text = cell(median.value);
    match median.of_few {
        None => text,
        Some(throws) => format!("{text} ({throws})"),
    }
}

fn table<T: Display>(
    headings: impl IntoIterator<Item = T>,
    rows: impl Iterator<Item = String>,
) -> String {
    let headings = headings.into_iter().map(|text| format!("<th>{text}</th>"));
    let (headings, rows): (String, String) = (headings.collect(), rows.collect());
    format!("<table><thead><tr>{headings}</tr></thead><tbody>{rows}</tbody></table>")
}

fn row(heading: &impl Display, cells: impl IntoIterator<Item = String>) -> String {
    let cells = cells.into_iter().map(|text| format!("<td>{text}</td>"));
    format!("<tr><th>{heading}</th>{}</tr>", cells.collect::<String>())
}

/// The medians of a measure in each decade of faults, the best median bold.
pub fn measure(set: &Set, measure: Measure) -> String {
    let decades = decades(set);
    let specs = set.specs();
    let of = |spec: &EngineSpec| -> Vec<Median> {
        let of_decade =
            |(decade, _): &(Decade, String)| median_over(throws_of(set, decade), spec, measure);
        decades.iter().map(of_decade).collect()
    };
    let medians: Vec<Vec<Median>> = specs.iter().map(of).collect();
    // A median of fewer throws than other engines have may be of the easier throws.
    let of_all = |m: Median| m.value.filter(|_| m.of_few.is_none());
    // `cell` compares figures as shown: random permutations decide the further decimals.
    let best = |column: usize| measure.best(medians.iter().filter_map(|row| of_all(row[column])));
    let rows = specs.iter().zip(&medians).map(|(spec, medians)| {
        let cells = medians.iter().enumerate().map(|(column, &median)| {
            let text = median_cell(median);
            let is_best = of_all(median).is_some() && cell(of_all(median)) == cell(best(column));
            match is_best {
                true => format!("<b>{text}</b>"),
                false => text,
            }
        });
        row(spec, cells)
    });
    let bounds = decades.iter().map(|(d, _)| bound_of(set, d, measure));
    let bounds: Vec<Option<f64>> = bounds.collect();
    let bound = bounds.iter().any(Option::is_some).then(|| {
        let cells = row(&"bound", bounds.into_iter().map(cell));
        cells.replace("<tr>", "<tr class=all>")
    });
    let names = decades.iter().map(|(_, name)| &**name);
    let headings = [set.equipment.faults()].into_iter().chain(names);
    table(headings, rows.chain(bound))
}

/// For each pair of engines, over the throws with faults that both route in full: the numbers of throws in which the
/// first is better, equal and worse.
pub fn matrix(set: &Set, measure: Measure) -> String {
    let specs = set.specs();
    let figures = |spec: &EngineSpec| {
        let rows = set.rows.iter();
        let rows = rows.filter(|row| row.removed > 0 && row.engine == *spec);
        by_throw(rows, |row| measure.comparable_figure(row))
    };
    let all: Vec<ByThrow> = specs.iter().map(figures).collect();
    let rows = specs.iter().enumerate().map(|(i, spec)| {
        let cells = (0..all.len()).map(|k| match duel(measure, &all[i], &all[k]) {
            _ if i == k => String::new(),
            [0, 0, 0] => "–".into(),
            [better, equal, worse] => format!("{better} / {equal} / {worse}"),
        });
        row(spec, cells)
    });
    let names = specs.iter().map(EngineSpec::to_string);
    table([String::new()].into_iter().chain(names), rows)
}

/// Refusals, pairs left out, credit loops.
pub fn endings_of(set: &Set) -> String {
    let specs = set.specs();
    let endings: Vec<Endings> = specs.iter().map(|c| endings(set, c)).collect();
    let headings = "|throws|refused|timed out<br>or failed|pairs left out,<br>all connected|\
                    pairs left out,<br>some cut off|most pairs<br>left out|most<br>lanes";
    let mut headings: Vec<String> = headings.split('|').map(str::to_owned).collect();
    headings.extend(LOOPS.map(|(kind, _)| format!("credit loops,<br>{kind}")));
    let has_reasons = endings.iter().any(|ends| ends.reason.is_some());
    headings.extend(has_reasons.then(|| "reason most often given".into()));
    let rows = specs.iter().zip(&endings).map(|(spec, ends)| {
        let counts = [
            ends.throws,
            ends.refused,
            ends.failed,
            ends.incomplete,
            ends.cut,
            ends.most_left_out as usize,
        ];
        let known = [ends.lanes].into_iter().chain(ends.looping);
        let cells = counts.into_iter().map(Some).chain(known);
        let html = row(spec, cells.map(|count| cell(count.map(|n| n as f64))));
        if !has_reasons {
            return html;
        }
        let reason = escaped(ends.reason.as_deref().unwrap_or_default());
        html.replace("</tr>", &format!("<td class=text>{reason}</td></tr>"))
    });
    table(headings, rows)
}

/// The number of throws in which some pair has no up-down path, and medians over those that the engine routes in full.
pub fn cut(set: &Set) -> (usize, String) {
    let is_cut = |row: &&ThrowRow| row.throw > 0 && !is_connected(row);
    let cut: Vec<&ThrowRow> = set.rows.iter().filter(is_cut).collect();
    let (specs, measures) = (set.specs(), set.measures_with(Measure::of_cut));
    let rows = specs.iter().map(|spec| {
        let rows = || cut.iter().filter(|row| row.engine == *spec);
        let in_full = rows().filter(|row| row.is_routed_in_full()).count();
        let figures = |measure: &Measure| rows().filter_map(|row| measure.of_cut(row)).collect();
        let medians = measures.iter().map(|m| cell(median(figures(m))));
        row(spec, [in_full.to_string()].into_iter().chain(medians))
    });
    let names = measures.iter().map(|measure| measure.name());
    let headings = ["", "throws<br>routed in full"].into_iter().chain(names);
    (
        set.throws_that(|row| !is_connected(row)),
        table(headings, rows),
    )
}

/// The shortest time of both callbacks in milliseconds, by fabric.
pub fn runtimes(sets: &[Set]) -> String {
    let rows = || sets.iter().flat_map(|set| &set.rows);
    let nodes: BTreeSet<usize> = rows().map(|row| row.nodes).collect();
    let specs = engines(rows());
    let lines = specs.iter().map(|spec| {
        let best = nodes.iter().map(|&count| {
            let of = rows().filter(|row| row.engine == *spec && row.nodes == count);
            cell(of.filter_map(ThrowRow::callbacks_ms).min_by(f64::total_cmp))
        });
        row(spec, best)
    });
    let counts = nodes.iter().map(|&count| number(count as f64));
    table(["end nodes".to_owned()].into_iter().chain(counts), lines)
}

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
