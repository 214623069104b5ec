//! The rows of a series, and their CSV.

use super::CompareError;
use super::engine_spec::EngineSpec;
use super::metrics::Risks;
use csv::StringRecord;
use dmodc::netlist::Equipment;
use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// The measures of an engine in a throw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Routed {
    /// The risks of its tables.
    pub risks: Risks,
    /// Blocks of 64 LIDs that differ from its tables of the complete fabric; unknown if it refused
    /// the complete fabric, or if LIDs moved.
    pub changed_blocks: Option<usize>,
    /// Entries that differ, likewise; unknown in rows of earlier versions, too.
    pub changed_entries: Option<usize>,
    /// Time of `build_lid_matrices`.
    pub lid_matrices: Duration,
    /// Time of `ucast_build_fwd_tables`.
    pub fwd_tables: Duration,
}

/// One engine in one throw.
#[derive(Clone, PartialEq, Debug)]
pub struct ThrowRow {
    /// Name of the fabric.
    pub fabric: String,
    /// Switches left.
    pub switches: usize,
    /// End nodes left.
    pub nodes: usize,
    /// What was hit.
    pub equipment: Equipment,
    /// The exponent of the series.
    pub max_exponent: f64,
    /// The seed of the series.
    pub seed: u64,
    /// Number of the throw; 0 is the complete fabric.
    pub throw: u32,
    /// How much of it was removed, or became slow.
    pub removed: usize,
    /// The seed of this removal; unknown in rows of earlier versions.
    pub removal_seed: Option<u64>,
    /// The commit that this program was built from; empty if it was not said, and in rows of earlier versions.
    pub commit: String,
    /// Pairs of leaves with no up-down path; unknown if the rest is no tree.
    pub unreachable_pairs: Option<usize>,
    /// The least A2A that the links between levels allow; unknown in rows of earlier versions.
    pub a2a_bound: Option<u32>,
    /// The same over capacity, where links differ in speed.
    pub a2a_bound_capacity: Option<f64>,
    /// The engine.
    pub spec: EngineSpec,
    /// Its measures, or why it made no tables.
    pub outcome: Result<Routed, String>,
    /// Random permutations.
    pub permutations: u32,
    /// Version of this program.
    pub version: String,
    /// Version of OpenSM.
    pub opensm: String,
}

/// Columns of the first version. Later ones stand behind them; a file may lack some or all of them.
pub(super) const FIRST: usize = 23;

pub(super) const HEADER: [&str; FIRST + 19] = [
    "fabric",
    "switches",
    "nodes",
    "degrade",
    "max_exponent",
    "seed",
    "throw",
    "removed",
    "unreachable_pairs",
    "engine",
    "accepted",
    "no_route",
    "a2a",
    "rp",
    "sp_ftree",
    "sp_dmodc",
    "cn2io",
    "changed_blocks",
    "lid_matrices_us",
    "fwd_tables_us",
    "permutations",
    "versions",
    "reason",
    "a2a_bound",
    "ebb",
    "credit_loops",
    "changed_entries",
    "host_credit_loops",
    "host_switch_credit_loops",
    "switch_credit_loops",
    "aggregation_credit_loops",
    "lane_credit_loops",
    "lanes",
    "exact",
    "removal_seed",
    "commit",
    "a2a_bound_capacity",
    "a2a_capacity",
    "rp_capacity",
    "sp_ftree_capacity",
    "sp_dmodc_capacity",
    "exact_capacity",
];

impl ThrowRow {
    /// Time of both callbacks, if it routed; none of tables that were there before.
    pub fn callbacks(&self) -> Option<Duration> {
        let routed = self.outcome.as_ref().ok()?;
        let both = routed.lid_matrices + routed.fwd_tables;
        (both > Duration::ZERO).then_some(both)
    }

