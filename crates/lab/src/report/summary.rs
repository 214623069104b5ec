//! The report in one page of Markdown, for a README: medians and outcomes, so that no figure is copied by hand.

use super::measures::{Measure, is_comparable};
use super::sets::{Set, versions};
use super::stats::{Cut, bound_of, cut_throws, decades, endings, median_of, median_over};
use super::style::number;
use super::tables::{cell, median_cell};
use crate::compare::{EngineSpec, ThrowRow};
use std::fmt::Write;

pub fn summary(sets: &[Set]) -> String {
    let mut text = "\
Throws with faults: *refused* by the engine; *failed*, since it timed out or OpenSM ended; *short*, it left out
pairs though all have an up-down path. *Loops*: throws in which its routes have a credit loop: from host to host on one
lane / each on the lane that the engine gives it / between hosts and the LIDs of switches / from switch to switch / all
together on one lane (–: rows of an earlier version do not say). *Lanes*: the most that it gives to routes from host
to host. In brackets, of how many throws: in the heading those in which all pairs have an up-down path, beside a
median those that it is of, if the engine routes fewer of them. *Bound*: the least that routes balanced by destination
can have. In how many throws each engine is better and worse than each other: `report.html`.

"
    .to_owned();
    for set in sets.iter().filter(|set| set.throws() > 0) {
        text += &section(set);
    }
    let _ = writeln!(
        text,
        "Made by {}.",
        versions(sets.iter().flat_map(|set| &set.rows)).join("; ")
    );
    text
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

fn section(set: &Set) -> String {
    let first = &set.rows[0];
    let faults = set.equipment.faults();
    let (decades, names): (Vec<_>, Vec<String>) = decades(set).into_iter().unzip();
    let mut text = format!(
        "### {} end nodes, {faults}\n\n`{}`: {} switches, {} throws, {} of them connected{}. \
         Medians at {} {faults}.\n\n",
        number(first.nodes as f64),
        set.fabric,
        number(first.switches as f64),
        number(set.throws() as f64),
        number(set.connected_throws() as f64),
        idle(set),
        names.join(" / ")
    );
    let mut measures = set.measures();
    measures.retain(|&measure| measure != Measure::Entries);
    text += "| engine | refused | failed | short | loops | lanes |";
    text += &headings(&measures, 5);
    for spec in set.specs() {
        let ends = endings(set, &spec);
        let looping = ends.looping.map(|count| cell(count.map(|n| n as f64)));
        let _ = write!(
            text,
            "| {spec} | {} | {} | {} | {} | {} |",
            ends.refused,
            ends.failed,
            ends.incomplete,
            looping.join(" / "),
            cell(ends.lanes.map(|n| n as f64))
        );
        for &measure in &measures {
            let medians = decades
                .iter()
                .map(|d| median_cell(median_of(set, &spec, d, measure)));
            let _ = write!(text, " {} |", medians.collect::<Vec<_>>().join(" / "));
        }
        text.push('\n');
    }
    let bounds = |&measure: &Measure| {
        let bounds: Vec<_> = decades.iter().map(|d| bound_of(set, d, measure)).collect();
        let cells: Vec<String> = bounds.iter().map(|bound| cell(*bound)).collect();
        let is_known = bounds.iter().any(Option::is_some);
        is_known.then(|| format!(" {} |", cells.join(" / ")))
    };
    let bounds: Vec<Option<String>> = measures.iter().map(bounds).collect();
    if bounds.iter().any(Option::is_some) {
        let cells = bounds.into_iter().map(|bound| bound.unwrap_or(" |".into()));
        let _ = writeln!(text, "| *bound* | | | | | |{}", cells.collect::<String>());
    }
    let (cut, engines) = cut_throws(set, &measures);
    if cut > 0 {
        text += &cut_table(set, cut, &measures, &engines);
    }
    text.push('\n');
    text
}

/// The measures in the first line of a table, and its second line; `before` columns of numbers precede the measures.
fn headings(measures: &[Measure], before: usize) -> String {
    let names = measures
        .iter()
        .map(|measure| format!(" {} |", measure.name()));
    let rule = "--:|".repeat(before + measures.len());
    format!("{}\n|---|{rule}\n", names.collect::<String>())
}

/// The number of throws that hit nothing, in words; empty if there are none.
pub fn idle(set: &Set) -> String {
    match set.idle_throws() {
        0 => String::new(),
        1 => ", 1 hits nothing".into(),
        idle => format!(", {} hit nothing", number(idle as f64)),
    }
}

/// The table of the throws that are not connected, which the other medians leave out.
fn cut_table(set: &Set, throws: usize, measures: &[Measure], engines: &[Cut]) -> String {
    let mut text = format!(
        "\nIn {} more {}. Medians over those of them that the engine routes \
         with no pair left out; how many these are is *in full*.\n\n| engine | in full |",
        number(throws as f64),
        set.cut()
    );
    text += &headings(measures, 1);
    for engine in engines {
        let medians: Vec<String> = engine.medians.iter().copied().map(cell).collect();
        let (spec, throws) = (&engine.spec, engine.throws);
        let _ = writeln!(text, "| {spec} | {throws} | {} |", medians.join(" | "));
    }
    text
}
