//! The options for routes, and for the ranks by which tables are judged.

use crate::fabric::{Fabric, take, unread, warn};
use crate::refused::refused;
use dmodc_core::{self as algorithm, Capacity, Faults, OnUnreachable};
use dmodc_fabric::Guid;
use dmodc_formats::reference::Reference;
use dmodc_formats::{drain, input};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options of `dmodc route`.
#[pyclass(frozen)]
pub struct Options {
    options: algorithm::Options,
    reference: Option<PathBuf>,
    /// The lines of a file of drained links.
    drain: String,
}

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (*, faults="stable", capacity="use", on_unreachable="connect", connect_roots=false,
        reference=None, root_guids=vec![], cn_guids=vec![], io_guids=vec![], drain=vec![]))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        faults: &str,
        capacity: &str,
        on_unreachable: &str,
        connect_roots: bool,
        reference: Option<PathBuf>,
        root_guids: Vec<u64>,
        cn_guids: Vec<u64>,
        io_guids: Vec<u64>,
        drain: Vec<String>,
    ) -> PyResult<Options> {
        let guids = |guids: Vec<u64>| guids.into_iter().map(Guid).collect();
        let options = algorithm::Options {
            faults: faults.parse::<Faults>().map_err(refused)?,
            capacity: capacity.parse::<Capacity>().map_err(refused)?,
            on_unreachable: on_unreachable.parse::<OnUnreachable>().map_err(refused)?,
            connect_roots,
            root_guids: guids(root_guids),
            cn_guids: guids(cn_guids),
            io_guids: guids(io_guids),
            ..algorithm::Options::default()
        };
        Ok(Options {
            options,
            reference,
            drain: drain.join("\n"),
        })
    }
}

/// The options for a fabric, with the reference read and the drained links found.
pub fn parse(
    py: Python<'_>,
    given: Option<&Options>,
    fabric: &Fabric,
) -> PyResult<algorithm::Options> {
    let Some(given) = given else {
        return Ok(algorithm::Options::default());
    };
    let mut options = given.options.clone();
    let (lines, names) = (given.drain.as_bytes(), &fabric.names);
    let drained = drain::parse_leniently(&fabric.fabric, &names.switches, &names.labels, lines);
    let drained = drained.map_err(|fault| refused(fault.in_file(Path::new("drain"))))?;
    let drained = take(py, Path::new("drain"), drained, false)?;
    options.drain = drained.into_iter().map(|(drained, _)| drained).collect();
    if let Some(path) = &given.reference {
        let text = input::read(path).map_err(unread)?;
        let read = Reference::parse_leniently(&text);
        let read = read.map_err(|fault| refused(fault.in_file(path)))?;
        let reference = take(py, path, read, false)?;
        let reference = reference.fabric().map_err(refused)?;
        if reference.is_of_another_fabric(&fabric.fabric) {
            warn(
                py,
                &format!("{}: of another fabric: going on without it", path.display()),
            )?;
        } else {
            options.reference = Some(Arc::new(reference));
        }
    }
    Ok(options)
}
