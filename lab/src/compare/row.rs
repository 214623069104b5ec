//! The table: a row for each fabric and engine, as CSV for programs and as Markdown for people.

use super::engine_spec::EngineSpec;
use super::throw_row::{COMMIT, VERSION};
use crate::sim::NoTables;
use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;

#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub fabric: String,
    /// The number of switches that OpenSM found; of the netlist if the engine made no tables.
    pub switches: usize,
    /// The number of end nodes, likewise. OpenSM does not look behind a CA, so it misses a second plane.
    pub nodes: usize,
    pub spec: EngineSpec,
    /// The figures of the engine's tables by their column in [`Row::header`], or the reason why there are none.
    pub verdict: Result<Value, NoTables>,
    /// Time of the engine's stage, if the log has both ends of it.
    pub stage: Option<Duration>,
    pub whole: Duration,
    pub permutations: u32,
    pub seed: u64,
}

const COLUMNS: &str = "fabric,switches,nodes,engine,accepted,unreachable_pairs,no_route,undelivered,turns,\
    nonminimal,credit_loops,a2a,rp,sp,seconds,run_seconds,permutations,seed,version,\
    reason,a2a_bound,ebb,host_credit_loops,host_switch_credit_loops,switch_credit_loops,\
    aggregation_credit_loops,exact";

/// The columns of a row in Markdown; `check` has the findings of the check.
const CELLS: &str = "unreachable_pairs,no_route,check,host_switch_credit_loops,switch_credit_loops,\
    credit_loops,a2a,a2a_bound,exact,rp,sp,ebb";

impl Row {
    pub fn header() -> Vec<&'static str> {
        COLUMNS.split(',').collect()
    }

    pub fn record(&self) -> Vec<String> {
        let reason = self.verdict.as_ref().err().map(NoTables::to_string);
        let seconds = self.stage.map(|t| format!("{:.6}", t.as_secs_f64()));
        let field = |column| match column {
            "fabric" => self.fabric.clone(),
            "switches" => self.switches.to_string(),
            "nodes" => self.nodes.to_string(),
            "engine" => format!("{:#}", self.spec),
            "accepted" => u8::from(self.verdict.is_ok()).to_string(),
            "seconds" => seconds.clone().unwrap_or_default(),
            "run_seconds" => format!("{:.3}", self.whole.as_secs_f64()),
            "permutations" => self.permutations.to_string(),
            "seed" => self.seed.to_string(),
            "version" => env!("CARGO_PKG_VERSION").into(),
            "reason" => reason.clone().unwrap_or_default(),
            figure => self.figure(figure),
        };
        COLUMNS.split(',').map(field).collect()
    }

    /// A figure as text; empty without tables.
    pub fn figure(&self, column: &str) -> String {
        match self.verdict.as_ref().map(|figures| &figures[column]) {
            Ok(Value::Number(figure)) if column != "ebb" => figure.to_string(),
            Ok(ebb) => ebb
                .as_f64()
                .map_or(String::new(), |ebb| format!("{ebb:.1}")),
            Err(_) => String::new(),
        }
    }

    /// The findings of the check in a few words. Turns and longer routes count for Dmodc only, which promises none.
    fn check(&self) -> String {
        let ours = self.spec.is_dmodc();
        let findings = [
            ("undelivered", "undelivered", true),
            ("turns", "turns", ours),
            ("nonminimal", "not minimal", ours),
            ("host_credit_loops", "credit loops", true),
        ];
        let mut found = Vec::new();
        for (column, name, _) in findings.into_iter().filter(|(.., counts)| *counts) {
            let count = self.figure(column);
            if count != "0" {
                found.push(format!("{name}: {count}"));
            }
        }
        match found.is_empty() {
            true => "ok".into(),
            false => found.join(", "),
        }
    }

    fn markdown(&self) -> String {
        let ms = |stage: Duration| format!("{:.1}", stage.as_secs_f64() * 1e3);
        let (spec, stage) = (&self.spec, self.stage.map_or(String::new(), ms));
        if let Err(why) = &self.verdict {
            let (word, why) = (why.word(), why.to_string().replace('|', "\\|"));
            return format!("| {spec} | {word} | | | {why} | | | | | | | | | | {stage} |\n");
        }
        let cell = |column| match column {
            "check" => self.check(),
            figure => self.figure(figure),
        };
        let cells: Vec<String> = CELLS.split(',').map(cell).collect();
        format!("| {spec} | yes | {} | {stage} |\n", cells.join(" | "))
    }
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
    if !COMMIT.is_empty() {
        text += &format!("\nMeasured by {VERSION}, commit {COMMIT}.\n");
    }
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
        text.extend(of_fabric.iter().map(Row::markdown));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::throw_row::tests::is_documented;
    use super::*;

    #[test]
    fn every_column_is_documented() {
        for column in Row::header() {
            assert!(is_documented(column), "{column}");
        }
    }
}
