//! The table: a row for each fabric and engine, as CSV for programs and as Markdown for people.

use super::engine_spec::EngineSpec;
use crate::sim::NoTables;
use std::fmt::{Display, Write};
use std::time::Duration;

/// The measures of an engine's tables.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figures {
    /// Switches that OpenSM found.
    pub switches: usize,
    /// End nodes that OpenSM found.
    pub nodes: usize,
    /// Pairs of leaves with no up-down path: the fabric's fault.
    pub unreachable_pairs: usize,
    /// Ordered pairs of end nodes (aggregation nodes aside) whose route does not arrive.
    pub no_route: u64,
    /// Pairs not delivered though there is an up-down path.
    pub undelivered: u64,
    /// Routes that turn from down to up, by Dmodc's ranks.
    pub turns: u64,
    /// Routes longer than the shortest up-down path, by Dmodc's ranks.
    pub nonminimal: u64,
    /// Credit loops of all routes on one lane.
    pub credit_loops: usize,
    /// Of the routes from host to host.
    pub host_credit_loops: usize,
    /// Of the routes between hosts and switches, both ways.
    pub host_switch_credit_loops: usize,
    /// Of the routes from switch to switch.
    pub switch_credit_loops: usize,
    /// Of the routes to and from aggregation nodes.
    pub aggregation_credit_loops: usize,
    /// Congestion risk of all to all.
    pub a2a: u32,
    /// The worst permutation.
    pub exact: u32,
    /// Congestion risk of random permutations, the median.
    pub rp: u32,
    /// Congestion risk of shift permutations, the maximum.
    pub sp: u32,
    /// The least A2A that the links between levels allow.
    pub a2a_bound: Option<u32>,
    /// Effective bisection bandwidth in percent. More is better.
    pub ebb: Option<f64>,
}

/// One engine on one fabric.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Name of the fabric.
    pub fabric: String,
    /// Its switches, as OpenSM found them; the netlist's if the engine made no tables.
    pub switches: usize,
    /// Its end nodes, likewise. OpenSM does not look behind a CA, so it misses a second plane.
    pub nodes: usize,
    /// The engine.
    pub spec: EngineSpec,
    /// The figures of its tables, or why it made none.
    pub verdict: Result<Figures, NoTables>,
    /// Time of the engine's stage, if the log has both ends of it.
    pub stage: Option<Duration>,
    /// Time of the whole run of OpenSM.
    pub whole: Duration,
    /// Random permutations.
    pub permutations: u32,
    /// Seed of the random permutations.
    pub seed: u64,
}

