//! Memory of this module as numpy arrays, without a copy.
//!
//! numpy takes any object with an `__array_interface__`: the address, the type and the shape of its memory. The array
//! keeps the object alive, and so the memory. Such objects are frozen: nothing changes, moves or frees their memory
//! while they live. So the arrays are read-only.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A type of elements of an array, with numpy's letter for its kind.
pub trait Element: Copy + Send + Sync + 'static {
    const LETTER: char;
}

impl Element for u8 {
    const LETTER: char = 'u';
}
impl Element for u16 {
    const LETTER: char = 'u';
}
impl Element for u32 {
    const LETTER: char = 'u';
}
impl Element for u64 {
    const LETTER: char = 'u';
}
impl Element for f64 {
    const LETTER: char = 'f';
}

/// The `__array_interface__` of a piece of memory.
pub fn interface<'py, T: Element>(
    py: Python<'py>,
    memory: &[T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyDict>> {
    let order = if cfg!(target_endian = "little") {
        '<'
    } else {
        '>'
    };
    let found = PyDict::new(py);
    found.set_item("version", 3)?;
    found.set_item("typestr", format!("{order}{}{}", T::LETTER, size_of::<T>()))?;
    found.set_item("shape", pyo3::types::PyTuple::new(py, shape)?)?;
    // `true`: the memory is read-only.
    found.set_item("data", (memory.as_ptr() as usize, true))?;
    Ok(found)
}

/// Memory that numpy can read.
trait Lent: Send + Sync {
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>>;
}

impl<T: Element> Lent for Vec<T> {
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        interface(py, self, &[self.len()])
    }
}

/// The memory of an array.
#[pyclass(frozen)]
struct Column(Box<dyn Lent>);

#[pymethods]
impl Column {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.0.interface(py)
    }
}

/// Makes an array of these elements.
pub fn array<T: Element>(
    py: Python<'_>,
    elements: impl IntoIterator<Item = T>,
) -> PyResult<Bound<'_, PyAny>> {
    let elements: Vec<T> = elements.into_iter().collect();
    as_array(Bound::new(py, Column(Box::new(elements)))?.as_any())
}

/// The array of an object with an `__array_interface__`.
pub fn as_array<'py>(owner: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = owner.py().import("numpy")?;
    numpy.call_method1("asarray", (owner,))
}
