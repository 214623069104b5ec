//! Compares engines on a fabric as it is: all in one OpenSM, a row for each.

use super::copied::Outcome;
use super::engine_spec::EngineSpec;
use super::metrics::{self, Scale};
use super::multi_engine_run::MultiEngineRun;
use super::throws::adopt;
use crate::LabError;
use dmodc_core::Engine;
use dmodc_fabric::{Fabric, Guid, Lid};
use dmodc_formats::netlist::{Kind, Netlist, Node};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The figures of an engine's tables, or the reason why there are none.
pub struct Row {
    pub spec: EngineSpec,
    /// By column, as one JSON object. OpenSM does not look behind a CA, so it may find fewer switches and end nodes than
    /// the netlist has.
    pub figures: Value,
}

impl Row {
    /// The columns of the file.
    pub const COLUMNS: &str = "fabric,switches,nodes,engine,accepted,unreachable_pairs,no_route,undelivered,turns,\
        nonminimal,credit_loops,a2a,rp,sp,seconds,permutations,seed,version,\
        reason,a2a_bound,ebb,host_credit_loops,host_switch_credit_loops,switch_credit_loops,\
        aggregation_credit_loops,exact";

    pub fn record(&self, scale: &Scale) -> Vec<String> {
        let field = |column| match column {
            "permutations" => scale.permutations.to_string(),
            "seed" => scale.seed.to_string(),
            "version" => env!("CARGO_PKG_VERSION").into(),
            column => self.text(column),
        };
        Row::COLUMNS.split(',').map(field).collect()
    }

    /// A figure as text; empty without tables.
    pub fn text(&self, column: &str) -> String {
        match (column, &self.figures[column]) {
            (_, Value::Null) => String::new(),
            (_, Value::Bool(is)) => u8::from(*is).to_string(),
            (_, Value::String(text)) => text.clone(),
            ("ebb", ebb) => format!("{:.1}", ebb.as_f64().unwrap_or_default()),
            ("seconds", time) => format!("{:.6}", time.as_f64().unwrap_or_default()),
            (_, figure) => figure.to_string(),
        }
    }
}

/// Runs engines on a fabric and measures their tables. Those of OpenSM's engines are for the part of the fabric that
/// OpenSM found, with the LIDs that it gave; those of programs and files for the netlist.
pub fn compare_whole(
    runs: &MultiEngineRun,
    (engine, scale): (&Engine, &Scale),
    (name, netlist): (&str, &Netlist),
    specs: &[EngineSpec],
) -> Result<Vec<Row>, LabError> {
    let (given, _) = netlist.to_fabric(None)?;
    let answer = runs.route_all(name, (netlist, &given), specs)?;
    let (found, _) = found(netlist, &answer.lids).to_fabric(None)?;
    let ends = |fabric: &Fabric| fabric.switches().len() + fabric.end_nodes().len();
    if specs.iter().any(|spec| spec.foreign.is_none()) && ends(&found) < ends(&given) {
        log::warn!(
            "OpenSM finds {} of {} switches and {} of {} end nodes of {name}: its engines are measured on these alone",
            found.switches().len(),
            given.switches().len(),
            found.end_nodes().len(),
            given.end_nodes().len(),
        );
    }
    let row = |(spec, outcome): (&EngineSpec, Outcome)| {
        let of_opensm = spec.foreign.is_none();
        let fabric = if of_opensm { &found } else { &given };
        let (mut figures, outcome, time) = match outcome {
            Outcome::NoTables(why) => (json!({ "reason": why.to_string() }), why.word(), None),
            Outcome::Routed(copied, took, _) => {
                let figures = metrics::figures(fabric, &copied.tables(fabric), engine, scale);
                let took = took.lid_matrices + took.fwd_tables;
                (figures, "routed", Some(took.as_secs_f64()))
            }
        };
        figures["accepted"] = json!(time.is_some());
        figures["outcome"] = json!(outcome);
        figures["fabric"] = json!(name);
        figures["switches"] = json!(fabric.switches().len());
        figures["nodes"] = json!(fabric.end_nodes().len());
        figures["engine"] = json!(format!("{spec:#}"));
        figures["seconds"] = json!(time);
        Row {
            spec: spec.clone(),
            figures,
        }
    };
    Ok(specs.iter().zip(answer.outcomes).map(row).collect())
}

/// The part of a fabric that OpenSM found, with its LIDs.
fn found(netlist: &Netlist, lids: &HashMap<Guid, Lid>) -> Netlist {
    let is_found = |node: &Node| match node.kind {
        Kind::Switch => lids.contains_key(&node.guid),
        _ => (node.ports.iter()).any(|p| lids.contains_key(&node.simulated_port_guid(p.number))),
    };
    let nodes = (0u32..).zip(&netlist.nodes);
    let lost = nodes.filter(|(_, node)| !is_found(node));
    let lost: Vec<u32> = lost.map(|(at, _)| at).collect();
    let mut found = netlist.without_nodes(&lost);
    adopt(&mut found, lids);
    found
}
