//! The project's goal: Dmodc is best or equal in at least 95 % of the throws in A2A, RP and SP (over capacity, where
//! links become slow), against each engine that makes no credit loop, and in 80 % against sssp, whatever loops it makes.
//!
//! Throws in which the other engine's routes from host to host have a credit loop do not count, but for sssp,
//! and for the engines that break their loops with several lanes, which tables do not show. Rows of earlier
//! versions know loops of all routes alone: there these decide.

use super::measures::Measure;
use super::sets::Set;
use super::stats::{Duel, FAULTY};
use crate::compare::{EngineSpec, ThrowRow};

/// Engines whose tables may have credit loops.
const LANES: [&str; 4] = ["dfsssp", "nue", "lash", "torus-2QoS"];

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
            let all = engine == "sssp" || LANES.contains(&engine);
            let loops = |row: &ThrowRow| {
                let routed = row.outcome.as_ref().ok();
                let loops = routed.and_then(|r| r.risks.host_credit_loops.or(r.risks.credit_loops));
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

    /// Those that do not reach it: engine, measure and share in percent.
    pub fn missed(&self) -> Vec<(&EngineSpec, Measure, f64)> {
        let of_row = |row: &'_ GoalRow| {
            let shares = self.measures.iter().zip(&row.duels);
            let shares = shares.filter_map(|(m, duel)| Some((*m, duel.best_or_equal()?)));
            let missed = shares.filter(|(_, share)| *share < row.least);
            missed.collect::<Vec<_>>()
        };
        let all = self.rows.iter();
        let all = all.flat_map(|row| {
            of_row(row)
                .into_iter()
                .map(move |(m, share)| (&row.spec, m, share))
        });
        all.collect()
    }
}
