//! The tables of the report, as HTML.

use super::measures::{Measure, is_comparable};
use super::sets::Set;
use super::stats::{
    Cut, Duel, Endings, KINDS_OF_LOOPS, Median, bound_of, decades, endings, matrix as matrix_of,
    median_of,
};
use super::style::number;
use crate::compare::{EngineSpec, ThrowRow};
use crate::xml::escaped;
use std::fmt::Write;

/// A figure; `–` for none.
pub fn cell(value: Option<f64>) -> String {
    value.map_or("–".into(), number)
}

/// A median, and behind it in brackets how many throws it is of where others have more.
pub fn median_cell(median: Median) -> String {
    let text = cell(median.value);
    match median.of_few {
        None => text,
        Some(throws) => format!("{text} ({throws})"),
    }
}

/// The medians of a measure in each decade of faults, the best median bold.
pub fn measure(set: &Set, measure: Measure) -> String {
    let decades = decades(set);
    let mut html = format!("<table><thead><tr><th>{}</th>", set.equipment.faults());
    for (_, name) in &decades {
        let _ = write!(html, "<th>{name}</th>");
    }
    html += "</tr></thead><tbody>";
    let specs = set.specs();
    let of = |spec: &EngineSpec| -> Vec<Median> {
        let median = |(decade, _): &(_, _)| median_of(set, spec, decade, measure);
        decades.iter().map(median).collect()
    };
    let medians: Vec<Vec<Median>> = specs.iter().map(of).collect();
    // A median of fewer throws than others have may be of the easier ones.
    let of_all = |m: Median| m.value.filter(|_| m.of_few.is_none());
    // As shown: the decimals behind are of random permutations.
    let best = |column: usize| measure.best(medians.iter().filter_map(|row| of_all(row[column])));
    for (spec, row) in specs.iter().zip(&medians) {
        let _ = write!(html, "<tr><th>{spec}</th>");
        for (column, &median) in row.iter().enumerate() {
            let text = median_cell(median);
            html += &match of_all(median).is_some() && cell(of_all(median)) == cell(best(column)) {
                true => format!("<td><b>{text}</b></td>"),
                false => format!("<td>{text}</td>"),
            };
        }
        html += "</tr>";
    }
    let bounds = decades.iter().map(|(d, _)| bound_of(set, d, measure));
    let bounds: Vec<Option<f64>> = bounds.collect();
    if bounds.iter().any(Option::is_some) {
        html += "<tr class=all><th>bound</th>";
        for bound in bounds {
            let _ = write!(html, "<td>{}</td>", cell(bound));
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// Each engine beside each other: in how many throws it is better, equal and worse.
pub fn matrix(set: &Set, measure: Measure) -> String {
    let specs = set.specs();
    let mut html = "<table><thead><tr><th></th>".to_owned();
    for spec in &specs {
        let _ = write!(html, "<th>{spec}</th>");
    }
    html += "</tr></thead><tbody>";
    for (i, (spec, row)) in specs.iter().zip(matrix_of(set, measure)).enumerate() {
        let _ = write!(html, "<tr><th>{spec}</th>");
        for (k, duel) in row.into_iter().enumerate() {
            html += &match (i == k, duel) {
                (true, _) => "<td></td>".into(),
                (_, none) if none == Duel::default() => "<td>–</td>".into(),
                (_, d) => format!("<td>{} / {} / {}</td>", d.better, d.equal, d.worse),
            };
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// Refusals, pairs left out, credit loops.
pub fn endings_of(set: &Set) -> String {
    let specs = set.specs();
    let endings: Vec<Endings> = specs.iter().map(|c| endings(set, c)).collect();
    let mut html = "<table><thead><tr><th></th><th>throws</th><th>refused</th><th>timed out<br>or failed</th>\
                    <th>pairs left out,<br>all connected</th><th>pairs left out,<br>some cut off</th>\
                    <th>most pairs<br>left out</th><th>most<br>lanes</th>"
        .to_owned();
    for kind in KINDS_OF_LOOPS {
        let _ = write!(html, "<th>credit loops,<br>{kind}</th>");
    }
    let has_reasons = endings.iter().any(|ends| ends.reason.is_some());
    if has_reasons {
        html += "<th>reason most often given</th>";
    }
    html += "</tr></thead><tbody>";
    for (spec, ends) in specs.iter().zip(&endings) {
        let count = |n: usize| number(n as f64);
        let _ = write!(
            html,
            "<tr><th>{spec}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
            count(ends.throws),
            count(ends.refused),
            count(ends.failed),
            count(ends.incomplete),
            count(ends.cut),
            number(ends.most_left_out as f64)
        );
        let _ = write!(html, "<td>{}</td>", cell(ends.lanes.map(|n| n as f64)));
        for looping in ends.looping {
            let _ = write!(html, "<td>{}</td>", cell(looping.map(|n| n as f64)));
        }
        if has_reasons {
            let reason = ends.reason.as_deref().unwrap_or_default();
            let _ = write!(html, "<td class=text>{}</td>", escaped(reason));
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// Medians over the throws in which some pair has no up-down path and the engine leaves none out.
pub fn cut(measures: &[Measure], engines: &[Cut]) -> String {
    let mut html = "<table><thead><tr><th></th><th>throws<br>routed in full</th>".to_owned();
    for measure in measures {
        let _ = write!(html, "<th>{}</th>", measure.name());
    }
    html += "</tr></thead><tbody>";
    for engine in engines {
        let (spec, throws) = (&engine.spec, engine.throws);
        let _ = write!(html, "<tr><th>{spec}</th><td>{throws}</td>");
        for &median in &engine.medians {
            let _ = write!(html, "<td>{}</td>", cell(median));
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// The shortest time of both callbacks in milliseconds, by fabric.
pub fn runtimes(sets: &[Set]) -> String {
    let mut nodes: Vec<usize> = sets.iter().flat_map(|s| &s.rows).map(|r| r.nodes).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut specs: Vec<EngineSpec> = Vec::new();
    for spec in sets.iter().flat_map(Set::specs) {
        if !specs.contains(&spec) && !spec.gets_io() {
            specs.push(spec);
        }
    }
    let mut html = "<table><thead><tr><th>end nodes</th>".to_owned();
    for &count in &nodes {
        let _ = write!(html, "<th>{}</th>", number(count as f64));
    }
    html += "</tr></thead><tbody>";
    for spec in &specs {
        let _ = write!(html, "<tr><th>{spec}</th>");
        for &count in &nodes {
            let rows = sets.iter().flat_map(|set| &set.rows);
            let of = rows.filter(|row| row.engine == *spec && row.nodes == count);
            let best = of.filter_map(ThrowRow::callbacks_ms).min_by(f64::total_cmp);
            let _ = write!(html, "<td>{}</td>", cell(best));
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// Whether any row of a set can be compared.
pub fn has_figures(set: &Set) -> bool {
    set.rows.iter().any(is_comparable)
}
