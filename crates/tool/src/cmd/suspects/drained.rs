//! The suspects that can be spared, as a file for `dmodc.drain`, and what that costs.

use super::super::tables::Judged;
use super::super::whatif::Measure;
use crate::failure::Failure;
use crate::output::{progress, write_text};
use dmodc_core::{Engine, Options, Ranking};
use dmodc_fabric::{Drained, SwitchId};
use dmodc_formats::drain;
use dmodc_watch::suspects::Cable;
use serde_json::{Value, json};
use std::path::Path;
use std::str::FromStr;

/// The random permutations of RP, as of `dmodc whatif`.
const PERMUTATIONS: usize = 1000;

/// The most uplinks of a switch to drain.
#[derive(Clone, Copy)]
pub enum AtMost {
    Count(usize),
    Percent(usize),
}

impl FromStr for AtMost {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.parse::<usize>().map_err(|_| "a number, or one with %");
        match text.strip_suffix('%') {
            Some(percent) => match number(percent)? {
                percent @ ..=100 => Ok(AtMost::Percent(percent)),
                _ => Err("at most 100 %"),
            },
            None => number(text).map(AtMost::Count),
        }
    }
}

impl AtMost {
    /// How many of a switch's uplinks that is.
    fn most(self, uplinks: usize) -> usize {
        match self {
            AtMost::Count(count) => count,
            AtMost::Percent(percent) => uplinks * percent / 100,
        }
    }
}

/// Writes the links to drain, each with its reason, and those that stay, as comments. No cable stands for a switch.
/// Returns what is drained, what stays, and A2A, RP and SP before and after, as one JSON object.
pub fn write(
    path: &Path,
    at_most: AtMost,
    judged: &Judged,
    suspects: &[(Option<Cable>, String)],
) -> Result<Value, Failure> {
    let engine = Engine::new(0)?;
    let mut chosen = Chosen {
        at_most,
        judged,
        engine: &engine,
        ranking: Ranking::new(&judged.fabric, &judged.options),
        drained: Vec::new(),
        detours: 0,
    };
    chosen.detours = chosen.ways(&[])?.1;
    let (mut lines, mut left) = (String::new(), Vec::new());
    for (cable, reason) in suspects {
        match chosen.add(*cable)? {
            Ok(drained) => {
                let port = drained.port.unwrap_or_default();
                lines += &format!("{}:{port} # {reason}\n", drained.switch);
            }
            Err(why) => {
                lines += &format!("# stays, {why}: {reason}\n");
                left.push(format!("stays, {why}: {reason}"));
            }
        }
    }
    write_text(path, lines)?;
    let drain = chosen.drained;
    let mut cost = json!({ "count": drain.len(), "stay": left, "before": null, "after": null });
    if drain.is_empty() {
        return Ok(cost);
    }
    let nodes = judged.fabric.end_nodes().len() as u64;
    let bar = progress(4 * (nodes + PERMUTATIONS as u64), "{wide_bar} {percent} %");
    let measure = Measure {
        engine,
        permutations: PERMUTATIONS,
        seed: 1,
        expected: None,
        tick: &|done| bar.inc(done),
    };
    let look = |options: &Options| {
        let fabric = (judged.fabric.clone(), judged.names.clone());
        let figures = measure.look(fabric, options, Vec::new())?.figures;
        let [a2a, rp, sp] = ["a2a", "rp", "sp"].map(|key| &figures[key]);
        Ok::<_, Failure>(json!({ "a2a": a2a, "rp": rp, "sp": sp }))
    };
    let mut options = judged.options.clone();
    cost["before"] = look(&options)?;
    options.drain = drain;
    cost["after"] = look(&options)?;
    bar.finish_and_clear();
    Ok(cost)
}

/// The links chosen so far.
struct Chosen<'a> {
    at_most: AtMost,
    judged: &'a Judged,
    engine: &'a Engine,
    ranking: Ranking,
    drained: Vec<Drained>,
    /// Pairs turned or left out before anything is drained.
    detours: usize,
}

impl Chosen<'_> {
    /// Drains a link as well; the reason if it has to stay.
    fn add(&mut self, cable: Option<Cable>) -> Result<Result<Drained, String>, Failure> {
        let fabric = &self.judged.fabric;
        let [one, other] = match cable {
            Some(Cable::Link(ends)) => ends,
            Some(Cable::Host(_)) => return Ok(Err("a host's cable".into())),
            None => return Ok(Err("a switch".into())),
        };
        let (low, high) = match self.ranking.is_up(one.0, other.0) {
            true => (one, other),
            false => (other, one),
        };
        let drained = Drained {
            switch: fabric.guid(low.0),
            port: Some(low.1),
        };
        let mut all = self.drained.clone();
        all.push(drained);
        let is_up = |far: &SwitchId| self.ranking.is_up(low.0, *far);
        let uplinks = fabric.links_of(low.0).filter(|(_, far, _)| is_up(far));
        let uplinks = uplinks.count();
        let lost = all.iter().filter(|d| d.switch == drained.switch).count();
        if lost > self.at_most.most(uplinks) {
            let name = &self.judged.names.switches[low.0];
            return Ok(Err(format!(
                "'{name}' would lose {lost} of {uplinks} uplinks"
            )));
        }
        let (has_others, detours) = self.ways(&all)?;
        if !has_others || detours > self.detours {
            let name = &self.judged.names.switches[high.0];
            return Ok(Err(format!("some routes by '{name}' have no other way")));
        }
        self.drained = all;
        Ok(Ok(drained))
    }

    /// Whether all routes over some links have another way; the pairs that are turned or left out then.
    fn ways(&self, drain: &[Drained]) -> Result<(bool, usize), Failure> {
        let fabric = &self.judged.fabric;
        let options = Options {
            drain: drain.to_vec(),
            ..self.judged.options.clone()
        };
        let plan = self.engine.plan(fabric, &options)?;
        let (tables, _) = self.engine.tables(fabric, &plan)?;
        let uses = drain::uses(fabric, drain, |s| tables.row(s));
        let connections = plan.connections();
        let has_others = uses.iter().all(|used| used.routes == 0);
        Ok((has_others, connections.turned + connections.left_out))
    }
}

/// What [`write`] found, for people.
pub fn text(cost: &Value) -> String {
    let stay = cost["stay"].as_array().into_iter().flatten();
    let stay = stay.filter_map(Value::as_str);
    let mut text: String = stay.map(|reason| format!("{reason}\n")).collect();
    if cost["before"].is_null() {
        return text + "nothing is drained\n";
    }
    let change = |key: &str| {
        let [before, after] = ["before", "after"].map(|when| &cost[when][key]);
        format!("{} {before} -> {after}", key.to_uppercase())
    };
    let changes = ["a2a", "rp", "sp"].map(change).join(", ");
    text += &format!("{} drained: {changes}\n", cost["count"]);
    text
}
