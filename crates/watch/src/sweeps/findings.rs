//! Logs, once the tables are sent, the changes since the last sweep and oddities. Finds missing equipment, slow links
//! and hosts on detours for `dmodc.metrics`.

use super::Logged;
use super::metrics::{Found, FoundSlow, HostPairs, Named, Numbers};
use super::planned::Planned;
use super::reference::ReferenceFile;
use crate::wiring::{
    Far, Memory, SlowLink, Uplink, by_switch, describe_unlike, missing_uplinks, odd_places, parts,
    unlike_siblings,
};
use dmodc_core::{Groups, Plan, Ranking};
use dmodc_fabric::{Drained, Fabric, Guid, Merged, NodeKind, PortNumber, SwitchId};
use dmodc_formats::netlist::Names;
use dmodc_formats::reference::Dark;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use typed_index_collections::TiVec;

/// Maximum number of odd places in the wiring that the log names.
const NAMED: usize = 10;

/// The findings over all sweeps.
#[derive(Default)]
pub struct Findings {
    memory: Memory,
    ranks: Logged,
    /// The line about ranks for which a reference would help.
    unknown_places: Logged,
    /// The lines about missing equipment and oddities.
    odd: Logged,
}

impl Findings {
    /// Logs the changes since the last call, then the oddities of the fabric: names new ones, counts others. Returns
    /// the switches, and the equipment that is lost.
    ///
    /// The reference decides what is missing; without one, earlier sweeps of this OpenSM and siblings decide. `file` is
    /// the reference, with the days when dark equipment was last seen, and with its names.
    pub fn look(
        &mut self,
        names: &Names,
        planned: &Planned,
        file: Option<&ReferenceFile>,
    ) -> Found {
        let (fabric, plan, options) = (&planned.fabric, &planned.plan, &planned.options);
        let merged = planned.known();
        let known = merged.as_ref().map(|merged| &merged.nominal);
        let is_changed = self.changes(names, fabric, known, file);
        let ranks = plan.ranking();
        let reference = options.reference.as_deref();
        let mut lines = self.memory.slow(fabric, |s| ranks.rank(s), reference);
        lines.extend(self.ranks.news([format!("ranks: {ranks}")]));
        let unknown = unknown_places(plan).filter(|_| options.forgets);
        lines.extend(self.unknown_places.news(unknown));
        lines.iter().for_each(|line| log::info!("{line}"));
        let merged = &merged.unwrap_or_else(|| Merged::new(fabric, &self.memory.known));
        let ranking = Ranking::new(&merged.nominal, options);
        let missing = missing_uplinks(merged, |s| ranking.rank(s));
        let name = |s: SwitchId| planned.name(names, s);
        let groups = Groups::of_fabric(fabric, ranks);
        let mut odd = odd_places(fabric, &groups, ranks, name);
        let is_idle = idle(planned);
        // How many uplinks switches lack by comparison with their siblings.
        let mut unlike = HashMap::new();
        if plan.remembers() {
            let dark = file.and_then(ReferenceFile::dark);
            odd.extend(self.of_reference(merged, &missing, dark));
        }
        // A reference that grows by itself does not know what was never there.
        if !plan.remembers() || file.is_some_and(|file| file.grows) {
            let lost = missing.iter();
            let lost = lost.map(|[(below, _), _]| merged.nominal.guid(*below));
            let lost: HashSet<Guid> = lost.filter(|_| plan.remembers()).collect();
            let mut all = unlike_siblings(fabric, &groups, ranks);
            all.retain(|switch| !lost.contains(&fabric.guid(switch.switch)));
            odd.extend(describe_unlike(all.clone(), name));
            for switch in all {
                let missing = switch.missing(|s, port| is_idle(fabric.guid(s), port));
                unlike.insert(fabric.guid(switch.switch), missing);
            }
        }
        self.log_odd(odd, is_changed);
        let counts = |link: &&Uplink| {
            link.iter().all(|&(s, port)| {
                merged.has_switch[s] && !is_idle(merged.nominal.guid(s), Some(port))
            })
        };
        let lacking = missing.iter().filter(counts).map(|[(below, _), _]| *below);
        let switch = |guid| self.named(guid);
        let host = |guid| (guid, self.memory.host_name(guid).to_owned());
        let slow_switches = self.memory.slow_switches();
        let slow_switches = slow_switches.map(|(guid, links)| (self.named(guid), links));
        let (missing_uplinks, leaf_hosts) = self.switches(merged, lacking, &unlike);
        let lost_hosts = merged.dark_nodes();
        let lost_hosts = lost_hosts.filter(|node| node.kind != NodeKind::Aggregation);
        Found {
            missing_uplinks,
            leaf_hosts,
            parts: lost_parts(merged, switch, |guid| is_idle(guid, None)),
            hosts: lost_hosts.map(|node| host(node.guid)).collect(),
            slow: self.slow(),
            slow_switches: slow_switches.collect(),
        }
    }

