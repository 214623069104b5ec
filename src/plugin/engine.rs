//! The routing engine: one call of `ucast_build_fwd_tables`, in safe code.
//!
//! Snapshot, plan, write. Every refusal comes before the first entry is written. The plan is kept for the
//! multicast trees and the hop tables of the same sweep.

mod tell;

use super::absent::Absent;
use super::drain::Drain;
use super::ffi::Subnet;
use super::given::Given;
use super::options::PluginOptions;
use super::planned::Live;
use super::provoke::{PanicAt, Provoked};
use super::tables::{self, NoPathOnPanic, NoTable};
use super::{hops, snapshot};
use crate::dmodc::{Engine, Faults, Filled, Options, RouteError};
use crate::drain::{Use, uses};
use crate::fabric::Guid;
use crate::netlist::{self, GuidsOf};
use crate::sweeps::{Findings, Metrics, Planned, Reference, Sweep, report};
use std::ffi::c_void;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    #[error(transparent)]
    NoTable(#[from] NoTable),
}

/// The engine, over all sweeps.
pub struct Dmodc {
    options: PluginOptions,
    provoked: Provoked,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Started in the first sweep: OpenSM has forked by then, and has the threads that it needs.
    engine: Option<Engine>,
    planned: Option<Planned>,
    /// The places that the fabric should have.
    reference: Option<Reference>,
    /// Where absent LIDs were.
    absent: Absent,
    /// Drained links.
    drain: Drain,
    /// The figures of `dmodc.metrics`, if the option is set.
    metrics: Option<Metrics>,
    /// The values in OpenSM's file of options that are read once.
    given: Given,
    /// The findings in the fabric.
    findings: Findings,
    /// Whether Dmodc has routed since the last [`Dmodc::tell`].
    routed: bool,
    /// Whether [`Dmodc::tell`] has run for this plan.
    told: bool,
}

impl Dmodc {
    /// An engine that has not routed yet.
    pub fn new(options: PluginOptions) -> Self {
        Dmodc {
            provoked: Provoked::new(options.provoke_panic),
            state: Mutex::new(State {
                reference: Reference::new(options.reference.as_ref(), options.faults),
                metrics: options.metrics.is_some().then(Metrics::default),
                ..State::default()
            }),
            options,
        }
    }

    /// Routes the subnet. `context` is what the engine is registered with.
    ///
    /// # Errors
    /// If the fabric is refused; nothing is written then.
    pub fn route(&self, subnet: &mut Subnet<'_>, context: *const c_void) -> Result<(), Failure> {
        let start = Instant::now();
        let is_first = subnet.is_first_engine(context);
        let state = &mut *self.lock();
        let engine = self.started(&mut state.engine)?;
        state.planned = None;
        self.provoked.panic_if_due(PanicAt::Plan);
        let memory = (&mut state.reference, &mut state.absent, &mut state.drain);
        let (planned, read) = self.plan(engine, memory, subnet)?;
        let filled = self.write(engine, subnet, &planned, is_first);
        let called = Live {
            subnet,
            planned: &planned,
        };
        report::unreachable(&called, &planned);
        let (filled, uses) = filled?;
        state.drain.tell(&called, &uses);
        let changed_blocks = tables::changed_blocks(subnet, engine);
        let faults = self.options.faults;
        let sweep = Sweep::new(&planned, filled, (start, read), faults, changed_blocks);
        report::routed(&sweep);
        if let Some(metrics) = &mut state.metrics {
            metrics.routed(&sweep, &uses);
        }
        state.planned = Some(planned);
        (state.routed, state.told) = (true, false);
        Ok(())
    }

