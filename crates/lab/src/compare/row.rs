//! The table: a row for each fabric and engine.

use super::engine_spec::EngineSpec;
use crate::sim::NoTables;
use serde_json::{Value, json};
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
