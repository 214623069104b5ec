//! The routing engine: what one call of `ucast_build_fwd_tables` does, in safe code.
//!
//! Snapshot, plan, write. Everything that can fail is done before the first entry is written, and
//! should the writing itself fail (it can only panic) the tables are put back to "no path", so
//! that the next engine of OpenSM's list finds them as we did.
//!
//! What was planned is kept for the multicast trees and the hop tables of the same sweep. It holds
//! GUIDs and indices, no pointers.

use super::live::Subnet;
#[cfg(debug_assertions)]
use super::options::PanicAt;
use super::options::PluginOptions;
use super::{hops, order, report, subnet};
use crate::dmodc::{Engine, OnUnreachable, Options, Plan, RouteError};
use crate::fabric::{Fabric, Guid};
use crate::lft::NO_PATH;
use crate::netlist;
use std::ffi::c_void;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Why a sweep was not routed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The core refuses the fabric.
    #[error(transparent)]
    Refused(#[from] RouteError),
    /// The pool could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A switch has no forwarding table to write to.
    #[error("OpenSM has no forwarding table for switch {0}")]
    NoTable(Guid),
}

/// A fabric and what was planned for it.
pub struct Planned {
    /// The snapshot.
    pub fabric: Fabric,
    /// Ranks, costs, order.
    pub plan: Plan,
    /// Rank of each switch.
    pub ranks: Vec<u32>,
    /// Whether each switch forwards multicast.
    pub multicast: Vec<bool>,
}

/// The engine, over all sweeps.
pub struct Dmodc {
    options: PluginOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Started in the first sweep: OpenSM has forked by then, and has the threads that it needs.
    engine: Option<Engine>,
    planned: Option<Planned>,
    /// What was last said of the ranks and the wiring.
    wiring: Vec<String>,
    /// Whether [`Dmodc::tell`] has told of what is planned.
    told: bool,
    /// A panic that a test has asked for and not had yet.
    #[cfg(debug_assertions)]
    panic_due: Option<PanicAt>,
}

impl Dmodc {
    /// An engine that has not routed yet.
    pub fn new(options: PluginOptions) -> Self {
        Dmodc {
            options,
            state: Mutex::new(State {
                #[cfg(debug_assertions)]
                panic_due: options.provoke_panic,
                ..State::default()
            }),
        }
    }

    /// Routes the subnet. `context` is what the engine is registered with.
    pub fn route(&self, subnet: &mut Subnet<'_>, context: *const c_void) -> Result<(), Failure> {
        let start = Instant::now();
        let first = subnet.is_first_engine(context);
        let mut state = self.lock();
        let State {
            engine,
            planned,
            told,
            #[cfg(debug_assertions)]
            panic_due,
            ..
        } = &mut *state;
        let engine = self.started(engine)?;
        if let Some(last) = planned.take() {
            engine.recycle(last.plan);
        }
        // Helpers stay awake from the first look at the subnet to the last entry.
        let routed: Result<Planned, Failure> = engine.muster(subnet.switch_count(), |muster| {
            #[cfg(debug_assertions)]
            panic_if_due(panic_due, PanicAt::Plan);
            let (now, read) = self.plan(engine, subnet)?;
            report::unreachable(subnet, &now);
            let unreachable = now.plan.unreachable().count;
            if unreachable > 0 && self.options.on_unreachable == OnUnreachable::Fail {
                return Err(RouteError::Unreachable(unreachable).into());
            }

            let mut tables = subnet.new_lfts();
            let mut rows = rows_of(&now.fabric, &mut tables)?;
            if !first {
                // An engine that failed before us may have left entries behind. Those up to the highest
                // LID are written in any case.
                let beyond = now.fabric.max_lid().index() + 1;
                muster.share_out(rows.iter_mut(), |row, _| {
                    if let Some(rest) = row.get_mut(beyond..) {
                        rest.fill(NO_PATH);
                    }
                });
            }
            let mut undo = UndoOnPanic { rows: &mut rows };
            let routes = engine.fill(&now.fabric, &now.plan, undo.rows)?;
            #[cfg(debug_assertions)]
            panic_if_due(panic_due, PanicAt::Fill);
            undo.rows = &mut [];
            drop(undo);
            let total = start.elapsed();

            report::routed(&now, engine.threads(), total, read, routes);
            Ok(now)
        });
        *planned = Some(routed?);
        *told = false;
        Ok(())
    }

    /// What can wait until the tables are on their way: what the wiring looks like, in the log, and
    /// the file with the order of the nodes. Once for each plan that routed.
    pub fn tell(&self, subnet: &Subnet<'_>) {
        let State {
            planned,
            wiring,
            told,
            ..
        } = &mut *self.lock();
        if let Some(planned) = planned
            && !std::mem::replace(told, true)
        {
            report::wiring(subnet, planned, wiring);
            order::dump(subnet, planned);
        }
    }

    /// Runs `body` on what was planned last, or on a new plan if there is none; if it finds the
    /// live subnet changed since, once more on a new plan.
    pub fn with_plan<T, E: From<Failure>>(
        &self,
        subnet: &Subnet<'_>,
        body: impl Fn(&Planned) -> Result<T, Stale<E>>,
    ) -> Result<T, E> {
        let mut state = self.lock();
        let State {
            engine, planned, ..
        } = &mut *state;
        if let Some(last) = planned {
            match body(last) {
                Err(Stale::Changed(_)) => {}
                Err(Stale::Failed(e)) => return Err(e),
                Ok(done) => return Ok(done),
            }
        }
        *planned = None;
        let (now, _) = self.plan(self.started(engine)?, subnet)?;
        let result = body(planned.insert(now));
        result.map_err(|e| match e {
            Stale::Changed(e) | Stale::Failed(e) => e,
        })
    }

