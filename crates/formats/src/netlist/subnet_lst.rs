//! Lists of links: OpenSM's `opensm-subnet.lst` (`dump_topology_node` in `osm_dump.c`), ibutils' and ibdiagnet2's
//! `.lst`.
//!
//! A line is a port with a link:
//! `{ SW Ports:24 SystemGUID:… NodeGUID:… PortGUID:… VenID:0002C9 DevID:CF08 Rev:… {name}
//! LID:0001 PN:01 } { CA … } PHY=4x LOG=ACT SPD=25`. OpenSM has a line for each of the two ports of a link, the others
//! one for both, with either on the left. Numbers are hexadecimal, except the last: it is `FDR10` or the Gb/s of a
//! lane; old programs do not write it, others end the line with `[4x 25.0 Gbps]`. The data of a node are those of the
//! lines that have it on the left, if there are any: on the right OpenSM prints the device ID in the wrong byte order.
//! Other programs write a device ID of 32 bits, with the 16 bits in its upper half. There is neither LMC nor the kind
//! of port 0.

use super::claims::PortLine;
use super::draft::{Draft, new_node, peer_port};
use super::error::Reason;
use super::links::speed_of;
use super::model::{Kind, Netlist, Node, Port};
use crate::input::{Fault, Parsed, quoted};
use crate::scan::{Scan, hex};
use dmodc_fabric::{Guid, Lid, PortNumber};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

struct Side<'a> {
    id: String,
    /// Counts only where no line before has described the node.
    node: Result<Node, Reason>,
    port_guid: Option<Guid>,
    description: &'a [u8],
    lid: Lid,
    port: u64,
}

pub(super) fn begins(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| KINDS.iter().any(|(word, _)| rest.starts_with(word)))
}

/// The words for the kinds of nodes. The node of the subnet manager has `-SM` behind.
const KINDS: [(&[u8], Kind); 3] = [
    (b"SW", Kind::Switch),
    (b"CA", Kind::Ca),
    (b"Rt", Kind::Router),
];

pub(super) fn parse(bytes: &[u8]) -> Parsed<Netlist, Reason> {
    let mut lines = Lines::default();
    let mut draft = Draft::read(bytes, |draft, line| {
        if begins(line) {
            return lines.take(line, draft);
        }
        if !line.is_empty() && line[0] != b'#' {
            draft.warn(Reason::Foreign(quoted(line)));
        }
        Ok(())
    })?;
    lines.describe_the_rest(&mut draft)?;
    draft.finish()
}

/// The ports, and the nodes seen on the right.
#[derive(Default)]
struct Lines {
    ports: HashSet<(u32, u64)>,
    /// Whether a line's other end has a line, too.
    is_answered: bool,
    far: HashMap<u32, (u32, Node)>,
}

impl Lines {
    fn take(&mut self, line: &[u8], draft: &mut Draft) -> Result<(), Reason> {
        let bad = |what| Reason::BadLine(what, quoted(line));
        let mut scan = Scan(line);
        let near = side(&mut scan, &mut |reason| draft.warn(reason)).map_err(bad)?;
        // Where each node is on the left of some line, that line gets the warnings about it.
        let far = side(&mut scan, &mut |_| {}).map_err(bad)?;
        let link = link(&mut scan).ok_or(bad("the line ends early"))?;
        let id = draft.id(near.id.as_bytes());
        let node = match draft.node(id) {
            Some(node) => node,
            None => draft.add_node(id, near.node?)?,
        };
        draft.tell(node, near.lid, near.description);
        let peer_port = peer_port(far.port).map_err(bad)?;
        let (peer, link) = (draft.id(far.id.as_bytes()), draft.link(link.as_bytes()));
        if let Entry::Vacant(free) = self.far.entry(peer) {
            free.insert((draft.line, far.node?));
        }
        self.is_answered |= self.ports.contains(&(peer, far.port));
        self.ports.insert((id, near.port));
        let port = Port {
            guid: near.port_guid,
            lid: near.lid,
            ..Port::new(PortNumber::ZERO, peer, peer_port, link)
        };
        let port_line = PortLine {
            line: draft.line,
            peer_guid: far.port_guid,
            peer_lid: far.lid,
        };
        draft.add_port(node, near.port, port, port_line)
    }

