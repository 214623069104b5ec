//! The bench: a fabric and a contestant go in, a row of the table comes out.

use super::CompareError;
use super::contestant::Contestant;
use super::judge::{self, Scale};
use super::opensm;
use super::opensm_log::Ending;
use super::relay::{Callbacks, Outcome, Relay};
use super::row::{Row, Verdict};
use crate::dmodc::{Engine, Options, Ranking};
use crate::fabric::{Fabric, Guid};
use crate::netlist::Netlist;
use crate::sim::Ibsim;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything that the runs of a comparison have in common.
pub struct Bench {
    plugin_dir: PathBuf,
    scale: Scale,
    limit: Duration,
    engine: Engine,
}

impl Bench {
    /// A bench with the plugin in this folder, and this much time for each run of OpenSM.
    pub fn new(plugin_dir: PathBuf, scale: Scale, limit: Duration) -> Result<Bench, CompareError> {
        if !plugin_dir.join("libdmodc.so").exists() {
            return Err(CompareError::NoPlugin {
                name: "libdmodc.so",
                dir: plugin_dir,
            });
        }
        let engine = Engine::new(0)?;
        Ok(Bench {
            plugin_dir,
            scale,
            limit,
            engine,
        })
    }

    /// Runs one engine on a fabric and judges its tables.
    pub fn run(
        &self,
        name: &str,
        netlist: &Netlist,
        contestant: &Contestant,
    ) -> Result<Row, CompareError> {
        let (fabric, _) = netlist.to_fabric(None)?;
        let ibsim = Ibsim::start(netlist)?;
        let (roots, dir) = (roots(&fabric), &self.plugin_dir);
        let run = opensm::run(&ibsim, contestant, &roots, dir, self.limit)?;
        let verdict = match &run.ending {
            Ending::Refused(reason) => Verdict::Refused(reason.clone()),
            _ => Verdict::Accepted(judge::figures(&run, &self.engine, &self.scale)?),
        };
        let (switches, nodes) = match &verdict {
            Verdict::Accepted(figures) => (figures.switches, figures.nodes),
            Verdict::Refused(_) => (fabric.switches().len(), fabric.end_nodes().len()),
        };
        Ok(Row {
            fabric: name.into(),
            switches,
            nodes,
            contestant: contestant.clone(),
            verdict,
            stage: run.stage,
            whole: run.whole,
            permutations: self.scale.permutations,
            seed: self.scale.seed,
        })
    }
}

/// Runs one engine on a fabric and times its callbacks and a multicast group; what it routes is not
/// looked at. The folder is that of `libdmodc.so`. `Err` of the inner result says why there is no
/// time: the engine refused, or took longer than the limit.
pub fn time_callbacks(
    netlist: &Netlist,
    contestant: &Contestant,
    plugin_dir: &Path,
    limit: Duration,
) -> Result<Result<Callbacks, String>, CompareError> {
    let alone = std::slice::from_ref(contestant);
    let relay = Relay::find(plugin_dir, limit)?.with_group();
    let answer = relay.route(netlist, alone)?;
    Ok(match answer.outcomes.into_iter().next() {
        Some(Outcome::Routed(_, callbacks)) => Ok(callbacks),
        Some(Outcome::Refused(reason)) => Err(reason),
        None => Err("the relay is silent".into()),
    })
}

/// The tops of a fabric, as an administrator would name them: switches with no neighbour of a
/// higher rank.
pub(super) fn roots(fabric: &Fabric) -> Vec<Guid> {
    let ranking = Ranking::new(fabric, &Options::default());
    let is_top = |s: &u32| {
        let mut neighbours = fabric.neighbours(*s);
        neighbours.all(|other| ranking.rank(other) <= ranking.rank(*s))
    };
    let switches = 0..fabric.switches().len() as u32;
    switches
        .filter(is_top)
        .map(|s| fabric.switches()[s as usize].guid)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::generate::{Order, Pgft, build};

    #[test]
    fn roots_are_the_top_level() {
        let shape: Pgft = "PGFT(3;2,2,3;1,2,2;1,2,1)".parse().unwrap();
        let order = Order {
            seed: None,
            lids: true,
        };
        let (fabric, _) = build(&shape.into(), order).to_fabric(None).unwrap();
        assert_eq!(roots(&fabric).len(), 4);
    }
}
