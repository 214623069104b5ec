//! Netlists from lists of links that do not describe nodes: `iblinkinfo`, `ibnetdiscover -p`, `.net_dump`.
//!
//! A line has a port and the port at its other end, with some of: kind, GUID, LID, number, description, label. A switch
//! has one GUID, a host one for each port, and the node GUID of a host is not in the list. So ports of hosts become one
//! node if they have one GUID, or one description and GUIDs that count up with their numbers; any other port is a node
//! of its own with the port's GUID. An end without a GUID is found by LID, number and description, else it has a GUID
//! made of its LID. The number of ports of a node is the greatest that appears.
//!
//! Cost: a few look-ups a line; memory grows with the lines.

use super::claims::PortLine;
use super::draft::{Draft, new_node, peer_port};
use super::error::{PortOf, Reason};
use super::model::{Kind, Netlist, Port, cage_port};
use crate::input::{Fault, Parsed};
use crate::scan::text;
use dmodc_fabric::{Guid, Lid, PortNumber, Rate, Speed};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::iter;

/// One end of a link, as far as a line has it.
#[derive(Clone, Default)]
pub(super) struct End {
    pub kind: Option<Kind>,
    /// The GUID of a switch, or of a port of a host.
    pub guid: Option<Guid>,
    /// The port number; 0 if the line has a label alone.
    pub number: u64,
    pub lid: Lid,
    pub description: String,
    pub label: String,
}

/// A line: a port, and its other end if it has a link.
struct Line {
    number: u32,
    near: End,
    far: Option<End>,
    link: String,
}

#[derive(Default)]
pub(super) struct Links {
    lines: Vec<Line>,
}

/// GUIDs of nodes without any in the list begin with this; ibsim's counters are far below.
const NO_GUID: u64 = 0xfd00_0000_0000_0000;

/// The most planes of XDR.
const PLANES: u64 = 4;

/// Width and rate in ibnetdiscover's words, `4xEDR`, of `4X` and `25.78125`; empty if one is unknown.
pub(super) fn speed_of(width: &[u8], rate: &[u8]) -> String {
    let (width, rate) = (text(width).to_lowercase(), text(rate));
    let known = rate.parse::<Rate>().ok().or_else(|| Rate::of_gbps(&rate));
    let known = known.map(|rate| format!("{width}{rate}"));
    let known = known.filter(|link| link.parse::<Speed>().is_ok());
    known.unwrap_or_default()
}

impl Links {
    /// Adds a port that the current line has, with its other end.
    pub fn add(&mut self, draft: &Draft, near: End, far: Option<End>, link: String) {
        self.lines.push(Line {
            number: draft.line,
            near,
            far,
            link,
        });
    }

    /// The netlist. `draft` has the warnings so far, and no node.
    pub fn finish(mut self, mut draft: Draft) -> Parsed<Netlist, Reason> {
        self.number_by_label();
        self.find_far_guids(&mut draft);
        self.share_descriptions();
        let kinds = self.kinds();
        let nodes = self.node_guids(&kinds);
        let fed = self.feed(&mut draft, &kinds, &nodes);
        fed.map_err(|reason| Fault::in_line(draft.line, reason))?;
        draft.finish()
    }

    /// Gives far ends that have a label alone the number of the port with that label at that node.
    fn number_by_label(&mut self) {
        let mut numbers: HashMap<(Guid, &str), u64> = HashMap::new();
        for Line { near, .. } in &self.lines {
            if let Some(guid) = near.guid.filter(|_| !near.label.is_empty()) {
                numbers.insert((guid, &near.label), near.number);
            }
        }
        let mut next: HashMap<Guid, u64> = HashMap::new();
        let found = self.lines.iter().map(|line| {
            let far = line.far.as_ref().filter(|far| far.number == 0)?;
            let guid = far.guid?;
            let number = numbers.get(&(guid, far.label.as_str())).copied();
            // A host's label ends with the number of its port.
            let last = far.label.rsplit('/').next().and_then(|n| n.parse().ok());
            let last = cage_port(&far.label).map(u64::from).or(last);
            Some(number.or(last.filter(|n| *n > 0)).unwrap_or_else(|| {
                let next = next.entry(guid).or_insert(0);
                *next += 1;
                *next
            }))
        });
        let found: Vec<Option<u64>> = found.collect();
        for (line, number) in self.lines.iter_mut().zip(found) {
            if let (Some(far), Some(number)) = (&mut line.far, number) {
                far.number = number;
            }
        }
    }

