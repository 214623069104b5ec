//! Writes log lines, metrics and dumps once OpenSM has sent the tables.
//!
//! OpenSM answers no query while its lock is held. So [`Dmodc::look`] takes from the subnet, under the lock, what this
//! needs, and [`Dmodc::finish`] works without it. Files are written by another thread: the sweep waits for no disk.

use super::{Dmodc, Read, State};
use crate::drain::look_at_use;
use crate::ffi::{Subnet, Switch};
use crate::guard::guard;
use dmodc_core::hop_row;
use dmodc_fabric::{Fabric, Guid, Lid, NodeId, SwitchId};
use dmodc_formats::drain::Use;
use dmodc_formats::files::{is_by_port, of_port, replace};
use dmodc_formats::lft::write_order;
use dmodc_formats::netlist::Names;
use dmodc_watch::sweeps::{Findings, Job, Metrics, Planned, Role, host_pairs, report};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use typed_index_collections::TiVec;

/// The file of hosts in the order of their topological NIDs, in OpenSM's `dump_files_dir`; OpenSM names them.
const ORDER: &str = "opensm-dmodc-ca-order-%g.dump";

/// What [`Dmodc::finish`] needs of the live subnet.
pub struct Seen {
    names: Names,
    port: Guid,
    dump_folder: Option<PathBuf>,
    other_managers: usize,
    /// The fabric as it is now, where OpenSM has called no engine.
    unrouted: Option<Read>,
    /// The use of drained links, with a line about each.
    uses: (Vec<Use>, BTreeSet<String>),
}

impl Dmodc {
    /// Takes from the subnet what [`Dmodc::finish`] needs, while OpenSM's lock is held. OpenSM has sent the tables;
    /// only where something is drained they are read: what "empty" says must be true of the switches.
    pub fn look(&self, subnet: &Subnet<'_>) -> Seen {
        let state = &mut *self.lock();
        let mut seen = Seen {
            names: Names::default(),
            port: subnet.port(),
            dump_folder: subnet.dump_files_dir().map(PathBuf::from),
            other_managers: subnet.other_managers(),
            unrouted: None,
            uses: Default::default(),
        };
        if !state.routed
            && let Some(engine) = &state.engine
        {
            let read = self.read(engine, &mut state.memory, subnet, state.findings.seen());
            let last = state.planned.as_ref().map(|last| &last.fabric);
            seen.unrouted = (last != Some(&read.fabric)).then_some(read);
        }
        let last = state.planned.as_ref();
        let fabric = seen.unrouted.as_ref();
        let fabric = fabric.map(|read| (&read.fabric, &read.options));
        if let Some((fabric, options)) = fabric.or(last.map(|last| (&last.fabric, &last.options))) {
            seen.names = names(subnet, fabric);
            seen.uses = look_at_use(subnet, &seen.names, fabric, options);
        }
        seen
    }

    /// Does the work that can wait until OpenSM has sent the tables, once for each plan: logs pairs without a path,
    /// changes and missing equipment, updates the reference and the metrics, and writes the file with the node order.
    /// OpenSM's lock is not held: queries are answered meanwhile.
    pub fn finish(&self, seen: Seen) {
        let state = &mut *self.lock();
        if state.provoke.as_deref() == Some("wait") {
            std::thread::sleep(Duration::from_secs(3));
        }
        let routed = std::mem::take(&mut state.routed);
        let is_read = routed || state.plan_unrouted(seen.unrouted);
        if let Some(metrics) = state.metrics.as_mut().filter(|_| is_read) {
            metrics.next.read = Some(SystemTime::now());
            metrics.next.other_managers = Some(seen.other_managers);
        }
        if let Some(planned) = &state.planned
            && !std::mem::replace(&mut state.is_finished, true)
        {
            let names = &seen.names;
            if routed {
                report::unreachable(names, planned);
            }
            let (uses, lines) = seen.uses;
            let lines = state.memory.drain.uses.news(lines);
            lines.iter().for_each(|line| log::info!("{line}"));
            if let Some(metrics) = &mut state.metrics {
                metrics.drained(&uses);
                metrics.next.drain_odd_lines = Some(state.memory.drain.odd_lines);
            }
            let mut write = |path: &Path, job: Job| {
                if let Err(e) = state.writer.put(path, job, run) {
                    log::error!("cannot write {}: {e}", path.display());
                }
            };
            if let Some(reference) = &mut state.memory.reference {
                reference.keep(planned, || planned.names(names), &mut write);
            }
            if let Some(folder) = seen.dump_folder {
                let path = of_port(&folder.join(ORDER), seen.port);
                dump_order(names, planned, &path, write);
            }
            // At any level of the log: drained places depend on what was seen.
            let file = state.memory.reference.as_ref();
            let found = state.findings.look(names, planned, file);
            if let Some(metrics) = &mut state.metrics {
                metrics.next.found = found;
                match routed {
                    true => metrics.next.pairs = host_pairs(planned),
                    false => metrics.next.routed.seen(planned),
                }
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

    /// Notes something for `dmodc.metrics`, if the option is set.
    pub fn note(&self, note: impl FnOnce(&mut Metrics)) {
        self.lock().metrics.as_mut().map(note);
    }

    /// The file of `dmodc.metrics` of the OpenSM at this port.
    pub fn metrics_at(&self, name: &Path, port: Guid) -> PathBuf {
        if is_by_port(name) {
            self.note(|metrics| metrics.of_port(port));
        }
        of_port(name, port)
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

impl State {
    /// Plans the fabric for log, metrics and dumps where OpenSM has kept our tables and called no engine
    /// (`use_ucast_cache`); `None` if it is the last one. Returns whether the fabric could be planned.
    fn plan_unrouted(&mut self, now: Option<Read>) -> bool {
        let Some(engine) = &self.engine else {
            return false;
        };
        log::info!("no new routes: OpenSM keeps the tables of its unicast cache");
        match now.map(|now| now.plan(engine).map(|plan| now.planned(plan))) {
            None => true,
            Some(Ok(now)) => {
                (self.planned, self.is_finished) = (Some(now), false);
                true
            }
            Some(Err(e)) => {
                log::info!("the fabric was not read: {e}");
                false
            }
        }
    }
}

/// The names of the switches and end nodes of a fabric.
pub(super) fn names(subnet: &Subnet<'_>, fabric: &Fabric) -> Names {
    let (mut switches, mut end_nodes) = (TiVec::new(), TiVec::new());
    for (index, switch) in fabric.switches().iter_enumerated() {
        let live = subnet.switch(switch.guid);
        switches.push(live.map(Switch::name).unwrap_or_default());
        // End nodes are in the order of their switches.
        let nodes = fabric.end_nodes_of(index).iter();
        let remote = |port| live.and_then(|s| s.port(port)?.remote()?.node());
        end_nodes.extend(nodes.map(|n| remote(n.port).map(|r| r.name()).unwrap_or_default()));
    }
    Names {
        switches,
        end_nodes,
        ..Names::default()
    }
}

/// Has the node order written in the format of [`write_order`]. A failure is a line in the log.
fn dump_order(names: &Names, planned: &Planned, path: &Path, write: impl FnOnce(&Path, Job)) {
    let name = |node: NodeId| names.end_nodes[node].clone();
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_order(&planned.fabric, planned.plan.order(), name, &mut text);
    let to = path.to_owned();
    let job = move || {
        if let Err(e) = replace(&to, &text) {
            log::error!("cannot write {}: {e}", to.display());
        }
    };
    write(path, Box::new(job));
}
