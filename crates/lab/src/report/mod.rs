//! The report of a comparison: one HTML file with everything in it, its figures as SVG files, and its tables
//! in short as Markdown.
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
    /// The figures alone: file names and SVG.
    pub figures: Vec<(String, String)>,
}

/// Makes the report of folders that `dmodc compare --degrade` has written to.
pub fn report(dirs: &[impl AsRef<Path>]) -> Result<Report, LabError> {
    let sets = sets::read(dirs)?;
    let mut figures = Vec::new();
    let mut sections = Vec::new();
    for set in sets.iter().filter(|set| set.throws() > 0) {
        let faults = charts::faults(set);
        sections.push(page::section(set, &faults));
        figures.push((format!("risk-{}.svg", set.slug()), faults.svg()));
    }
    let runtime = charts::runtime(&sets);
    let html = page::page(&sets, &sections, runtime.as_ref());
    figures.extend(runtime.map(|runtime| ("runtime.svg".into(), runtime.svg())));
    Ok(Report {
        html,
        summary: summary::summary(&sets),
        figures,
    })
}
