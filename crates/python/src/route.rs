//! Routes a fabric with Dmodc.

use crate::array::array;
use crate::fabric::Fabric;
use crate::options::{self, Options};
use crate::refused::refused;
use crate::tables::Tables;
use dmodc_core::Engine;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The tables of a fabric, the node order, and counts.
#[pyclass(frozen, get_all)]
pub struct Routed {
    tables: Py<Tables>,
    /// End nodes in the order of their topological NIDs.
    order: Py<PyAny>,
    /// The counts of `dmodc route --json`.
    summary: Py<PyDict>,
}

/// Routes a fabric.
#[pyfunction]
#[pyo3(signature = (fabric, options=None, *, threads=0))]
pub fn route(
    py: Python<'_>,
    fabric: &Fabric,
    options: Option<&Options>,
    threads: usize,
) -> PyResult<Routed> {
    let options = options::parse(py, options, fabric)?;
    let fabric = &fabric.fabric;
    let engine = Engine::new(threads).map_err(refused)?;
    let (plan, filled, tables) = py.detach(|| {
        let plan = engine.plan(fabric, &options).map_err(refused)?;
        let (tables, filled) = engine.tables(fabric, &plan).map_err(refused)?;
        Ok::<_, PyErr>((plan, filled, tables))
    })?;
    let summary = PyDict::new(py);
    let counts = [
        ("nodes", fabric.end_nodes().len()),
        ("switches", fabric.switches().len()),
        ("links", fabric.switch_links()),
        ("lids", fabric.lid_count()),
        ("ranks", plan.ranking().per_rank().len()),
        ("unreachable_pairs", plan.unreachable().count),
        ("turned", plan.connections().turned),
        ("left_out", plan.connections().left_out),
        ("displaced_entries", filled.displaced),
    ];
    for (key, count) in counts {
        summary.set_item(key, count)?;
    }
    Ok(Routed {
        tables: Py::new(py, Tables(tables))?,
        order: array(py, plan.order().iter().map(|node| node.0))?.unbind(),
        summary: summary.unbind(),
    })
}