    /// Fills OpenSM's hop tables from the last plan, if there is one.
    pub fn fill_hop_tables(&self, subnet: &Subnet<'_>) {
        if let Some(planned) = &self.lock().planned {
            hops::fill(subnet, planned);
        }
    }

    /// Forgets the last plan.
    pub fn forget(&self) {
        self.lock().planned = None;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while it was held left `planned` empty or whole; both are fine.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn started<'e>(&self, engine: &'e mut Option<Engine>) -> Result<&'e Engine, Failure> {
        if engine.is_none() {
            *engine = Some(Engine::new(self.options.threads)?);
        }
        Ok(engine.as_ref().expect("set above"))
    }

    fn plan(&self, engine: &Engine, subnet: &Subnet<'_>) -> Result<(Planned, Duration), Failure> {
        let start = Instant::now();
        let options = Options {
            // Whether to go on with it is decided by `route`, when the pairs have been named.
            on_unreachable: OnUnreachable::Partial,
            connect_roots: subnet.connect_roots(),
            root_guids: guids_in(subnet.root_guid_file()),
            cn_guids: guids_in(subnet.cn_guid_file()),
            io_guids: guids_in(subnet.io_guid_file()),
        };
        let (fabric, multicast) = subnet::read(subnet, engine);
        let read = start.elapsed();
        let plan = engine.plan(&fabric, &options)?;
        let ranks = (0..fabric.switches().len() as u32)
            .map(|s| plan.ranking().rank(s))
            .collect();
        Ok((
            Planned {
                fabric,
                plan,
                ranks,
                multicast,
            },
            read,
        ))
    }
}

/// The GUIDs of a file of OpenSM's. One that cannot be read, or has a line that is none, is an ERROR
/// line and counts as not given, for half a list of roots is worse than none.
fn guids_in(file: Option<String>) -> Vec<Guid> {
    let Some(file) = file else { return Vec::new() };
    netlist::read_guids(Path::new(&file)).unwrap_or_else(|e| {
        log::error!("{e}; going on without this file");
        Vec::new()
    })
}

/// Why work on a plan was given up.
pub enum Stale<E> {
    /// The live subnet differs from the snapshot.
    Changed(E),
    /// Something else.
    Failed(E),
}

/// The tables in the fabric's switch order.
fn rows_of<'t>(
    fabric: &Fabric,
    tables: &'t mut [(Guid, Option<&mut [u8]>)],
) -> Result<Vec<&'t mut [u8]>, Failure> {
    tables.sort_by_key(|(guid, _)| *guid);
    let mut tables = tables.iter_mut();
    let switches = fabric.switches().iter();
    let rows = switches.map(|switch| {
        let of_switch = tables.find(|(guid, _)| *guid == switch.guid);
        let row = of_switch.and_then(|(_, row)| row.as_deref_mut());
        row.ok_or(Failure::NoTable(switch.guid))
    });
    rows.collect()
}

/// Puts the rows that it still has back to "no path".
struct UndoOnPanic<'r, 't> {
    rows: &'r mut [&'t mut [u8]],
}

impl Drop for UndoOnPanic<'_, '_> {
    fn drop(&mut self) {
        self.rows.iter_mut().for_each(|row| row.fill(NO_PATH));
    }
}

/// Panics if a test has asked for it at this place; once, so that it sees what comes after.
#[cfg(debug_assertions)]
fn panic_if_due(due: &mut Option<PanicAt>, place: PanicAt) {
    if due.take_if(|due| *due == place).is_some() {
        panic!("provoked by dmodc.provoke_panic");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, Lid};

    fn two_switches() -> Fabric {
        let mut b = Builder::default();
        b.switch(Guid(2), Lid(5), 0, 4);
        b.switch(Guid(1), Lid(9), 0, 4);
        b.finish().0
    }

    #[test]
    fn rows_come_in_the_order_of_the_fabric() {
        let (mut a, mut b) = ([1u8; 64], [2u8; 64]);
        let mut tables = vec![(Guid(2), Some(&mut b[..])), (Guid(1), Some(&mut a[..]))];
        let rows = rows_of(&two_switches(), &mut tables).expect("all there");
        assert_eq!(rows.iter().map(|r| r[0]).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_missing_table_is_named() {
        let mut a = [1u8; 64];
        let mut tables = vec![(Guid(1), Some(&mut a[..])), (Guid(2), None)];
        let error = rows_of(&two_switches(), &mut tables)
            .expect_err("one missing")
            .to_string();
        assert!(error.contains("0x0000000000000002"), "{error}");
        let mut tables = vec![(Guid(1), Some(&mut a[..]))];
        assert!(rows_of(&two_switches(), &mut tables).is_err());
    }

    #[test]
    fn a_panic_while_writing_leaves_no_path_everywhere() {
        let mut table = [NO_PATH; 8];
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut rows = [&mut table[..]];
            let undo = UndoOnPanic { rows: &mut rows };
            undo.rows[0][3] = 7;
            panic!("while writing");
        }));
        assert!(caught.is_err());
        assert_eq!(table, [NO_PATH; 8]);
    }
}
