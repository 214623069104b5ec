//! The answers about several fabrics of one file, in one output.

use crate::output::add;
use dmodc_fabric::{Fabric, SwitchId};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One answer as it is; several under `fabrics`, with `passed` if each has it.
pub fn in_one(mut answers: Vec<Value>) -> Value {
    if answers.len() == 1 {
        return answers.remove(0);
    }
    let passed = answers.iter().map(|answer| answer["passed"].as_bool());
    let passed: Option<Vec<bool>> = passed.collect();
    let mut all = json!({ "fabrics": answers });
    add(&mut all, "passed", passed.map(|all| !all.contains(&false)));
    all
}

/// One text as it is; before each of several, which fabric it is about.
pub fn one_after_another(texts: Vec<(&Fabric, impl AsRef<str>)>) -> String {
    let count = texts.len();
    if let [(_, one)] = &texts[..] {
        return one.as_ref().to_owned();
    }
    let each = texts.iter().zip(1..).map(|((fabric, text), number)| {
        let first = fabric.switches().first().map(|switch| switch.guid);
        let first = first.map_or_else(String::new, |guid| format!(", from switch {guid} on"));
        format!("fabric {number} of {count}{first}\n{}", text.as_ref())
    });
    each.collect::<Vec<String>>().join("\n")
}

/// The parts of a fabric that no link joins, if several have hosts: the first switch of each, its switches, and its end
/// nodes.
fn parts(fabric: &Fabric) -> Vec<(SwitchId, usize, usize)> {
    let part = fabric.parts(|_| true);
    let mut sizes: BTreeMap<SwitchId, (usize, usize)> = BTreeMap::new();
    for (s, first) in part.iter_enumerated() {
        let (switches, nodes) = sizes.entry(first.unwrap_or(s)).or_default();
        *switches += 1;
        *nodes += fabric.end_nodes_of(s).len();
    }
    let sizes = sizes.into_iter().filter(|(_, (_, nodes))| *nodes > 0);
    let sizes = sizes.map(|(s, (switches, nodes))| (s, switches, nodes));
    let sizes: Vec<_> = sizes.collect();
    if sizes.len() > 1 { sizes } else { Vec::new() }
}

/// A line for each part with hosts, if there are several.
pub fn parts_text(fabric: &Fabric) -> String {
    let lines = parts(fabric).into_iter().map(|(first, switches, nodes)| {
        let guid = fabric.guid(first);
        format!("no link to the rest: {switches} switches from {guid} on, {nodes} end nodes\n")
    });
    lines.collect()
}

/// The parts for programs; `None` of a fabric in one piece.
pub fn parts_json(fabric: &Fabric) -> Option<Value> {
    let parts = parts(fabric);
    let one = |(first, switches, nodes): (SwitchId, usize, usize)| json!({ "first_switch": fabric.guid(first).to_string(), "switches": switches, "nodes": nodes });
    (!parts.is_empty()).then(|| parts.into_iter().map(one).collect())
}