    fn find_far_guids(&mut self, draft: &mut Draft) {
        let mut by_lid: HashMap<(Lid, u64), Option<Guid>> = HashMap::new();
        let mut by_name: HashMap<(&str, u64), Vec<usize>> = HashMap::new();
        for (at, Line { near, .. }) in self.lines.iter().enumerate() {
            if near.lid != Lid(0) {
                // A LID that two nodes have finds none.
                let held = by_lid.entry((near.lid, near.number)).or_insert(near.guid);
                *held = held.filter(|guid| Some(*guid) == near.guid);
            }
            let named = by_name.entry((&near.description, near.number));
            named.or_default().push(at);
        }
        let found = self.lines.iter().map(|Line { near, far, .. }| {
            let far = far.as_ref().filter(|far| far.guid.is_none())?;
            let lid = by_lid.get(&(far.lid, far.number)).copied().flatten();
            let mutual = |at: &&usize| {
                let other = &self.lines[**at];
                let lids = [far.lid, other.near.lid];
                let back = other.far.as_ref().filter(|back| {
                    back.number == near.number && back.description == near.description
                });
                back.is_some() && (lids[0] == lids[1] || lids.contains(&Lid(0)))
            };
            lid.or_else(|| {
                let named = by_name.get(&(far.description.as_str(), far.number));
                let mut mutual = named.into_iter().flatten().filter(mutual);
                let only = mutual.next().filter(|_| mutual.next().is_none());
                self.lines[*only?].near.guid
            })
        });
        let found: Vec<Option<Guid>> = found.collect();
        for (line, guid) in self.lines.iter_mut().zip(found) {
            if let (Some(far), Some(guid)) = (&mut line.far, guid) {
                far.guid = Some(guid);
            }
        }
        // A switch that is never on the left has one LID at several ports.
        let mut least: HashMap<Lid, u64> = HashMap::new();
        let far = self.lines.iter().filter_map(|line| line.far.as_ref());
        for far in far.filter(|far| far.guid.is_none()) {
            let held = least.entry(far.lid).or_insert(far.number);
            *held = far.number.min(*held);
        }
        for line in &mut self.lines {
            let Some(far) = line.far.as_mut().filter(|far| far.guid.is_none()) else {
                continue;
            };
            draft.line = line.number;
            if far.lid != Lid(0) {
                let made = u64::from(far.lid.0) << 8 | least[&far.lid].min(255);
                far.guid = Some(Guid(NO_GUID | made));
                draft.warn(Reason::NoGuid(format!("\"{}\"", far.description)));
            } else {
                let near = &line.near;
                let port = PortNumber(u8::try_from(near.number).unwrap_or(0));
                let port = PortOf(port, near.description.clone());
                draft.warn(Reason::NoPeer(port, far.description.clone()));
                line.far = None;
            }
        }
    }

    /// Gives ends without a description the one that another line has for their GUID.
    fn share_descriptions(&mut self) {
        let known = self.ends().filter(|(.., end)| !end.description.is_empty());
        let known = known.map(|(_, guid, end)| (guid, end.description.clone()));
        let known: HashMap<Guid, String> = known.collect();
        let ends = self.lines.iter_mut();
        let ends = ends.flat_map(|line| iter::once(&mut line.near).chain(&mut line.far));
        for end in ends.filter(|end| end.description.is_empty()) {
            let found = end.guid.and_then(|guid| known.get(&guid));
            end.description = found.cloned().unwrap_or_default();
        }
    }

    fn ends(&self) -> impl Iterator<Item = (u32, Guid, &End)> {
        self.lines.iter().flat_map(|line| {
            let ends = [Some(&line.near), line.far.as_ref()].into_iter().flatten();
            ends.filter_map(|end| Some((line.number, end.guid?, end)))
        })
    }

    /// The kind of each GUID. One at several ports is a switch's, unless the ports of a host in planes share it: they
    /// are few, and the description is a host's, or each has one lane.
    fn kinds(&self) -> HashMap<Guid, Kind> {
        let wide = self.lines.iter().filter_map(|line| {
            let ends = [line.near.guid, line.far.as_ref()?.guid];
            (!line.link.starts_with("1x")).then_some(ends)
        });
        let wide: HashSet<Guid> = wide.flatten().flatten().collect();
        let mut told: HashMap<Guid, Kind> = HashMap::new();
        let mut numbers: HashMap<Guid, BTreeSet<u64>> = HashMap::new();
        let mut hosts: HashSet<Guid> = HashSet::new();
        for (_, guid, end) in self.ends() {
            if let Some(kind) = end.kind {
                told.insert(guid, kind);
            }
            numbers.entry(guid).or_default().insert(end.number);
            if is_of_host(&end.description) {
                hosts.insert(guid);
            }
        }
        for (guid, numbers) in numbers {
            let are_planes = hosts.contains(&guid) || !wide.contains(&guid);
            let in_planes = numbers.last() <= Some(&PLANES) && are_planes;
            let is_switch = numbers.len() > 1 && !in_planes;
            told.entry(guid).or_insert(match is_switch {
                true => Kind::Switch,
                false => Kind::Ca,
            });
        }
        told
    }

