//! The routing engine: one call of `ucast_build_fwd_tables`, in safe code.
//!
//! Three steps: snapshot, plan, write. Every refusal comes before the first entry is written. The multicast trees and
//! the hop tables of the same sweep use the plan, so the engine keeps it.

mod finish;

use super::absent::Absent;
use super::drain::Drain;
use super::failure::{Failure, McastError};
use super::ffi::Subnet;
use super::given::Given;
use super::options::PluginOptions;
use super::planned::LiveNames;
use super::snapshot;
use super::tables::{self, NoPathOnPanic};
use crate::dmodc::{Engine, Faults, Filled, Options};
use crate::drain::{Use, uses};
use crate::fabric::Guid;
use crate::netlist::{self, GuidsOf};
use crate::sweeps::{Findings, Metrics, Planned, ReferenceFile, Sweep, report};
use std::ffi::c_void;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The engine, over all sweeps.
pub struct Dmodc {
    pub(super) options: PluginOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Started in the first sweep: by then OpenSM has forked, and has started its own threads.
    engine: Option<Engine>,
    planned: Option<Planned>,
    memory: Memory,
    /// The figures of `dmodc.metrics`, if the option is set.
    metrics: Option<Metrics>,
    /// The values in OpenSM's file of options that OpenSM reads only when it starts.
    given: Given,
    findings: Findings,
    /// Whether Dmodc has routed since the last [`Dmodc::finish`].
    routed: bool,
    /// Whether [`Dmodc::finish`] has run for this plan.
    finished: bool,
    /// The point of `dmodc.provoke_panic`, until the engine has panicked there.
    provoke: Option<String>,
}

/// The state, over all sweeps, on which a plan depends beside the subnet and the options.
#[derive(Default)]
struct Memory {
    reference: Option<ReferenceFile>,
    absent: Absent,
    drain: Drain,
}

impl Dmodc {
    pub fn new(options: PluginOptions) -> Self {
        Dmodc {
            state: Mutex::new(State {
                memory: Memory {
                    reference: ReferenceFile::new(options.reference.as_ref(), options.faults),
                    ..Memory::default()
                },
                metrics: options.metrics.is_some().then(Metrics::default),
                provoke: options.provoke_panic.clone(),
                ..State::default()
            }),
            options,
        }
    }

    /// Routes the subnet. `context` is the context of this engine in OpenSM's list.
    ///
    /// # Errors
    /// If the fabric is refused. Then no table is written.
    pub fn route(&self, subnet: &mut Subnet<'_>, context: *const c_void) -> Result<(), Failure> {
        let start = Instant::now();
        let is_first = subnet.is_first_engine(context);
        let state = &mut *self.lock();
        let engine = self.started(&mut state.engine)?;
        state.planned = None;
        panic_if_due(&mut state.provoke, "plan");
        let (planned, read) = self.plan(engine, &mut state.memory, subnet)?;
        let filled = write(engine, subnet, &planned, is_first, &mut state.provoke);
        let called = LiveNames {
            subnet,
            planned: &planned,
        };
        report::unreachable(&called, &planned);
        let (filled, uses) = filled?;
        state.memory.drain.log_uses(&called, &uses);
        let changed_blocks = tables::changed_blocks(subnet, engine);
        let sweep = Sweep::new(&planned, filled, (start, read), changed_blocks);
        report::routed(&sweep);
        if let Some(metrics) = &mut state.metrics {
            metrics.routed(&sweep, &uses);
        }
        state.planned = Some(planned);
        (state.routed, state.finished) = (true, false);
        Ok(())
    }

