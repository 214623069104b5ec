//! Lost equipment for `dmodc.metrics`: one sample for one cause.
//!
//! The links of a lost switch say nothing that its loss does not say; nor do those of drained equipment, which is to
//! go. Lost switches that are linked to one another are one part, such as a pod, and have one cause.

use super::metrics::Named;
use super::planned::Planned;
use crate::wiring;
use dmodc_fabric::{Drained, Guid, Merged, NodeKind, PortNumber, SwitchId};
use std::collections::BTreeSet;

/// Whether a switch is drained, or this port of it.
pub fn idle(planned: &Planned) -> impl Fn(Guid, Option<PortNumber>) -> bool + use<> {
    let drained = planned.options.drain.iter().chain(&planned.out);
    let drained: BTreeSet<_> = drained.map(|d: &Drained| (d.switch, d.port)).collect();
    move |guid, port| drained.contains(&(guid, None)) || drained.contains(&(guid, port))
}

/// The connected sets of lost switches, without those that are idle.
pub fn parts(
    merged: &Merged,
    named: impl Fn(Guid) -> Named,
    is_idle: impl Fn(Guid) -> bool,
) -> Vec<Vec<Named>> {
    let guid = |s: SwitchId| merged.nominal.guid(s);
    let is_lost = |s: SwitchId| !merged.has_switch[s] && !is_idle(guid(s));
    let part = |switches: Vec<SwitchId>| {
        let mut part: Vec<Named> = switches.into_iter().map(|s| named(guid(s))).collect();
        part.sort_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
        part
    };
    wiring::parts(&merged.nominal, is_lost)
        .into_iter()
        .map(part)
        .collect()
}

/// The hosts that are gone from present switches.
pub fn hosts(merged: &Merged, named: impl Fn(Guid) -> Named) -> Vec<Named> {
    let hosts = merged.dark_nodes();
    let hosts = hosts.filter(|node| node.kind != NodeKind::Aggregation);
    hosts.map(|host| named(host.guid)).collect()
}
