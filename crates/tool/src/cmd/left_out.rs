//! The pairs left out, by name: for `route` and `check` alike.

use super::tables::{node_name, switch_name};
use dmodc_fabric::{EndPairs, Endpoint, Fabric};
use dmodc_formats::netlist::Names;
use serde_json::{Value, json};

/// Kind, GUID and description of a sender or receiver.
fn name(fabric: &Fabric, names: &Names, end: Endpoint) -> String {
    let name = match end {
        Endpoint::Host(n) | Endpoint::AggregationNode(n) => node_name(fabric, names, n),
        Endpoint::Switch(s) => switch_name(fabric, names, s),
    };
    format!("{} {name}", end.word())
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

pub fn counts(pairs: &EndPairs) -> Value {
    let count = |(from, to, pairs)| json!({ "from": from, "to": to, "pairs": pairs });
    pairs.counts().map(count).collect()
}

/// Numbers of pairs by kind, and the first pairs by name.
pub fn json(fabric: &Fabric, names: &Names, pairs: &EndPairs) -> Value {
    let name = |end| name(fabric, names, end);
    let pair = |(from, to)| json!({ "from": name(from), "to": name(to) });
    let first: Vec<Value> = pairs.first().map(pair).collect();
    json!({ "counts": counts(pairs), "first": first })
}
