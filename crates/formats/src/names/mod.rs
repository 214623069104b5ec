//! Finds switches and hosts by the names that people type: a description, a GUID or a LID.
//!
//! A description need not be whole. Exact matches of a description, GUID or LID count first, then matches without
//! regard to case, then descriptions that begin with the name as a word (`node001` for `node001 mlx5_0`), then
//! descriptions that match it as a pattern (`node[001-004]`, `spine*`), then descriptions that contain it.
//!
//! A name with several matches is refused with a list of them, except where all are meant: the ports of a
//! server, whose descriptions begin with its name, and the matches of a pattern.

mod pattern;

use crate::netlist::{Kind, Names, Netlist, Part, PortLabels};
use dmodc_fabric::{Fabric, Guid, Lid, NodeId, NodeKind, PortNumber, SwitchId, lid_range};
use pattern::Pattern;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use typed_index_collections::{TiSlice, TiVec};

/// How many matches an ambiguous name lists.
const LISTED: usize = 10;

/// A switch or an end node of a fabric, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thing {
    /// A switch.
    Switch(SwitchId),
    /// An end node.
    EndNode(NodeId),
}

/// An entry of a directory. It displays its kind, GUID, LID and description.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry<T> {
    what: T,
    kind: String,
    node: Guid,
    /// The GUID to display, and further GUIDs that find the entry.
    guids: Vec<Guid>,
    /// Base LID (0 for none) and LMC of each port.
    lids: Vec<(Lid, u8)>,
    description: String,
    labels: Vec<(Arc<str>, PortNumber)>,
}

impl<T> fmt::Display for Entry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} '{}'", self.kind, self.guids[0], self.description)?;
        for (lid, _) in self.lids.iter().filter(|(lid, _)| *lid != Lid(0)) {
            write!(f, " LID {lid}")?;
        }
        Ok(())
    }
}

/// A name without a match, or with several: their number, and the first of them, one a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum NameError {
    #[error("nothing in this fabric is called '{0}': give a description, a GUID or a LID")]
    NotFound(String),
    #[error("'{name}' could be any of {count}:{list}")]
    Ambiguous {
        name: String,
        count: usize,
        list: String,
    },
}

/// A name that means no part of the netlist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PartError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("port {port} of {guid} '{name}' has no link")]
    NoLink {
        guid: Guid,
        name: String,
        port: PortNumber,
    },
}

/// The meaning of a name.
pub enum ThingsOrPort<T> {
    /// One thing, the ports of a server, or the matches of a pattern.
    Things(Vec<T>),
    /// A port of one thing.
    Port(T, PortNumber),
}

/// Whether a text is what a name or pattern says, without regard to case: `mlx5_[0-3]`, `HCA*`.
pub fn fits(pattern: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    match Pattern::parse(pattern) {
        Some(pattern) => pattern.fits(&text),
        None => pattern.to_lowercase() == text,
    }
}

/// A key that sorts names as people count: `leaf 2` before `leaf 10`.
pub fn natural(name: &str) -> Vec<(String, u64)> {
    let mut key: Vec<(String, u64)> = vec![Default::default()];
    let mut in_number = false;
    for c in name.chars() {
        let digit = c.to_digit(10);
        if digit.is_none() && in_number {
            key.push(Default::default());
        }
        in_number = digit.is_some();
        let (text, number) = key.last_mut().expect("one from the start");
        match digit {
            Some(digit) => *number = number.saturating_mul(10).saturating_add(digit.into()),
            None => text.push(c),
        }
    }
    key
}

/// The entries to find by name; each search reads all of them.
pub struct Directory<T> {
    entries: Vec<Entry<T>>,
}

impl Directory<Thing> {
    /// The switches and end nodes of a fabric.
    pub fn of_fabric(fabric: &Fabric, names: &Names) -> Self {
        let switches = switches(fabric, &names.switches, &names.labels, Thing::Switch);
        let end_nodes = fabric.end_nodes().iter_enumerated();
        let nodes = end_nodes.map(|(index, node)| Entry {
            what: Thing::EndNode(index),
            kind: match node.kind {
                NodeKind::Ca => Kind::Ca.to_string(),
                NodeKind::Router => Kind::Router.to_string(),
                NodeKind::Aggregation => "aggregation node".into(),
            },
            node: names.node_guids[index],
            guids: vec![node.guid, names.node_guids[index]],
            lids: vec![(node.lid, node.lmc)],
            description: names.end_nodes[index].clone(),
            labels: Vec::new(),
        });
        Directory {
            entries: switches.into_iter().chain(nodes).collect(),
        }
    }
}

