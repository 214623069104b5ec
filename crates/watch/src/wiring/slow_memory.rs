//! Slow links over time, as log lines: one when a link becomes slow and one when it is mended.
//!
//! A link that was faster before is slow, also if its siblings are as slow. A slow link stays slow until it has its
//! expected speed, also if its siblings become as slow later.

use super::causes::by_switch;
use super::lines::{Names, Port, link};
use super::slow::{Designed, Far, Slow, Slowness, Witness, slow_links};
use dmodc_fabric::{Fabric, Guid, Peer, PortNumber, Speed, SwitchId, grouped};
use std::collections::{BTreeMap, HashMap};

/// How many slow links the log names at once.
const NAMED: usize = 10;

/// A link by the GUIDs of its ends: the switch of lower GUID first, or the switch of a host.
type LinkId = (Port, Far<Guid, Guid>);

pub type SlowLink = Slow<Guid, Guid>;

fn link_id(fabric: &Fabric, switch: SwitchId, port: PortNumber) -> Option<LinkId> {
    match fabric.peer(switch, port) {
        Peer::None => None,
        Peer::EndNode(node) => {
            let host = fabric.end_nodes()[node].guid;
            let near = (fabric.guid(switch), port);
            Some((near, Far::Host(host)))
        }
        Peer::Switch { index, port: far } => {
            let [near, (guid, port)] = link(fabric, [(switch, port), (index, far)]);
            Some((near, Far::Switch(guid, port)))
        }
    }
}

impl SlowLink {
    fn new(
        link: LinkId,
        fabric: &Fabric,
        rank: impl Fn(SwitchId) -> u32,
        slowness: Slowness,
    ) -> Self {
        let rank = |guid: Guid| fabric.switch_by_guid(guid).map(&rank);
        let (near, far) = match link {
            (a, Far::Switch(b, port)) if rank(a.0) > rank(b) => ((b, port), Far::Switch(a.0, a.1)),
            as_it_is => as_it_is,
        };
        SlowLink {
            near,
            far,
            slowness,
        }
    }

    pub(super) fn switches(&self) -> Vec<Guid> {
        match self.far {
            Far::Switch(far, _) => vec![self.near.0, far],
            Far::Host(_) => vec![self.near.0],
        }
    }

    fn describe(&self, names: &Names) -> String {
        let near = names.port(&self.near);
        match self.far {
            Far::Switch(far, port) => format!("{near} -- {}", names.port(&(far, port))),
            Far::Host(host) => format!("host {} at {near}", names.hosts[&host]),
        }
    }
}

/// The expected speeds of slow links, over all calls.
#[derive(Default)]
pub struct SlowMemory {
    expected: BTreeMap<LinkId, (Speed, Witness)>,
    /// The slow links of the last call.
    pub last: BTreeMap<LinkId, SlowLink>,
}

impl SlowMemory {
    fn expect(&mut self, link: LinkId, speed: Speed, witness: Witness) {
        let known = self.expected.entry(link).or_insert((speed, witness));
        // The highest speed holds. For the same speed siblings or reference are better evidence than the link itself.
        if (known.0, witness) < (speed, known.1) {
            *known = (speed, witness);
        }
    }

    /// Records the links that are slower than before. `before` may have its switches in any order.
    pub fn compare(&mut self, before: &Fabric, now: &Fabric) {
        let at = before.switches().iter_enumerated();
        let at = at.map(|(s, of)| (of.guid, s));
        let at: HashMap<Guid, SwitchId> = at.collect();
        for (s, switch) in now.switches().iter_enumerated() {
            let Some(&was) = at.get(&switch.guid) else {
                continue;
            };
            let (old, new) = (before.speeds_of(was), now.speeds_of(s));
            for (port, (old, new)) in switch.port_numbers().zip(old.iter().zip(new)) {
                if new.is_known()
                    && new < old
                    && let Some(link) = link_id(now, s, port)
                    && link_id(before, was, port) == Some(link)
                {
                    self.expect(link, *old, Witness::Before);
                }
            }
        }
    }

    /// Finds the slow links. Returns log lines about new and mended ones, and about the number of the others. `rank`
    /// gives the rank of a switch.
    pub fn look<'m>(
        &mut self,
        fabric: &Fabric,
        rank: impl Fn(SwitchId) -> u32,
        reference: Option<&Fabric>,
        names: impl FnOnce() -> Names<'m>,
    ) -> Vec<String> {
        for slow in slow_links(fabric, &rank, reference) {
            if let Some(link) = link_id(fabric, slow.near.0, slow.near.1) {
                self.expect(link, slow.slowness.expected, slow.slowness.witness);
            }
        }
        let designs = Designed::new(fabric, reference);
        let mut mended = Vec::new();
        let mut slow: BTreeMap<LinkId, SlowLink> = BTreeMap::new();
        let last = &self.last;
        self.expected.retain(|&link, &mut (expected, witness)| {
            let (guid, port) = link.0;
            let switch = fabric.switch_by_guid(guid);
            // For links that have gone, `Memory` logs a line.
            let is_its = |&s: &SwitchId| link_id(fabric, s, port) == Some(link);
            let Some(switch) = switch.filter(is_its) else {
                return false;
            };
            let now = fabric.link_speed(switch, port);
            let designed = designs.speed(switch, port);
            let is_designed = designed.is_some_and(|speed| now >= speed);
            let slowness = Slowness {
                now,
                expected,
                witness,
            };
            let shown = SlowLink::new(link, fabric, &rank, slowness);
            let is_slow = now.is_known() && now < expected && !is_designed;
            if is_slow {
                slow.insert(link, shown);
            } else if now >= expected && last.contains_key(&link) {
                mended.push(shown);
            }
            is_slow
        });
        let speeds = |link: &SlowLink| (link.slowness.now, link.slowness.expected);
        let mut new = slow.clone();
        new.retain(|link, slow| last.get(link).map(speeds) != Some(speeds(slow)));
        let mut lines = Vec::new();
        if !(new.is_empty() && mended.is_empty()) {
            let names = names();
            let are = |l: &SlowLink| l.slowness.to_string();
            lines = first_few("slow", one_a_box(new.values(), &names, are));
            let are = |l: &SlowLink| l.slowness.now.to_string();
            lines.extend(first_few("mended", one_a_box(mended.iter(), &names, are)));
            let before = slow.len() - new.len();
            if before > 0 {
                lines.push(format!("slow links as before: {before}"));
            }
        }
        self.last = slow;
        lines
    }
}

/// The links in words: those of one switch that are alike by `are` at once, if they are many.
fn one_a_box<'l>(
    links: impl Iterator<Item = &'l SlowLink>,
    names: &Names,
    are: impl Fn(&SlowLink) -> String,
) -> Vec<String> {
    let mut lines = Vec::new();
    for (are, links) in grouped(links.map(|link| (are(link), link))) {
        for (switch, links) in by_switch(links, |link| link.switches()) {
            let what = match switch {
                Some(switch) => format!("{} links of {}", links.len(), names.switch(&switch)),
                None => links[0].describe(names),
            };
            lines.push(format!("{what} {are}"));
        }
    }
    lines
}

/// Log lines about the first few links in order, and about the number of the others.
fn first_few(word: &str, mut links: Vec<String>) -> Vec<String> {
    links.sort_unstable();
    let more = links.len().saturating_sub(NAMED);
    links.truncate(NAMED);
    let mut lines: Vec<String> = links.iter().map(|link| format!("{word}: {link}")).collect();
    if more > 0 {
        lines.push(format!("{word}: {more} more links"));
    }
    lines
}