    /// Logs the changes since the last call, also of a fabric that is refused; returns whether there are any. `known` is
    /// a reference, which has the names of `file`.
    pub fn changes(
        &mut self,
        names: &Names,
        fabric: &Fabric,
        known: Option<&Fabric>,
        file: Option<&ReferenceFile>,
    ) -> bool {
        if let Some(known) = known {
            let of_file = file.map(ReferenceFile::names).unwrap_or_default();
            self.memory.learn(known, &of_file);
        }
        let changes = self.memory.look(fabric, names);
        changes.iter().for_each(|line| log::info!("{line}"));
        !changes.is_empty()
    }

    /// The fabric with all equipment that was there at earlier calls.
    pub fn seen(&self) -> &Fabric {
        &self.memory.known
    }

    /// A switch by GUID, and by its last known name.
    fn named(&self, guid: Guid) -> Named {
        (guid, self.memory.switch_name(guid).to_owned())
    }

    fn slow(&self) -> Vec<FoundSlow> {
        let labels = |link: &SlowLink| {
            let (near, port) = link.near;
            let (far, name, far_port) = match link.far {
                Far::Switch(s, port) => (s, self.memory.switch_name(s), port.to_string()),
                Far::Host(host) => (host, self.memory.host_name(host), String::new()),
            };
            [
                ("guid", near.to_string()),
                ("description", self.memory.switch_name(near).to_owned()),
                ("port", port.to_string()),
                ("peer_guid", far.to_string()),
                ("peer_description", name.to_owned()),
                ("peer_port", far_port),
                ("speed", link.slowness.now.to_string()),
                ("expected", link.slowness.expected.to_string()),
            ]
        };
        self.memory.slow_links().map(labels).collect()
    }

    /// Lines about the equipment of a reference that is missing: switches, and links between present switches.
    fn of_reference(
        &self,
        merged: &Merged,
        missing: &[Uplink],
        dark: Option<&BTreeMap<Dark, Date>>,
    ) -> Vec<String> {
        let is_there = |s: SwitchId| merged.has_switch[s];
        let guid = |s: SwitchId| merged.nominal.guid(s);
        let name = |s: SwitchId| format!("{} ({})", guid(s), self.memory.switch_name(guid(s)));
        let seen = |what: Dark| match dark.and_then(|dark| dark.get(&what)) {
            Some(day) => format!(", last seen {day}"),
            None => String::new(),
        };
        let gone = merged.has_switch.keys().filter(|&s| !is_there(s));
        let gone = gone.map(|s| {
            let seen = seen(Dark::Switch(guid(s)));
            format!("missing, by the reference: switch {}{seen}", name(s))
        });
        let are_there = |link: &&Uplink| link.iter().all(|&(s, _)| is_there(s));
        let links = missing.iter().filter(are_there).copied().collect();
        let links = by_switch(links, |link: &Uplink| link.map(|(s, _)| s).into());
        let links = links.into_iter().map(|(switch, links)| {
            let seen = seen(Dark::link(links[0].map(|(s, port)| (guid(s), port))));
            let what = match switch {
                Some(switch) => format!("{} links of {}", links.len(), name(switch)),
                None => {
                    let [a, b] = links[0].map(|(s, port)| format!("{} [{port}]", name(s)));
                    format!("{a} -- {b}")
                }
            };
            format!("missing, by the reference: {what}{seen}")
        });
        gone.chain(links).collect()
    }

