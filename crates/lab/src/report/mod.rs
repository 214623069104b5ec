//! The report of a comparison: one HTML file with everything in it, and its tables in short as Markdown.
//!
//! ```text
//! throws-*.csv ─ sets ─ stats ─┬─ tables ─┬─ summary.md
//!                              └─ charts ─┴─ page ─ report.html
//! ```
//!
//! The report measures nothing: the same folders give the same report.

mod axis;
mod charts;
mod measures;
mod page;
mod panels;
mod sets;
mod stats;
mod style;
mod summary;
mod tables;

pub use stats::median;
pub use summary::medians;

use crate::LabError;
use std::path::Path;

pub struct Report {
    /// The page, with its figures.
    pub html: String,
    /// The tables in short, as Markdown.
    pub summary: String,
    /// How many figures the page has.
    pub figures: usize,
}

/// Makes the report of folders that `dmodc compare --degrade` has written to.
pub fn report(dirs: &[impl AsRef<Path>]) -> Result<Report, LabError> {
    let sets = sets::read(dirs)?;
    let thrown = sets.iter().filter(|set| set.throws() > 0);
    let sections: Vec<String> = thrown
        .map(|set| page::section(set, &charts::faults(set)))
        .collect();
    let runtime = charts::runtime(&sets);
    Ok(Report {
        html: page::page(&sets, &sections, runtime.as_ref()),
        summary: summary::summary(&sets),
        figures: sections.len() + usize::from(runtime.is_some()),
    })
}
