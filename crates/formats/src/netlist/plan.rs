//! Cabling plans: tables with commas in the columns of UFM's NDT files, long or brief.
//!
//! Columns are found by name: StartDevice, StartPort, EndDevice, EndPort, and State and Domain if they are there. Rows
//! whose state is not Active, or whose domain is not In-Scope, are left out. Other tables have columns that the caller
//! names, and no such states. A port is `Port 7`, `7` or a label, `1/4/1`. A plan has names alone: it is a reference for
//! a fabric with nodes of these names. The name of a switch of NVIDIA's is the part of its description between `;` and
//! `:`; a GUID is a name, too. `Blade 16_Port 2/20` of a director is port 20 of its switch `L16/U2`. A host's port may
//! be its description.
//!
//! The rack of a device, if there are such columns, says where a technician goes: the location or rack beside the
//! device.

use super::db_csv::{cell_text, cells};
use super::model::{Kind, Netlist, Node, Port, cage_port};
use crate::input::{Fault, Lenient, Parsed, Warnings, lines, quoted};
use dmodc_fabric::{Guid, PortNumber};
use std::collections::{HashMap, HashSet};

type End = (String, String);

/// A plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    links: Vec<(u32, [End; 2])>,
    /// The racks of devices, by name in lower case.
    racks: HashMap<String, String>,
}

/// The columns of a plan: device and port at both ends.
const COLUMNS: [&str; 4] = ["StartDevice", "StartPort", "EndDevice", "EndPort"];

/// Columns with the rack of a device, as [`head`] gives them, at the start and at the end of a link.
const RACKS: [&[&str]; 2] = [
    &[
        "startrack",
        "startdevicerack",
        "startdevicelocation",
        "startlocation",
        "rack#",
        "rack",
    ],
    &[
        "endrack",
        "enddevicerack",
        "enddevicelocation",
        "endlocation",
    ],
];

/// Why a plan was refused, or a warning about a row.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PlanReason {
    #[error("no line with the columns {0}: no cabling plan")]
    NoColumns(String),
    #[error("no link in the plan")]
    Empty,
    #[error("a row without device or port, left out: '{0}'")]
    Bad(String),
    #[error("'{0}' is no port of '{1}': left out")]
    NoPort(String, String),
    #[error("port {0} of '{1}' is planned twice: left out")]
    Twice(PortNumber, String),
    #[error("'{0}' could be any of several nodes: left out")]
    Several(String),
}

impl Plan {
    /// Parses a plan; rows that are not understood are warnings. `columns` names device, port, device and port if they
    /// are not NDT's.
    pub fn parse_leniently(
        bytes: &[u8],
        columns: Option<&[String; 4]>,
    ) -> Parsed<Plan, PlanReason> {
        let is_ndt = columns.is_none();
        let words = columns.map_or(COLUMNS.map(str::to_owned), Clone::clone);
        let names = words.each_ref().map(|name| head(name));
        let mut columns: Option<([usize; 4], [Option<usize>; 4])> = None;
        let mut racks = HashMap::new();
        let (mut links, mut warnings) = (Vec::new(), Warnings::default());
        for (number, line) in lines(bytes) {
            let row = cells(line.trim_ascii()).into_iter();
            let row: Vec<String> = row.map(cell_text).collect();
            let Some((four, [state, domain, near, far])) = &columns else {
                let heads: Vec<String> = row.iter().map(|cell| head(cell)).collect();
                let at = |name: &str| heads.iter().position(|head| head == name);
                let four: Vec<usize> = names.iter().filter_map(|name| at(name)).collect();
                if let Ok(four) = four.try_into() {
                    let [state, domain] =
                        ["state", "domain"].map(|name| at(name).filter(|_| is_ndt));
                    let [near, far] = RACKS.map(|names| names.iter().find_map(|name| at(name)));
                    columns = Some((four, [state, domain, near, far]));
                }
                continue;
            };
            if line.trim_ascii().is_empty() || line.starts_with(b"#") {
                continue;
            }
            let cell = |at: usize| row.get(at).filter(|cell| !cell.is_empty());
            let is = |at: &Option<usize>, word: &str| {
                let cell = at.and_then(cell);
                cell.is_none_or(|cell| cell.eq_ignore_ascii_case(word))
            };
            if !is(state, "Active") || !is(domain, "In-Scope") {
                continue;
            }
            let [Some(a), Some(p), Some(b), Some(q)] = four.map(cell) else {
                warnings.add(number, PlanReason::Bad(quoted(line)));
                continue;
            };
            links.push((number, [end(a, p), end(b, q)]));
            for (device, rack) in [(a, near), (b, far)] {
                if let Some(rack) = rack.and_then(cell) {
                    racks.insert(device.to_lowercase(), rack.clone());
                }
            }
        }
        match (columns, links.is_empty()) {
            (None, _) => Err(Fault::whole(PlanReason::NoColumns(words.join(", ")))),
            (_, true) => Err(Fault::whole(PlanReason::Empty)),
            _ => Ok(Lenient::new(Plan { links, racks }, warnings)),
        }
    }

