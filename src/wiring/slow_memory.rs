//! Slow links over time, as log lines: one when a link becomes slow and one when it is mended.
//!
//! A link that was faster before is slow whatever its siblings are, and a slow link stays slow until it has
//! its expected speed: links beside it that become slow later do not make it normal.

use super::lines::Names;
use super::slow::{Slow, Slowness, Witness};
use super::view::{Port, link};
use crate::fabric::{Fabric, Guid, Peer, Speed};
use std::collections::{BTreeMap, HashMap};

/// How many slow links are named at once.
const NAMED: usize = 10;

/// The other end of a link, by GUID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Beyond {
    /// A port of a switch.
    Switch(Port),
    /// A host.
    Host(Guid),
}

/// A link by the GUIDs of its ends: the switch of lower GUID first, or the switch of a host.
type Place = (Port, Beyond);

/// The link at a switch port.
fn place(fabric: &Fabric, switch: u32, port: u8) -> Option<Place> {
    match fabric.peer(switch, port) {
        Peer::None => None,
        Peer::EndNode(node) => {
            let host = fabric.end_nodes()[node as usize].guid;
            let near = (fabric.switches()[switch as usize].guid, port);
            Some((near, Beyond::Host(host)))
        }
        Peer::Switch { index, port: far } => {
            let [near, far] = link(fabric, [(switch, port), (index, far)]);
            Some((near, Beyond::Switch(far)))
        }
    }
}

/// The first port of a link, if the fabric has the link.
fn port_in(fabric: &Fabric, link: Place) -> Option<(u32, u8)> {
    let (guid, port) = link.0;
    let switch = fabric.switch_by_guid(guid)?;
    (place(fabric, switch, port)? == link).then_some((switch, port))
}

/// A link that is slow now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlowLink {
    /// The port at the lower end, or the host's switch port.
    pub near: Port,
    /// The other end.
    pub far: Beyond,
    /// How slow it is.
    pub slowness: Slowness,
}

impl SlowLink {
    fn new(link: Place, fabric: &Fabric, rank: impl Fn(u32) -> u32, slowness: Slowness) -> Self {
        let rank = |end: Port| fabric.switch_by_guid(end.0).map(&rank);
        let (near, far) = match link {
            (a, Beyond::Switch(b)) if rank(a) > rank(b) => (b, Beyond::Switch(a)),
            as_it_is => as_it_is,
        };
        SlowLink {
            near,
            far,
            slowness,
        }
    }

    /// The link in a few words.
    fn describe(&self, names: &Names) -> String {
        let near = names.port(&self.near);
        match self.far {
            Beyond::Switch(far) => format!("{near} -- {}", names.port(&far)),
            Beyond::Host(host) => format!("host {} at {near}", names.hosts[&host]),
        }
    }
}

/// The expected speeds of slow links, over all looks.
#[derive(Default)]
pub struct SlowMemory {
    expected: BTreeMap<Place, (Speed, Witness)>,
    /// The slow links of the last look.
    last: BTreeMap<Place, SlowLink>,
}

impl SlowMemory {
    fn expect(&mut self, link: Place, speed: Speed, witness: Witness) {
        let known = self.expected.entry(link).or_insert((speed, witness));
        // The speed of the links beside it is better evidence than its own earlier speed.
        if (known.0, witness) < (speed, known.1) {
            *known = (speed, witness);
        }
    }

    /// Notes the links that are slower than they were. `before` may have its switches in any order.
    pub fn compare(&mut self, before: &Fabric, now: &Fabric) {
        if !(before.has_speeds() && now.has_speeds()) {
            return;
        }
        let at = (0u32..).zip(before.switches()).map(|(s, of)| (of.guid, s));
        let at: HashMap<Guid, u32> = at.collect();
        for (s, switch) in (0u32..).zip(now.switches()) {
            let Some(&was) = at.get(&switch.guid) else {
                continue;
            };
            let (old, new) = (before.speeds_of(was), now.speeds_of(s));
            if old == new {
                continue;
            }
            for (port, (old, new)) in (1u8..).zip(old.iter().zip(new)) {
                if new.is_known()
                    && new < old
                    && let Some(link) = place(now, s, port)
                    && place(before, was, port) == Some(link)
                {
                    self.expect(link, *old, Witness::Before);
                }
            }
        }
    }

