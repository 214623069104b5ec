//! Compares engines on a fabric as it is: all in one OpenSM, a row for each.

use super::engine_spec::EngineSpec;
use super::metrics::{self, Scale};
use super::multi_engine_run::{MultiEngineRun, Outcome};
use super::row::Row;
use super::throws::adopt;
use crate::LabError;
use dmodc_core::Engine;
use dmodc_fabric::{Guid, Lid};
use dmodc_formats::netlist::{Kind, Netlist, Node};
use std::collections::HashMap;

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
    let row = |(spec, outcome): (&EngineSpec, Outcome)| {
        let of_opensm = spec.foreign.is_none();
        let fabric = if of_opensm { &found } else { &given };
        let (verdict, time) = match outcome {
            Outcome::NoTables(why) => (Err(why), None),
            Outcome::Routed(copied, took, _) => {
                let figures = metrics::figures(fabric, &copied.tables(fabric), engine, scale);
                (Ok(figures), Some(took.both()))
            }
        };
        Row {
            fabric: name.into(),
            switches: fabric.switches().len(),
            nodes: fabric.end_nodes().len(),
            spec: spec.clone(),
            verdict,
            time,
            permutations: scale.permutations,
            seed: scale.seed,
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
