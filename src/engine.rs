//! The routing engine: one call of `ucast_build_fwd_tables`, in safe code.
//!
//! Three steps: snapshot, plan, write. The multicast trees and
//! the hop tables of the same sweep use the plan, so the engine keeps it.

mod finish;

use super::absent::Absent;
use super::drain::Drain;
use super::failure::{Failure, McastError};
use super::ffi::Subnet;
use super::options::PluginOptions;
use super::snapshot;
use super::tables;
use dmodc_core::{Engine, Faults, Filled, Options, Plan};
use dmodc_fabric::{Drained, Fabric, Guid, NO_PATH, SwitchId};
use dmodc_formats::netlist::{self, GuidsOf};
use dmodc_watch::sweeps::{
    Findings, Logged, Metrics, Planned, ReferenceFile, Source, Sweep, Writer, prove, report,
    roots_of,
};
use std::ffi::c_void;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use typed_index_collections::TiVec;

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
    /// Writes the reference and the node order. Dropped at the end, it waits for its files.
    writer: Writer,
    /// The figures of `dmodc.metrics`, if the option is set.
    metrics: Option<Metrics>,
    /// What sweeps have seen and found: missing, slow, lost equipment.
    findings: Findings,
    /// Whether Dmodc has routed since the last [`Dmodc::finish`].
    routed: bool,
    /// Whether [`Dmodc::finish`] has run for this plan.
    is_finished: bool,
    /// The point of `dmodc.provoke_panic`, until the engine has panicked there.
    provoke: Option<String>,
}

/// The state, over all sweeps, on which a plan depends beside the subnet and the options.
#[derive(Default)]
struct Memory {
    reference: Option<ReferenceFile>,
    absent: Absent,
    drain: Drain,
    /// The lines about `root_guid_file`.
    odd_roots: Logged,
}

/// What a plan is made from.
struct Read {
    fabric: Fabric,
    options: Options,
    /// Equipment that is to be drained, and is out.
    out: Vec<Drained>,
    multicast: TiVec<SwitchId, bool>,
    /// The time that reading took.
    time: Duration,
}

impl Read {
    fn plan(&self, engine: &Engine) -> Result<Plan, Failure> {
        Ok(engine.plan(&self.fabric, &self.options)?)
    }

    fn planned(self, plan: Plan) -> Planned {
        Planned {
            plan,
            fabric: self.fabric,
            options: self.options,
            out: self.out,
            multicast: self.multicast,
        }
    }
}

