//! The project's goal: Dmodc is best or equal in at least 95 % of the throws in A2A, RP and SP (over capacity, where
//! links become slow), against each engine that makes no credit loop, and in 80 % against sssp, whatever loops it makes.
//!
//! Throws in which the other engine's routes from host to host have a credit loop, each on the lane that the engine
//! gives it, do not count, but for sssp. Rows of earlier versions do not know the lanes, and some know loops of
//! all routes alone: there these decide, but for the engines that break their loops with several lanes, and for
//! nue, whose loops are of management.

use super::measures::Measure;
use super::sets::Set;
use super::stats::{Duel, FAULTY};
use crate::compare::{EngineSpec, Risks, ThrowRow};

/// Engines whose tables alone may have credit loops.
const LANES: [&str; 3] = ["dfsssp", "lash", "torus-2QoS"];

/// Dmodc beside each other engine.
pub struct Goal {
    /// The measures.
    pub measures: Vec<Measure>,
    /// A row for each other engine.
    pub rows: Vec<GoalRow>,
}

/// Dmodc beside one engine.
pub struct GoalRow {
    /// The engine.
    pub spec: EngineSpec,
    /// The share of throws in percent in which Dmodc has to be best or equal.
    pub least: f64,
    /// By measure.
    pub duels: Vec<Duel>,
}

impl Goal {
    /// That of a set; without rows if Dmodc is not in it.
    pub fn new(set: &Set) -> Goal {
        let measures: Vec<Measure> = set
            .measures()
            .into_iter()
            .filter(|m| m.has_goal(set.equipment))
            .collect();
        let row = |spec: EngineSpec| {
            let engine = spec.engine();
            let all = engine == "sssp";
            let loops = |row: &ThrowRow| {
                let risks = row.outcome.as_ref().ok().map(|routed| routed.risks);
                // Of all routes nue often has one, from host to host none.
                let on_one = |r: Risks| match r.host_credit_loops {
                    None if engine == "nue" => None,
                    None => r.credit_loops,
                    of_hosts => of_hosts,
                };
                let on_one = |r| on_one(r).filter(|_| !LANES.contains(&engine));
                let loops = risks.and_then(|r| r.lane_credit_loops.or(on_one(r)));
                loops.unwrap_or(0) > 0
            };
            let duels = measures.iter().map(|&measure| match set.ours() {
                None => Duel::default(),
                Some(ours) => {
                    let alone = std::slice::from_ref(&spec);
                    Duel::new(set, &ours, alone, measure, &FAULTY, |row| {
                        all || !loops(row)
                    })
                }
            });
            GoalRow {
                duels: duels.collect(),
                least: if engine == "sssp" { 80.0 } else { 95.0 },
                spec: spec.clone(),
            }
        };
        let others = match set.ours() {
            Some(_) => set.others(),
            None => vec![],
        };
        Goal {
            rows: others.into_iter().map(row).collect(),
            measures,
        }
    }

    /// The figures that have a share: how many reach the goal, and how many there are.
    pub fn reached(&self) -> (usize, usize) {
        let all = self.rows.iter().flat_map(|row| {
            let shares = row.duels.iter().filter_map(|duel| duel.best_or_equal());
            shares.map(|share| share >= row.least)
        });
        let all: Vec<bool> = all.collect();
        (all.iter().filter(|&&reached| reached).count(), all.len())
    }
}