    /// The rack of the device with a description, if the plan has it.
    pub fn rack(&self, description: &str) -> Option<&str> {
        let rack = self.racks.get(&description.to_lowercase());
        rack.or_else(|| self.racks.get(&short(description)))
            .map(String::as_str)
    }

    /// The plan as a netlist, with the nodes of a fabric where they have its names, and with all other nodes of the
    /// fabric, without links. A device that the fabric does not have gets a GUID of its own.
    pub fn reference(&self, now: &Netlist) -> Lenient<Netlist, PlanReason> {
        let mut warnings = Warnings::default();
        let mut reference = now.clone();
        for node in &mut reference.nodes {
            node.ports.clear();
        }
        let mut by_name = by_name(now);
        let switches: HashSet<&str> = self.likely_switches();
        let mut taken: HashMap<(u32, PortNumber), (u32, PortNumber)> = HashMap::new();
        for (line, ends) in &self.links {
            let mut places = Vec::new();
            for (name, port) in ends {
                let index = match by_name.get(&name.to_lowercase()) {
                    Some(Some(index)) => *index,
                    Some(None) => {
                        warnings.add(*line, PlanReason::Several(name.clone()));
                        continue;
                    }
                    None => {
                        let index = reference.nodes.len() as u32;
                        let guid = Guid(0xfe00_0000_0000_0000 | u64::from(index));
                        let kind = match switches.contains(name.as_str()) {
                            true => Kind::Switch,
                            false => Kind::Ca,
                        };
                        let node = Node::new(kind, name.clone(), guid, 254);
                        reference.nodes.push(node);
                        by_name.insert(name.to_lowercase(), Some(index));
                        index
                    }
                };
                let node = now.nodes.get(index as usize);
                let only = node.is_none_or(|node| node.port_count == 1) && name == port;
                match only.then_some(PortNumber(1)).or(number(port, node)) {
                    None => warnings.add(*line, PlanReason::NoPort(port.clone(), name.clone())),
                    Some(number) => places.push((index, number)),
                }
            }
            let [near, far] = places[..] else { continue };
            // Some plans have a row for each end.
            if taken.get(&near) == Some(&far) {
                continue;
            }
            let twice = (places.iter().zip(ends)).filter(|(place, _)| taken.contains_key(place));
            let twice: Vec<_> = twice.collect();
            for ((_, number), (name, _)) in &twice {
                warnings.add(*line, PlanReason::Twice(*number, name.clone()));
            }
            if twice.is_empty() {
                taken.extend([(near, far), (far, near)]);
                for (near, far) in [(near, far), (far, near)] {
                    let known = now.nodes.get(near.0 as usize);
                    let known = known.and_then(|node| node.port(near.1));
                    reference.nodes[near.0 as usize].ports.push(Port {
                        guid: known.and_then(|port| port.guid),
                        ..Port::new(near.1, far.0, far.1, "")
                    });
                }
            }
        }
        for node in &mut reference.nodes {
            node.ports.sort_by_key(|port| port.number);
        }
        Lenient::new(reference, warnings)
    }

    /// Devices with several ports in the plan.
    fn likely_switches(&self) -> HashSet<&str> {
        let ends: HashSet<&End> = self.links.iter().flat_map(|(_, ends)| ends).collect();
        let mut seen = HashSet::new();
        let again = ends.iter().filter(|(name, _)| !seen.insert(name));
        again.map(|(name, _)| name.as_str()).collect()
    }
}

