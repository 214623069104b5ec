//! Measures the tables of an engine.
//!
//! Dmodc's ranks say which way is up, for the tables of every engine. Engines without up and down (minhop,
//! sssp) may turn anywhere; for them only credit loops count. Permutations and shifts take the nodes in the
//! order of Dmodc's topological NIDs, or by switch GUID and port if the fabric is no tree.

use super::lanes::lane_loops;
use super::levels::Levels;
use super::throw_row::{Real, ThrowRow};
use dmodc::analysis::{self, Channels, Risk, Traffic, bound, check};
use dmodc::dmodc::{Engine, NodeType, NodeTypes, Options, Ranking};
use dmodc::fabric::{Fabric, Guid};
use dmodc::lft::Tables;
use serde_json::{Value, json};

/// The random permutations, the same for all engines.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// How many there are.
    pub permutations: u32,
    /// Their seed.
    pub seed: u64,
}

/// Measures the tables of a fabric: figures by their column.
pub fn figures(fabric: &Fabric, tables: &Tables, engine: &Engine, scale: &Scale) -> Value {
    let options = Options::default();
    let order = match engine.plan(fabric, &options) {
        Ok(plan) => plan.order().to_vec(),
        Err(_) => (0..fabric.end_nodes().len() as u32).collect(),
    };
    let ranking = Ranking::new(fabric, &options);
    let report = check(fabric, tables, |a, b| ranking.is_up(a, b));
    let traffic = Traffic::new(fabric, tables, &order);
    let tick = |_| ();
    let all = traffic.all_to_all(&tick);
    let permutations = scale.permutations as usize;
    let rp = traffic.random_permutations(permutations, scale.seed, &tick);
    let mut figures = json!({
        "unreachable_pairs": report.unreachable_pairs,
        "no_route": traffic.skipped(),
        "a2a": all.value,
        "exact": traffic.worst_permutation(&all, false, &tick).value,
        "rp": rp.value,
        "sp": traffic.shifts(&tick).value,
        "a2a_bound": bound(fabric, |switch| ranking.rank(switch)),
        "ebb": ebb(&traffic, scale),
    });
    for (column, count) in report.counts() {
        figures[column] = json!(count);
    }
    figures
}

/// The least A2A that the links between levels allow, by Dmodc's ranks; and over capacity, where links differ.
pub fn bounds(fabric: &Fabric) -> (Option<u32>, Option<Real>) {
    let ranking = Ranking::new(fabric, &Options::default());
    let rank = |switch| ranking.rank(switch);
    let nodes: Vec<u32> = (0..fabric.end_nodes().len() as u32).collect();
    let (bound, over) = analysis::bounds(fabric, &nodes, rank, &Channels::new(fabric));
    (bound, over.map(Real))
}

/// Effective bisection bandwidth in percent.
fn ebb(traffic: &Traffic, scale: &Scale) -> Option<f64> {
    let count = scale.permutations as usize;
    let found = traffic.effective_bisection_bandwidth(count, scale.seed, false, &|_| ());
    found.map(|ebb| ebb.percent)
}

/// The node orders of the shifts, as end node indices. Empty: this order is unknown.
pub struct Orders {
    /// ftree's, on the complete fabric.
    pub ftree: Vec<u32>,
    /// Dmodc's topological NIDs.
    pub dmodc: Vec<u32>,
}

/// The row of an engine with these tables. `io` are port GUIDs of I/O nodes.
pub fn measured(
    row: ThrowRow,
    fabric: &Fabric,
    tables: &Tables,
    levels: Option<&Levels>,
    orders: &Orders,
    io: &[Guid],
    scale: &Scale,
) -> ThrowRow {
    let tick = |_| ();
    let plain: Vec<u32> = (0..fabric.end_nodes().len() as u32).collect();
    let order = match orders.dmodc.is_empty() {
        true => &plain,
        false => &orders.dmodc,
    };
    let traffic = Traffic::new(fabric, tables, order);
    let types = NodeTypes::new(&Options {
        io_guids: io.to_vec(),
        ..Options::default()
    });
    let is = |node: u32, t| types.of(fabric.end_nodes()[node as usize].guid) == t;
    let (compute, io) = (|n| is(n, NodeType::Compute), |n| is(n, NodeType::Io));
    let ftree = (!orders.ftree.is_empty()).then(|| Traffic::new(fabric, tables, &orders.ftree));
    let permutations = scale.permutations as usize;
    let ranking = Ranking::new(fabric, &Options::default());
    let report = check(fabric, tables, |a, b| ranking.is_up(a, b));
    let (lanes, lane_loops) = match levels {
        None => (1, report.host_credit_loops.count),
        Some(levels) => {
            let lanes = lane_loops(fabric, tables, |from, to| levels.of(from, to));
            (lanes.len(), lanes.values().map(|found| found.count).sum())
        }
    };
    let a2a = traffic.all_to_all(&tick);
    let exact = traffic.worst_permutation(&a2a, false, &tick);
    let rp = traffic.random_permutations(permutations, scale.seed, &tick);
    let sp_ftree = ftree.map(|traffic| traffic.shifts(&tick));
    let sp_dmodc = (!orders.dmodc.is_empty()).then(|| traffic.shifts(&tick));
    let over = |risk: Option<&Risk>| risk?.over_capacity.map(Real);
    ThrowRow {
        accepted: true,
        no_route: Some(traffic.skipped()),
        a2a: Some(a2a.value),
        exact: Some(exact.value),
        rp: Some(rp.value),
        sp_ftree: sp_ftree.as_ref().map(|risk| risk.value),
        sp_dmodc: sp_dmodc.as_ref().map(|risk| risk.value),
        cn2io: types
            .are_given()
            .then(|| traffic.type_to_type(compute, io, &tick).value),
        ebb: ebb(&traffic, scale).map(Real),
        credit_loops: Some(report.credit_loops.count),
        host_credit_loops: Some(report.host_credit_loops.count),
        host_switch_credit_loops: Some(report.host_switch_credit_loops.count),
        switch_credit_loops: Some(report.switch_credit_loops.count),
        aggregation_credit_loops: Some(report.aggregation_credit_loops.count),
        lane_credit_loops: Some(lane_loops),
        lanes: Some(lanes),
        a2a_capacity: over(Some(&a2a)),
        rp_capacity: over(Some(&rp)),
        sp_ftree_capacity: over(sp_ftree.as_ref()),
        sp_dmodc_capacity: over(sp_dmodc.as_ref()),
        exact_capacity: exact.over_capacity.map(Real),
        ..row
    }
}
