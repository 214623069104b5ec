//! The series of a folder: the throws of one kind at one fabric, and their results.

use super::measures::Measure;
use crate::LabError;
use crate::compare::{EngineSpec, ThrowRow, read_throws};
use dmodc_formats::netlist::{Equipment, removal};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All throws of one kind at one fabric.
pub struct Set {
    pub fabric: String,
    pub equipment: Equipment,
    pub rows: Vec<ThrowRow>,
}

impl Set {
    pub fn throws(&self) -> usize {
        self.throws_that(|_| true)
    }

    pub fn throws_that(&self, is: impl Fn(&ThrowRow) -> bool) -> usize {
        let of = self.rows.iter().filter(|row| row.throw > 0 && is(row));
        of.map(|row| row.throw).collect::<HashSet<u32>>().len()
    }

    /// The exponent of the random numbers of pieces; `None` if the numbers were given.
    pub fn exponent(&self) -> Option<f64> {
        let by = |row: &ThrowRow| removal(row.max_exponent, row.seed, row.throw).0;
        let drawn = self.rows.iter().all(|row| row.removed == by(row));
        let first = self.rows.first().filter(|_| drawn)?;
        Some(first.max_exponent)
    }

    /// The engines, in the order of the command line.
    pub fn specs(&self) -> Vec<EngineSpec> {
        engines(&self.rows)
    }

    pub fn measures(&self) -> Vec<Measure> {
        self.measures_with(Measure::comparable_figure)
    }

    /// The measures of which some row has such a figure.
    pub fn measures_with(&self, figure: fn(Measure, &ThrowRow) -> Option<f64>) -> Vec<Measure> {
        let has = |m: &Measure| self.rows.iter().any(|row| figure(*m, row).is_some());
        Measure::all().filter(has).collect()
    }

    /// Whether a row has the least A2A that its fabric allows.
    pub fn has_bound(&self) -> bool {
        self.rows.iter().any(|row| row.a2a_bound.is_some())
    }
}

/// The engines of some rows, each once.
pub fn engines<'a>(rows: impl IntoIterator<Item = &'a ThrowRow>) -> Vec<EngineSpec> {
    let mut all: Vec<EngineSpec> = Vec::new();
    for row in rows {
        if !all.contains(&row.engine) {
            all.push(row.engine.clone());
        }
    }
    all
}

/// Reads the series of some folders, in the order of the number of nodes. A series may be in several files, as of a
/// comparison in parts. Of rows for the same throw and engine the first counts.
pub fn read(dirs: &[impl AsRef<Path>]) -> Result<Vec<Set>, LabError> {
    let mut sets: Vec<Set> = Vec::new();
    let mut files_of_all = Vec::new();
    for dir in dirs {
        files_of_all.extend(files(dir.as_ref())?);
    }
    for path in &files_of_all {
        for row in read_throws(path)? {
            let is_its = |set: &Set| (&set.fabric, set.equipment) == (&row.fabric, row.degrade);
            let at = sets.iter().position(is_its).unwrap_or_else(|| {
                sets.push(Set {
                    fabric: row.fabric.clone(),
                    equipment: row.degrade,
                    rows: vec![],
                });
                sets.len() - 1
            });
            sets[at].rows.push(row);
        }
    }
    for set in &mut sets {
        set.rows.sort_by_key(|row| row.throw);
        let mut known = HashSet::new();
        (set.rows).retain(|row| known.insert((row.throw, row.engine.clone())));
        let mut fabrics: Vec<&str> = set.rows.iter().filter_map(ThrowRow::fabric_hash).collect();
        fabrics.dedup();
        if fabrics.len() > 1 {
            let name = &set.fabric;
            return Err(LabError::Other(format!(
                "rows of two fabrics with the name '{name}': report them apart"
            )));
        }
    }
    sets.sort_by_key(|set| (set.rows.first().map(|row| row.nodes), set.equipment));
    if sets.is_empty() {
        let dirs = dirs.iter().map(|dir| dir.as_ref().display().to_string());
        let dirs = dirs.collect::<Vec<_>>().join(", ");
        return Err(LabError::Other(format!(
            "{dirs}: no throws-*.csv with a throw; dmodc compare --degrade makes them"
        )));
    }
    Ok(sets)
}

/// The files with rows in a folder.
fn files(dir: &Path) -> Result<Vec<PathBuf>, LabError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(LabError::file(dir))? {
        let entry = entry.map_err(LabError::file(dir))?;
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix("throws-"));
        if rest.is_some_and(|rest| rest.ends_with(".csv")) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}
