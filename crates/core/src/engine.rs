//! The pipeline: [`Engine::plan`] makes a [`Plan`] of a fabric, [`Engine::fill`] writes its tables.

use super::options::{Options, RouteError};
use super::plan::Plan;
use super::threads::Threads;
use dmodc_fabric::Fabric;
use dmodc_fabric::Tables;
use std::time::{Duration, Instant};

/// The result of writing the routes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filled {
    /// Time taken.
    pub time: Duration,
    /// Number of threads used.
    pub threads: usize,
    /// Number of displaced entries (`faults=stable`): their nominal ports are not available.
    pub displaced: usize,
}

/// Computes routes with its own threads. It keeps nothing between fabrics: tables depend on
/// the fabric and the options alone, never on the number of threads or on earlier fabrics.
pub struct Engine {
    threads: Threads,
}

impl Engine {
    /// An engine with this many threads; 0 means one for each processor.
    ///
    /// # Errors
    /// If the operating system gives no threads.
    pub fn new(threads: usize) -> Result<Engine, rayon::ThreadPoolBuildError> {
        Ok(Engine {
            threads: Threads::new(threads)?,
        })
    }

    /// The threads that write the tables of this many switches.
    pub fn threads(&self, switches: usize) -> &Threads {
        self.threads.to_fill(switches)
    }

    /// Computes all but routes and detours: ranks, port groups, costs, dividers, NIDs, validity.
    ///
    /// # Errors
    /// [`RouteError::NotATree`] if the fabric has no levels (unless roots are given).
    pub fn plan(&self, fabric: &Fabric, options: &Options) -> Result<Plan, RouteError> {
        Plan::new(fabric, options, &self.threads)
    }

    /// Writes the routes of a plan into new tables. Returns these and the result of writing.
    ///
    /// # Errors
    /// The errors of [`Engine::fill`].
    pub fn tables(&self, fabric: &Fabric, plan: &Plan) -> Result<(Tables, Filled), RouteError> {
        let mut tables = Tables::for_fabric(fabric);
        let filled = self.fill(fabric, plan, &mut tables.rows_mut())?;
        Ok((tables, filled))
    }

    /// Writes the routes. `rows[s]` is the LFT of switch `s`, indexed by LID, at least `fabric.max_lid() + 1`
    /// long; writes every entry up to there, [`dmodc_fabric::NO_PATH`] for unknown or unreachable LIDs.
    ///
    /// # Errors
    /// [`RouteError::Unreachable`] if a pair of switches with hosts has no up-down path and the options are
    /// to fail then; others if the rows do not fit the fabric. On an error the rows are unchanged.
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
        let displaced = plan.write(fabric, rows, threads);
        Ok(Filled {
            time: start.elapsed(),
            threads: threads.count(),
            displaced,
        })
    }
}