/// A column of the CSV file: its name, and the field of a row.
type Column = (&'static str, fn(&Row) -> String);

/// All columns, in the order of the file.
#[rustfmt::skip]
const COLUMNS: [Column; 27] = [
    ("fabric", |row| row.fabric.clone()),
    ("switches", |row| row.switches.to_string()),
    ("nodes", |row| row.nodes.to_string()),
    ("engine", |row| format!("{:#}", row.spec)),
    ("accepted", |row| u8::from(row.verdict.is_ok()).to_string()),
    ("unreachable_pairs", |row| row.figure(|f| f.unreachable_pairs)),
    ("no_route", |row| row.figure(|f| f.no_route)),
    ("undelivered", |row| row.figure(|f| f.undelivered)),
    ("turns", |row| row.figure(|f| f.turns)),
    ("nonminimal", |row| row.figure(|f| f.nonminimal)),
    ("credit_loops", |row| row.figure(|f| f.credit_loops)),
    ("a2a", |row| row.figure(|f| f.a2a)),
    ("rp", |row| row.figure(|f| f.rp)),
    ("sp", |row| row.figure(|f| f.sp)),
    ("seconds", |row| row.stage.map_or(String::new(), |t| format!("{:.6}", t.as_secs_f64()))),
    ("run_seconds", |row| format!("{:.3}", row.whole.as_secs_f64())),
    ("permutations", |row| row.permutations.to_string()),
    ("seed", |row| row.seed.to_string()),
    ("version", |_| env!("CARGO_PKG_VERSION").into()),
    ("reason", |row| row.verdict.as_ref().err().map_or(String::new(), NoTables::to_string)),
    ("a2a_bound", |row| row.figure(bound)),
    ("ebb", |row| row.figure(ebb)),
    ("host_credit_loops", |row| row.figure(|f| f.host_credit_loops)),
    ("host_switch_credit_loops", |row| row.figure(|f| f.host_switch_credit_loops)),
    ("switch_credit_loops", |row| row.figure(|f| f.switch_credit_loops)),
    ("aggregation_credit_loops", |row| row.figure(|f| f.aggregation_credit_loops)),
    ("exact", |row| row.figure(|f| f.exact)),
];

impl Row {
    /// The columns of a CSV file of rows.
    pub fn header() -> [&'static str; COLUMNS.len()] {
        COLUMNS.map(|(name, _)| name)
    }

    /// Its fields.
    pub fn record(&self) -> Vec<String> {
        COLUMNS.iter().map(|(_, field)| field(self)).collect()
    }

    /// A figure as text; empty without tables.
    fn figure<T: Display>(&self, of: fn(&Figures) -> T) -> String {
        let figure = self.verdict.as_ref().ok().map(of);
        figure.map_or(String::new(), |figure| figure.to_string())
    }

    /// The findings of the check in a few words. Turns and detours count for Dmodc only, which promises none.
    fn check(&self, f: &Figures) -> String {
        let ours = self.spec.is_dmodc();
        let findings = [
            (f.undelivered, "undelivered", true),
            (f.turns, "turns", ours),
            (f.nonminimal, "not minimal", ours),
            (f.host_credit_loops as u64, "credit loops", true),
        ];
        let found: Vec<String> = findings
            .iter()
            .filter(|(count, _, counts)| *counts && *count > 0)
            .map(|(count, name, _)| format!("{name}: {count}"))
            .collect();
        match found.is_empty() {
            true => "ok".into(),
            false => found.join(", "),
        }
    }

    fn markdown(&self) -> String {
        let stage = self
            .stage
            .map_or(String::new(), |t| format!("{:.1}", t.as_secs_f64() * 1e3));
        match &self.verdict {
            Ok(f) => format!(
                "| {} | yes | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {stage} |",
                self.spec,
                f.unreachable_pairs,
                f.no_route,
                self.check(f),
                f.host_switch_credit_loops,
                f.switch_credit_loops,
                f.credit_loops,
                f.a2a,
                bound(f),
                f.exact,
                f.rp,
                f.sp,
                ebb(f)
            ),
            Err(why) => format!(
                "| {} | {} | | | {} | | | | | | | | | | {stage} |",
                self.spec,
                why.word(),
                why.to_string().replace('|', "\\|")
            ),
        }
    }
}

fn bound(f: &Figures) -> String {
    f.a2a_bound.map_or(String::new(), |bound| bound.to_string())
}

fn ebb(f: &Figures) -> String {
    f.ebb.map_or(String::new(), |ebb| format!("{ebb:.1}"))
}

/// The text above the tables.
const LEGEND: &str = "\
# Routing engines on fabrics of many shapes

Each engine ran alone in the stock OpenSM (`-R ENGINE,no_fallback`) on the fabric simulated by ibsim;
the tables are those that OpenSM dumped, measured as by `dmodc check` and `dmodc analyze`. `+roots` means
that the engine was given a `root_guid_file` with the switches at the top; `dmodc:paper` is Dmodc with
`dmodc.faults=paper`.

- *unreachable leaf pairs*: no up-down path, by Dmodc's ranks; *node pairs with no route*: ordered
  pairs of end nodes whose route does not arrive. These take no part in the figures that follow.
- *check*: undelivered pairs, and credit loops of the routes from host to host; for Dmodc down-up turns and
  detours, too. Where an engine made no tables, why.
- *hosts and switches*, *switches*: credit loops of the routes between hosts and the LIDs of switches, and of
  those from switch to switch; *all*: of all routes together, aggregation nodes included: what `dmodc check` fails.
  All credit loops here are of one lane, those of engines that break theirs with several lanes (dfsssp, lash), too.
- *A2A*, *RP*, *SP*: congestion risk of all to all, of random permutations (median) and of shift
  permutations (maximum, in the order of Dmodc's topological NIDs). Less is better. *bound*: the least A2A
  that the links between levels, and those of a switch that has hosts above the leaves, allow to routes that are
  balanced by destination, by Dmodc's ranks; routes that turn can have less. *worst*: the most flows that any
  permutation sends over one port, of which A2A is a bound.
- *ebb*: effective bisection bandwidth in percent. More is better.
- *ms*: the engine's stage by OpenSM's log, the sending of the first blocks included, in milliseconds.
";

/// The rows as tables in Markdown, one for each fabric, with a legend.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = LEGEND.to_owned();
    for of_fabric in rows.chunk_by(|a, b| a.fabric == b.fabric) {
        let first = &of_fabric[0];
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "\n### {}: {} switches, {} end nodes\n\n\
             | engine | accepted | unreachable leaf pairs | node pairs with no route | check \
             | hosts and switches | switches | all | A2A | bound | worst | RP | SP | ebb | ms |\n\
             |---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
            first.fabric, first.switches, first.nodes
        );
        for row in of_fabric {
            text += &row.markdown();
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::throw_row::tests::is_documented;
    use super::*;

    fn row(engine: &str, verdict: Result<Figures, NoTables>) -> Row {
        Row {
            fabric: "PGFT(1;2;1;1)".into(),
            switches: 1,
            nodes: 2,
            spec: engine.parse().unwrap(),
            verdict,
            stage: Some(Duration::from_millis(7)),
            whole: Duration::from_millis(1500),
            permutations: 10,
            seed: 1,
        }
    }

    const FIGURES: Figures = Figures {
        switches: 1,
        nodes: 2,
        unreachable_pairs: 0,
        no_route: 0,
        undelivered: 0,
        turns: 4,
        nonminimal: 0,
        credit_loops: 2,
        host_credit_loops: 1,
        host_switch_credit_loops: 3,
        switch_credit_loops: 4,
        aggregation_credit_loops: 0,
        a2a: 9,
        exact: 7,
        rp: 3,
        sp: 1,
        a2a_bound: Some(8),
        ebb: Some(61.25),
    };

    #[test]
    fn every_column_is_documented() {
        for (column, _) in COLUMNS {
            assert!(is_documented(column), "{column}");
        }
    }

    #[test]
    fn turns_count_for_dmodc_alone() {
        let line = |engine| row(engine, Ok(FIGURES)).markdown();
        assert!(
            line("sssp")
                .contains("| credit loops: 1 | 3 | 4 | 2 | 9 | 8 | 7 | 3 | 1 | 61.2 | 7.0 |")
        );
        assert!(line("dmodc").contains("| turns: 4, credit loops: 1 | 3 |"));
    }

    #[test]
    fn a_time_out_is_no_refusal() {
        let of = |why| row("nue", Err(why));
        let late = of(NoTables::TimedOut(Duration::from_secs(300)));
        assert_eq!(late.record()[19], "timed out after 300 s");
        let line = late.markdown();
        assert!(line.contains("| timed out | | | timed out after 300 s |"));
        let refused = of(NoTables::Refused("no \"roots\", none".into()));
        assert!(
            refused
                .markdown()
                .contains("| refused | | | no \"roots\", none |")
        );
    }
}
