//! The page: its contents, their order, and the words. The page has a note only if the rows have figures for it.

use super::charts::Panels;
use super::measures::{Measure, is_comparable, is_connected};
use super::sets::Set;
use super::style::number;
use super::tables;
use crate::compare::{EngineSpec, ThrowRow};
use crate::xml::escaped;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

pub fn section(set: &Set, faults: &Panels) -> String {
    let first = &set.rows[0];
    let (throws, connected) = (set.throws(), set.throws_that(is_connected));
    let name = escaped(&set.fabric);
    let faults_are = set.equipment.faults();
    let most = set.rows.iter().map(|row| row.removed).max().unwrap_or(0);
    let mut html = format!(
        "<h2 id=\"{}\">{name}: {faults_are}</h2>\n<p>{} end nodes, {} switches. {}{}, seed {}, {}up to \
         {} {faults_are} each{}. RP is the median of {} permutations{}, SP the \
         maximum of all shifts.</p>\n",
        id(set),
        number(first.nodes as f64),
        number(first.switches as f64),
        counted(throws, "throw"),
        idle(set),
        first.seed,
        (set.exponent()).map_or(String::new(), |m| format!("<i>m</i> = {m}, ")),
        number(most as f64),
        match throws - connected {
            0 => ", and all leave an up-down path between every pair of leaves".into(),
            cut => format!(
                "; {} of them leave some pair of leaves without an up-down path, and have a table of their own \
                 behind those of the other {}",
                number(cut as f64),
                number(connected as f64)
            ),
        },
        number(first.permutations.into()),
        match set.measures().contains(&Measure::Ebb) {
            true => ", ebb the mean of as many",
            false => "",
        }
    );
    if !set.rows.iter().any(is_comparable) {
        return html + "<p>None of them can be compared.</p>\n" + &cut(set);
    }
    let _ = writeln!(
        html,
        "<h3>Over {faults_are}</h3>\n<figure>{}<figcaption>Both axes logarithmic. A point is a \
         throw, a line the running median, the band around it the running quartiles, of an eighth of the throws with faults \
         at a time, at least five. Engines stand a little aside of \
         each other, and lines up to some pixels above or below their place, so that none hides another; of engines \
         with the same line those behind have a wider one.{}</figcaption></figure>",
        faults.html(),
        match set.has_bound() {
            true => " Dotted, under A2A: the bound.",
            false => "",
        }
    );
    for measure in set.measures() {
        let (name, table) = (measure.name(), tables::measure(set, measure));
        html += &format!("<h3>{name}, by decade of faults</h3>\n<div class=scroll>{table}</div>\n");
    }
    html += "<p class=note>Medians over the throws of a decade in which all pairs have an up-down path (their number in \
             brackets), the best of a column bold. Beside a median: how many throws it is of, where the engine \
             routes fewer in full. As these may be the easier ones, it is never bold.";
    if set.measures().contains(&Measure::Blocks) {
        html += " Changed entries and blocks (64 LIDs of one switch) are counted against the engine's own \
                 tables of the complete fabric.";
    }
    let has_reference = |spec: &EngineSpec| spec.variant() == "dmodc:reference";
    if set.specs().iter().any(has_reference) {
        html += " The time of dmodc:reference has in it that it reads the file.";
    }
    html += "</p>\n";
    if set.specs().len() > 1 {
        html += "<h3>Engine by engine</h3>\n<p class=note>In how many throws with faults the engine of the row is \
                 better / equal / worse than that of the column, of those in which all pairs have \
                 an up-down path and that both route in full; ebb to one decimal.</p>\n";
        for measure in set.measures() {
            let (name, table) = (measure.name(), tables::matrix(set, measure));
            let table = format!("<div class=scroll>{table}</div>");
            html += &format!("<details><summary>{name}</summary>{table}</details>\n");
        }
    }
    let _ = writeln!(
        html,
        "<h3>No tables, pairs left out, credit loops</h3>\n<div class=scroll>{}</div>\n<p class=note>\
         Throws with faults. Lanes: the most in a throw that the engine gives to routes from host to host. Pairs are ordered \
         pairs of end nodes whose route does not arrive. Credit \
         loops: throws with one. On its lanes: the routes from host to host, each on the lane that the engine gives \
         it. All others are on one lane: from host to host, between hosts and the LIDs of switches, from switch to \
         switch, and all together, aggregation nodes included. A dash: rows of an earlier version do not say.</p>",
        tables::endings_of(set)
    );
    html += &cut(set);
    html
}

