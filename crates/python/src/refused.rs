//! Errors of the library in Python.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// An error of the library, as a `ValueError`.
pub fn refused(reason: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(reason.to_string())
}
