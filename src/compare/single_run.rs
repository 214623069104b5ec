//! One engine in one OpenSM: runs it on a fabric, measures its tables, makes a row of the result.

use super::CompareError;
use super::engine_spec::EngineSpec;
use super::metrics::{self, Scale};
use super::roots::{guid_file, roots};
use super::row::{Row, Verdict};
use crate::dmodc::Engine;
use crate::netlist::Netlist;
use crate::sim::{self, Config, Files, Ibsim, Plugin};
use std::time::Duration;

/// Runs of single engines, all with the same plugin, permutations and time limit.
pub struct SingleRuns {
    plugin: Plugin,
    scale: Scale,
    limit: Duration,
    engine: Engine,
}

impl SingleRuns {
    /// `limit` is for each run of OpenSM.
    pub fn new(plugin: Plugin, scale: Scale, limit: Duration) -> Result<SingleRuns, CompareError> {
        Ok(SingleRuns {
            plugin,
            scale,
            limit,
            engine: Engine::new(0)?,
        })
    }

    /// Runs one engine on a fabric and measures its tables.
    pub fn run(
        &self,
        name: &str,
        netlist: &Netlist,
        spec: &EngineSpec,
    ) -> Result<Row, CompareError> {
        let (fabric, _) = netlist.to_fabric(None)?;
        let ibsim = Ibsim::start(netlist)?;
        let files = Files::new(&ibsim)?;
        let mut config = Config::engines(spec.engine());
        if spec.is_dmodc() {
            config = config.with(&self.plugin);
            let mut whole = Vec::new();
            netlist.write(&mut whole).expect("memory can be written");
            let options = spec.plugin_options(&files.write("whole.net", whole)?);
            if !options.is_empty() {
                config = config.line(format!("event_plugin_options {options}"));
            }
        }
        if spec.avoids_throttled_links() {
            config = config.line("avoid_throttled_links TRUE");
        }
        if spec.is_told_roots() {
            let file = files.write("roots", guid_file(&roots(&fabric)))?;
            config = config.line(format!("root_guid_file {}", file.display()));
        }
        let run = sim::run_engine(&ibsim, files, &config, spec.engine(), self.limit)?;
        let verdict = match run.outcome {
            Err(why) => Verdict::NoTables(why),
            Ok(()) => Verdict::Accepted(metrics::figures(&run.files, &self.engine, &self.scale)?),
        };
        let (switches, nodes) = match &verdict {
            Verdict::Accepted(figures) => (figures.switches, figures.nodes),
            Verdict::NoTables(_) => (fabric.switches().len(), fabric.end_nodes().len()),
        };
        Ok(Row {
            fabric: name.into(),
            switches,
            nodes,
            spec: spec.clone(),
            verdict,
            stage: run.stage,
            whole: run.whole,
            permutations: self.scale.permutations,
            seed: self.scale.seed,
        })
    }
}
