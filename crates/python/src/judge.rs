//! Judges tables: the figures of `dmodc check` and `dmodc analyze`, by the same names.

use crate::array::array;
use crate::fabric::{Fabric, warn};
use crate::options::{self, Options};
use crate::refused::refused;
use crate::tables::Tables;
use dmodc_analysis::{Exact, Risk, Traffic, Workload, bounds, check as check_tables};
use dmodc_core::{Engine, NodeType, NodeTypes, Ranking};
use dmodc_fabric::{Drained, NodeId};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use typed_index_collections::TiVec;

/// Checks delivery, minimality, turns and credit loops.
#[pyfunction]
#[pyo3(signature = (fabric, tables, options=None))]
pub fn check<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    tables: &Tables,
    options: Option<&Options>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options::parse(py, options, fabric)?;
    let (tables, fabric) = (tables.fitting(fabric)?, &fabric.fabric);
    let report = py.detach(|| {
        // A fabric that is no tree has ranks, but no plan.
        let ranking = match Engine::new(0).map_err(refused)?.plan(fabric, &options) {
            Ok(plan) => plan.ranking().clone(),
            Err(_) => Ranking::new(fabric, &options),
        };
        Ok::<_, PyErr>(check_tables(fabric, tables, |a, b| ranking.is_up(a, b)))
    })?;
    let found = PyDict::new(py);
    found.set_item("nodes", fabric.end_nodes().len())?;
    found.set_item("switches", fabric.switches().len())?;
    found.set_item("links", fabric.switch_links())?;
    found.set_item("lids", fabric.lid_count())?;
    found.set_item("pairs", report.checked.pairs)?;
    found.set_item("routes", report.checked.routes)?;
    for (name, count) in report.counts() {
        found.set_item(name, count)?;
    }
    found.set_item("unreachable_pairs", report.unreachable_pairs)?;
    found.set_item("unjudged", report.unjudged.pairs)?;
    found.set_item("turned", report.turned.routes)?;
    found.set_item("left_out", report.left_out.routes)?;
    found.set_item("passed", report.passed())?;
    Ok(found)
}

/// Counts the flows of traffic patterns at the ports.
#[pyfunction]
#[pyo3(signature = (fabric, tables, patterns=None, *, order=None, pairs=None, exact=false, both=false,
    permutations=1000, seed=1, options=None))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn analyze<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    tables: &Tables,
    patterns: Option<Vec<String>>,
    order: Option<Vec<u32>>,
    pairs: Option<Vec<(u32, u32)>>,
    exact: bool,
    both: bool,
    permutations: usize,
    seed: u64,
    options: Option<&Options>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options::parse(py, options, fabric)?;
    let traffic = traffic(py, fabric, tables, order, &options)?;
    let patterns = patterns.unwrap_or_else(|| ["a2a", "rp", "sp"].map(String::from).to_vec());
    let pairs = pairs.map(|pairs| places(&traffic, &pairs)).transpose()?;
    let (tables, fabric) = (tables.fitting(fabric)?, &fabric.fabric);
    let found = PyDict::new(py);
    found.set_item("nodes", fabric.end_nodes().len())?;
    found.set_item("switches", fabric.switches().len())?;
    found.set_item("links", fabric.switch_links())?;
    found.set_item("taking_part", traffic.nodes().len())?;
    found.set_item("skipped", py.detach(|| traffic.skipped()))?;
    found.set_item("permutations", permutations)?;
    found.set_item("seed", seed)?;
    let nodes = traffic.nodes();
    let (report, bounds) = py.detach(|| {
        let ranking = Ranking::new(fabric, &options);
        let rank = |switch| ranking.rank(switch);
        // Drained links carry nothing.
        let usable = fabric.without(&Drained::ends(fabric, &options.drain));
        let bounds = bounds(&usable, nodes, rank, traffic.channels());
        let report = check_tables(fabric, tables, |a, b| ranking.is_up(a, b));
        (report, bounds)
    });
    found.set_item("bound", bounds.0)?;
    set_some(&found, "a2a_bound_capacity", bounds.1)?;
    for (name, loops) in report.loops() {
        found.set_item(name, loops.count)?;
    }
    if exact {
        let exact = py.detach(|| worst_permutation(&traffic, false));
        found.set_item("exact", exact.value)?;
        set_some(&found, "exact_capacity", exact.over_capacity)?;
    }
    for pattern in &patterns {
        match &**pattern {
            "a2a" | "all-to-all" => {
                set_risk(&found, "a2a", py.detach(|| traffic.all_to_all(&|_| ())))?;
            }
            "rp" => {
                let risk = py.detach(|| traffic.random_permutations(permutations, seed, &|_| ()));
                set_risk(&found, "rp", risk)?;
            }
            "cn2io" | "io2cn" => {
                let types = NodeTypes::new(&options);
                if !types.are_given() {
                    return Err(refused(
                        "the patterns cn2io and io2cn need options with cn_guids, io_guids or both",
                    ));
                }
                let is = |t| {
                    let types = &types;
                    move |node: NodeId| types.type_of(fabric.end_nodes()[node].guid) == t
                };
                let (compute, io) = (is(NodeType::Compute), is(NodeType::Io));
                let risk = py.detach(|| match &**pattern {
                    "cn2io" => traffic.type_to_type(compute, io, &|_| ()),
                    _ => traffic.type_to_type(io, compute, &|_| ()),
                });
                set_risk(&found, pattern, risk)?;
            }
            "sp" => set_risk(&found, "sp", py.detach(|| traffic.shifts(&|_| ())))?,
            "ebb" => {
                let ebb = py.detach(|| {
                    traffic.effective_bisection_bandwidth(permutations, seed, both, &|_| ())
                });
                if let Some(ebb) = ebb {
                    found.set_item("ebb", ebb.percent)?;
                    found.set_item("ebb_confidence", ebb.confidence)?;
                    found.set_item("ebb_both", both)?;
                }
            }
            other => {
                return Err(refused(format!(
                    "'{other}' is no pattern: a2a, all-to-all, rp, sp, cn2io, io2cn and ebb are"
                )));
            }
        }
    }
    if let Some(pairs) = pairs {
        set_pairs(&found, py.detach(|| traffic.workload(&pairs)))?;
    }
    Ok(found)
}

