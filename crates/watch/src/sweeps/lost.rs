//! Lost equipment for `dmodc.metrics`: one sample for one cause.
//!
//! The links of a lost switch say nothing that its loss does not say; nor do those of drained equipment, which is to
//! go. Lost switches that are linked to one another are one part, such as a pod, and have one cause.

use super::metrics::Named;
use super::planned::Planned;
use super::reference::ReferenceFile;
use crate::wiring::{Memory, parts};
use dmodc_fabric::{Drained, Guid, Merged, PortNumber, SwitchId};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

pub struct Idle(BTreeSet<(Guid, Option<PortNumber>)>);

impl Idle {
    pub fn new(planned: &Planned) -> Self {
        let drained = planned.options.drain.iter().chain(&planned.out);
        Idle(drained.map(|d: &Drained| (d.switch, d.port)).collect())
    }

    /// Whether a switch is drained, or this port of it.
    pub fn has(&self, guid: Guid, port: Option<PortNumber>) -> bool {
        self.0.contains(&(guid, None)) || (port.is_some() && self.0.contains(&(guid, port)))
    }
}

/// The equipment of a merged fabric that is not there.
pub struct Lost<'l> {
    merged: &'l Merged,
    memory: &'l Memory,
    file: Option<&'l ReferenceFile>,
    /// The names that the reference has, for equipment that this OpenSM has never seen.
    names: OnceCell<HashMap<Guid, &'l str>>,
}

impl<'l> Lost<'l> {
    pub fn new(merged: &'l Merged, memory: &'l Memory, file: Option<&'l ReferenceFile>) -> Self {
        Lost {
            merged,
            memory,
            file,
            names: OnceCell::new(),
        }
    }

    fn name(&self, guid: Guid, known: &str) -> String {
        let of_file = || self.file.map(ReferenceFile::names).unwrap_or_default();
        let name = match known {
            "" => self.names.get_or_init(of_file).get(&guid).copied(),
            known => Some(known),
        };
        name.unwrap_or_default().to_owned()
    }

    /// The connected sets of lost switches, without those that are idle.
    pub fn parts(&self, is_idle: impl Fn(Guid) -> bool) -> Vec<Vec<Named>> {
        let nominal = &self.merged.nominal;
        let boxes = self.merged.boxes();
        let guid = |s: SwitchId| nominal.guid(s);
        let is_lost = |s: SwitchId| boxes[s].is_none() && !is_idle(guid(s));
        let named = |s: SwitchId| {
            let guid = guid(s);
            (guid, self.name(guid, self.memory.switch_name(guid)))
        };
        let part = |switches: Vec<SwitchId>| {
            let mut part: Vec<Named> = switches.into_iter().map(named).collect();
            part.sort_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
            part
        };
        parts(nominal, is_lost).into_iter().map(part).collect()
    }

    /// The hosts that are gone from present switches.
    pub fn hosts(&self) -> Vec<Named> {
        let Merged { nominal, there, .. } = self.merged;
        let boxes = self.merged.boxes();
        let present: BTreeSet<Guid> = there.end_nodes().iter().map(|node| node.guid).collect();
        let switches = boxes.keys().filter(|&s| boxes[s].is_some());
        let hosts = switches.flat_map(|s| nominal.hosts_of(s));
        let lost = hosts.filter(|host| !present.contains(&host.guid));
        let name = |guid| self.name(guid, self.memory.host_name(guid));
        lost.map(|host| (host.guid, name(host.guid))).collect()
    }
}
