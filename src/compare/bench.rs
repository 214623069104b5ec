//! The bench: a fabric and a contestant go in, a row of the table comes out.

use super::CompareError;
use super::ibsim::Ibsim;
use super::judge::{self, Scale};
use super::opensm::{self, Callbacks, Timing};
use super::opensm_log::Ending;
use super::row::{Row, Verdict};
use crate::dmodc::{Engine, Options, Ranking};
use crate::fabric::{Fabric, Guid};
use crate::netlist::Netlist;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// What is appended to the name of an engine that is told the roots.
const ROOTS: &str = "+roots";

/// A routing engine of OpenSM, as shipped or told the roots of the fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contestant {
    name: String,
}

/// A name that no engine can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an engine is a word of letters, digits, '-' and '_', with or without '+roots'")]
pub struct BadName;

impl FromStr for Contestant {
    type Err = BadName;

    fn from_str(s: &str) -> Result<Self, BadName> {
        let engine = s.strip_suffix(ROOTS).unwrap_or(s);
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        match !engine.is_empty() && engine.chars().all(fits) {
            true => Ok(Contestant { name: s.into() }),
            false => Err(BadName),
        }
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Contestant {
    /// The engine, as OpenSM calls it.
    pub fn engine(&self) -> &str {
        self.name.strip_suffix(ROOTS).unwrap_or(&self.name)
    }

    /// Whether it gets a `root_guid_file`.
    pub fn is_told_roots(&self) -> bool {
        self.name.ends_with(ROOTS)
    }

    /// Whether it is ours, and comes with the plugin.
    pub fn is_dmodc(&self) -> bool {
        self.engine() == "dmodc"
    }
}

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
            return Err(CompareError::NoPlugin(plugin_dir));
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
        let run = opensm::run(&ibsim, contestant, &roots, dir, self.limit, Timing::Stage)?;
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

/// Runs one engine on a fabric and times its callbacks; what it routes is not looked at. The folder
/// holds `libdmodc.so` and the `libcallback_timer.so` of `tools/callback-timer`. `Err` of the inner
/// result says why there is no time: the engine refused, or took longer than the limit.
pub fn time_callbacks(
    netlist: &Netlist,
    contestant: &Contestant,
    plugin_dir: &Path,
    limit: Duration,
) -> Result<Result<Callbacks, String>, CompareError> {
    let (fabric, _) = netlist.to_fabric(None)?;
    let ibsim = Ibsim::start(netlist)?;
    let (roots, timing) = (roots(&fabric), Timing::Callbacks);
    let run = opensm::run(&ibsim, contestant, &roots, plugin_dir, limit, timing)?;
    Ok(match (run.ending, run.callbacks) {
        (Ending::Refused(reason), None) => Err(reason),
        (_, None) => Err("the callback timer is silent".into()),
        // Late dumps do not matter, but another engine's tables do.
        (Ending::Refused(reason), _) if reason.contains(" tables configured") => Err(reason),
        (_, Some(callbacks)) => Ok(callbacks),
    })
}

/// The tops of a fabric, as an administrator would name them: switches with no neighbour of a
/// higher rank.
fn roots(fabric: &Fabric) -> Vec<Guid> {
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
    fn names_say_whether_roots_are_told() {
        let updn: Contestant = "updn+roots".parse().unwrap();
        assert_eq!((updn.engine(), updn.is_told_roots()), ("updn", true));
        let ftree: Contestant = "ftree".parse().unwrap();
        assert_eq!((ftree.engine(), ftree.is_told_roots()), ("ftree", false));
        assert_eq!("ftree,updn".parse::<Contestant>(), Err(BadName));
        assert_eq!("+roots".parse::<Contestant>(), Err(BadName));
    }

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