/// All ports from switch to switch, with the columns of `dmodc analyze --ports`.
#[pyfunction]
#[pyo3(signature = (fabric, tables, *, order=None, options=None))]
pub fn ports<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    tables: &Tables,
    order: Option<Vec<u32>>,
    options: Option<&Options>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options::parse(py, options, fabric)?;
    let traffic = traffic(py, fabric, tables, order, &options)?;
    let (ends, exact) = py.detach(|| {
        let ends = traffic.ends_by_channel(&|_| ());
        (ends, worst_permutation(&traffic, true).by_channel)
    });
    let columns = fabric.ports(py)?;
    let exact: Vec<u32> = exact.into_iter().map(Option::unwrap_or_default).collect();
    let over = traffic.channels().ids().zip(&exact);
    let over = over.map(|(c, &flows)| f64::from(flows) / traffic.channels().capacity(c));
    columns.set_item(
        "sources",
        array(py, ends.iter().map(|&(sources, _)| sources))?,
    )?;
    columns.set_item("destinations", array(py, ends.iter().map(|&(_, to)| to))?)?;
    columns.set_item(
        "risk",
        array(py, ends.iter().map(|&(from, to)| from.min(to)))?,
    )?;
    columns.set_item("exact_capacity", array(py, over)?)?;
    columns.set_item("exact", array(py, exact)?)?;
    Ok(columns)
}

/// The routes between the nodes of `order`; without it, between all nodes by topological NID.
fn traffic(
    py: Python<'_>,
    fabric: &Fabric,
    tables: &Tables,
    order: Option<Vec<u32>>,
    options: &dmodc_core::Options,
) -> PyResult<Traffic> {
    let (tables, fabric) = (tables.fitting(fabric)?, &fabric.fabric);
    let nodes = fabric.end_nodes();
    let order = match order {
        Some(order) => {
            let mut is_in: TiVec<NodeId, _> = vec![false; nodes.len()].into();
            for &node in &order {
                let seen = is_in.get_mut(NodeId(node));
                if seen.is_none_or(|seen| std::mem::replace(seen, true)) {
                    return Err(refused(format!(
                        "the order has no node {node}, or has it twice"
                    )));
                }
            }
            order.into_iter().map(NodeId).collect()
        }
        None => match py
            .detach(|| Ok::<_, PyErr>(Engine::new(0).map_err(refused)?.plan(fabric, options)))?
        {
            Ok(plan) => plan.order().to_vec(),
            Err(reason) => {
                warn(
                    py,
                    &format!("{reason}: end nodes are ordered by switch GUID and port instead"),
                )?;
                nodes.keys().collect()
            }
        },
    };
    Ok(py.detach(|| Traffic::new(fabric, tables, &order)))
}

/// Pairs of nodes as pairs of positions in the order.
fn places(traffic: &Traffic, pairs: &[(u32, u32)]) -> PyResult<Vec<(usize, usize)>> {
    let place = |node: u32| {
        let place = traffic.nodes().iter().position(|&n| n == NodeId(node));
        place.ok_or_else(|| refused(format!("node {node} takes no part")))
    };
    pairs
        .iter()
        .map(|&(from, to)| Ok((place(from)?, place(to)?)))
        .collect()
}

fn worst_permutation(traffic: &Traffic, all: bool) -> Exact {
    traffic.worst_permutation(&traffic.all_to_all(&|_| ()), all, &|_| ())
}

fn set_some(found: &Bound<'_, PyDict>, key: &str, value: Option<f64>) -> PyResult<()> {
    value.map_or(Ok(()), |value| found.set_item(key, value))
}

fn set_risk(found: &Bound<'_, PyDict>, name: &str, risk: Risk) -> PyResult<()> {
    found.set_item(name, risk.value)?;
    set_some(found, &format!("{name}_capacity"), risk.over_capacity)?;
    found.set_item(
        format!("{name}_by_port"),
        array(found.py(), risk.by_channel)?,
    )
}

fn set_pairs(found: &Bound<'_, PyDict>, pairs: Workload) -> PyResult<()> {
    let py = found.py();
    let of = PyDict::new(py);
    of.set_item("flows", pairs.count)?;
    of.set_item("risk", pairs.risk.value)?;
    of.set_item("flows_at_worst_port", pairs.flows.value)?;
    if let Some(known) = pairs.rates {
        let rates = PyDict::new(py);
        rates.set_item("mean", known.mean)?;
        rates.set_item("least", known.least)?;
        rates.set_item("fifth_percentile", known.fifth_percentile)?;
        rates.set_item("median", known.median)?;
        of.set_item("rates", rates)?;
    }
    of.set_item("flows_by_port", array(py, pairs.flows.by_channel)?)?;
    let least = pairs
        .least_rates
        .into_iter()
        .map(|rate| rate.unwrap_or(f64::NAN));
    of.set_item("least_rate_by_port", array(py, least)?)?;
    found.set_item("pairs", of)
}
