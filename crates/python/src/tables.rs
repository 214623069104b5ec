//! Forwarding tables, whose entries numpy reads without a copy.

use crate::array::{as_array, interface};
use crate::fabric::{Fabric, take, unread, write};
use crate::refused::refused;
use dmodc_formats::input;
use dmodc_formats::lft::{Dump, write_dump};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// The tables of all switches of a fabric.
#[pyclass(frozen)]
pub struct Tables(pub dmodc_fabric::Tables);

#[pymethods]
impl Tables {
    #[new]
    fn new(fabric: &Fabric, entries: &Bound<'_, PyAny>) -> PyResult<Tables> {
        let numpy = entries.py().import("numpy")?;
        let entries = numpy.call_method1("asarray", (entries,))?;
        let bytes = entries.getattr("dtype")?.eq(numpy.getattr("uint8")?)?;
        let (switches, width) = (
            fabric.fabric.switches().len(),
            fabric.fabric.max_lid().index() + 1,
        );
        if !bytes || entries.getattr("shape")?.extract::<Vec<usize>>()? != [switches, width] {
            return Err(refused(format!(
                "tables of this fabric are an array of uint8 of the shape ({switches}, {width})"
            )));
        }
        let entries = entries.call_method0("tobytes")?;
        let entries = entries.cast::<PyBytes>()?.as_bytes().to_vec();
        let tables = dmodc_fabric::Tables::from_entries(width, entries);
        tables.map(Tables).ok_or_else(|| refused("no tables"))
    }

    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let shape = [self.0.len(), self.0.width()];
        interface(py, self.0.entries(), &shape)
    }

    #[getter]
    fn entries<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        as_array(slf.as_any())
    }

    #[pyo3(signature = (path, fabric, *, plain=false))]
    fn write(&self, py: Python<'_>, path: PathBuf, fabric: &Fabric, plain: bool) -> PyResult<()> {
        self.fitting(fabric)?;
        py.detach(|| {
            write(&path, |out| {
                write_dump(&fabric.fabric, &fabric.names, &self.0, plain, out)
            })
        })
    }

    fn __repr__(&self) -> String {
        format!(
            "<Tables switches={} lids=0..{}>",
            self.0.len(),
            self.0.width() - 1
        )
    }
}

impl Tables {
    /// The tables, if they have as many switches as the fabric.
    pub fn fitting(&self, fabric: &Fabric) -> PyResult<&dmodc_fabric::Tables> {
        let switches = fabric.fabric.switches().len();
        match self.0.len() == switches {
            true => Ok(&self.0),
            false => Err(refused(format!(
                "tables of {} switches for a fabric of {switches}",
                self.0.len()
            ))),
        }
    }
}

/// Reads tables of a fabric: opensm-lfts.dump, .fdbs or ibdiagnet2.far.
#[pyfunction]
#[pyo3(signature = (path, fabric, *, strict=false))]
pub fn read_tables(
    py: Python<'_>,
    path: PathBuf,
    fabric: &Fabric,
    strict: bool,
) -> PyResult<Tables> {
    let parsed = py.detach(|| {
        let text = input::read(&path)?;
        Dump::parse_leniently(&text).map_err(|fault| fault.in_file(&path))
    });
    let dump = take(py, &path, parsed.map_err(unread)?, strict)?;
    let tables = dump.tables_leniently(&fabric.fabric);
    let tables = tables.map_err(|fault| refused(fault.in_file(&path)))?;
    Ok(Tables(take(py, &path, tables, strict)?))
}
