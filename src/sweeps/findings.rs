//! Logs, once the tables are sent, the changes since the last sweep and oddities. Finds missing equipment, slow links
//! and hosts on detours for `dmodc.metrics`.

use super::logged::Logged;
use super::metrics::{Found, FoundSlow, HostPairs};
use super::planned::{Called, Planned};
use crate::dmodc::{Groups, Plan, Ranking};
use crate::fabric::{self, Guid, Merged};
use crate::reference::{Dark, Day};
use crate::wiring::{Far, Memory, SlowLink, Uplink, missing_uplinks, odd_places, unlike_siblings};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

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
    /// the switches, gone ones included.
    ///
    /// The reference decides what is missing; without one, earlier sweeps of this OpenSM and siblings decide. `dark`
    /// has the days when dark equipment was last seen.
    pub fn look(
        &mut self,
        called: &dyn Called,
        planned: &Planned,
        dark: Option<&BTreeMap<Dark, Day>>,
    ) -> Vec<Found> {
        let Planned {
            fabric,
            plan,
            options,
            ..
        } = planned;
        let changes = self
            .memory
            .look(fabric, |s| called.switch(s), |node| called.end_node(node));
        let ranks = plan.ranking();
        let reference = options.reference.as_deref();
        let lines = self.memory.slow(fabric, |s| ranks.rank(s), reference);
        let lines = changes.iter().cloned().chain(lines);
        let lines = lines.chain(self.ranks.news([format!("ranks: {ranks}")]));
        let lines = lines.chain(self.unknown_places.news(unknown_places(plan)));
        lines.for_each(|line| log::info!("{line}"));
        let seen;
        let (merged, ranking) = match plan.known() {
            Some((merged, ranking)) => (merged, Cow::Borrowed(ranking)),
            None => {
                seen = Merged::new(fabric, self.memory.known());
                let ranking = Ranking::new(&seen.nominal, options);
                (&seen, Cow::Owned(ranking))
            }
        };
        let missing = missing_uplinks(merged, |s| ranking.rank(s));
        let name = |s: u32| planned.name(called, s);
        let groups = Groups::of(fabric, ranks);
        let mut odd = odd_places(fabric, &groups, ranks, name);
        // How many uplinks switches lack by comparison with their siblings.
        let mut unlike = HashMap::new();
        if plan.known().is_some() {
            odd.extend(self.of_reference(merged, &missing, dark));
        } else {
            for switch in unlike_siblings(fabric, &groups, ranks) {
                odd.push(switch.describe(name));
                let guid = fabric.guid(switch.switch);
                unlike.insert(guid, switch.missing());
            }
        }
        self.log_odd(odd, !changes.is_empty());
        self.switches(merged, &missing, &unlike)
    }

    /// The slow links, as labels.
    pub fn slow(&self) -> Vec<FoundSlow> {
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
        dark: Option<&BTreeMap<Dark, Day>>,
    ) -> Vec<String> {
        let boxes = merged.boxes();
        let is_there = |s: u32| boxes[s as usize].is_some();
        let guid = |s: u32| merged.nominal.guid(s);
        let name = |s: u32| format!("{} ({})", guid(s), self.memory.switch_name(guid(s)));
        let seen = |what: Dark| match dark.and_then(|dark| dark.get(&what)) {
            Some(day) => format!(", last seen {day}"),
            None => String::new(),
        };
        let gone = (0..boxes.len() as u32).filter(|&s| !is_there(s));
        let gone = gone.map(|s| {
            let seen = seen(Dark::Switch(guid(s)));
            format!("missing, by the reference: switch {}{seen}", name(s))
        });
        let are_there = |link: &&Uplink| link.iter().all(|&(s, _)| is_there(s));
        let links = missing.iter().filter(are_there).map(|link| {
            let [a, b] = link.map(|(s, port)| format!("{} [{port}]", name(s)));
            let seen = seen(Dark::link(link.map(|(s, port)| (guid(s), port))));
            format!("missing, by the reference: {a} -- {b}{seen}")
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

    /// All switches, with the uplinks that each lacks by the reference, by memory, or by its siblings.
    fn switches(
        &self,
        merged: &Merged,
        missing: &[Uplink],
        unlike: &HashMap<Guid, u32>,
    ) -> Vec<Found> {
        let mut lacks = vec![0; merged.nominal.switches().len()];
        for [(below, _), _] in missing {
            lacks[*below as usize] += 1;
        }
        let found = |(index, (switch, lacks)): (u32, (&fabric::Switch, u32))| Found {
            guid: switch.guid,
            description: self.memory.switch_name(switch.guid).to_owned(),
            missing: lacks.max(unlike.get(&switch.guid).copied().unwrap_or(0)),
            hosts: merged
                .nominal
                .hosts_of(index)
                .next()
                .map(|_| merged.there.hosts_of(index).count()),
        };
        let switches = merged.nominal.switches().iter().zip(lacks);
        (0..).zip(switches).map(found).collect()
    }
}

/// The line about ranks where GUIDs decide the places, if there are such ranks and no reference.
fn unknown_places(plan: &Plan) -> Option<String> {
    let ranks: Vec<String> = plan.ranks_by_guid().iter().map(u32::to_string).collect();
    (plan.known().is_none() && !ranks.is_empty()).then(|| {
        format!(
            "a reference would help: GUIDs, not ports, decide the places on rank {}",
            ranks.join(", ")
        )
    })
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
    if plan.connections().turned > 0 {
        let switches = 0..fabric.switches().len() as u32;
        let switches = switches.filter(|&s| fabric.hosts_of(s).next().is_some());
        let switches: Vec<u32> = switches.collect();
        for &from in &switches {
            let senders = fabric.hosts_of(from).count() as u64;
            let is_leaf = plan.ranking().is_leaf(from);
            for &to in &switches {
                if (is_leaf || plan.ranking().is_leaf(to)) && plan.turned(from, to).is_some() {
                    let lids = fabric.hosts_of(to).map(|host| 1 << host.lmc);
                    pairs.turned += senders * lids.sum::<u64>();
                }
            }
        }
    }
    pairs
}
