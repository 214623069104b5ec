//! One engine in one OpenSM: runs it on a fabric, measures its tables, makes a row of the result.

use super::engine_spec::{EngineSpec, Foreign};
use super::foreign;
use super::metrics::{self, Scale};
use super::multi_engine_run::roots_file;
use super::row::Row;
use super::text_of;
use crate::LabError;
use crate::sim::{self, Config, Files, Ibsim, NoTables, Plugin};
use dmodc::dmodc::Engine;
use dmodc::fabric::Fabric;
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
        if let Some(source) = &spec.foreign {
            return self.foreign(name, (netlist, &fabric), spec, source);
        }
        let ibsim = Ibsim::start(netlist)?;
        let files = Files::new(&ibsim)?;
        let mut config = Config::engines(spec.engine());
        if spec.is_dmodc() {
            config = config.with(&self.plugin);
            let options = spec.plugin_options(&files.write("whole.net", text_of(netlist))?);
            if !options.is_empty() {
                config = config.line(format!("event_plugin_options {options}"));
            }
        }
        if spec.avoids_throttled_links() {
            config = config.line("avoid_throttled_links TRUE");
        }
        for line in spec.lines() {
            config = config.line(line);
        }
        if spec.gets_roots {
            let file = files.write("roots", roots_file(&fabric))?;
            config = config.line(format!("root_guid_file {}", file.display()));
        }
        let run = sim::run_engine(&ibsim, files, &config, spec.engine(), self.limit)?;
        let (fabric, verdict) = match run.outcome {
            Err(why) => (fabric, Err(why)),
            Ok(()) => {
                let (found, tables) = run.files.dumped()?;
                let figures = metrics::figures(&found, &tables, &self.engine, &self.scale);
                (found, Ok(figures))
            }
        };
        Ok(self.row(name, &fabric, spec, verdict, (run.stage, run.whole)))
    }

    /// Measures tables that OpenSM does not make.
    fn foreign(
        &self,
        name: &str,
        (netlist, fabric): (&Netlist, &Fabric),
        spec: &EngineSpec,
        source: &Foreign,
    ) -> Result<Row, LabError> {
        let start = Instant::now();
        let named = (name, &*spec.to_string());
        let found = foreign::tables(source, (netlist, fabric), named, self.limit)?;
        let whole = start.elapsed();
        let took = found.as_ref().ok().and_then(|(_, took)| *took);
        let verdict =
            found.map(|(tables, _)| metrics::figures(fabric, &tables, &self.engine, &self.scale));
        Ok(self.row(name, fabric, spec, verdict, (took, whole)))
    }

    fn row(
        &self,
        name: &str,
        fabric: &Fabric,
        spec: &EngineSpec,
        verdict: Result<Value, NoTables>,
        (stage, whole): (Option<Duration>, Duration),
    ) -> Row {
        Row {
            fabric: name.into(),
            switches: fabric.switches().len(),
            nodes: fabric.end_nodes().len(),
            spec: spec.clone(),
            verdict,
            stage,
            whole,
            permutations: self.scale.permutations,
            seed: self.scale.seed,
        }
    }
}