/// The throws in which some pair has no up-down path, if there are any.
fn cut(set: &Set) -> String {
    let (throws, table) = tables::cut(set);
    if throws == 0 {
        return String::new();
    }
    format!(
        "<h3>Throws in which {}: {}</h3>\n<div class=scroll>{}</div>\n<p class=note>Who is to \
         reach all others has to turn there. Medians over those of these throws that the engine itself routes with \
         no pair of end nodes left out: mind how many they are.</p>\n",
        match set.rows.iter().any(|row| row.unreachable_pairs.is_none()) {
            true => "some pair of leaves has no up-down path, or what is left is no tree",
            false => "some pair of leaves has no up-down path",
        },
        number(throws as f64),
        table
    )
}

fn id(set: &Set) -> String {
    let name = format!("{}-{}", set.fabric, set.equipment);
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

/// The number of throws that hit nothing, in words; empty if there are none.
fn idle(set: &Set) -> String {
    match set.throws_that(|row| row.removed == 0) {
        0 => String::new(),
        1 => ", 1 hits nothing".into(),
        idle => format!(", {} hit nothing", number(idle as f64)),
    }
}

fn counted(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {what}{plural}", number(n as f64))
}

pub fn page(sets: &[Set], sections: &[String], runtime: Option<&Panels>) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport \
         content=\"width=device-width, initial-scale=1\">\n<title>Routing engines on degraded \
         fabrics</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Routing engines on degraded fabrics</h1>\n\
         <p>Stock OpenSM routed simulated fabrics with faults at \
         random, with each of these routing engines. This is what their tables are worth.</p>\n\
         <p class=caveat><b>Static figures, not throughput.</b> The congestion risk of a port is the \
         number of sources or of destinations, whichever is less, whose routes of a traffic pattern \
         cross it; that of a pattern is the maximum over all ports from switch to switch. It says \
         how many flows could want one port at once, and nothing of how fast any of them is. It is in flows.</p>\n"
    );
    html += "<ul>\n";
    for set in sets.iter().filter(|set| set.throws() > 0) {
        let _ = writeln!(
            html,
            "<li><a href=\"#{}\">{}: {}, {}</a> ({} connected), {}</li>",
            id(set),
            escaped(&set.fabric),
            counted(set.throws(), "throw"),
            set.equipment.faults(),
            number(set.throws_that(is_connected) as f64),
            counted(set.specs().len(), "engine")
        );
    }
    html += "</ul>\n<p><b>A throw</b> hits <i>a</i> = ⌊2<sup><i>m u</i></sup> − 1⌋ pieces of the \
         complete fabric, <i>u</i> uniform, or as many as were asked for: switches that carry no end nodes, or \
         links between switches, are removed; links come up at a quarter of their speed. All \
         engines route the same fabric, those of OpenSM in the same OpenSM, one after another.</p>\n<dl>\n";
    for (term, meaning) in terms(sets) {
        let _ = writeln!(html, "<dt>{term}</dt><dd>{meaning}</dd>");
    }
    for (term, meaning) in engines_explained(sets) {
        let _ = writeln!(html, "<dt>{}</dt><dd>{meaning}</dd>", escaped(&term));
    }
    html += "</dl>\n";
    for section in sections {
        html += section;
    }
    let _ = writeln!(
        html,
        "<h2>Time over nodes</h2>\n<p>Milliseconds of an engine's two callbacks (<code>build_lid_matrices</code> and \
         <code>ucast_build_fwd_tables</code>) in OpenSM: the fastest of all throws at a fabric, since other work on \
         the machine slows some of them.</p>\n{}<div class=scroll>{}</div>",
        runtime.map_or(String::new(), |panels| format!(
            "<figure>{}<figcaption>Both axes logarithmic.</figcaption></figure>\n",
            panels.html()
        )),
        tables::runtimes(sets)
    );
    let rows = sets.iter().flat_map(|set| &set.rows);
    let made_by: BTreeSet<String> = rows.map(ThrowRow::made_by).collect();
    let _ = writeln!(
        html,
        "<p class=note>Made by <code>dmodc report</code> from rows of <code>dmodc compare \
         --degrade</code>: {}.</p>\n</body>\n</html>",
        escaped(&Vec::from_iter(made_by).join("; "))
    );
    html
}