    /// Takes the links that are slow by siblings or reference. Returns all slow links, and log lines about the new
    /// and the mended ones with the number of the others. `rank` gives the rank of a switch.
    pub fn look<'m>(
        &mut self,
        fabric: &Fabric,
        found: &[Slow],
        rank: impl Fn(u32) -> u32,
        reference: Option<&Fabric>,
        names: impl FnOnce() -> Names<'m>,
    ) -> (Vec<SlowLink>, Vec<String>) {
        for slow in found {
            if let Some(link) = place(fabric, slow.near.0, slow.near.1) {
                self.expect(link, slow.slowness.expected, slow.slowness.witness);
            }
        }
        let mut mended = Vec::new();
        let mut slow: BTreeMap<Place, SlowLink> = BTreeMap::new();
        let last = &self.last;
        self.expected.retain(|&link, &mut (expected, witness)| {
            // The memory of the wiring logs links that have gone.
            let Some((switch, port)) = port_in(fabric, link) else {
                return false;
            };
            let now = fabric.link_speed(switch, port);
            let designed = reference.map(|of| of.speed_in(fabric, switch, port));
            let is_designed = designed.is_some_and(|speed| speed.is_known() && now >= speed);
            let slowness = Slowness {
                now,
                expected,
                witness,
            };
            let shown = SlowLink::new(link, fabric, &rank, slowness);
            let is_slow = now.is_known() && now < expected && !is_designed;
            if is_slow {
                slow.insert(link, shown);
            } else if last.contains_key(&link) {
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
            let new_line = |l: &SlowLink| format!("{} {}", l.describe(&names), l.slowness);
            let mended_line = |l: &SlowLink| format!("{} {}", l.describe(&names), l.slowness.now);
            lines = first_few("slow", new.values().map(new_line));
            lines.extend(first_few("mended", mended.iter().map(mended_line)));
            let before = slow.len() - new.len();
            if before > 0 {
                lines.push(format!("slow links as before: {before}"));
            }
        }
        self.last = slow;
        (self.last.values().copied().collect(), lines)
    }
}

/// Log lines about the first few links in order, and the number of the others.
fn first_few(word: &str, links: impl Iterator<Item = String>) -> Vec<String> {
    let mut links: Vec<String> = links.collect();
    links.sort_unstable();
    let more = links.len().saturating_sub(NAMED);
    links.truncate(NAMED);
    let mut lines: Vec<String> = links.iter().map(|link| format!("{word}: {link}")).collect();
    if more > 0 {
        lines.push(format!("{word}: {more} more links"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::dmodc::{Options, Ranking};
    use crate::names::Directory;
    use crate::netlist::{Netlist, Part};
    use crate::testing::pgft;
    use crate::wiring::{Memory, slow_links};

    /// Two leaves with two hosts each below four spines.
    fn whole() -> Netlist {
        pgft("PGFT(2;2,2;1,4;1,1)")
    }

    /// A leaf's or spine's links at these ports, from its side: the lesser end counts.
    fn with(net: &Netlist, ports: &[(&str, u8)], speed: &str) -> Netlist {
        let mut net = net.clone();
        for &(name, number) in ports {
            let node = net.nodes.iter_mut().find(|n| n.description == name);
            let mut ports = node.expect("a node").ports.iter_mut();
            let port = ports.find(|port| port.number == number);
            port.expect("a link").link = speed.into();
        }
        net
    }

    fn look(memory: &mut Memory, net: &Netlist, reference: Option<&Netlist>) -> Vec<String> {
        let (fabric, names) = net.to_fabric(None).expect("LIDs");
        let reference = reference.map(|net| net.to_fabric(None).expect("LIDs").0);
        let reference = reference.as_ref();
        let switch = |s: u32| names.switches[s as usize].clone();
        memory.look(&fabric, switch, |h| names.end_nodes[h as usize].clone());
        let ranking = Ranking::new(&fabric, &Options::default());
        let rank = |s| ranking.rank(s);
        let found = slow_links(&fabric, rank, reference);
        let (slow, lines) = memory.slow(&fabric, &found, rank, reference);
        [vec![slow.len().to_string()], lines].concat()
    }

    #[test]
    fn a_slow_link_is_logged_once_and_when_it_is_mended() {
        let (net, mut memory) = (whole(), Memory::default());
        assert_eq!(look(&mut memory, &net, None), ["0"]);
        let slow = with(&net, &[("L1-1", 4), ("node-0", 1)], "1xEDR");
        assert_eq!(
            look(&mut memory, &slow, None),
            [
                "2",
                "slow: 'L1-1' [4] -- 'L2-1' [2] 1xEDR, siblings 4xEDR",
                "slow: host 'node-0' at 'L1-0' [1] 1xEDR, siblings 4xEDR",
            ]
        );
        assert_eq!(look(&mut memory, &slow, None), ["2"]);
        let more = with(&slow, &[("L1-0", 6)], "1xSDR");
        assert_eq!(
            look(&mut memory, &more, None),
            [
                "3",
                "slow: 'L1-0' [6] -- 'L2-3' [1] 1xSDR, siblings 4xEDR",
                "slow links as before: 2",
            ]
        );
        let host = with(&net, &[("node-0", 1)], "1xEDR");
        assert_eq!(
            look(&mut memory, &host, None),
            [
                "1",
                "mended: 'L1-0' [6] -- 'L2-3' [1] 4xEDR",
                "mended: 'L1-1' [4] -- 'L2-1' [2] 4xEDR",
                "slow links as before: 1",
            ]
        );
        let host = Directory::of_netlist(&net).parts(&net, "node-0");
        let alone = net.without(&host.expect("a host"));
        assert_eq!(look(&mut memory, &alone, None), ["0"]);
    }

    #[test]
    fn a_link_slow_from_the_start_stays_slow_though_all_become_as_slow() {
        let (net, mut memory) = (whole(), Memory::default());
        let mut slow = net.clone();
        let leaves = ["L1-0", "L1-1"].map(|leaf| (3..=6).map(move |port| (leaf, port)));
        for (count, link) in (1..).zip(leaves.into_iter().flatten()) {
            slow = with(&slow, &[link], "2xEDR");
            let lines = look(&mut memory, &slow, None);
            let end = match link {
                ("L1-0", 3..6) => "2xEDR, siblings 4xEDR",
                _ => "2xEDR, before 4xEDR",
            };
            assert!(lines[1].ends_with(end), "{link:?} {lines:?}");
            assert_eq!(lines[0], count.to_string());
        }
        let few = with(&net, &[("L1-0", 3)], "2xEDR");
        let lines = look(&mut memory, &few, None);
        assert_eq!((&*lines[0], lines.len()), ("1", 9), "{lines:?}");
        assert_eq!(lines[8], "slow links as before: 1");
        // A link that was faster before has no need of siblings; one that is dark in between neither.
        let mut memory = Memory::default();
        let all: Vec<(&str, u8)> = (3..=6).flat_map(|p| [("L1-0", p), ("L1-1", p)]).collect();
        look(&mut memory, &net, None);
        let links = net.links_between_switches();
        let dark = net.without(&[links[0], links[1]].map(Part::Link));
        assert_eq!(look(&mut memory, &dark, None), ["0"]);
        let lines = look(&mut memory, &with(&net, &all, "2xEDR"), None);
        assert_eq!(lines[0], "8");
        assert_eq!(
            lines[1],
            "slow: 'L1-0' [3] -- 'L2-0' [1] 2xEDR, before 4xEDR"
        );
    }

    #[test]
    fn a_reference_that_has_it_so_ends_it() {
        let (net, mut memory) = (whole(), Memory::default());
        let slow = with(&net, &[("L1-1", 4)], "2xEDR");
        look(&mut memory, &net, None);
        assert_eq!(look(&mut memory, &slow, Some(&slow)), ["0"]);
        assert_eq!(
            look(&mut memory, &slow, Some(&net)),
            ["1", "slow: 'L1-1' [4] -- 'L2-1' [2] 2xEDR, reference 4xEDR"]
        );
    }

    #[test]
    fn of_many_the_first_few_are_named() {
        let net = pgft("PGFT(2;2,4;1,8;1,1)");
        let all: Vec<(&str, u8)> = (3..=8).flat_map(|p| [("L1-0", p), ("L1-1", p)]).collect();
        let lines = look(&mut Memory::default(), &with(&net, &all, "1xEDR"), None);
        assert_eq!((lines.len(), &*lines[11]), (12, "slow: 2 more links"));
    }
}