impl Directory<SwitchId> {
    /// The switches of a fabric, with their descriptions.
    pub fn of_switches(
        fabric: &Fabric,
        names: &TiSlice<SwitchId, String>,
        labels: &PortLabels,
    ) -> Self {
        Directory {
            entries: switches(fabric, names, labels, |index| index),
        }
    }
}

impl Directory<u32> {
    /// The nodes of a netlist, by index. A port's GUID and LID also find its node.
    pub fn of_netlist(netlist: &Netlist) -> Self {
        let entries = (0..).zip(&netlist.nodes).map(|(index, node)| Entry {
            what: index,
            kind: node.kind.to_string(),
            node: node.guid,
            guids: {
                let ports = node.ports.iter().map(|port| node.port_guid(port));
                [node.guid].into_iter().chain(ports).collect()
            },
            lids: match node.kind {
                Kind::Switch => vec![(node.lid, node.lmc)],
                _ => node.ports.iter().map(|p| (p.lid, p.lmc)).collect(),
            },
            description: node.description.clone(),
            labels: {
                let ports = node.ports.iter();
                let labels = ports.filter_map(|p| Some((p.label.clone()?, p.number)));
                labels.collect()
            },
        });
        Directory {
            entries: entries.collect(),
        }
    }

    /// The parts of this directory's netlist that a name means: a switch or host, the ports of a server, the
    /// matches of a pattern, or the link at a port for `NAME:PORT`.
    pub fn parts(&self, netlist: &Netlist, name: &str) -> Result<Vec<Part>, PartError> {
        let (node, number) = match self.find_things_or_port(name)? {
            ThingsOrPort::Things(nodes) => return Ok(nodes.into_iter().map(Part::Node).collect()),
            ThingsOrPort::Port(node, number) => (node, number),
        };
        let side = &netlist.nodes[node as usize];
        let port = side.port(number).ok_or_else(|| PartError::NoLink {
            guid: side.guid,
            name: side.description.clone(),
            port: number,
        })?;
        let sides = [(node, number), (port.peer, port.peer_port)];
        Ok(vec![Part::Link(sides)])
    }
}

fn switches<T>(
    fabric: &Fabric,
    names: &TiSlice<SwitchId, String>,
    labels: &PortLabels,
    what: impl Fn(SwitchId) -> T,
) -> Vec<Entry<T>> {
    let switches = fabric.switches().iter_enumerated().zip(names);
    let mut entries: TiVec<SwitchId, Entry<T>> = switches
        .map(|((index, switch), name)| Entry {
            what: what(index),
            kind: Kind::Switch.to_string(),
            node: switch.guid,
            guids: vec![switch.guid],
            lids: vec![(switch.lid, switch.lmc)],
            description: name.clone(),
            labels: Vec::new(),
        })
        .collect();
    for (&(switch, port), label) in labels {
        entries[switch].labels.push((label.clone(), port));
    }
    entries.into()
}

type Way<'a, T> = &'a dyn Fn(&Entry<T>) -> bool;

/// A test whether all of several matches are meant.
type AllMeant<T> = fn(&[&Entry<T>]) -> bool;

impl<T: Copy> Directory<T> {
    fn only(&self, name: &str) -> Result<&Entry<T>, NameError> {
        match self.matches(name.trim()).0[..] {
            [one] => Ok(one),
            ref matches => Err(error(name, matches)),
        }
    }

    /// All matches of a name: one thing, the ports of a server, or the matches of a pattern.
    ///
    /// # Errors
    /// If the name has no match, or several that are not all meant.
    pub fn find_all(&self, name: &str) -> Result<Vec<T>, NameError> {
        let (matches, all_meant) = self.matches(name.trim());
        match matches.len() == 1 || (all_meant(&matches) && !matches.is_empty()) {
            true => Ok(matches.iter().map(|entry| entry.what).collect()),
            false => Err(error(name, &matches)),
        }
    }

