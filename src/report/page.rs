//! The page: its contents, their order, and the words.

use super::Figure;
use super::sets::Set;
use super::style::escape;
use super::tables;
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 1010px; margin: 0 auto;
       padding: 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; border-top: 2px solid #1a1a1a; padding-top: .6rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p, li { max-width: 46rem; }
figure { margin: 1rem 0; }
figure svg { width: 100%; height: auto; display: block; }
figcaption, .note { font-size: .88rem; color: #444; max-width: 46rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .76rem; font-variant-numeric: tabular-nums; }
th, td { padding: .18rem .34rem; text-align: right; border-bottom: 1px solid #ddd; }
thead tr + tr th { white-space: nowrap; padding: .18rem .3rem; }
thead th { border-bottom: 1px solid #888; text-align: center; font-weight: 600; }
tbody th { text-align: left; font-weight: 600; white-space: nowrap; }
td.text { text-align: left; color: #444; font-size: .75rem; }
td.lost { background: #fde3d3; }
.caveat { border-left: 4px solid #d55e00; padding: .1rem 0 .1rem .9rem; margin: 1rem 0; }
code { font-size: .9em; }
@page { size: A4; margin: 14mm; }
@media print {
  body { font-size: 9.5pt; line-height: 1.35; padding: 0; max-width: none; }
  h3 { margin: .8rem 0 .2rem; }
  figcaption, .note { font-size: 8pt; margin: .3rem 0; }
  h2 { break-before: page; }
  h2.first { break-before: auto; }
  h3 { break-after: avoid; }
  figure, table, tr { break-inside: avoid; }
  table { font-size: 7pt; }
  th, td { padding: .1rem .25rem; }
  td.text { font-size: 6.5pt; }
  .scroll { overflow: visible; }
}
";

/// The section of one series.
pub fn section(set: &Set, risk: &Figure, drawn: Option<&Figure>) -> String {
    let first = &set.rows[0];
    let (throws, connected) = (set.throws(), set.connected_throws());
    let name = escape(&set.fabric);
    let mut html = format!(
        "<h2>{name}: {} removed</h2>\n<p>{} end nodes, {} switches. {throws} throws, seed {}, \
         up to 2<sup>{}</sup> − 1 {} each; {connected} of them leave an up-down path between every \
         pair of leaves, and those are compared{}. RP is the median of {} permutations, SP the \
         maximum of all shifts.</p>\n",
        set.equipment,
        first.nodes,
        first.switches,
        first.seed,
        first.max_exponent,
        set.equipment,
        match tables::cut(set) {
            0 => String::new(),
            cut => format!("; the other {cut} are in the CSV file"),
        },
        first.permutations,
    );
    if !tables::has_figures(set) {
        return html + "<p>None of them can be compared.</p>\n";
    }
    let _ = writeln!(
        html,
        "<figure>{}<figcaption>Maximum congestion risk over {} removed, both axes logarithmic. A \
         point is a throw, a line the running median (over an eighth of the throws). Engines stand a \
         little aside of each other, so that none hides another. Less is better.</figcaption>\
         </figure>",
        inline(&risk.svg),
        set.equipment
    );
    let _ = writeln!(
        html,
        "<h3>Medians by decade of faults</h3>\n<div class=scroll>{}</div>\n<p class=note>Bold: the \
         least of a column. Each engine over the throws that it accepted, so an engine that refuses \
         the hard ones is flattered.</p>",
        tables::medians(set)
    );
    let _ = writeln!(
        html,
        "<h3>Beside Dmodc, throw by throw</h3>\n<div class=scroll>{}</div>\n<p class=note>Throws \
         with faults in which the engine's risk is lower than Dmodc's / the same / higher; shaded \
         where it is lower more often than higher. Engines that are told of I/O nodes stand beside \
         dmodc+io.</p>",
        tables::duels(set)
    );
    html += &not_best(set);
    let _ = writeln!(
        html,
        "<h3>Refusals, and what has to be sent</h3>\n<div class=scroll>{}</div>\n<p class=note>Blocks \
         hold 64 LIDs of one switch. They are counted against the engine's own tables of the \
         complete fabric; the median is over the throws of the decade.</p>",
        tables::costs(set)
    );
    if let (Some(drawn), Some(drawing)) = (drawn, &set.drawing) {
        let _ = writeln!(
            html,
            "<h3>One throw, drawn</h3>\n<figure>{}<figcaption>Throw {}, {} {} removed: switches by \
             level, leaves at the bottom, and the {} worst ports of each engine under all-to-all \
             traffic (of equals the first).</figcaption></figure>",
            inline(&drawn.svg),
            drawing.throw,
            drawing.removed,
            set.equipment,
            worst_ports(drawing),
        );
    }
    html
}

fn worst_ports(drawing: &crate::compare::ThrowDrawing) -> usize {
    let first = drawing.ports.first().map(|port| &port.spec);
    let of_first = drawing.ports.iter().filter(|p| Some(&p.spec) == first);
    of_first.count()
}

fn not_best(set: &Set) -> String {
    let words = tables::not_best(set);
    let mut html = "<h3>Where Dmodc is not best</h3>\n".to_owned();
    if words.is_empty() {
        return html + "<p>By the medians above, nowhere.</p>\n";
    }
    html += "<p>By the medians above, in these columns another engine has less:</p>\n<ul>\n";
    for line in words {
        let _ = writeln!(html, "<li>{}</li>", escape(&line));
    }
    html + "</ul>\n"
}

/// The SVG without its XML declaration, for use in HTML.
fn inline(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |start| &svg[start..])
}

/// The whole page.
pub fn page(sets: &[Set], sections: &[String], runtime: &Figure) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport \
         content=\"width=device-width, initial-scale=1\">\n<title>Routing engines on degraded \
         fat-trees</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Routing engines on degraded fat-trees</h1>\n\
         <p>Stock OpenSM routed simulated fabrics from which switches or links had been removed at \
         random, with each of its routing engines and with Dmodc. This is what its tables are \
         worth.</p>\n\
         <p class=caveat><b>Static risks, not throughput.</b> The congestion risk of a port is the \
         number of sources or of destinations, whichever is less, whose routes of a traffic pattern \
         cross it; that of a pattern is the maximum over all ports from switch to switch. It says \
         how many flows could want one port at once, and nothing of how fast any of them is.</p>\n"
    );
    html += "<ul>\n";
    for set in sets.iter().filter(|set| set.throws() > 0) {
        let _ = writeln!(
            html,
            "<li>{}: {} throws of {} ({} connected), {} engines.</li>",
            escape(&set.fabric),
            set.throws(),
            set.equipment,
            set.connected_throws(),
            set.specs().len()
        );
    }
    html += "</ul>\n\
         <p><b>A throw</b> removes <i>a</i> = ⌊2<sup><i>m u</i></sup> − 1⌋ pieces from the complete \
         fabric, <i>u</i> uniform: switches that carry no end nodes, or links between switches. All \
         engines route the same fabric in the same OpenSM, one after another. <b>A2A</b> is all to \
         all. <b>RP</b> is the median over random permutations. <b>SP</b> is the maximum over all \
         shifts, in two orders of the nodes: that of OpenSM's ftree on the complete fabric, as in the \
         paper, and that of Dmodc on the fabric at hand. <b>Compute to I/O</b>: the last port of each \
         leaf has an I/O node, to which all others send; the maximum over all shifts.</p>\n\
         <p><code>+roots</code>: the engine was given the fabric's own roots \
         (<code>root_guid_file</code>); without, it is as shipped. <code>+io</code>: it was given the \
         I/O nodes (<code>io_guid_file</code>).</p>\n";
    for section in sections {
        html += section;
    }
    let _ = writeln!(
        html,
        "<h2>Runtime over nodes</h2>\n<figure>{}<figcaption>Time of an engine's two callbacks \
         (<code>build_lid_matrices</code> and <code>ucast_build_fwd_tables</code>) in OpenSM: the \
         fastest of all throws at a fabric. Both axes logarithmic.</figcaption></figure>\n<div \
         class=scroll>{}</div>\n<p class=note>The same, in milliseconds. Wall-clock time: where the \
         machine had other work to do, single throws took many times as long, and fabrics with one \
         throw have no faster one to show.</p>",
        inline(&runtime.svg),
        tables::runtimes(sets)
    );
    let _ = writeln!(
        html,
        "<p class=note>Made by <code>dmodc report</code> from rows of <code>dmodc compare \
         --degrade</code>: {}.</p>\n</body>\n</html>",
        escape(&tables::versions(sets).join("; "))
    );
    html
}
