//! The series of a folder: the throws of one kind at one fabric, and their results.

use super::ReportError;
use crate::compare::{EngineSpec, Equipment, Risks, Routed, ThrowDrawing, ThrowRow, read_throws};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// All throws of one kind at one fabric.
pub struct Set {
    /// Name of the fabric.
    pub fabric: String,
    /// The kind of equipment removed.
    pub equipment: Equipment,
    /// One row per throw and engine.
    pub rows: Vec<ThrowRow>,
    /// One of the throws, to draw.
    pub drawing: Option<ThrowDrawing>,
}

/// The traffic patterns, in the order of the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// All to all.
    A2a,
    /// Random permutations.
    Rp,
    /// Shifts in the order of OpenSM's ftree.
    SpFtree,
    /// Shifts in the order of Dmodc.
    SpDmodc,
    /// Compute nodes to I/O nodes.
    Cn2io,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Pattern; 5] = [
        Pattern::A2a,
        Pattern::Rp,
        Pattern::SpFtree,
        Pattern::SpDmodc,
        Pattern::Cn2io,
    ];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::A2a => "A2A",
            Pattern::Rp => "RP",
            Pattern::SpFtree => "SP, ftree's order",
            Pattern::SpDmodc => "SP, Dmodc's order",
            Pattern::Cn2io => "compute to I/O",
        }
    }

    /// The figure of this pattern.
    pub fn of(self, risks: &Risks) -> Option<u32> {
        match self {
            Pattern::A2a => Some(risks.a2a),
            Pattern::Rp => Some(risks.rp),
            Pattern::SpFtree => risks.sp_ftree,
            Pattern::SpDmodc => risks.sp_dmodc,
            Pattern::Cn2io => risks.cn2io,
        }
    }
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

    /// The patterns with figures.
    pub fn patterns(&self) -> Vec<Pattern> {
        let has = |p: &Pattern| self.rows.iter().any(|row| known(row, *p).is_some());
        Pattern::ALL.into_iter().filter(has).collect()
    }

    /// A name for files.
    pub fn slug(&self) -> String {
        format!("{}-{}", self.fabric, self.equipment)
    }
}

fn is_connected(row: &ThrowRow) -> bool {
    row.unreachable_pairs == Some(0)
}

/// The result of an engine for a throw, if it can be compared: all pairs have an up-down path, and the
/// engine has routed them all.
pub fn comparable(row: &ThrowRow) -> Option<&Routed> {
    let routed = row.outcome.as_ref().ok()?;
    (is_connected(row) && routed.risks.no_route == 0).then_some(routed)
}

/// The figure of a pattern for a row, if it can be compared.
pub fn known(row: &ThrowRow, pattern: Pattern) -> Option<u32> {
    pattern.of(&comparable(row)?.risks)
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
