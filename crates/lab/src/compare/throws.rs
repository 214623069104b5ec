//! The paper's experiment (section IV): each throw removes equipment at random, and every engine routes the rest. The
//! same with links that become slow.
//!
//! Throw `n` of a seed hits `a = floor(2^(m u) - 1)` pieces of the complete fabric,
//! with `u` uniform in [0, 1) and `m` the series' exponent, so that throws spread evenly over the
//! decades of `a`; or the counts of the series in turn. Throw 0 hits nothing. A throw depends on the fabric, the
//! series and its own number alone, so different runs can make the throws, in any order and for any engines.
//!
//! All engines of a throw route the same fabric in the same OpenSM (see [`super::multi_engine_run`]).
//! Shifts take the nodes in two orders: the order of OpenSM's ftree with a file of roots on the complete fabric,
//! as in the paper, and the order of Dmodc's topological NIDs on the degraded fabric.

use super::copied::{Copied, Outcome};
use super::engine_spec::EngineSpec;
use super::foreign::{keep, source_hash};
use super::lanes::Levels;
use super::metrics::{self, Orders, Scale};
use super::multi_engine_run::{Answer, MultiEngineRun};
use super::throw_row::{COMMIT, ThrowRow, VERSION};
use crate::LabError;
use crate::sim::Plugin;
use dmodc_core::{Engine, Options};
use dmodc_fabric::{Fabric, Guid, Lid, NodeId, Tables};
use dmodc_formats::lft::parse_order;
use dmodc_formats::netlist::{Equipment, Kind, Netlist, removal};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

/// The parameters that all throws of a series share.
#[derive(Clone, Debug)]
pub struct Series {
    pub fabric: String,
    pub equipment: Equipment,
    /// The paper's `m`: up to 2^m - 1 pieces are hit.
    pub max_exponent: f64,
    /// The numbers of pieces that the throws hit instead, in turn; empty: by the exponent.
    pub counts: Vec<usize>,
    /// Its seed is also that of the throws.
    pub scale: Scale,
    /// The hash of the complete fabric's netlist.
    pub fabric_hash: String,
    /// The folder for the netlist and the tables of each throw, if they are kept.
    pub keep: Option<PathBuf>,
}

impl Series {
    /// The number of pieces that throw `number` hits, and the seed of their choice.
    pub fn removal(&self, number: u32) -> (usize, u64) {
        let (by_exponent, seed) = removal(self.max_exponent, self.scale.seed, number);
        let count = match (number, self.counts.len()) {
            (0, _) | (_, 0) => by_exponent,
            (_, length) => self.counts[(number as usize - 1) % length],
        };
        (count, seed)
    }

    pub fn most(&self) -> usize {
        let by_exponent = || (self.max_exponent.exp2() - 1.0) as usize;
        let most = self.counts.iter().copied().max();
        most.unwrap_or_else(by_exponent)
    }

    /// The hashes for a row, as other files may have the names in it: of the fabric, and of the files that the engine's
    /// tables depend on.
    pub fn hashes(&self, number: u32, spec: &EngineSpec) -> String {
        let source = source_hash(spec, &self.stem(number));
        format!("{} {source}", self.fabric_hash)
    }

    pub fn stem(&self, number: u32) -> String {
        format!("{}-{}-{number}", self.fabric, self.equipment)
    }
}

/// A series on its fabric, with the tables of the complete fabric.
pub struct Thrower {
    series: Series,
    specs: Vec<EngineSpec>,
    netlist: Netlist,
    runs: MultiEngineRun,
    engine: Engine,
    version: String,
    lids: HashMap<Guid, Lid>,
    ftree_order: Vec<Guid>,
    complete: HashMap<EngineSpec, Copied>,
}

impl Thrower {
    /// Runs the engines on the complete fabric, the reference of all throws. Also returns the rows of
    /// throw 0.
    pub fn new(
        series: Series,
        mut netlist: Netlist,
        specs: Vec<EngineSpec>,
        plugin: Plugin,
        limit: Duration,
    ) -> Result<(Thrower, Vec<ThrowRow>), LabError> {
        series.equipment.hit(&netlist, series.most(), 0)?;
        let mut runs = MultiEngineRun::new(plugin, limit);
        // The node order of the paper's shifts.
        let ftree = "ftree+roots".parse().expect("it is a name");
        let answer = runs.route(&netlist, &[ftree])?;
        adopt(&mut netlist, &answer.lids);
        runs.whole = Some(netlist.clone());
        let (fabric, _) = netlist.to_fabric(None)?;
        let ftree_order = answer.ftree_order.and_then(|bytes| {
            let order = parse_order(&fabric, &bytes).ok()?;
            let guid = |node: NodeId| fabric.end_nodes()[node].guid;
            Some(order.into_iter().map(guid).collect())
        });
        if ftree_order.is_none() {
            log::warn!("ftree refuses the complete fabric: there are no shifts in its order");
        }
        let mut thrower = Thrower {
            series,
            specs,
            netlist,
            runs,
            engine: Engine::new(0)?,
            version: answer.version,
            lids: answer.lids,
            ftree_order: ftree_order.unwrap_or_default(),
            complete: HashMap::new(),
        };
        let (answer, rows) = thrower.throw(0, &thrower.specs)?;
        for (spec, outcome) in thrower.specs.iter().zip(answer.outcomes) {
            if let Outcome::Routed(copied, ..) = outcome {
                thrower.complete.insert(spec.clone(), copied);
            }
        }
        Ok((thrower, rows))
    }

