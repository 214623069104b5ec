//! One engine in one OpenSM: runs it on a fabric, measures its tables, makes a row of the result.

use super::engine_spec::EngineSpec;
use super::foreign;
use super::metrics::{self, Scale};
use super::multi_engine_run::roots_file;
use super::row::Row;
use super::text_of;
use crate::LabError;
use crate::sim::{self, Config, Files, Ibsim, Plugin, Run};
use dmodc::dmodc::Engine;
use dmodc::fabric::Fabric;
use dmodc::lft::Tables;
use dmodc::netlist::Netlist;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Runs of single engines, all with the same plugin, permutations and time limit.
pub struct SingleRuns {
    plugin: Plugin,
    scale: Scale,
    limit: Duration,
    engine: Engine,
}

impl SingleRuns {
    /// `limit` is for each run of OpenSM.
    pub fn new(plugin: Plugin, scale: Scale, limit: Duration) -> Result<SingleRuns, LabError> {
        Ok(SingleRuns {
            plugin,
            scale,
            limit,
            engine: Engine::new(0)?,
        })
    }

    /// Runs one engine on a fabric and measures its tables.
    pub fn run(&self, name: &str, netlist: &Netlist, spec: &EngineSpec) -> Result<Row, LabError> {
        let (fabric, _) = netlist.to_fabric(None)?;
        let figures = |fabric: &Fabric, tables: &Tables| {
            metrics::figures(fabric, tables, &self.engine, &self.scale)
        };
        let mut row = Row {
            fabric: name.into(),
            switches: fabric.switches().len(),
            nodes: fabric.end_nodes().len(),
            spec: spec.clone(),
            verdict: Ok(Value::Null),
            stage: None,
            whole: Duration::ZERO,
            permutations: self.scale.permutations,
            seed: self.scale.seed,
        };
        if let Some(source) = &spec.foreign {
            let start = Instant::now();
            let named = (name, &*spec.to_string());
            let found = foreign::tables(source, (netlist, &fabric), named, self.limit)?;
            row.whole = start.elapsed();
            row.stage = found.as_ref().ok().and_then(|(_, took)| *took);
            row.verdict = found.map(|(tables, _)| figures(&fabric, &tables));
            return Ok(row);
        }
        // It has to live until the dumps, in its folder, are read.
        let ibsim = Ibsim::start(netlist)?;
        let run = self.in_opensm(&ibsim, (netlist, &fabric), spec)?;
        (row.stage, row.whole) = (run.stage, run.whole);
        row.verdict = match run.outcome {
            Err(why) => Err(why),
            Ok(()) => {
                let (found, tables) = run.files.dumped()?;
                (row.switches, row.nodes) = (found.switches().len(), found.end_nodes().len());
                Ok(figures(&found, &tables))
            }
        };
        Ok(row)
    }

    fn in_opensm(
        &self,
        ibsim: &Ibsim,
        (netlist, fabric): (&Netlist, &Fabric),
        spec: &EngineSpec,
    ) -> Result<Run, LabError> {
        let files = Files::new(ibsim)?;
        let mut config = Config::engines(spec.engine());
        let mut lines = spec.lines();
        if spec.is_dmodc() {
            config = config.with(&self.plugin);
            let options = spec.plugin_options(&files.write("whole.net", text_of(netlist))?);
            if !options.is_empty() {
                lines.push(format!("event_plugin_options {options}"));
            }
        }
        if spec.avoids_throttled_links() {
            lines.push("avoid_throttled_links TRUE".into());
        }
        if spec.gets_roots {
            let file = files.write("roots", roots_file(fabric))?;
            lines.push(format!("root_guid_file {}", file.display()));
        }
        let config = lines.into_iter().fold(config, Config::line);
        sim::run_engine(ibsim, files, &config, spec.engine(), self.limit)
    }
}