    /// Logs the oddities, if they or the fabric have changed.
    fn log_odd(&mut self, odd: Vec<String>, changed: bool) {
        let all = odd.len();
        let new = self.odd.news(odd);
        let old = all - new.len();
        new.iter().take(NAMED).for_each(|line| log::info!("{line}"));
        if new.len() > NAMED {
            log::info!("{} more such places in the wiring", new.len() - NAMED);
        }
        if old > 0 && (changed || !new.is_empty()) {
            log::info!("places in the wiring as before: {old}");
        }
    }

    /// The uplinks that each present switch lacks by the reference, by memory, or by its siblings; and the present hosts
    /// of each that has or should have any.
    fn switches(
        &self,
        merged: &Merged,
        lacking: impl Iterator<Item = SwitchId>,
        unlike: &HashMap<Guid, usize>,
    ) -> (Numbers, Numbers) {
        let fabric = &merged.nominal;
        let mut lacks: TiVec<SwitchId, _> = vec![0; fabric.switches().len()].into();
        lacking.for_each(|below| lacks[below] += 1);
        let (mut missing, mut leaf_hosts) = (Numbers::new(), Numbers::new());
        for s in fabric.switches().keys().filter(|&s| merged.has_switch[s]) {
            let named = self.named(fabric.guid(s));
            let hosts = fabric.node_ids_of(s);
            let hosts = hosts.filter(|&n| fabric.end_nodes()[n].kind != NodeKind::Aggregation);
            let there = hosts.clone().filter(|&n| merged.has_node[n]).count();
            if hosts.count() > 0 {
                leaf_hosts.push((named.clone(), there));
            }
            let by_siblings = unlike.get(&named.0).copied().unwrap_or(0);
            missing.push((named, by_siblings.max(lacks[s])));
        }
        (missing, leaf_hosts)
    }
}

/// Whether a switch is drained, or this port of it: the metrics tell nothing of what is to go.
fn idle(planned: &Planned) -> impl Fn(Guid, Option<PortNumber>) -> bool + use<> {
    let drained = planned.options.drain.iter().chain(&planned.out);
    let drained: BTreeSet<_> = drained.map(|d: &Drained| (d.switch, d.port)).collect();
    move |guid, port| drained.contains(&(guid, None)) || drained.contains(&(guid, port))
}

/// The connected sets of lost switches, such as a pod, without those that are idle: each has one cause.
fn lost_parts(
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
    let lost = parts(&merged.nominal, is_lost).into_iter();
    lost.map(part).collect()
}

/// The line about ranks where GUIDs decide the places, if there are such ranks and no reference.
fn unknown_places(plan: &Plan) -> Option<String> {
    let ranks: Vec<String> = plan.ranks_by_guid().iter().map(u32::to_string).collect();
    let help = "a reference would help: GUIDs, not ports, decide the places on rank";
    (!ranks.is_empty()).then(|| format!("{help} {}", ranks.join(", ")))
}

/// Counts the pairs of hosts on detours, and those left out. Detours between two hosts above the leaves do not count:
/// where no switch is above both, detours are by design.
pub fn host_pairs(planned: &Planned) -> HostPairs {
    let Planned { fabric, plan, .. } = planned;
    let (out, _) = plan.connections().left_out_ends(fabric).split();
    let mut pairs = HostPairs {
        turned: 0,
        left_out: out.count(),
    };
    for (from, to) in plan.detours() {
        if plan.ranking().is_leaf(from) || plan.ranking().is_leaf(to) {
            let senders = fabric.hosts_of(from).count() as u64;
            let lids = fabric.hosts_of(to).map(|host| 1 << host.lmc);
            pairs.turned += senders * lids.sum::<u64>();
        }
    }
    pairs
}