    /// Reads the subnet and plans it; also returns the time that reading took.
    fn plan(
        &self,
        engine: &Engine,
        memory: &mut Memory,
        subnet: &Subnet<'_>,
    ) -> Result<(Planned, Duration), Failure> {
        let start = Instant::now();
        let (mut fabric, multicast) = snapshot::read(subnet, engine);
        if self.options.faults == Faults::Stable {
            memory.absent.look(&mut fabric, subnet.table_room());
        }
        let drain_file = self.options.drain.as_deref();
        let drain = memory.drain.look(subnet, &fabric, drain_file);
        let reference = memory.reference.as_mut().and_then(|r| r.of(&fabric));
        let files = [
            (subnet.root_guid_file(), GuidsOf::Switches),
            (subnet.cn_guid_file(), GuidsOf::Ports),
            (subnet.io_guid_file(), GuidsOf::Ports),
        ];
        let guids = files.each_ref().map(|(file, _)| guids_in(file.as_deref()));
        let read = start.elapsed();
        for ((file, of), guids) in files.into_iter().zip(&guids) {
            if let Some(none) = netlist::none_found(&fabric, guids, of) {
                log::error!("{}: {none}", file.unwrap_or_default());
            }
        }
        let [root_guids, cn_guids, io_guids] = guids;
        let options = Options {
            faults: self.options.faults,
            capacity: self.options.capacity,
            drain,
            reference,
            on_unreachable: self.options.on_unreachable,
            connect_roots: subnet.connect_roots(),
            root_guids,
            cn_guids,
            io_guids,
        };
        let plan = engine.plan(&fabric, &options)?;
        let planned = Planned {
            fabric,
            plan,
            options,
            multicast,
        };
        Ok((planned, read))
    }

    /// Runs `body` on the last plan, or on a new one if there is none. If `body` finds that the live subnet
    /// has changed since, runs it once more on a new plan.
    pub fn with_plan<T>(
        &self,
        subnet: &Subnet<'_>,
        body: impl Fn(&Planned) -> Result<T, McastError>,
    ) -> Result<T, McastError> {
        let state = &mut *self.lock();
        if let Some(last) = &state.planned {
            match body(last) {
                Err(McastError::SwitchChanged(_) | McastError::LinkChanged(..)) => {}
                done => return done,
            }
        }
        state.planned = None;
        let engine = self.started(&mut state.engine)?;
        let (now, _) = self.plan(engine, &mut state.memory, subnet)?;
        state.finished = false;
        body(state.planned.insert(now))
    }

    pub fn forget(&self) {
        self.lock().planned = None;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while the lock was held has left `planned` empty or whole; both are fine.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn started<'e>(&self, engine: &'e mut Option<Engine>) -> Result<&'e Engine, Failure> {
        if engine.is_none() {
            *engine = Some(Engine::new(self.options.threads)?);
        }
        Ok(engine.as_ref().expect("set above"))
    }
}

/// Writes the tables; also returns the use of drained links.
fn write(
    engine: &Engine,
    subnet: &mut Subnet<'_>,
    planned: &Planned,
    is_first: bool,
    provoke: &mut Option<String>,
) -> Result<(Filled, Vec<Use>), Failure> {
    let fabric = &planned.fabric;
    let mut tables = subnet.new_lfts();
    let mut rows = tables::rows(fabric, &mut tables)?;
    let written = NoPathOnPanic { rows: &mut rows };
    let filled = engine.fill(fabric, &planned.plan, written.rows)?;
    if !is_first {
        tables::clear_beyond(fabric, written.rows);
    }
    panic_if_due(provoke, "fill");
    let row = |s: u32| &*written.rows[s as usize];
    let uses = uses(fabric, &planned.options.drain, row);
    Ok((filled, uses))
}

/// Panics if `dmodc.provoke_panic` names this point: once, so that a test can watch the next sweep.
fn panic_if_due(provoke: &mut Option<String>, here: &str) {
    let is_due = provoke.take_if(|at| *at == here).is_some();
    assert!(!is_due, "provoked by dmodc.provoke_panic");
}

/// The GUIDs in a file that an option of OpenSM names. An unreadable file, or a line without a GUID, gives an ERROR
/// line, and the whole file is ignored: half a list of roots is worse than none.
fn guids_in(file: Option<&str>) -> Vec<Guid> {
    let Some(file) = file else { return Vec::new() };
    netlist::read_guids(Path::new(file)).unwrap_or_else(|e| {
        log::error!("{e}; going on without this file");
        Vec::new()
    })
}
