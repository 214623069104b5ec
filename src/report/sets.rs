//! The series of a folder: the throws of one kind at one fabric, and their results.

use super::ReportError;
use super::measures::{Measure, is_connected};
use crate::compare::{EngineSpec, Equipment, ThrowDrawing, ThrowRow, read_throws};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// All throws of one kind at one fabric.
pub struct Set {
    /// Name of the fabric.
    pub fabric: String,
    /// The kind of equipment that is hit.
    pub equipment: Equipment,
    /// One row per throw and engine.
    pub rows: Vec<ThrowRow>,
    /// One of the throws, to draw.
    pub drawing: Option<ThrowDrawing>,
}

impl Set {
    /// Number of throws, without the complete fabric.
    pub fn throws(&self) -> usize {
        let numbers = self.rows.iter().map(|row| row.throw).filter(|&t| t > 0);
        numbers.collect::<HashSet<u32>>().len()
    }

    /// Throws after which every pair of leaves has an up-down path. Only these are compared.
    pub fn connected_throws(&self) -> usize {
        let whole = self
            .rows
            .iter()
            .filter(|row| row.throw > 0 && is_connected(row));
        whole.map(|row| row.throw).collect::<HashSet<u32>>().len()
    }

    /// The engines, in the order of the command line.
    pub fn specs(&self) -> Vec<EngineSpec> {
        let mut all: Vec<EngineSpec> = Vec::new();
        for row in &self.rows {
            if !all.contains(&row.spec) {
                all.push(row.spec.clone());
            }
        }
        all
    }

    /// Dmodc as shipped, with which the others are compared; if it is there.
    pub fn ours(&self) -> Option<EngineSpec> {
        self.specs()
            .into_iter()
            .find(|spec| spec.to_string() == "dmodc")
    }

    /// The engines that are no Dmodc, and not told of I/O nodes.
    pub fn others(&self) -> Vec<EngineSpec> {
        let is_other = |spec: &EngineSpec| !spec.is_dmodc() && !spec.is_told_io();
        self.specs().into_iter().filter(is_other).collect()
    }

    /// The measures with figures.
    pub fn measures(&self) -> Vec<Measure> {
        let has = |m: &Measure| self.rows.iter().any(|row| m.of(row).is_some());
        Measure::ALL.into_iter().filter(has).collect()
    }

    /// A name for files.
    pub fn slug(&self) -> String {
        format!("{}-{}", self.fabric, self.equipment)
    }
}

/// Reads the series of a folder, in the order of the number of nodes.
pub fn read(dir: &Path) -> Result<Vec<Set>, ReportError> {
    let mut sets = Vec::new();
    let files = files(dir)?;
    for path in files.iter().filter(|path| is_named(path, "throws-")) {
        let mut by_fabric: BTreeMap<(String, Equipment), Vec<ThrowRow>> = BTreeMap::new();
        for row in read_throws(path)? {
            let key = (row.fabric.clone(), row.equipment);
            by_fabric.entry(key).or_default().push(row);
        }
        for ((fabric, equipment), mut rows) in by_fabric {
            rows.sort_by_key(|row| row.throw);
            sets.push(Set {
                fabric,
                equipment,
                rows,
                drawing: None,
            });
        }
    }
    for path in files.iter().filter(|path| is_named(path, "drawn-")) {
        let drawing = ThrowDrawing::read(path)?;
        let key = (drawing.fabric.clone(), drawing.equipment);
        let set = sets
            .iter_mut()
            .find(|set| (set.fabric.clone(), set.equipment) == key);
        if let Some(set) = set {
            set.drawing = Some(drawing);
        }
    }
    sets.sort_by_key(|set| (set.rows.first().map(|row| row.nodes), set.equipment));
    match sets.is_empty() {
        true => Err(ReportError::Empty(dir.display().to_string())),
        false => Ok(sets),
    }
}

fn is_named(path: &Path, start: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(start) && name.ends_with(".csv")
}

fn files(dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let failed = |reason| ReportError::Folder {
        folder: dir.display().to_string(),
        reason,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        files.push(entry.map_err(failed)?.path());
    }
    files.sort();
    Ok(files)
}