/// Engines with lines in OpenSM's configuration, and tables from other sources, with their meaning.
fn engines_explained(sets: &[Set]) -> BTreeMap<String, String> {
    let entry = |spec: EngineSpec| {
        let lines = escaped(&spec.lines().join("; "));
        let meaning = match &spec.foreign {
            Some(_) => {
                let whole = escaped(&format!("{spec:#}"));
                format!("<code>{whole}</code>. A program's time is the whole of it.")
            }
            None if lines.is_empty() => return None,
            None => format!("With <code>{lines}</code> in OpenSM's configuration."),
        };
        Some((spec.to_string(), meaning))
    };
    let all = sets.iter().flat_map(Set::specs);
    all.filter_map(entry).collect()
}

/// Words with their explanations.
const TERMS: &str = "\
A2A=All to all: every end node sends to every other. Less is better.
worst permutation=The most flows that any permutation of the end nodes sends over one port, by maximum matching; \
    A2A is an upper bound of it. Less is better.
RP=Random permutations: the median over them. Less is better.
SP=Shift permutations: the maximum over all shifts, in the order of OpenSM's ftree on the complete fabric, as in \
    the paper, or in that of Dmodc on the fabric at hand. Less is better.
bound=The least A2A that the links between levels allow routes that are balanced by destination and do not turn, \
    by Dmodc's ranks. Others can have less.
over capacity=Each port's flows divided by what its link carries, as a part of what the fastest link carries.
ebb=Effective bisection bandwidth: one random half of the nodes sends to the other, a flow gets 1/k of its most \
    loaded link; the mean. More is better.
+roots=The engine was given the switches at the top (<code>root_guid_file</code>).
dmodc:paper=Dmodc with <code>dmodc.faults=paper</code>: the paper's rule.
dmodc:reference=Dmodc with the complete fabric as its <code>dmodc.reference</code>.
dmodc:ignore=Dmodc with <code>dmodc.capacity=ignore</code>: it does not know of speeds.
:avoid=The engine with <code>avoid_throttled_links</code>: it takes no link that came up slower than it may.";

/// The words that the rows use, with their explanations.
fn terms(sets: &[Set]) -> impl Iterator<Item = (&'static str, &'static str)> {
    let measures = |m: Measure| sets.iter().any(|set| set.measures().contains(&m));
    let engines =
        |is: &dyn Fn(&EngineSpec) -> bool| sets.iter().flat_map(Set::specs).any(|s| is(&s));
    let is_used = move |term: &str| match term {
        "worst permutation" => measures(Measure::Exact),
        "SP" => measures(Measure::SpFtree) || measures(Measure::SpDmodc),
        "bound" => sets.iter().any(Set::has_bound),
        "over capacity" => measures(Measure::A2aCapacity),
        "ebb" => measures(Measure::Ebb),
        "+roots" => engines(&|spec| spec.gets_roots),
        ":avoid" => engines(&|spec| spec.variant().ends_with(term)),
        _ if term.starts_with("dmodc:") => engines(&|spec| spec.variant() == term),
        _ => true,
    };
    let terms = TERMS.lines().filter_map(|line| line.split_once('='));
    terms.filter(move |(term, _)| is_used(term))
}