    pub(super) fn record(&self) -> Vec<String> {
        let text = |value: Option<u64>| value.map_or(String::new(), |v| v.to_string());
        let routed = self.outcome.as_ref().ok();
        let risk =
            |of: fn(&Risks) -> Option<u32>| text(routed.and_then(|r| Some(of(&r.risks)?.into())));
        let count =
            |of: fn(&Risks) -> Option<usize>| text(routed.and_then(|r| Some(of(&r.risks)? as u64)));
        let micros = |of: fn(&Routed) -> Duration| text(routed.map(|r| of(r).as_micros() as u64));
        let hundredths = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.2}"));
        let real = |of: fn(&Risks) -> Option<f64>| hundredths(routed.and_then(|r| of(&r.risks)));
        vec![
            self.fabric.clone(),
            self.switches.to_string(),
            self.nodes.to_string(),
            self.equipment.to_string(),
            self.max_exponent.to_string(),
            self.seed.to_string(),
            self.throw.to_string(),
            self.removed.to_string(),
            text(self.unreachable_pairs.map(|n| n as u64)),
            format!("{:#}", self.spec),
            u8::from(routed.is_some()).to_string(),
            text(routed.map(|r| r.risks.no_route)),
            risk(|r| Some(r.a2a)),
            risk(|r| Some(r.rp)),
            risk(|r| r.sp_ftree),
            risk(|r| r.sp_dmodc),
            risk(|r| r.cn2io),
            text(routed.and_then(|r| Some(r.changed_blocks? as u64))),
            micros(|r| r.lid_matrices),
            micros(|r| r.fwd_tables),
            self.permutations.to_string(),
            format!("dmodc {}; {}", self.version, self.opensm),
            self.outcome.as_ref().err().cloned().unwrap_or_default(),
            text(self.a2a_bound.map(u64::from)),
            real(|r| r.ebb),
            count(|r| r.credit_loops),
            text(routed.and_then(|r| Some(r.changed_entries? as u64))),
            count(|r| r.host_credit_loops),
            count(|r| r.host_switch_credit_loops),
            count(|r| r.switch_credit_loops),
            count(|r| r.aggregation_credit_loops),
            count(|r| r.lane_credit_loops),
            count(|r| r.lanes),
            risk(|r| r.exact),
            text(self.removal_seed),
            self.commit.clone(),
            hundredths(self.a2a_bound_capacity),
            real(|r| r.a2a_capacity),
            real(|r| r.rp_capacity),
            real(|r| r.sp_ftree_capacity),
            real(|r| r.sp_dmodc_capacity),
            real(|r| r.exact_capacity),
        ]
    }

    fn parse(record: &StringRecord) -> Option<ThrowRow> {
        fn optional<T: FromStr>(word: &str) -> Option<Option<T>> {
            match word {
                "" => Some(None),
                _ => Some(Some(word.parse().ok()?)),
            }
        }
        fn needed<T: FromStr>(word: &str) -> Option<T> {
            word.parse().ok()
        }
        let field = |name: &str| {
            let at = HEADER.iter().position(|&n| n == name)?;
            record.get(at).or((at >= FIRST).then_some(""))
        };
        // No figure is NaN or endless.
        let real = |name: &str| Some(optional(field(name)?)?.filter(|v: &f64| v.is_finite()));
        let outcome = match field("accepted")? {
            "1" => Ok(Routed {
                risks: Risks {
                    no_route: needed(field("no_route")?)?,
                    a2a: needed(field("a2a")?)?,
                    rp: needed(field("rp")?)?,
                    sp_ftree: optional(field("sp_ftree")?)?,
                    sp_dmodc: optional(field("sp_dmodc")?)?,
                    cn2io: optional(field("cn2io")?)?,
                    ebb: optional(field("ebb")?)?.filter(|e| (0.0..=100.0).contains(e)),
                    credit_loops: optional(field("credit_loops")?)?,
                    host_credit_loops: optional(field("host_credit_loops")?)?,
                    a2a_capacity: real("a2a_capacity")?,
                    rp_capacity: real("rp_capacity")?,
                    sp_ftree_capacity: real("sp_ftree_capacity")?,
                    sp_dmodc_capacity: real("sp_dmodc_capacity")?,
                    exact_capacity: real("exact_capacity")?,
                    host_switch_credit_loops: optional(field("host_switch_credit_loops")?)?,
                    switch_credit_loops: optional(field("switch_credit_loops")?)?,
                    aggregation_credit_loops: optional(field("aggregation_credit_loops")?)?,
                    lane_credit_loops: optional(field("lane_credit_loops")?)?,
                    lanes: optional(field("lanes")?)?,
                    exact: optional(field("exact")?)?,
                },
                changed_blocks: optional(field("changed_blocks")?)?,
                changed_entries: optional(field("changed_entries")?)?,
                lid_matrices: Duration::from_micros(needed(field("lid_matrices_us")?)?),
                fwd_tables: Duration::from_micros(needed(field("fwd_tables_us")?)?),
            }),
            _ => Err(field("reason")?.to_owned()),
        };
        let (version, opensm) = field("versions")?.split_once("; ")?;
        Some(ThrowRow {
            fabric: field("fabric")?.to_owned(),
            switches: needed(field("switches")?)?,
            nodes: needed(field("nodes")?)?,
            equipment: needed(field("degrade")?)?,
            max_exponent: needed(field("max_exponent")?)?,
            seed: needed(field("seed")?)?,
            throw: needed(field("throw")?)?,
            removed: needed(field("removed")?)?,
            removal_seed: optional(field("removal_seed")?)?,
            commit: field("commit")?.to_owned(),
            unreachable_pairs: optional(field("unreachable_pairs")?)?,
            a2a_bound: optional(field("a2a_bound")?)?,
            a2a_bound_capacity: real("a2a_bound_capacity")?,
            spec: needed(field("engine")?)?,
            outcome,
            permutations: needed(field("permutations")?)?,
            version: version.trim_start_matches("dmodc ").to_owned(),
            opensm: opensm.to_owned(),
        })
    }
}

