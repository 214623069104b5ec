//! The module `dmodc` for Python: reads, routes and judges fabrics with the library that the tool uses.
//!
//! Large results are numpy arrays over memory of this module ([`array`]). Long calls let other threads of Python run.
//! `dmodc.pyi` documents the interface for Python.

mod array;
mod fabric;
mod judge;
mod options;
mod refused;
mod route;
mod tables;

use pyo3::prelude::*;

/// Dmodc fat-tree routing: fabrics, forwarding tables, and the figures to judge them by.
#[pymodule]
mod dmodc {
    #[pymodule_export]
    use crate::fabric::{Fabric, generate, read};
    #[pymodule_export]
    use crate::judge::{analyze, check, ports};
    #[pymodule_export]
    use crate::options::Options;
    #[pymodule_export]
    use crate::route::{Routed, route};
    #[pymodule_export]
    const NO_PATH: u8 = dmodc_fabric::NO_PATH;
    #[pymodule_export]
    use crate::tables::{Tables, read_tables};
}
