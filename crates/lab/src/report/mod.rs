//! The report of a comparison: one HTML file with everything in it.
//!
//! ```text
//! throws-*.csv ─ sets ─ stats ─┬─ tables ─┬─ page ─ report.html
//!                              └─ charts ─┘
//! ```
//!
//! The report measures nothing: the same folders give the same report.

mod axis;
mod charts;
mod measures;
mod page;
mod sets;
mod stats;
mod style;
mod tables;

pub use stats::median;
pub use tables::medians;

use crate::LabError;
use std::path::Path;

/// Makes the page of folders that `dmodc compare --degrade` has written to; returns it, and the number of its figures.
pub fn report(dirs: &[impl AsRef<Path>]) -> Result<(String, usize), LabError> {
    let sets = sets::read(dirs)?;
    let thrown = sets.iter().filter(|set| set.throws() > 0);
    let section = |set| page::section(set, &charts::faults(set));
    let sections: Vec<String> = thrown.map(section).collect();
    let runtime = charts::runtime(&sets);
    let figures = sections.len() + usize::from(runtime.is_some());
    Ok((page::page(&sets, &sections, runtime.as_ref()), figures))
}