    /// What the engines make of a throw, and their rows.
    pub fn throw(
        &self,
        number: u32,
        specs: &[EngineSpec],
    ) -> Result<(Answer, Vec<ThrowRow>), LabError> {
        let (removed, seed) = self.series.removal(number);
        let netlist = self.series.equipment.hit(&self.netlist, removed, seed)?;
        let (fabric, _) = netlist.to_fabric(None)?;
        let stem = self.series.stem(number);
        let answer = self.runs.route_all(&stem, (&netlist, &fabric), specs)?;
        if let Some(dir) = &self.series.keep {
            keep(dir, &stem, &netlist, specs.iter().zip(&answer.outcomes))?;
        }
        let plan = self.engine.plan(&fabric, &Options::default()).ok();
        let orders = Orders {
            ftree: self.ftree_order(&fabric),
            dmodc: plan.as_ref().map_or(vec![], |plan| plan.order().to_vec()),
        };
        let (a2a_bound, a2a_bound_capacity) = metrics::bounds(&fabric);
        // Where LIDs have moved, blocks differ though no route does: then changes are unknown.
        let mut lids = answer.lids.iter();
        let same_lids = lids.all(|(port, lid)| self.lids.get(port) == Some(lid));
        let unmeasured = |spec: &EngineSpec| ThrowRow {
            fabric: self.series.fabric.clone(),
            switches: netlist.switches().count(),
            nodes: fabric.end_nodes().len(),
            degrade: self.series.equipment,
            max_exponent: self.series.max_exponent,
            seed: self.series.scale.seed,
            throw: number,
            removed,
            removal_seed: Some(seed),
            commit: COMMIT.into(),
            of: self.series.hashes(number, spec),
            a2a_bound,
            a2a_bound_capacity,
            unreachable_pairs: plan.as_ref().map(|plan| plan.unreachable().count),
            permutations: self.series.scale.permutations,
            versions: format!("{VERSION}; {}", self.version),
            engine: spec.clone(),
            ..ThrowRow::default()
        };
        // Engines often make the same tables, which are measured once.
        let mut measured: Vec<(Tables, Option<&Levels>, ThrowRow)> = Vec::new();
        let mut rows = Vec::new();
        for (spec, outcome) in specs.iter().zip(&answer.outcomes) {
            let (copied, callbacks, levels) = match outcome {
                Outcome::Routed(copied, callbacks, levels) => (copied, callbacks, levels.as_ref()),
                Outcome::NoTables(why) => {
                    rows.push(ThrowRow {
                        reason: why.to_string(),
                        ..unmeasured(spec)
                    });
                    continue;
                }
            };
            let tables = copied.tables(&fabric);
            let mut known = measured.iter();
            let known = known.position(|known| (&known.0, known.1) == (&tables, levels));
            let known = known.unwrap_or_else(|| {
                let scale = &self.series.scale;
                let row = unmeasured(spec);
                let (row, _) = metrics::measured(row, &fabric, &tables, levels, &orders, scale);
                measured.push((tables, levels, row));
                measured.len() - 1
            });
            let complete = self.complete.get(spec).filter(|_| same_lids);
            let changes = complete.map(|complete| copied.changes(complete));
            rows.push(ThrowRow {
                engine: spec.clone(),
                of: self.series.hashes(number, spec),
                changed_blocks: changes.map(|changes| changes.blocks),
                changed_entries: changes.map(|changes| changes.entries),
                lid_matrices_us: Some(callbacks.lid_matrices.as_micros() as u64),
                fwd_tables_us: Some(callbacks.fwd_tables.as_micros() as u64),
                ..measured[known].2.clone()
            });
        }
        Ok((answer, rows))
    }

    /// ftree's order of the nodes of the complete fabric, without the nodes that are gone.
    fn ftree_order(&self, fabric: &Fabric) -> Vec<NodeId> {
        let nodes = fabric.end_nodes().iter_enumerated();
        let by_guid: HashMap<Guid, NodeId> = nodes.map(|(n, node)| (node.guid, n)).collect();
        let left = |guid| by_guid.get(guid).copied();
        self.ftree_order.iter().filter_map(left).collect()
    }
}

/// Sets the LIDs that OpenSM assigned. A port that OpenSM did not find keeps its LID.
pub(super) fn adopt(netlist: &mut Netlist, lids: &HashMap<Guid, Lid>) {
    for node in &mut netlist.nodes {
        if node.kind == Kind::Switch {
            node.lid = lids.get(&node.guid).copied().unwrap_or(node.lid);
            continue;
        }
        for at in 0..node.ports.len() {
            let simulated = node.simulated_port_guid(node.ports[at].number);
            let lid = &mut node.ports[at].lid;
            *lid = lids.get(&simulated).copied().unwrap_or(*lid);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn removals_follow_the_paper_s_law() {
        let of = |number| dmodc_formats::netlist::removal(7.0, 3, number).0;
        let counts: Vec<usize> = (1..=2000).map(of).collect();
        assert!(of(0) == 0 && counts.iter().all(|&a| a <= 127));
        // a = 0 for u < 1/7, a < 15 for u < 4/7.
        let share = |below: usize| counts.iter().filter(|&&a| a < below).count() as f64 / 2000.0;
        assert!((share(1) - 1.0 / 7.0).abs() < 0.03, "{}", share(1));
        assert!((share(15) - 4.0 / 7.0).abs() < 0.04, "{}", share(15));
    }
}