/// Reads a file of rows, of this version or an earlier one.
pub fn read_throws(path: &Path) -> Result<Vec<ThrowRow>, CompareError> {
    let bytes = fs::read(path).map_err(CompareError::file(path))?;
    parse_throws(&bytes).map_err(|(line, reason)| CompareError::Row {
        path: path.to_owned(),
        line,
        reason,
    })
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

    pub fn row(throw: u32, outcome: Result<Routed, String>) -> ThrowRow {
        ThrowRow {
            fabric: "PGFT(1;2;1;1)".into(),
            switches: 1,
            nodes: 2,
            equipment: Equipment::Links,
            max_exponent: 2.5,
            seed: 1,
            throw,
            removed: 3,
            removal_seed: Some(77),
            commit: "abc".into(),
            unreachable_pairs: Some(0),
            a2a_bound: Some(2),
            a2a_bound_capacity: Some(2.5),
            spec: "ftree+roots".parse().unwrap(),
            outcome,
            permutations: 10,
            version: "0.1.0".into(),
            opensm: "OpenSM 3.3.23".into(),
        }
    }

    pub const ROUTED: Routed = Routed {
        risks: Risks {
            no_route: 0,
            a2a: 3,
            rp: 2,
            sp_ftree: Some(1),
            sp_dmodc: None,
            cn2io: None,
            ebb: Some(61.25),
            credit_loops: Some(1),
            host_credit_loops: Some(0),
            a2a_capacity: Some(6.25),
            rp_capacity: None,
            sp_ftree_capacity: Some(1.5),
            sp_dmodc_capacity: None,
            exact_capacity: Some(4.5),
            host_switch_credit_loops: Some(1),
            switch_credit_loops: Some(2),
            aggregation_credit_loops: Some(0),
            lane_credit_loops: Some(0),
            lanes: Some(3),
            exact: Some(2),
        },
        changed_blocks: Some(2),
        changed_entries: Some(5),
        lid_matrices: Duration::from_micros(5),
        fwd_tables: Duration::from_micros(6),
    };

    /// Whether the page for researchers says what a column is.
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

    #[test]
    fn a_wrong_field_is_named_by_its_line() {
        let mut bytes = (HEADER.join(",") + "\n").into_bytes();
        bytes.extend(b"x,one,2,links,1,1,1,1,,dmodc,0,,,,,,,,,,1,dmodc 1; OpenSM 1,no");
        bytes.extend([b','; HEADER.len() - FIRST]);
        bytes.push(b'\n');
        assert_eq!(parse_throws(&bytes).unwrap_err().0, 2);
        assert_eq!(parse_throws(b"a,b\n").unwrap_err().0, 1);
    }
}
