//! The tables of the report, as HTML.

use super::sets::{Pattern, Set, comparable, known};
use super::stats::{Duel, Endings, blocks_per_fault, decades, duel, endings, median_of};
use super::style::escape;
use crate::compare::{EngineSpec, ThrowRow};
use std::fmt::Write;

/// The engine with which the others are compared.
const OURS: &str = "dmodc";

fn cell(value: Option<f64>, is_best: bool) -> String {
    let text = match value {
        None => "–".into(),
        Some(v) if v.fract() == 0.0 => format!("{v:.0}"),
        Some(v) => format!("{v:.1}"),
    };
    match is_best {
        true => format!("<td><b>{text}</b></td>"),
        false => format!("<td>{text}</td>"),
    }
}

/// Medians of the risk of each pattern in each decade of faults, the least of a column bold.
pub fn medians(set: &Set) -> String {
    let (patterns, decades) = (set.patterns(), decades(set));
    let mut html = format!(
        "<table><thead><tr><th rowspan=2>{} removed</th>",
        set.equipment
    );
    for pattern in &patterns {
        let _ = write!(
            html,
            "<th colspan={}>{}</th>",
            decades.len(),
            pattern.name()
        );
    }
    html += "</tr><tr>";
    for _ in &patterns {
        for (_, name) in &decades {
            let _ = write!(html, "<th>{name}</th>");
        }
    }
    html += "</tr></thead><tbody>";
    let specs = set.specs();
    let of = |spec: &EngineSpec| -> Vec<Option<f64>> {
        let mut medians = Vec::new();
        for &pattern in &patterns {
            for (decade, _) in &decades {
                let risk = |row: &ThrowRow| known(row, pattern).map(f64::from);
                medians.push(median_of(set, spec, decade, risk));
            }
        }
        medians
    };
    let rows: Vec<Vec<Option<f64>>> = specs.iter().map(of).collect();
    let best = |column: usize| {
        let values = rows.iter().filter_map(|row| row[column]);
        values.min_by(f64::total_cmp)
    };
    for (spec, row) in specs.iter().zip(&rows) {
        let _ = write!(html, "<tr><th>{spec}</th>");
        for (column, &value) in row.iter().enumerate() {
            html += &cell(value, value.is_some() && value == best(column));
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// The number of throws in which each engine's risk is lower than Dmodc's, equal, and higher.
pub fn duels(set: &Set) -> String {
    let patterns = set.patterns();
    let mut html = "<table><thead><tr><th></th>".to_owned();
    for pattern in &patterns {
        let _ = write!(html, "<th>{}</th>", pattern.name());
    }
    html += "</tr></thead><tbody>";
    for (spec, duels) in beside_ours(set) {
        let _ = write!(html, "<tr><th>{spec}</th>");
        for (_, d) in duels {
            let class = if d.better > d.worse {
                " class=lost"
            } else {
                ""
            };
            let counts = match d == Duel::default() {
                true => "–".to_owned(),
                false => format!("{} / {} / {}", d.better, d.equal, d.worse),
            };
            let _ = write!(html, "<td{class}>{counts}</td>");
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// Every other engine beside Dmodc, by pattern. Those that know the I/O nodes are compared with the
/// Dmodc that knows them, if there is one.
pub fn beside_ours(set: &Set) -> Vec<(EngineSpec, Vec<(Pattern, Duel)>)> {
    let specs = set.specs();
    let named = |name: &str| specs.iter().find(|c| c.to_string() == name);
    let Some(plain) = named(OURS) else {
        return vec![];
    };
    let told = named(&format!("{OURS}+io")).unwrap_or(plain);
    let others = specs.iter().filter(|c| c.to_string() != OURS);
    let beside = |other: &EngineSpec| {
        let ours = match other.is_told_io() && !other.is_dmodc() {
            true => told,
            false => plain,
        };
        let patterns = set.patterns().into_iter();
        let duels = patterns.map(|pattern| (pattern, duel(set, other, ours, pattern)));
        (other.clone(), duels.collect())
    };
    others.map(beside).collect()
}

/// Refusals, incomplete tables and blocks to send.
pub fn costs(set: &Set) -> String {
    let faulty: Vec<_> = decades(set)
        .into_iter()
        .filter(|d| *d.0.end() > 0)
        .collect();
    let specs = set.specs();
    let endings: Vec<Endings> = specs.iter().map(|c| endings(set, c)).collect();
    let mut html = format!(
        "<table><thead><tr><th rowspan=2></th><th rowspan=2>refused</th>\
         <th rowspan=2>left connected pairs<br>without a route</th>\
         <th colspan={}>LFT blocks changed for each piece removed</th>\
         <th rowspan=2>{}</th></tr><tr>",
        faulty.len().max(1),
        match endings.iter().any(|ends| ends.refused > 0) {
            true => "reason most often given",
            false => "",
        }
    );
    for (_, name) in &faulty {
        let _ = write!(html, "<th>{name}</th>");
    }
    html += "</tr></thead><tbody>";
    for (spec, ends) in specs.iter().zip(&endings) {
        let _ = write!(
            html,
            "<tr><th>{spec}</th><td>{} of {}</td><td>{}</td>",
            ends.refused, ends.throws, ends.incomplete
        );
        for (decade, _) in &faulty {
            let blocks = median_of(set, spec, decade, blocks_per_fault);
            html += &cell(blocks.map(f64::round), false);
        }
        let reason = ends.reason.as_deref().unwrap_or_default();
        let _ = write!(html, "<td class=text>{}</td></tr>", escape(reason));
    }
    html + "</tbody></table>"
}

/// The shortest time of both callbacks, by fabric.
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
    for count in &nodes {
        let _ = write!(html, "<th>{count}</th>");
    }
    html += "</tr></thead><tbody>";
    for spec in &specs {
        let _ = write!(html, "<tr><th>{spec}</th>");
        for &count in &nodes {
            let rows = sets.iter().flat_map(|set| &set.rows);
            let of = rows.filter(|row| row.spec == *spec && row.nodes == count);
            let times = of.filter_map(|row| Some(row.callbacks()?.as_secs_f64() * 1e3));
            let fastest = times.min_by(f64::total_cmp);
            html += &cell(fastest.map(|ms| (ms * 10.0).round() / 10.0), false);
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// Sentences on where another engine is better than Dmodc, by the medians of a decade.
pub fn not_best(set: &Set) -> Vec<String> {
    let specs = set.specs();
    let Some(ours) = specs.iter().find(|c| c.to_string() == OURS) else {
        return vec![];
    };
    let plain: Vec<&EngineSpec> = specs.iter().filter(|c| !c.is_told_io()).collect();
    let mut words = Vec::new();
    for pattern in set.patterns() {
        for (decade, name) in decades(set) {
            let risk = |row: &ThrowRow| known(row, pattern).map(f64::from);
            let of = |c: &EngineSpec| median_of(set, c, &decade, risk);
            let Some(mine) = of(ours) else { continue };
            let better: Vec<String> = plain
                .iter()
                .filter_map(|c| Some((c, of(c).filter(|&theirs| theirs < mine)?)))
                .map(|(c, theirs)| format!("{c} {}", plain_number(theirs)))
                .collect();
            if !better.is_empty() {
                words.push(format!(
                    "{}, {name} {} removed: Dmodc {}; {}",
                    pattern.name(),
                    set.equipment,
                    plain_number(mine),
                    better.join(", ")
                ));
            }
        }
    }
    words
}

fn plain_number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.1}"),
    }
}

/// Number of throws that disconnected the fabric, or left no tree.
pub fn cut(set: &Set) -> usize {
    set.throws() - set.connected_throws()
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
