//! Fabrics: read from files or generated, and their parts as columns.

use crate::array::array;
use crate::refused::refused;
use dmodc_analysis::Channels;
use dmodc_fabric::{self as snapshot, NodeKind};
use dmodc_formats::files::{packed_by_name, replace_by};
use dmodc_formats::input::{self, InputError, Lenient};
use dmodc_formats::netlist::generate::{Order, Pgft, build};
use dmodc_formats::netlist::{Equipment, Names, Netlist};
use pyo3::exceptions::{PyOSError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::error::Error;
use std::ffi::CString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A fabric: the netlist of its file, and the snapshot that is routed.
#[pyclass(frozen)]
pub struct Fabric {
    pub netlist: Netlist,
    pub fabric: snapshot::Fabric,
    pub names: Names,
}

impl Fabric {
    pub fn new(netlist: Netlist, lmc: Option<u8>) -> PyResult<Fabric> {
        let (fabric, names) = netlist.to_fabric(lmc).map_err(refused)?;
        Ok(Fabric {
            netlist,
            fabric,
            names,
        })
    }
}

#[pymethods]
impl Fabric {
    #[getter]
    fn switches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.fabric.switches();
        let columns = PyDict::new(py);
        columns.set_item("guid", array(py, all.iter().map(|s| s.guid.0))?)?;
        columns.set_item("lid", array(py, all.iter().map(|s| s.lid.0))?)?;
        columns.set_item("ports", array(py, all.iter().map(|s| s.ports))?)?;
        columns.set_item("name", &self.names.switches.raw)?;
        Ok(columns)
    }

    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.fabric.end_nodes();
        let columns = PyDict::new(py);
        columns.set_item("guid", array(py, all.iter().map(|n| n.guid.0))?)?;
        columns.set_item("lid", array(py, all.iter().map(|n| n.lid.0))?)?;
        columns.set_item("switch", array(py, all.iter().map(|n| n.switch.0))?)?;
        columns.set_item("port", array(py, all.iter().map(|n| n.port.0))?)?;
        let kind = |kind| match kind {
            NodeKind::Ca => "host",
            NodeKind::Router => "router",
            NodeKind::Aggregation => "aggregation",
        };
        let kinds: Vec<&str> = all.iter().map(|n| kind(n.kind)).collect();
        columns.set_item("kind", kinds)?;
        columns.set_item("name", &self.names.end_nodes.raw)?;
        Ok(columns)
    }

    #[getter]
    pub fn ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let channels = Channels::new(&self.fabric);
        let columns = PyDict::new(py);
        columns.set_item("switch", array(py, channels.iter().map(|c| c.from.0))?)?;
        columns.set_item("port", array(py, channels.iter().map(|c| c.port.0))?)?;
        columns.set_item("to", array(py, channels.iter().map(|c| c.to.0))?)?;
        columns.set_item("to_port", array(py, channels.iter().map(|c| c.to_port.0))?)?;
        let speed = channels.iter().map(|c| self.fabric.speed(c.from, c.port));
        columns.set_item("mbps", array(py, speed)?)?;
        let capacity = channels.ids().map(|c| channels.capacity(c));
        columns.set_item("capacity", array(py, capacity)?)?;
        Ok(columns)
    }

    fn degraded(&self, what: &str, count: usize, seed: u64) -> PyResult<Fabric> {
        let what: Equipment = what.parse().map_err(refused)?;
        let netlist = what.hit(&self.netlist, count, seed).map_err(refused)?;
        Fabric::new(netlist, None)
    }

    fn write(&self, path: PathBuf) -> PyResult<()> {
        write(&path, |mut out| self.netlist.write(&mut out))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Fabric switches={} nodes={} links={}>",
            self.fabric.switches().len(),
            self.fabric.end_nodes().len(),
            self.fabric.switch_links(),
        )
    }
}

/// Reads a netlist or an opensm-subnet.lst.
#[pyfunction]
#[pyo3(signature = (path, *, lmc=None, strict=false))]
pub fn read(py: Python<'_>, path: PathBuf, lmc: Option<u8>, strict: bool) -> PyResult<Fabric> {
    if lmc.is_some_and(|lmc| lmc > 7) {
        return Err(refused("an LMC is 0 to 7"));
    }
    let parsed = py.detach(|| {
        let text = input::read(&path)?;
        Netlist::parse_leniently(&text).map_err(|fault| fault.in_file(&path))
    });
    Fabric::new(take(py, &path, parsed.map_err(unread)?, strict)?, lmc)
}

/// Makes a parallel generalized fat-tree.
#[pyfunction]
#[pyo3(signature = (shape, *, seed=None))]
pub fn generate(shape: &str, seed: Option<u64>) -> PyResult<Fabric> {
    let shape: Pgft = shape.parse().map_err(refused)?;
    let netlist = build(&shape.into(), Order { seed, lids: true });
    Fabric::new(netlist, None)
}

/// The value that was read. The first oddities of each kind become a warning each, or with `strict` an error.
pub fn take<T, R: Error + Send + Sync + 'static>(
    py: Python<'_>,
    path: &Path,
    read: Lenient<T, R>,
    strict: bool,
) -> PyResult<T> {
    for fault in read.warnings.first() {
        let message = fault.in_file(path).to_string();
        if strict {
            return Err(refused(message));
        }
        warn(py, &message)?;
    }
    Ok(read.value)
}

/// Issues a warning of Python.
pub fn warn(py: Python<'_>, what: &str) -> PyResult<()> {
    let what = CString::new(what.replace('\0', " "))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &what, 1)
}

/// The error of reading a file: `OSError` if it cannot be read, `ValueError` if its content is wrong.
pub fn unread(reason: InputError) -> PyErr {
    match reason {
        InputError::Unreadable { .. } => PyOSError::new_err(reason.to_string()),
        _ => refused(reason),
    }
}

/// Writes a file, packed if its name ends in `.gz`.
pub fn write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> PyResult<()> {
    let written = replace_by(path, |out| packed_by_name(path, out, write));
    written.map_err(|e| PyOSError::new_err(format!("{}: {e}", path.display())))
}
