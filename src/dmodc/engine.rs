//! The pipeline: a fabric goes in, a [`Plan`] of it comes out, and from that the tables.

use super::options::{Options, RouteError};
use super::plan::Plan;
use super::routes::{RouteMemory, lock};
use super::threads::Threads;
use crate::fabric::Fabric;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How the writing of routes went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filled {
    /// What it took.
    pub time: Duration,
    /// How many threads worked.
    pub threads: usize,
    /// Entries that are not at their nominal ports, since these do not stand (`faults=stable`).
    pub displaced: usize,
}

/// Computes routes with threads of its own. Between fabrics it keeps memory and nothing else:
/// the tables depend on the fabric and the options alone, never on the number of threads or on what
/// came before.
pub struct Engine {
    threads: Threads,
    memory: RouteMemory,
    /// Memory of the costs of a plan that is done with.
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Engine {
    /// An engine with so many threads; 0 means one for each processor.
    ///
    /// # Errors
    /// If the operating system gives no threads.
    pub fn new(threads: usize) -> Result<Engine, rayon::ThreadPoolBuildError> {
        Ok(Engine {
            threads: Threads::new(threads)?,
            memory: RouteMemory::default(),
            spare: Mutex::default(),
        })
    }

    /// The threads that work on so many switches.
    pub fn threads(&self, switches: usize) -> &Threads {
        self.threads.to_fill(switches)
    }

    /// Everything but the routes and the ways that turn: ranks, port groups, costs, dividers, NIDs, validity. Where
    /// pairs of hosts would be left out because links are drained, none is.
    ///
    /// # Errors
    /// [`RouteError::NotATree`] if there are no levels in the fabric (unless roots are given, which
    /// say where the top is). If it is the reference that brings them to naught, the fabric is planned
    /// without it.
    pub fn plan(&self, fabric: &Fabric, options: &Options) -> Result<Plan, RouteError> {
        let plan = self.plan_once(fabric, options)?;
        // Pairs of hosts that are left out.
        let left_out = |plan: &Plan| -> u64 {
            let (hosts, _) = plan.connections().left_out_ends(fabric).split();
            hosts.counts().map(|(_, _, pairs)| pairs).sum()
        };
        if options.drain.is_empty() || left_out(&plan) == 0 {
            return Ok(plan);
        }
        let undrained = Options {
            drain: Vec::new(),
            ..options.clone()
        };
        let whole = self.plan_once(fabric, &undrained)?;
        let is_better = left_out(&whole) < left_out(&plan);
        Ok(if is_better { whole } else { plan })
    }

    fn plan_once(&self, fabric: &Fabric, options: &Options) -> Result<Plan, RouteError> {
        let threads = self.threads.to_plan(fabric.switches().len());
        if let Some(reference) = options.reference() {
            match Plan::new(fabric, Some(reference), options, self.spare(), threads) {
                Err(RouteError::NotATree(_)) => log::error!(
                    "the fabric and its reference together are no tree; going on without it"
                ),
                planned => return planned,
            }
        }
        Plan::new(fabric, None, options, self.spare(), threads)
    }

    /// The memory that the last plan has left.
    fn spare(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut *lock(&self.spare))
    }

    /// Takes back a plan that is done with: the costs of the next one, the largest part of it, go
    /// where its costs were, which spares first touching that much anew.
    pub fn recycle(&self, plan: Plan) {
        *lock(&self.spare) = plan.into_memory();
    }

    /// Writes the routes. `rows[s]` is the LFT of switch `s`, indexed by LID, at least
    /// `fabric.max_lid() + 1` long; every entry up to there is written, [`crate::lft::NO_PATH`] for
    /// LIDs that the fabric does not have or that cannot be reached. Returns what it took and
    /// how it went.
    ///
    /// # Errors
    /// [`RouteError::Unreachable`] if a pair of leaves has no up-down path and the options of the
    /// plan say that this is to fail; others if the rows do not fit the fabric. Nothing is written
    /// then.
    pub fn fill(
        &self,
        fabric: &Fabric,
        plan: &Plan,
        rows: &mut [&mut [u8]],
    ) -> Result<Filled, RouteError> {
        let start = Instant::now();
        if let Some(refusal) = plan.refusal() {
            return Err(refusal);
        }
        let (tables, switches) = (rows.len(), fabric.switches().len());
        if tables != switches {
            return Err(RouteError::TableCount { tables, switches });
        }
        for (row, switch) in rows.iter().zip(fabric.switches()) {
            if row.len() <= fabric.max_lid().index() {
                return Err(RouteError::TableTooShort {
                    switch: switch.guid,
                    len: row.len(),
                    max_lid: fabric.max_lid().0,
                });
            }
        }
        let threads = self.threads(switches);
        let displaced = plan.write(fabric, rows, &self.memory, threads);
        Ok(Filled {
            time: start.elapsed(),
            threads: threads.count(),
            displaced,
        })
    }
}