    /// All matches of a name; without one, the port that `NAME:PORT` or `NAME[PORT]` names, by number or
    /// label.
    ///
    /// # Errors
    /// If the name has no match, or several that are not all meant.
    pub fn find_things_or_port(&self, name: &str) -> Result<ThingsOrPort<T>, NameError> {
        let error = match self.find_all(name) {
            Ok(things) => return Ok(ThingsOrPort::Things(things)),
            Err(error) => error,
        };
        let name = name.trim();
        let in_brackets = name.strip_suffix(']').and_then(|n| n.rsplit_once('['));
        let parts = in_brackets.or_else(|| name.rsplit_once(':'));
        // What a script leaves of a name, `::7`, is no port of the only equipment with a colon in its description.
        let parts = parts.filter(|(one, _)| one.contains(char::is_alphanumeric));
        let (one, port) = parts.ok_or_else(|| error.clone())?;
        // As messages have it: `[7 = 1/4/1]`.
        let port = port.split('=').next_back().unwrap_or_default().trim();
        let number = port.parse().ok();
        let mut labels = self.entries.iter().flat_map(|entry| &entry.labels);
        if number.is_none() && !labels.any(|(label, _)| **label == *port) {
            return Err(error);
        }
        let one = self.only(one)?;
        let label = || one.labels.iter().find(|(label, _)| **label == *port);
        let number = number.or_else(|| label().map(|(_, number)| *number));
        Ok(ThingsOrPort::Port(one.what, number.ok_or(error)?))
    }

    /// All matches of the first kind that has any, and the test whether all of them are meant.
    fn matches(&self, name: &str) -> (Vec<&Entry<T>>, AllMeant<T>) {
        let lower = name.to_lowercase();
        let (guid, lid, pattern) = (guid(name), lid(name), Pattern::parse(name));
        let lowered = |entry: &Entry<T>| entry.description.to_lowercase();
        let [server, all, one]: [AllMeant<T>; 3] = [are_a_server, |_| true, |_| false];
        let ways: [(Way<T>, AllMeant<T>); 7] = [
            (&|e| e.description == name, server),
            (&|e| guid.is_some_and(|g| e.guids.contains(&g)), server),
            (&|e| lid.is_some_and(|lid| e.has_lid(lid)), one),
            (&|e| lowered(e) == lower, server),
            (&|e| e.begins_with(&lower), server),
            (&|e| pattern.iter().any(|p| p.fits(&lowered(e))), all),
            (&|e| !lower.is_empty() && lowered(e).contains(&lower), one),
        ];
        for (way, all_meant) in ways {
            let found: Vec<_> = self.entries.iter().filter(|entry| way(entry)).collect();
            if !found.is_empty() {
                return (found, all_meant);
            }
        }
        (Vec::new(), one)
    }
}

/// Whether matches are the ports of one server: no switches, and no two nodes with the same description, since every
/// server may have a description such as "localhost mlx5_0".
fn are_a_server<T>(found: &[&Entry<T>]) -> bool {
    let mut nodes: HashMap<&str, Guid> = HashMap::new();
    found.iter().all(|entry| {
        let node = nodes.entry(&entry.description).or_insert(entry.node);
        *node == entry.node && entry.kind != Kind::Switch.to_string()
    })
}

fn error<T>(name: &str, matches: &[&Entry<T>]) -> NameError {
    let name = name.trim().to_owned();
    if matches.is_empty() {
        return NameError::NotFound(name);
    }
    let first = matches.iter().take(LISTED);
    let mut list: String = first.map(|entry| format!("\n  {entry}")).collect();
    if matches.len() > LISTED {
        list += "\n  …";
    }
    NameError::Ambiguous {
        name,
        count: matches.len(),
        list,
    }
}

impl<T> Entry<T> {
    /// Whether the description begins with a text in lower case, as a word.
    fn begins_with(&self, text: &str) -> bool {
        let description = self.description.to_lowercase();
        let rest = description.strip_prefix(text).filter(|_| !text.is_empty());
        rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
    }

    fn has_lid(&self, lid: Lid) -> bool {
        let of_port = |&(base, lmc): &(Lid, u8)| lid_range(base, lmc);
        let mut ranges = self.lids.iter().filter_map(of_port);
        ranges.any(|range| range.contains(&lid.0))
    }
}

/// The GUID in `0x2c9..`, `S-0002c9..`, or 16 hexadecimal digits.
fn guid(name: &str) -> Option<Guid> {
    let dashed = ["S-", "H-", "R-"].iter().find_map(|p| name.strip_prefix(p));
    let is_whole = name.len() == 16 || name.starts_with("0x");
    dashed.or(is_whole.then_some(name))?.parse().ok()
}

/// The LID in `12`, `0x000c`, `lid 12`. Digits after a zero, `0012`, are rather the tail of a GUID, which is no name.
fn lid(name: &str) -> Option<Lid> {
    let after = name.strip_prefix("lid").or(name.strip_prefix("LID"));
    let number = after.map_or(name, |number| number.trim_start_matches([' ', ':', '=']));
    let is_tail = number.starts_with('0') && number.bytes().all(|digit| digit.is_ascii_digit());
    let lid = number.parse().ok().filter(|_| !is_tail);
    lid.filter(|lid: &Lid| lid.is_unicast())
}
