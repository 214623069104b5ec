//! Writes log lines, metrics and dumps once OpenSM has sent the tables. Files are written by another thread, since
//! OpenSM's lock is held.

use super::{Dmodc, State};
use crate::ffi::Subnet;
use crate::guard::guard;
use crate::planned::LiveNames;
use dmodc_core::hop_row;
use dmodc_fabric::{Lid, SwitchId};
use dmodc_formats::files::replace;
use dmodc_formats::lft::write_order;
use dmodc_watch::sweeps::{Activity, Called, Findings, Job, Planned, Role, host_pairs};
use std::path::Path;
use typed_index_collections::TiVec;

/// The file of hosts in the order of their topological NIDs: the format of [`write_order`], the names of OpenSM.
const ORDER: &str = "opensm-dmodc-ca-order.dump";

impl Dmodc {
    /// Does the work that can wait until OpenSM has sent the tables, once for each plan: updates the reference and the
    /// metrics, logs changes and missing equipment, and writes the file with the node order.
    pub fn finish(&self, subnet: &Subnet<'_>) {
        let state = &mut *self.lock();
        let routed = std::mem::take(&mut state.routed);
        let is_read = routed || self.look_again(state, subnet);
        if let Some(metrics) = state.metrics.as_mut().filter(|_| is_read) {
            metrics.read();
            metrics.other_managers(subnet.other_managers());
        }
        if let Some(planned) = &state.planned
            && !std::mem::replace(&mut state.finished, true)
        {
            let called = LiveNames { subnet, planned };
            let uses = state.memory.drain.look_at_use(&called, planned);
            if let Some(metrics) = &mut state.metrics {
                metrics.drained(&uses);
            }
            let mut write = |path: &Path, job: Job| {
                if let Err(e) = state.writer.put(path, job, run) {
                    log::error!("cannot write {}: {e}", path.display());
                }
            };
            if let Some(reference) = &mut state.memory.reference {
                reference.keep(planned, || planned.names(&called), &mut write);
            }
            dump_order(&called, planned, write);
            if log::log_enabled!(log::Level::Info) || state.metrics.is_some() {
                let file = state.memory.reference.as_ref();
                let found = state.findings.look(&called, planned, file);
                if let Some(metrics) = &mut state.metrics {
                    metrics.found(found, state.findings.slow());
                    match routed {
                        true => metrics.pairs(host_pairs(planned)),
                        false => metrics.seen(planned),
                    }
                }
            }
        }
    }

    /// Plans the fabric for log, metrics and dumps where OpenSM has kept our tables and called no engine
    /// (`use_ucast_cache`). Returns whether the fabric could be planned.
    fn look_again(&self, state: &mut State, subnet: &Subnet<'_>) -> bool {
        let State {
            engine,
            memory,
            planned,
            finished,
            findings,
            ..
        } = state;
        let Some(engine) = engine else { return false };
        log::info!("no new routes: OpenSM keeps the tables of its unicast cache");
        match self.plan(engine, memory, subnet, findings.seen()) {
            Ok((now, _)) => {
                let last = planned.as_ref().map(|last| &last.fabric);
                if last != Some(&now.fabric) {
                    (*planned, *finished) = (Some(now), false);
                }
                true
            }
            Err(e) => {
                log::info!("the fabric was not read: {e}");
                false
            }
        }
    }

    /// Fills OpenSM's hop tables of all present switches from the last plan, if there is one: the hop count from each
    /// port of a switch to each switch LID. Only the dumps of `-D 0x40` read them: other sweeps do not fill them.
    pub fn fill_hop_tables(&self, subnet: &Subnet<'_>) {
        let state = self.lock();
        let Some(Planned { fabric, plan, .. }) = &state.planned else {
            return;
        };
        let switches = fabric.switches().iter();
        let live: TiVec<SwitchId, _> = switches.map(|s| subnet.switch(s.guid)).collect();
        let mut refused = 0;
        for (to, destination) in fabric.switches().iter_enumerated() {
            if destination.lid == Lid(0) {
                continue;
            }
            for (from, switch) in live.iter_enumerated() {
                let Some(switch) = switch else { continue };
                let row = hop_row(fabric, plan, from, to);
                if !subnet.set_hops(*switch, destination.lid, &row) {
                    refused += 1;
                }
            }
        }
        if refused > 0 {
            log::error!("OpenSM has no room for {refused} rows of its hop tables; dumps lack them");
        }
    }

    /// Counts a sweep for which Dmodc gave no tables, for any reason, and forgets what it had planned.
    pub fn refused(&self) {
        let state = &mut *self.lock();
        (state.planned, state.routed) = (None, false);
        if let Some(metrics) = &mut state.metrics {
            metrics.refused();
        }
    }

    /// Notes that OpenSM has finished routing; `by_dmodc`: with Dmodc's tables.
    pub fn swept(&self, by_dmodc: bool) {
        if let Some(metrics) = &mut self.lock().metrics {
            metrics.swept(by_dmodc);
        }
    }

    /// Notes how far OpenSM has got.
    pub fn active(&self, activity: Activity) {
        if let Some(metrics) = &mut self.lock().metrics {
            metrics.active(activity);
        }
    }

    /// The text for `dmodc.metrics`, if it `is_due` by OpenSM's role, or if the role has changed. `role` reads the
    /// role; `None` where it is unreadable. No sweep changes the figures between the look at the role and the text.
    pub fn metrics(
        &self,
        role: impl FnOnce() -> Option<Role>,
        is_due: impl FnOnce(Option<Role>) -> bool,
    ) -> Option<String> {
        let state = &mut *self.lock();
        let metrics = state.metrics.as_mut()?;
        let role = role();
        let is_due = is_due(role);
        let news = role.is_some_and(|role| metrics.set_role(role));
        if news && role == Some(Role::Standby) {
            // Much may change until OpenSM is master again, and equipment that is removed meanwhile is not missing.
            state.findings = Findings::default();
        }
        (news || is_due).then(|| metrics.text())
    }
}

/// Runs a job on the thread that writes files.
fn run(job: Job) {
    guard("files", (), job);
}

/// Has [`ORDER`] written to OpenSM's `dump_files_dir`. A failure is a line in the log.
fn dump_order(called: &LiveNames<'_, '_>, planned: &Planned, write: impl FnOnce(&Path, Job)) {
    let Some(folder) = called.subnet.dump_files_dir() else {
        return;
    };
    let path = Path::new(&folder).join(ORDER);
    let name = |node| called.end_node(node);
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_order(&planned.fabric, planned.plan.order(), name, &mut text);
    let to = path.clone();
    let job = move || {
        if let Err(e) = replace(&to, &text) {
            log::error!("cannot write {}: {e}", to.display());
        }
    };
    write(&path, Box::new(job));
}
