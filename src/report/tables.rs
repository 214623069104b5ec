//! The tables of the report, as HTML.

use super::goal::Goal;
use super::measures::{Measure, comparable};
use super::sets::Set;
use super::stats::{Duel, Endings, FAULTY, bound_of, decades, endings, median_of};
use super::style::{escape, number};
use crate::compare::EngineSpec;
use std::fmt::Write;

/// A figure; `–` for none.
pub fn cell(value: Option<f64>) -> String {
    value.map_or("–".into(), number)
}

/// A share in whole percent, in which a single throw shows.
pub fn percent(share: f64) -> String {
    match share {
        0.0 | 100.0 => format!("{share:.0}"),
        ..1.0 => "&lt;1".into(),
        99.0.. => "&gt;99".into(),
        _ => format!("{share:.0}"),
    }
}

/// The medians of a measure in each decade of faults, the best of a column bold, and beside them the shares
/// of throws in which Dmodc is better, equal and worse.
pub fn measure(set: &Set, measure: Measure) -> String {
    let decades = decades(set);
    let ours = set.ours();
    let mut html = format!("<table><thead><tr><th>{}</th>", set.equipment.faults());
    for (decade, name) in &decades {
        let columns = if *decade.end() == 0 { 1 } else { 2 };
        let _ = write!(html, "<th colspan={columns}>{name}</th>");
    }
    html += "<th>all with faults</th></tr></thead><tbody>";
    let specs = set.specs();
    let of = |spec: &EngineSpec| -> Vec<Option<f64>> {
        let median = |(decade, _): &(_, _)| median_of(set, spec, decade, |row| measure.of(row));
        decades.iter().map(median).collect()
    };
    let medians: Vec<Vec<Option<f64>>> = specs.iter().map(of).collect();
    let best = |column: usize| measure.best(medians.iter().filter_map(|row| row[column]));
    let share = |others: &[EngineSpec], decade| match &ours {
        Some(ours) if !others.contains(ours) => {
            shares(Duel::new(set, ours, others, measure, decade, |_| true))
        }
        _ => "<td></td>".into(),
    };
    for (spec, row) in specs.iter().zip(&medians) {
        let _ = write!(html, "<tr><th>{spec}</th>");
        let alone = std::slice::from_ref(spec);
        for (column, (decade, _)) in decades.iter().enumerate() {
            let text = cell(row[column]);
            html += &match row[column].is_some() && row[column] == best(column) {
                true => format!("<td><b>{text}</b></td>"),
                false => format!("<td>{text}</td>"),
            };
            if *decade.end() > 0 {
                html += &share(alone, decade);
            }
        }
        html += &share(alone, &FAULTY);
        html += "</tr>";
    }
    let others = set.others();
    if others.len() > 1 && ours.is_some() {
        html += "<tr class=all><th>best of the others</th>";
        for (decade, _) in &decades {
            html += "<td></td>";
            if *decade.end() > 0 {
                html += &share(&others, decade);
            }
        }
        html += &share(&others, &FAULTY);
        html += "</tr>";
    }
    let bounds = decades.iter().map(|(d, _)| bound_of(set, d, measure));
    let bounds: Vec<Option<f64>> = bounds.collect();
    if bounds.iter().any(Option::is_some) {
        html += "<tr class=all><th>least possible</th>";
        for (bound, (decade, _)) in bounds.iter().zip(&decades) {
            let blank = if *decade.end() > 0 { "<td></td>" } else { "" };
            let _ = write!(html, "<td>{}</td>{blank}", cell(*bound));
        }
        html += "<td></td></tr>";
    }
    html + "</tbody></table>"
}

/// A cell with three shares, as a bar and as numbers.
fn shares(duel: Duel) -> String {
    let Some(all) = duel.percent() else {
        return "<td class=share>–</td>".into();
    };
    let [better, equal, worse] = all;
    format!(
        "<td class=share title=\"Dmodc is better in {}, equal in {}, worse in {} of {} throws\">\
         <span class=bar><i style=width:{better:.0}%></i><i style=width:{equal:.0}%></i>\
         <i style=width:{worse:.0}%></i></span>{} · {} · {}</td>",
        duel.better,
        duel.equal,
        duel.worse,
        duel.throws(),
        percent(better),
        percent(equal),
        percent(worse)
    )
}

/// The shares of throws in which Dmodc is best or equal, with the goal.
pub fn goal(goal: &Goal) -> String {
    let mut html = "<table><thead><tr><th></th><th>goal</th>".to_owned();
    for measure in &goal.measures {
        let _ = write!(html, "<th>{}</th>", measure.name());
    }
    html += "<th>throws</th></tr></thead><tbody>";
    for row in &goal.rows {
        let _ = write!(html, "<tr><th>{}</th><td>{} %</td>", row.spec, row.least);
        for duel in &row.duels {
            html += &match duel.best_or_equal() {
                None => "<td>–</td>".into(),
                Some(share) => {
                    let class = if share < row.least { " class=lost" } else { "" };
                    format!("<td{class}>{} %</td>", percent(share))
                }
            };
        }
        let most = row.duels.iter().map(|duel| duel.throws()).max();
        let _ = write!(html, "<td>{}</td></tr>", most.unwrap_or(0));
    }
    html + "</tbody></table>"
}

/// Refusals, pairs left out, credit loops.
pub fn endings_of(set: &Set) -> String {
    let specs = set.specs();
    let endings: Vec<Endings> = specs.iter().map(|c| endings(set, c)).collect();
    let mut html = "<table><thead><tr><th></th><th>throws</th><th>refused</th><th>timed out<br>or failed</th>\
                    <th>pairs left out,<br>all connected</th><th>pairs left out,<br>some cut off</th>\
                    <th>most pairs<br>left out</th><th>credit<br>loops</th>\
                    <th>with<br>management</th>"
        .to_owned();
    let has_reasons = endings.iter().any(|ends| ends.reason.is_some());
    if has_reasons {
        html += "<th>reason most often given</th>";
    }
    html += "</tr></thead><tbody>";
    for (spec, ends) in specs.iter().zip(&endings) {
        let count = |n: usize| number(n as f64);
        let _ = write!(
            html,
            "<tr><th>{spec}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{}</td>",
            count(ends.throws),
            count(ends.refused),
            count(ends.failed),
            count(ends.incomplete),
            count(ends.cut),
            number(ends.most_left_out as f64),
            cell(ends.looping.map(|n| n as f64)),
            cell(ends.looping_with_management.map(|n| n as f64))
        );
        if has_reasons {
            let reason = ends.reason.as_deref().unwrap_or_default();
            let _ = write!(html, "<td class=text>{}</td>", escape(reason));
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
        if !specs.contains(&spec) && !spec.is_told_io() {
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
            let of = rows.filter(|row| row.spec == *spec && row.nodes == count);
            let times = of.filter_map(|row| Some(row.callbacks()?.as_secs_f64() * 1e3));
            let _ = write!(html, "<td>{}</td>", cell(times.min_by(f64::total_cmp)));
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// The versions of the programs that made the rows.
pub fn versions(sets: &[Set]) -> Vec<String> {
    let rows = sets.iter().flat_map(|set| &set.rows);
    let mut all: Vec<String> = rows
        .map(|row| format!("dmodc {}, {}", row.version, row.opensm))
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Whether any row of a set can be compared.
pub fn has_figures(set: &Set) -> bool {
    set.rows.iter().any(|row| comparable(row).is_some())
}