    /// The node GUID for each GUID: of hosts with several ports, the GUID from which those of the ports count up.
    fn node_guids(&self, kinds: &HashMap<Guid, Kind>) -> HashMap<Guid, Guid> {
        let mut groups: HashMap<(Guid, &str), BTreeSet<(u64, Guid)>> = HashMap::new();
        let of_hosts = self.ends().filter(|end| kinds[&end.1] != Kind::Switch);
        for (_, guid, end) in of_hosts {
            let base = Guid(guid.0.wrapping_sub(end.number));
            let group = groups.entry((base, &end.description)).or_default();
            group.insert((end.number, guid));
        }
        let mut nodes: HashMap<Guid, Guid> = HashMap::new();
        for ((base, _), ports) in groups {
            if ports.len() > 1 && !kinds.contains_key(&base) {
                nodes.extend(ports.into_iter().map(|(_, guid)| (guid, base)));
            }
        }
        for &guid in kinds.keys() {
            nodes.entry(guid).or_insert(guid);
        }
        nodes
    }

    /// Adds nodes and ports to the draft. An end that is never on the left has its ports from the right.
    fn feed(
        &self,
        draft: &mut Draft,
        kinds: &HashMap<Guid, Kind>,
        nodes: &HashMap<Guid, Guid>,
    ) -> Result<(), Reason> {
        let mut counts: HashMap<Guid, u64> = HashMap::new();
        for (_, guid, end) in self.ends() {
            let count = counts.entry(nodes[&guid]).or_insert(0);
            *count = end.number.max(*count);
        }
        let id = |guid: Guid| kinds[&guid].id(nodes[&guid]);
        let (mut listed, mut told): (HashSet<Guid>, HashSet<Guid>) = Default::default();
        listed.extend(self.lines.iter().filter_map(|line| line.near.guid));
        for (line, guid, end) in self.ends() {
            draft.line = line;
            let id = draft.id(id(guid).as_bytes());
            let index = match draft.node(id) {
                Some(index) => index,
                None => {
                    let (kind, node) = (kinds[&guid], nodes[&guid]);
                    let description = end.description.as_bytes();
                    let node = new_node(kind, kind.id(node), node, counts[&node], description)?;
                    draft.add_node(id, node)?
                }
            };
            draft.tell(index, end.lid, end.description.as_bytes());
            if kinds[&guid] == Kind::Switch && !listed.contains(&guid) && told.insert(guid) {
                draft.warn(Reason::NotListed(draft.id_of(index).to_owned()));
            }
        }
        let bad = |what: &'static str| Reason::BadLine(what, String::new());
        for line in &self.lines {
            draft.line = line.number;
            let Some(far) = &line.far else { continue };
            let sides = [(&line.near, far), (far, &line.near)];
            for (at, (end, other)) in sides.into_iter().enumerate() {
                let (Some(guid), Some(peer)) = (end.guid, other.guid) else {
                    continue;
                };
                if at == 1 && listed.contains(&guid) {
                    continue;
                }
                let (own, peer) = (draft.id(id(guid).as_bytes()), draft.id(id(peer).as_bytes()));
                let number = peer_port(other.number).map_err(bad)?;
                let link = draft.link(line.link.as_bytes());
                let label = (!end.label.is_empty()).then(|| draft.link(end.label.as_bytes()));
                let port = Port {
                    guid: Some(guid),
                    lid: end.lid,
                    label,
                    ..Port::new(PortNumber::ZERO, peer, number, link)
                };
                let port_line = PortLine {
                    line: line.number,
                    peer_guid: other.guid,
                    peer_lid: other.lid,
                };
                if let Some(node) = draft.node(own) {
                    draft.add_port(node, end.number, port, port_line)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a description ends with the name of an adapter, or is a maker's for one.
fn is_of_host(description: &str) -> bool {
    let last = description.rsplit(' ').next().unwrap_or_default();
    let adapters = ["HCA-", "mlx4_", "mlx5_", "hfi1_", "qib", "ibp", "mthca"];
    let makers = ["Aggregation Node", "ConnectX", "BlueField"];
    adapters.iter().any(|begin| last.starts_with(begin))
        || makers.iter().any(|maker| description.contains(maker))
}