    /// Adds the nodes that are on the right of lines alone. Says so if the list has each link once.
    fn describe_the_rest(self, draft: &mut Draft) -> Result<(), Fault<Reason>> {
        let mut far: Vec<_> = self.far.into_iter().collect();
        far.sort_unstable_by_key(|(_, (line, _))| *line);
        for (id, (line, node)) in far {
            if draft.node(id).is_none() {
                draft.line = line;
                let added = draft.add_node(id, node);
                added.map_err(|reason| Fault::in_line(line, reason))?;
            }
        }
        draft.usual.once = !self.is_answered;
        Ok(())
    }
}

fn side<'a>(scan: &mut Scan<'a>, warn: &mut dyn FnMut(Reason)) -> Result<Side<'a>, &'static str> {
    scan.blanks()
        .must(b"{", "no '{' where a node should begin")?;
    let kind = scan.blanks().until(b" Ports:");
    let kind = kind.ok_or("no number of ports")?;
    let kind = kind.strip_suffix(b"-SM").unwrap_or(kind);
    let kind = KINDS.into_iter().find(|(word, _)| *word == kind);
    let (_, kind) = kind.ok_or("neither SW, CA nor Rt")?;
    let port_count = scan.hex().ok_or("no number of ports")?;
    let mut value = |scan: &mut Scan<'a>, key: &'static str, name: &'static str| {
        let word = word(scan, key)?;
        let value = hex(word);
        if value.is_none() {
            warn(Reason::BadValue(name, quoted(word)));
        }
        Ok::<_, &'static str>(value)
    };
    let system_guid = value(scan, " SystemGUID:", "SystemGUID")?;
    let guid = value(scan, " NodeGUID:", "NodeGUID")?.ok_or("no NodeGUID")?;
    let port_guid = value(scan, " PortGUID:", "PortGUID")?;
    let vendor = value(scan, " VenID:", "VenID")?.unwrap_or(0);
    let device = value(scan, " DevID:", "DevID")?.unwrap_or(0);
    word(scan, " Rev:")?;
    scan.must(b" {", "no description in braces")?;
    let description = scan.until(b"} LID:").ok_or("the line ends early")?;
    let lid = value(scan, "", "LID")?.unwrap_or(0);
    let port = word(scan, " PN:")?;
    let port = Scan(port).hex().ok_or("no port number")?;
    scan.must(b" }", "the line ends early")?;
    let known = Lid::read(lid);
    if known.is_none() {
        warn(Reason::LidOutOfRange { lid, lmc: 0 });
    }
    let (guid, lid, id) = (Guid(guid), known.unwrap_or_default(), kind.id(Guid(guid)));
    let node = new_node(kind, id.clone(), guid, port_count, description);
    let node = node.map(|node| Node {
        system_guid: system_guid.map(Guid),
        vendor: u32::try_from(vendor).unwrap_or(0),
        device: device_id(device),
        lid: if kind == Kind::Switch { lid } else { Lid(0) },
        ..node
    });
    Ok(Side {
        id,
        node,
        port_guid: port_guid.map(Guid),
        description,
        lid,
        port,
    })
}

/// A device ID: 16 bits, or the upper half of 32.
fn device_id(value: u64) -> u16 {
    let upper = u16::try_from(value >> 16).unwrap_or(0);
    u16::try_from(value).unwrap_or(upper)
}

fn word<'a>(scan: &mut Scan<'a>, key: &'static str) -> Result<&'a [u8], &'static str> {
    let otherwise = "a field is missing, or another stands in its place";
    scan.must(key.as_bytes(), otherwise)?;
    Ok(scan.word())
}

/// `PHY=4x LOG=ACT SPD=25` or `[4x 25.0 Gbps]` in ibnetdiscover's words: `4xEDR`; empty if it is unknown, or if the list
/// is too old to have a speed.
fn link(scan: &mut Scan) -> Option<String> {
    let (width, speed) = if scan.until(b"PHY=").is_some() {
        let words: Vec<&[u8]> = scan.0.split(u8::is_ascii_whitespace).collect();
        let speed = words.iter().find_map(|word| word.strip_prefix(b"SPD="));
        let is_cut = words.len() < 2 || words.get(2).is_some_and(|word| !word.starts_with(b"SPD="));
        if is_cut || speed.is_some_and(<[u8]>::is_empty) {
            return None;
        }
        (words[0], speed.unwrap_or_default())
    } else {
        scan.until(b"[")?;
        (scan.until(b" ")?, scan.until(b"]")?)
    };
    let speed = speed.split(u8::is_ascii_whitespace).next()?;
    Some(speed_of(width, speed))
}
