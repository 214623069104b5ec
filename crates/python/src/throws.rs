//! Random throws: the same fabrics as `dmodc compare --degrade` and `dmodc degrade --throw` make.

use crate::fabric::Fabric;
use crate::refused::refused;
use dmodc_formats::netlist::{Equipment, Netlist, removal};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// A fabric with pieces that are gone, or slow.
#[pyclass(frozen, get_all)]
pub struct Throw {
    /// From 1 on.
    number: u32,
    /// The number of pieces that the throw hits.
    removed: usize,
    /// The seed of the choice of pieces.
    seed: u64,
    fabric: Py<Fabric>,
}

#[pymethods]
impl Throw {
    fn __repr__(&self) -> String {
        format!(
            "<Throw number={} removed={} seed={}>",
            self.number, self.removed, self.seed
        )
    }
}

/// An iterator of throws.
#[pyclass(frozen)]
pub struct Throws {
    netlist: Netlist,
    what: Equipment,
    seed: u64,
    max_exponent: f64,
    next: AtomicU32,
    last: u32,
}

#[pymethods]
impl Throws {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Throw>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number > self.last {
            self.next.store(number, Ordering::Relaxed);
            return Ok(None);
        }
        let (removed, seed) = removal(self.max_exponent, self.seed, number);
        let netlist = self
            .what
            .hit(&self.netlist, removed, seed)
            .map_err(refused)?;
        let fabric = Py::new(py, Fabric::new(netlist, None)?)?;
        Ok(Some(Throw {
            number,
            removed,
            seed,
            fabric,
        }))
    }
}

/// Throws number 1 to `count` at a fabric.
#[pyfunction]
#[pyo3(signature = (fabric, what="links", *, count, seed=1, max_exponent=None))]
pub fn throws(
    fabric: &Fabric,
    what: &str,
    count: u32,
    seed: u64,
    max_exponent: Option<f64>,
) -> PyResult<Throws> {
    let what: Equipment = what.parse().map_err(refused)?;
    let netlist = fabric.netlist.clone();
    let max_exponent = max_exponent.unwrap_or_else(|| what.default_exponent(&netlist));
    if !(0.0..=20.0).contains(&max_exponent) {
        return Err(refused("the exponent is not between 0 and 20"));
    }
    Ok(Throws {
        netlist,
        what,
        seed,
        max_exponent,
        next: AtomicU32::new(1),
        last: count,
    })
}