    /// Reads and plans; also returns the time of reading.
    fn plan(
        &self,
        engine: &Engine,
        (reference, absent, drained): (&mut Option<Reference>, &mut Absent, &mut Drain),
        subnet: &Subnet<'_>,
    ) -> Result<(Planned, Duration), Failure> {
        let start = Instant::now();
        let (mut fabric, multicast) = snapshot::read(subnet, engine);
        if self.options.faults == Faults::Stable {
            absent.look(&mut fabric, subnet.table_room());
        }
        let options = Options {
            faults: self.options.faults,
            capacity: self.options.capacity,
            drain: drained.look(subnet, &fabric, self.options.drain.as_deref()),
            reference: reference.as_mut().and_then(|r| r.of(&fabric)),
            on_unreachable: self.options.on_unreachable,
            connect_roots: subnet.connect_roots(),
            root_guids: guids_in(subnet.root_guid_file()),
            cn_guids: guids_in(subnet.cn_guid_file()),
            io_guids: guids_in(subnet.io_guid_file()),
        };
        let read = start.elapsed();
        let switches = (
            subnet.root_guid_file(),
            &options.root_guids,
            GuidsOf::Switches,
        );
        let compute = (subnet.cn_guid_file(), &options.cn_guids, GuidsOf::Ports);
        let io = (subnet.io_guid_file(), &options.io_guids, GuidsOf::Ports);
        for (file, guids, of) in [switches, compute, io] {
            if let Some(none) = netlist::none_found(&fabric, guids, of) {
                log::error!("{}: {none}", file.unwrap_or_default());
            }
        }
        let plan = engine.plan(&fabric, &options)?;
        let planned = Planned {
            fabric,
            plan,
            options,
            multicast,
        };
        Ok((planned, read))
    }

    /// Writes the tables; also returns the use of drained links.
    fn write(
        &self,
        engine: &Engine,
        subnet: &mut Subnet<'_>,
        planned: &Planned,
        is_first: bool,
    ) -> Result<(Filled, Vec<Use>), Failure> {
        let Planned {
            fabric,
            plan,
            options,
            ..
        } = planned;
        let mut tables = subnet.new_lfts();
        let mut rows = tables::rows(fabric, &mut tables)?;
        let written = NoPathOnPanic { rows: &mut rows };
        let filled = engine.fill(fabric, plan, written.rows)?;
        if !is_first {
            tables::clear_beyond(fabric, written.rows);
        }
        self.provoked.panic_if_due(PanicAt::Fill);
        let uses = uses(fabric, &options.drain, |s| &*written.rows[s as usize]);
        Ok((filled, uses))
    }

    /// Runs `body` on the last plan, or on a new one if there is none. If `body` finds that the live subnet
    /// has changed since, runs it once more on a new plan.
    pub fn with_plan<T, E: From<Failure>>(
        &self,
        subnet: &Subnet<'_>,
        body: impl Fn(&Planned) -> Result<T, Stale<E>>,
    ) -> Result<T, E> {
        let state = &mut *self.lock();
        if let Some(last) = &state.planned {
            match body(last) {
                Err(Stale::Changed(_)) => {}
                Err(Stale::Failed(e)) => return Err(e),
                Ok(done) => return Ok(done),
            }
        }
        state.planned = None;
        let engine = self.started(&mut state.engine)?;
        let memory = (&mut state.reference, &mut state.absent, &mut state.drain);
        let (now, _) = self.plan(engine, memory, subnet)?;
        state.told = false;
        let result = body(state.planned.insert(now));
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn started<'e>(&self, engine: &'e mut Option<Engine>) -> Result<&'e Engine, Failure> {
        if engine.is_none() {
            *engine = Some(Engine::new(self.options.threads)?);
        }
        Ok(engine.as_ref().expect("set above"))
    }
}

/// Why `body` failed on a plan.
pub enum Stale<E> {
    /// The live subnet differs from the snapshot.
    Changed(E),
    /// Another reason.
    Failed(E),
}

/// The GUIDs of a file that an option of OpenSM's names. An unreadable file, or one with a line without a
/// GUID, is an ERROR line and counts as not given: half a list of roots is worse than none.
fn guids_in(file: Option<String>) -> Vec<Guid> {
    let Some(file) = file else { return Vec::new() };
    netlist::read_guids(Path::new(&file)).unwrap_or_else(|e| {
        log::error!("{e}; going on without this file");
        Vec::new()
    })
}
