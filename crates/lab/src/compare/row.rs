//! The table: a row for each fabric and engine, as CSV for programs and as Markdown for people.

use super::engine_spec::EngineSpec;
use super::throw_row::{COMMIT, VERSION};
use crate::sim::NoTables;
use serde_json::{Value, json};
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
    /// Time of the engine's callbacks, or of a whole program.
    pub time: Option<Duration>,
    pub permutations: u32,
    pub seed: u64,
}

const COLUMNS: &str = "fabric,switches,nodes,engine,accepted,unreachable_pairs,no_route,undelivered,turns,\
    nonminimal,credit_loops,a2a,rp,sp,seconds,permutations,seed,version,\
    reason,a2a_bound,ebb,host_credit_loops,host_switch_credit_loops,switch_credit_loops,\
    aggregation_credit_loops,exact";

/// The columns of a row in Markdown; `check` has the findings of the check.
const CELLS: &str = "unreachable_pairs,no_route,check,host_switch_credit_loops,switch_credit_loops,\
    credit_loops,a2a,a2a_bound,exact,rp,sp,ebb";

impl Row {
    pub fn header() -> Vec<&'static str> {
        COLUMNS.split(',').collect()
    }

    /// The row for programs: figures, or the reason why there are none.
    pub fn json(&self) -> Value {
        let (mut object, outcome) = match &self.verdict {
            Ok(figures) => (figures.clone(), "routed"),
            Err(why) => (json!({ "reason": why.to_string() }), why.word()),
        };
        object["accepted"] = json!(self.verdict.is_ok());
        object["outcome"] = json!(outcome);
        object["fabric"] = json!(self.fabric);
        object["switches"] = json!(self.switches);
        object["nodes"] = json!(self.nodes);
        object["engine"] = json!(format!("{:#}", self.spec));
        object["seconds"] = json!(self.time.map(|t| t.as_secs_f64()));
        object
    }

    pub fn record(&self) -> Vec<String> {
        let field = |column| match column {
            "permutations" => self.permutations.to_string(),
            "seed" => self.seed.to_string(),
            "version" => env!("CARGO_PKG_VERSION").into(),
            column => self.figure(column),
        };
        COLUMNS.split(',').map(field).collect()
    }

    /// A figure as text; empty without tables.
    pub fn figure(&self, column: &str) -> String {
        match (column, &self.json()[column]) {
            (_, Value::Null) => String::new(),
            (_, Value::Bool(is)) => u8::from(*is).to_string(),
            (_, Value::String(text)) => text.clone(),
            ("ebb", ebb) => format!("{:.1}", ebb.as_f64().unwrap_or_default()),
            ("seconds", time) => format!("{:.6}", time.as_f64().unwrap_or_default()),
            (_, figure) => figure.to_string(),
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
        let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
        let (spec, time) = (&self.spec, self.time.map_or(String::new(), ms));
        if let Err(why) = &self.verdict {
            let (word, why) = (why.word(), why.to_string().replace('|', "\\|"));
            return format!("| {spec} | {word} | | | {why} | | | | | | | | | | {time} |\n");
        }
        let cell = |column| match column {
            "check" => self.check(),
            figure => self.figure(figure),
        };
        let cells: Vec<String> = CELLS.split(',').map(cell).collect();
        format!("| {spec} | yes | {} | {time} |\n", cells.join(" | "))
    }
}

/// The text above the tables.
const LEGEND: &str = "\
# Routing engines on fabrics of many shapes

The engines ran one after another in the stock OpenSM, each from the state in which OpenSM calls its first
engine, on the fabric simulated by ibsim; their tables are measured as by `dmodc check` and `dmodc analyze`,
for the part of the fabric that OpenSM found. `+roots` means
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
- *ms*: the engine's two callbacks, hop tables and routes, in milliseconds.
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
