//! The pairs left out, by name: for `route` and `check` alike.

use dmodc::fabric::{End, EndPairs, Fabric};
use dmodc::netlist::Names;
use serde_json::{Value, json};

/// Kind, GUID and description of a sender or receiver.
fn name(fabric: &Fabric, names: &Names, end: End) -> String {
    let (guid, name) = match end {
        End::Host(n) | End::AggregationNode(n) => (
            fabric.end_nodes()[n as usize].guid,
            &names.end_nodes[n as usize],
        ),
        End::Switch(s) => (
            fabric.switches()[s as usize].guid,
            &names.switches[s as usize],
        ),
    };
    format!("{} {guid} '{name}'", end.word())
}

/// Lines for people: none if no pair is left out.
pub fn text(fabric: &Fabric, names: &Names, pairs: &EndPairs) -> String {
    if pairs.first().len() == 0 {
        return String::new();
    }
    let mut text = format!("left out: {pairs}\n");
    for (from, to) in pairs.first() {
        let (from, to) = (name(fabric, names, from), name(fabric, names, to));
        text += &format!("  no way: {from} to {to}\n");
    }
    text
}

/// Numbers of pairs by kind.
pub fn counts(pairs: &EndPairs) -> Value {
    let counts = pairs.counts();
    counts
        .map(|(from, to, pairs)| json!({ "from": from, "to": to, "pairs": pairs }))
        .collect()
}

/// Numbers of pairs by kind, and the first pairs by name.
pub fn json(fabric: &Fabric, names: &Names, pairs: &EndPairs) -> Value {
    let first: Vec<Value> = (pairs.first())
        .map(|(from, to)| {
            json!({ "from": name(fabric, names, from), "to": name(fabric, names, to) })
        })
        .collect();
    json!({ "counts": counts(pairs), "first": first })
}
