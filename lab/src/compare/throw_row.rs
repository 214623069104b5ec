//! The rows of a series, and their CSV.

use super::engine_spec::EngineSpec;
use crate::LabError;
use csv::StringRecord;
use dmodc::netlist::Equipment;
use std::fs;
use std::path::Path;

trait Field: Sized {
    fn write(&self) -> String;
    fn read(text: &str) -> Option<Self>;
}

macro_rules! plain_fields {
    ($($type:ty),*) => {
        $(impl Field for $type {
            fn write(&self) -> String {
                // `#`: the whole name of an engine.
                format!("{self:#}")
            }

            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        })*
    };
}

plain_fields!(u32, u64, usize, f64, String, Equipment, EngineSpec);

/// 1 or 0.
impl Field for bool {
    fn write(&self) -> String {
        u8::from(*self).to_string()
    }

    fn read(text: &str) -> Option<Self> {
        Some(text == "1")
    }
}

/// Empty if unknown.
impl<T: Field> Field for Option<T> {
    fn write(&self) -> String {
        self.as_ref().map_or(String::new(), T::write)
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            "" => Some(None),
            _ => T::read(text).map(Some),
        }
    }
}

/// A measured number, written with two decimals.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Real(pub f64);

impl Field for Real {
    fn write(&self) -> String {
        format!("{:.2}", self.0)
    }

    fn read(text: &str) -> Option<Self> {
        let value = text.parse().ok()?;
        f64::is_finite(value).then_some(Real(value))
    }
}

/// Declares a row, whose fields are the columns of its file in this order.
macro_rules! row {
    ($($column:ident: $type:ty,)*) => {
        /// One engine in one throw. All figures are empty if it made no tables. `docs/research.md` has the columns.
        #[derive(Clone, PartialEq, Debug, Default)]
        pub struct ThrowRow {
            $(pub $column: $type,)*
        }

        pub const HEADER: &[&str] = &[$(stringify!($column)),*];

        impl ThrowRow {
            pub fn record(&self) -> Vec<String> {
                vec![$(self.$column.write()),*]
            }

            /// Columns that a file of an earlier version does not have are empty.
            fn parse(record: &StringRecord) -> Option<ThrowRow> {
                let mut fields = record.iter();
                Some(ThrowRow {
                    $($column: Field::read(fields.next().unwrap_or_default())?,)*
                })
            }
        }
    };
}

row! {
    fabric: String,
    switches: usize,
    nodes: usize,
    degrade: Equipment,
    max_exponent: f64,
    seed: u64,
    throw: u32,
    removed: usize,
    unreachable_pairs: Option<usize>,
    engine: EngineSpec,
    accepted: bool,
    no_route: Option<u64>,
    a2a: Option<u32>,
    rp: Option<u32>,
    sp_ftree: Option<u32>,
    sp_dmodc: Option<u32>,
    cn2io: Option<u32>,
    changed_blocks: Option<usize>,
    lid_matrices_us: Option<u64>,
    fwd_tables_us: Option<u64>,
    permutations: u32,
    versions: String,
    reason: String,
    a2a_bound: Option<u32>,
    ebb: Option<Real>,
    credit_loops: Option<usize>,
    changed_entries: Option<usize>,
    host_credit_loops: Option<usize>,
    host_switch_credit_loops: Option<usize>,
    switch_credit_loops: Option<usize>,
    aggregation_credit_loops: Option<usize>,
    lane_credit_loops: Option<usize>,
    lanes: Option<usize>,
    exact: Option<u32>,
    removal_seed: Option<u64>,
    commit: String,
    a2a_bound_capacity: Option<Real>,
    a2a_capacity: Option<Real>,
    rp_capacity: Option<Real>,
    sp_ftree_capacity: Option<Real>,
    sp_dmodc_capacity: Option<Real>,
    exact_capacity: Option<Real>,
    of: String,
}

/// The name of this program in rows.
pub(super) const VERSION: &str = concat!("dmodc ", env!("CARGO_PKG_VERSION"));

/// The commit that this program was built from, if its build had it.
pub(super) const COMMIT: &str = match option_env!("DMODC_COMMIT") {
    Some(commit) => commit,
    None => "",
};

/// The number of columns in the first version. A file may lack some or all of the later columns.
pub(super) const FIRST: usize = 23;

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

/// Reads a file of rows, of this version or an earlier one.
pub fn read_throws(path: &Path) -> Result<Vec<ThrowRow>, LabError> {
    let bytes = fs::read(path).map_err(LabError::file(path))?;
    parse_throws(&bytes)
        .map_err(|(line, reason)| LabError::Other(format!("{}:{line}: {reason}", path.display())))
}

pub(super) fn parse_throws(bytes: &[u8]) -> Result<Vec<ThrowRow>, (u64, String)> {
    let mut reader = csv::Reader::from_reader(bytes);
    let header = reader.headers().map_err(|e| (1, e.to_string()))?;
    if header.len() < FIRST || !HEADER.iter().copied().take(header.len()).eq(header) {
        return Err((1, "the columns are not those of this version".into()));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| (e.position().map_or(0, |p| p.line()), e.to_string()))?;
        let line = record.position().map_or(0, |p| p.line());
        rows.push(ThrowRow::parse(&record).ok_or((line, "a field is none".into()))?);
    }
    Ok(rows)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Whether the page for researchers describes a column.
    pub fn is_documented(column: &str) -> bool {
        let page = include_str!("../../../docs/research.md");
        let cells = page.lines().filter_map(|line| line.strip_prefix("| `"));
        let names = cells.filter_map(|line| line.split_once(" |"));
        let mut names = names.flat_map(|(names, _)| names.split(", "));
        names.any(|name| name.trim_matches('`') == column)
    }

    #[test]
    fn every_column_is_documented() {
        assert!(!is_documented("no_such_column"));
        for column in HEADER {
            assert!(is_documented(column), "{column}");
        }
    }

    /// A file with a number of columns and one row, whose missing fields are empty.
    fn file(columns: usize, row: &str) -> Vec<u8> {
        let empty = ",".repeat(columns - 1 - row.matches(',').count());
        format!("{}\n{row}{empty}\n", HEADER[..columns].join(",")).into()
    }

    #[test]
    fn a_wrong_field_is_named_by_its_line() {
        let row = "x,one,2,links,1,1,1,1,,dmodc,0,,,,,,,,,,1,dmodc 1; OpenSM 1,no";
        let wrong = |bytes: &[u8]| parse_throws(bytes).unwrap_err().0;
        assert_eq!(wrong(&file(HEADER.len(), row)), 2);
        let text = String::from_utf8(file(HEADER.len(), row)).unwrap();
        assert_eq!(wrong(text.replacen("a2a_bound", "bound", 1).as_bytes()), 1);
        assert_eq!(wrong(b"a,b\n"), 1);
    }
}