/// A fabric as a plan, in NDT's brief columns: a row for each link but those of aggregation nodes. A node has its short
/// name if no other has that name, else its description, else its GUID.
pub fn write_plan(netlist: &Netlist) -> String {
    let by_name = by_name(netlist);
    let name = |index: u32| {
        let node = &netlist.nodes[index as usize];
        let names = [short_name(&node.description), &node.description];
        let fits = |name: &&&str| {
            let is_plain = !name.is_empty() && name.trim() == **name && !name.contains(['"', '#']);
            is_plain && by_name.get(&name.to_lowercase()) == Some(&Some(index))
        };
        let name = names.iter().find(fits);
        name.map_or_else(|| node.guid.to_string(), |name| format!("\"{name}\""))
    };
    let counts = |index: u32| !netlist.nodes[index as usize].is_aggregation();
    let mut text = format!("{},State,Domain\n", COLUMNS.join(","));
    let nodes = (0..).zip(&netlist.nodes);
    for (index, node) in nodes.filter(|&(index, _)| counts(index)) {
        for port in node.ports.iter().filter(|port| counts(port.peer)) {
            if (index, port.number) < (port.peer, port.peer_port) {
                let (near, far) = (name(index), name(port.peer));
                let (p, q) = (port.number, port.peer_port);
                text += &format!("{near},Port {p},{far},Port {q},Active,In-Scope\n");
            }
        }
    }
    text
}

/// The nodes by the names that a plan may give them, in lower case; `None` for several.
fn by_name(netlist: &Netlist) -> HashMap<String, Option<u32>> {
    let mut by_name: HashMap<String, Option<u32>> = HashMap::new();
    for (index, node) in (0..).zip(&netlist.nodes) {
        let description = node.description.to_lowercase();
        // Of `MF0;NAME:MODEL/L16/U2`, `NAME/L16/U2`.
        let (_, place) = description.split_once('/').unwrap_or_default();
        let place = format!("{}/{place}", short(&node.description));
        let guid = node.guid.to_string();
        for name in [short(&node.description), place, guid, description] {
            let held = by_name.entry(name).or_insert(Some(index));
            *held = held.filter(|held| *held == index);
        }
    }
    // Lists of links have no node GUIDs of hosts. One that is a node GUID, too, is that node's.
    for (index, node) in (0..).zip(&netlist.nodes) {
        for guid in node.ports.iter().filter_map(|port| port.guid) {
            by_name.entry(guid.to_string()).or_insert(Some(index));
        }
    }
    by_name
}

/// Device and port of a row: the switch of a director's blade, a host whose port is its description.
fn end(device: &str, port: &str) -> End {
    let blade = port.strip_prefix("Blade ").and_then(|place| {
        let (blade, place) = place.split_once("_Port ")?;
        let (unit, number) = place.split_once('/')?;
        Some((blade.parse::<u8>().ok()?, unit, number))
    });
    if let Some((blade, unit, number)) = blade {
        return (format!("{device}/L{blade:02}/U{unit}"), number.to_owned());
    }
    let rest = port.strip_prefix(device);
    let device = if rest.is_some_and(|rest| rest.starts_with(' ')) {
        port
    } else {
        device
    };
    (device.to_owned(), port.to_owned())
}

/// A column's name: `#Fields:StartDevice` is `startdevice`.
fn head(cell: &str) -> String {
    let name = cell.trim().trim_start_matches('#');
    let name = name.strip_prefix("Fields:").unwrap_or(name);
    name.replace([' ', '_'], "").to_lowercase()
}

/// The name of a device in its description: `MF0;leaf-1:MQM8700/U1` is `leaf-1`.
pub fn short_name(description: &str) -> &str {
    let (_, name) = description.split_once(';').unwrap_or(("", description));
    name.split(':').next().unwrap_or_default().trim()
}

/// The same in lower case.
fn short(description: &str) -> String {
    short_name(description).to_lowercase()
}

/// The number of `Port 7`, `7`, or of a label: that of the node's port, else of a cage with two ports.
fn number(port: &str, node: Option<&Node>) -> Option<PortNumber> {
    let word = port.trim();
    let lower = word.to_lowercase();
    let number = lower.strip_prefix("port");
    let word = number.map_or(word, |_| word[4..].trim());
    if let Ok(number) = word.parse::<u8>() {
        return (1..=254).contains(&number).then_some(PortNumber(number));
    }
    let mut ports = node.into_iter().flat_map(|node| &node.ports);
    if let Some(port) = ports.find(|port| port.label.as_deref() == Some(word)) {
        return Some(port.number);
    }
    cage_port(word).map(PortNumber)
}
