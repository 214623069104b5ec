//! Measures the tables of an engine.
//!
//! Up and down are by Dmodc's ranks, for the tables of every engine. Engines without up and down (minhop,
//! sssp) may turn anywhere; for them only credit loops count. Permutations and shifts take the nodes in the
//! order of Dmodc's topological NIDs, or by switch GUID and port if the fabric is no tree.

use super::lanes::{Levels, lane_loops};
use super::throw_row::{Real, ThrowRow};
use dmodc_analysis::{Channels, CheckReport, Risk, Traffic, check};
use dmodc_core::{Engine, Options, Ranking};
use dmodc_fabric::{Fabric, NodeId, Tables};
use serde_json::{Value, json};

/// The random permutations, the same for all engines.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub permutations: u32,
    pub seed: u64,
}

/// Measures the tables of a fabric: figures by their column.
pub fn figures(fabric: &Fabric, tables: &Tables, engine: &Engine, scale: &Scale) -> Value {
    let plan = engine.plan(fabric, &Options::default());
    let orders = Orders {
        ftree: Vec::new(),
        dmodc: plan.map_or_else(|_| all_nodes(fabric), |plan| plan.order().to_vec()),
    };
    let (row, report) = measured(ThrowRow::default(), fabric, tables, None, &orders, scale);
    let mut figures = json!({
        "unreachable_pairs": report.unreachable_pairs,
        "no_route": row.no_route,
        "a2a": row.a2a,
        "exact": row.exact,
        "rp": row.rp,
        "sp": row.sp_dmodc,
        "a2a_bound": bounds(fabric).0,
        "ebb": row.ebb.map(|ebb| ebb.0),
    });
    for (column, count) in report.counts() {
        figures[column] = json!(count);
    }
    figures
}

fn all_nodes(fabric: &Fabric) -> Vec<NodeId> {
    fabric.end_nodes().keys().collect()
}

/// The least A2A that the links between levels allow, by Dmodc's ranks; and over capacity, if links differ in speed.
pub fn bounds(fabric: &Fabric) -> (Option<u32>, Option<Real>) {
    let ranking = Ranking::new(fabric, &Options::default());
    let rank = |switch| ranking.rank(switch);
    let channels = Channels::new(fabric);
    let (bound, over) = dmodc_analysis::bounds(fabric, &all_nodes(fabric), rank, &channels);
    (bound, over.map(Real))
}

/// The node orders of the shifts. An empty order is unknown.
pub struct Orders {
    /// ftree's, on the complete fabric.
    pub ftree: Vec<NodeId>,
    /// Dmodc's topological NIDs.
    pub dmodc: Vec<NodeId>,
}

/// Measures the tables of an engine and completes its row. Also returns what the check found.
pub fn measured(
    row: ThrowRow,
    fabric: &Fabric,
    tables: &Tables,
    levels: Option<&Levels>,
    orders: &Orders,
    scale: &Scale,
) -> (ThrowRow, CheckReport) {
    let (count, seed, tick) = (scale.permutations as usize, scale.seed, &|_| ());
    let (plain, is_ordered) = (all_nodes(fabric), !orders.dmodc.is_empty());
    let order = if is_ordered { &orders.dmodc } else { &plain };
    let traffic = Traffic::new(fabric, tables, order);
    let ranking = Ranking::new(fabric, &Options::default());
    let report = check(fabric, tables, |a, b| ranking.is_up(a, b));
    let a2a = traffic.all_to_all(tick);
    let exact = traffic.worst_permutation(&a2a, false, tick);
    let rp = traffic.random_permutations(count, seed, tick);
    let ebb = traffic.effective_bisection_bandwidth(count, seed, false, tick);
    let ftree = (!orders.ftree.is_empty()).then(|| Traffic::new(fabric, tables, &orders.ftree));
    let sp_ftree = ftree.map(|traffic| traffic.shifts(tick));
    let sp_dmodc = is_ordered.then(|| traffic.shifts(tick));
    let (lanes, lane_loops) = match levels {
        None => (1, report.host_credit_loops.count),
        Some(levels) => {
            let lanes = lane_loops(fabric, tables, levels);
            (lanes.len(), lanes.values().map(|found| found.count).sum())
        }
    };
    let value = |risk: &Option<Risk>| risk.as_ref().map(|risk| risk.value);
    let over = |risk: Option<&Risk>| risk?.over_capacity.map(Real);
    let row = ThrowRow {
        accepted: true,
        no_route: Some(traffic.skipped()),
        a2a: Some(a2a.value),
        exact: Some(exact.value),
        rp: Some(rp.value),
        sp_ftree: value(&sp_ftree),
        sp_dmodc: value(&sp_dmodc),
        ebb: ebb.map(|ebb| Real(ebb.percent)),
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
    };
    (row, report)
}
