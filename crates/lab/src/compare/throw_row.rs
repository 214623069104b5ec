//! The rows of a series, and their CSV.

use super::engine_spec::EngineSpec;
use crate::LabError;
use dmodc_formats::netlist::Equipment;
use serde::{Deserialize, Serialize, Serializer};
use std::fs;
use std::path::Path;

/// One engine in one throw, in the order of the columns. All figures are empty if it made no tables.
/// `docs/research.md` has the columns; those that a file of another version does not have are empty.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThrowRow {
    pub fabric: String,
    pub switches: usize,
    pub nodes: usize,
    #[serde(with = "text")]
    pub degrade: Equipment,
    #[serde(with = "text")]
    pub max_exponent: f64,
    pub seed: u64,
    pub throw: u32,
    pub removed: usize,
    pub unreachable_pairs: Option<usize>,
    #[serde(with = "text")]
    pub engine: EngineSpec,
    #[serde(with = "flag")]
    pub accepted: bool,
    pub no_route: Option<u64>,
    pub a2a: Option<u32>,
    pub rp: Option<u32>,
    pub sp_ftree: Option<u32>,
    pub sp_dmodc: Option<u32>,
    pub changed_blocks: Option<usize>,
    pub lid_matrices_us: Option<u64>,
    pub fwd_tables_us: Option<u64>,
    pub permutations: u32,
    pub versions: String,
    pub reason: String,
    pub a2a_bound: Option<u32>,
    pub ebb: Option<Real>,
    pub credit_loops: Option<usize>,
    pub changed_entries: Option<usize>,
    pub host_credit_loops: Option<usize>,
    pub host_switch_credit_loops: Option<usize>,
    pub switch_credit_loops: Option<usize>,
    pub aggregation_credit_loops: Option<usize>,
    pub lane_credit_loops: Option<usize>,
    pub lanes: Option<usize>,
    pub exact: Option<u32>,
    pub removal_seed: Option<u64>,
    pub commit: String,
    pub a2a_bound_capacity: Option<Real>,
    pub a2a_capacity: Option<Real>,
    pub rp_capacity: Option<Real>,
    pub sp_ftree_capacity: Option<Real>,
    pub sp_dmodc_capacity: Option<Real>,
    pub exact_capacity: Option<Real>,
    pub of: String,
}

/// A field as its text; `#`: the whole name of an engine.
mod text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::fmt::Display;
    use std::str::FromStr;

    pub fn serialize<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{value:#}"))
    }

    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = String::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// 1 or 0.
mod flag {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &bool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8((*value).into())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        u8::deserialize(from).map(|value| value == 1)
    }
}

/// A measured number, written with two decimals.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Deserialize)]
#[serde(try_from = "f64")]
pub struct Real(pub f64);

impl TryFrom<f64> for Real {
    type Error = &'static str;

    fn try_from(value: f64) -> Result<Real, &'static str> {
        let is_known = value.is_finite();
        is_known.then_some(Real(value)).ok_or("no finite number")
    }
}

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:.2}", self.0))
    }
}

/// The name of this program in rows.
pub(super) const VERSION: &str = concat!("dmodc ", env!("CARGO_PKG_VERSION"));

/// The commit that this program was built from, if its build had it.
pub(super) const COMMIT: &str = match option_env!("DMODC_COMMIT") {
    Some(commit) => commit,
    None => "",
};

/// The columns without which a file has no rows; a file of another version may lack others, and have its own.
const NEEDED: [&str; 4] = ["fabric", "throw", "engine", "accepted"];

impl ThrowRow {
    /// Milliseconds of both callbacks, if the engine made tables in this run.
    pub fn callbacks_ms(&self) -> Option<f64> {
        let both = self.lid_matrices_us? + self.fwd_tables_us?;
        (both > 0).then_some(both as f64 / 1e3)
    }

    /// The programs that made the row, and the commit of Dmodc, if known.
    pub fn made_by(&self) -> String {
        let commit = match &*self.commit {
            "" => ", ".into(),
            commit => format!(" ({commit}), "),
        };
        self.versions.replacen("; ", &commit, 1)
    }

    /// The hash of the fabric's content; rows of an earlier version have none.
    pub fn fabric_hash(&self) -> Option<&str> {
        self.of.split(' ').next().filter(|hash| !hash.is_empty())
    }

    /// Whether the engine is Dmodc of another version or commit than this program.
    pub fn is_of_another_dmodc(&self) -> bool {
        let version = self.versions.split("; ").next();
        self.engine.is_dmodc() && (version, &*self.commit) != (Some(VERSION), COMMIT)
    }

    /// Whether every pair of end nodes has a route.
    pub fn is_routed_in_full(&self) -> bool {
        self.accepted && self.no_route == Some(0)
    }
}

/// The columns, with commas between them.
pub fn header() -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.serialize(ThrowRow::default()).expect("a row");
    let text = csv.into_inner().expect("memory can be written");
    let text = String::from_utf8(text).expect("columns are text");
    text.lines().next().unwrap_or_default().to_owned()
}

/// Reads a file of rows, of this version or another.
pub fn read_throws(path: &Path) -> Result<Vec<ThrowRow>, LabError> {
    let (bytes, file) = (fs::read(path), path.display());
    let read = parse_throws(&bytes.map_err(LabError::file(path))?);
    read.map_err(|(line, reason)| LabError::Other(format!("{file}:{line}: {reason}")))
}

pub(super) fn parse_throws(bytes: &[u8]) -> Result<Vec<ThrowRow>, (u64, String)> {
    let at = |e: csv::Error| (e.position().map_or(1, |p| p.line()), e.to_string());
    let mut reader = csv::Reader::from_reader(bytes);
    let found = reader.headers().map_err(at)?;
    let is_found = |needed: &&str| found.iter().any(|column| column == *needed);
    if !NEEDED.iter().all(is_found) {
        return Err((1, "the columns are not those of throws".into()));
    }
    reader.deserialize().map(|row| row.map_err(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::whole::Row;
    use super::*;

    /// Whether the page for researchers describes a column.
    fn is_documented(column: &str) -> bool {
        let page = include_str!("../../../../docs/research.md");
        let cells = page.lines().filter_map(|line| line.strip_prefix("| `"));
        let names = cells.filter_map(|line| line.split_once(" |"));
        let mut names = names.flat_map(|(names, _)| names.split(", "));
        names.any(|name| name.trim_matches('`') == column)
    }

    #[test]
    fn every_column_is_documented() {
        assert!(!is_documented("no_such_column"));
        for column in header().split(',').chain(Row::COLUMNS.split(',')) {
            assert!(is_documented(column), "{column}");
        }
    }

    #[test]
    fn a_wrong_field_is_named_by_its_line() {
        let wrong = |text: &str| parse_throws(text.as_bytes()).unwrap_err().0;
        assert_eq!(wrong("fabric,throw,engine,accepted\nx,one,dmodc,1\n"), 2);
        assert_eq!(wrong("fabric,throw,engine\nx,1,dmodc\n"), 1);
    }
}