impl Dmodc {
    pub fn new(options: PluginOptions) -> Self {
        Dmodc {
            state: Mutex::new(State {
                memory: Memory {
                    reference: ReferenceFile::new(&options.reference, options.faults),
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
    /// If the fabric is refused. The caller then clears the tables, as after a panic.
    pub fn route(&self, subnet: &mut Subnet<'_>, context: *const c_void) -> Result<(), Failure> {
        let start = Instant::now();
        let is_first = subnet.is_first_engine(context);
        let state = &mut *self.lock();
        let engine = self.started(&mut state.engine)?;
        state.planned = None;
        panic_if_due(&mut state.provoke, "plan");
        let read = self.read(engine, &mut state.memory, subnet, state.findings.seen());
        let mut refused = |subnet: &Subnet<'_>, fabric: &Fabric, options: &Options| {
            let (names, file) = (finish::names(subnet, fabric), &state.memory.reference);
            let known = options.reference.as_deref();
            state.findings.changes(&names, fabric, known, file.as_ref());
            names
        };
        let plan = read.plan(engine);
        let plan = plan.inspect_err(|_| drop(refused(subnet, &read.fabric, &read.options)))?;
        let (read_time, planned) = (read.time, read.planned(plan));
        let filled = write(engine, subnet, &planned, is_first, &mut state.provoke);
        if let (Err(Failure::Refuted(_)), Some(metrics)) = (&filled, &mut state.metrics) {
            metrics.refuted();
        }
        if filled.is_err() {
            // Of a fabric that is routed, `finish` says this.
            let names = refused(subnet, &planned.fabric, &planned.options);
            report::unreachable(&names, &planned);
        }
        let (filled, changed_blocks) = filled?;
        let sweep = Sweep::new(&planned, filled, (start, read_time), changed_blocks);
        report::routed(&sweep);
        if let Some(metrics) = &mut state.metrics {
            metrics.routed(&sweep);
        }
        state.planned = Some(planned);
        (state.routed, state.is_finished) = (true, false);
        panic_if_due(&mut state.provoke, "end");
        Ok(())
    }

    /// Reads the subnet and all files on which a plan depends. `seen` has the equipment of earlier sweeps.
    fn read(
        &self,
        engine: &Engine,
        memory: &mut Memory,
        subnet: &Subnet<'_>,
        seen: &Fabric,
    ) -> Read {
        let start = Instant::now();
        let (mut fabric, multicast) = snapshot::read(subnet, engine);
        if self.options.faults == Faults::Stable {
            memory.absent.look(&mut fabric, subnet.table_room());
        }
        let reference = memory.reference.as_mut().and_then(|file| {
            file.of_port(subnet.port());
            file.fabric_for(&fabric)
        });
        let drain_file = self.options.drain.as_deref();
        let known: Vec<&Fabric> = reference.as_deref().into_iter().chain([seen]).collect();
        let drain = memory.drain.look(subnet, &fabric, drain_file, &known);
        let files = [
            (subnet.root_guid_file(), GuidsOf::Switches),
            (subnet.cn_guid_file(), GuidsOf::Ports),
            (subnet.io_guid_file(), GuidsOf::Ports),
        ];
        let guids = files.each_ref().map(|(file, _)| guids_in(file.as_deref()));
        let time = start.elapsed();
        for ((file, of), guids) in files.iter().zip(&guids) {
            if let Some(none) = netlist::none_found(&fabric, guids, *of) {
                log::error!("{}: {none}", file.as_deref().unwrap_or_default());
            }
        }
        let [root_guids, cn_guids, io_guids] = guids;
        let mut options = Options {
            faults: self.options.faults,
            capacity: self.options.capacity,
            forgets: self.options.reference == Source::None,
            drain: drain.there,
            reference,
            on_unreachable: self.options.on_unreachable,
            connect_roots: subnet.connect_roots(),
            root_guids,
            cn_guids,
            io_guids,
        };
        let roots = roots_of(&fabric, &options);
        options.root_guids = roots.guids;
        let root_file = files[0].0.as_deref().unwrap_or_default();
        let odd = roots.odd.iter().map(|odd| format!("{root_file}: {odd}"));
        let news = memory.odd_roots.news(odd);
        news.iter().for_each(|line| log::warn!("{line}"));
        Read {
            fabric,
            options,
            out: drain.out,
            multicast,
            time,
        }
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
        let read = self.read(engine, &mut state.memory, subnet, state.findings.seen());
        let plan = read.plan(engine)?;
        let now = read.planned(plan);
        state.is_finished = false;
        body(state.planned.insert(now))
    }

    /// Whether Dmodc would route the same fabric otherwise than in its last sweep: the file of `dmodc.drain` has
    /// changed.
    pub fn has_news(&self) -> bool {
        let drain = &self.lock().memory.drain;
        drain.is_changed(self.options.drain.as_deref())
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

/// Writes the tables and proves them. Also returns the time of the proof, and how many blocks differ from those that OpenSM
/// sent last.
fn write(
    engine: &Engine,
    subnet: &mut Subnet<'_>,
    planned: &Planned,
    is_first: bool,
    provoke: &mut Option<String>,
) -> Result<((Filled, Duration), usize), Failure> {
    let fabric = &planned.fabric;
    let mut rows = tables::rows(fabric, subnet.new_lfts())?;
    let filled = engine.fill(fabric, &planned.plan, &mut rows)?;
    if !is_first {
        tables::clear_beyond(fabric, &mut rows);
    }
    panic_if_due(provoke, "fill");
    if is_due(provoke, "wrong") {
        // As if a bit had flipped: the first switch sends all by a port that no switch has.
        rows[0][1..=fabric.max_lid().index()].fill(NO_PATH - 1);
    }
    let tables = tables::rows(fabric, subnet.sent_and_new_lfts())?;
    let rows: TiVec<SwitchId, &[u8]> = tables.iter().map(|[_, new]| *new).collect();
    let threads = engine.threads(rows.len());
    let (proof, changed_blocks) = threads.both(
        || {
            let start = Instant::now();
            let proof = prove(fabric, &planned.plan, &planned.options, &rows, threads);
            proof.map(|_| start.elapsed())
        },
        || tables::changed_blocks(&tables, threads),
    );
    Ok(((filled, proof?), changed_blocks))
}

/// Panics if `dmodc.provoke_panic` names this point.
fn panic_if_due(provoke: &mut Option<String>, here: &str) {
    assert!(!is_due(provoke, here), "provoked by dmodc.provoke_panic");
}

/// Whether `dmodc.provoke_panic` names this point: once, so that a test can watch the next sweep.
fn is_due(provoke: &mut Option<String>, here: &str) -> bool {
    provoke.take_if(|at| *at == here).is_some()
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
