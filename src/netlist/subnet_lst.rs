//! OpenSM's `opensm-subnet.lst` (`dump_topology_node` in `osm_dump.c`).
//!
//! The file has one line for each port with a link, so two for each link:
//! `{ SW Ports:24 SystemGUID:… NodeGUID:… PortGUID:… VenID:0002C9 DevID:CF08 Rev:… {name}
//! LID:0001 PN:01 } { CA … } PHY=4x LOG=ACT SPD=25`. Numbers are hexadecimal, except the last: it is `FDR10` or the
//! Gb/s of a lane. Other programs end the line with `[4x 25.0 Gbps]`. The parser takes the data of a node from lines
//! that have the node on the left: on the right OpenSM prints the device ID in the wrong byte order. Other programs
//! write a device ID of 32 bits, with the 16 bits in its upper half. The file has neither LMC nor the kind of port 0.

use super::draft::{Draft, PortLine, new_node, peer_port};
use super::error::Reason;
use super::model::{Kind, Netlist, Node, Port};
use crate::fabric::{Guid, Lid, Rate, Speed};
use crate::input::{Parsed, lines, quoted};
use crate::scan::{Scan, hex, text};

/// One side of a line.
struct Side<'a> {
    kind: Kind,
    port_count: u64,
    system_guid: Option<Guid>,
    guid: Guid,
    port_guid: Option<Guid>,
    vendor: u32,
    device: u16,
    description: &'a [u8],
    lid: Lid,
    port: u64,
}

/// Whether a text has this format: the first line that fits this format or a netlist begins with a node in braces.
pub(super) fn recognise(bytes: &[u8]) -> bool {
    let mut begins = lines(bytes).map(|(_, line)| line.trim_ascii());
    let first = begins.find(|l| is_node(l) || l.starts_with(b"Switch") || l.contains(&b'='));
    first.is_some_and(is_node)
}

/// Whether a line begins with a node in braces.
fn is_node(line: &[u8]) -> bool {
    line.starts_with(b"{ ")
}

pub(super) fn parse(bytes: &[u8]) -> Parsed<Netlist, Reason> {
    let draft = Draft::read(bytes, |draft, line| {
        if is_node(line) {
            return parse_line(line, draft);
        }
        if !line.is_empty() {
            draft.warn(Reason::Foreign(quoted(line)));
        }
        Ok(())
    });
    draft?.finish()
}

fn parse_line(line: &[u8], draft: &mut Draft) -> Result<(), Reason> {
    let bad = |what| Reason::BadLine(what, quoted(line));
    let mut scan = Scan(line);
    let near = side(&mut scan, &mut |reason| draft.warn(reason)).map_err(bad)?;
    // Each node is on the left of some line: that line gets the warnings about it.
    let far = side(&mut scan, &mut |_| {}).map_err(bad)?;
    let link = link(&mut scan).ok_or(bad("the line ends early"))?;
    let id = draft.id(near.id().as_bytes());
    let node = match draft.node(id) {
        Some(node) => node,
        None => draft.add_node(id, near.node()?)?,
    };
    let peer_port = peer_port(far.port).map_err(bad)?;
    let (peer, link) = (draft.id(far.id().as_bytes()), draft.link(link.as_bytes()));
    let port = Port {
        guid: near.port_guid,
        lid: near.lid,
        ..Port::new(0, peer, peer_port, link)
    };
    let port_line = PortLine {
        line: draft.line,
        peer_guid: far.port_guid,
        peer_lid: far.lid,
    };
    draft.add_port(node, near.port, port, port_line)
}

fn side<'a>(scan: &mut Scan<'a>, warn: &mut dyn FnMut(Reason)) -> Result<Side<'a>, &'static str> {
    if !scan.blanks().eat(b"{ ") {
        return Err("no '{' where a node should begin");
    }
    let kind = match scan.until(b" Ports:") {
        Some(b"SW" | b"SW-SM") => Kind::Switch,
        Some(b"CA" | b"CA-SM") => Kind::Ca,
        Some(b"Rt" | b"Rt-SM") => Kind::Router,
        Some(_) => return Err("neither SW, CA nor Rt"),
        None => return Err("no number of ports"),
    };
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
    if !scan.eat(b" {") {
        return Err("no description in braces");
    }
    let description = scan.until(b"} LID:").ok_or("the line ends early")?;
    let lid = value(scan, "", "LID")?.unwrap_or(0);
    let port = word(scan, " PN:")?;
    let port = Scan(port).hex().ok_or("no port number")?;
    if !scan.eat(b" }") {
        return Err("the line ends early");
    }
    let known = Lid::read(lid);
    if known.is_none() {
        warn(Reason::LidOutOfRange { lid, lmc: 0 });
    }
    Ok(Side {
        kind,
        port_count,
        system_guid: system_guid.map(Guid),
        guid: Guid(guid),
        port_guid: port_guid.map(Guid),
        vendor: u32::try_from(vendor).unwrap_or(0),
        device: device_id(device),
        description,
        lid: known.unwrap_or_default(),
        port,
    })
}

/// A device ID: 16 bits, or the upper half of 32.
fn device_id(value: u64) -> u16 {
    let upper = u16::try_from(value >> 16).unwrap_or(0);
    u16::try_from(value).unwrap_or(upper)
}

/// The word behind a key.
fn word<'a>(scan: &mut Scan<'a>, key: &'static str) -> Result<&'a [u8], &'static str> {
    if !scan.eat(key.as_bytes()) {
        return Err("a field is missing, or another stands in its place");
    }
    let end = scan.0.iter().position(|&b| b == b' ');
    let (word, rest) = scan.0.split_at(end.unwrap_or(scan.0.len()));
    scan.0 = rest;
    Ok(word)
}

/// `PHY=4x LOG=ACT SPD=25` or `[4x 25.0 Gbps]` in ibnetdiscover's words: `4xEDR`; empty if unknown.
fn link(scan: &mut Scan) -> Option<String> {
    let (width, speed) = if scan.until(b"PHY=").is_some() {
        let width = scan.until(b" ")?;
        scan.until(b"SPD=")?;
        (width, scan.0)
    } else {
        scan.until(b"[")?;
        (scan.until(b" ")?, scan.until(b"]")?)
    };
    let speed = speed.split(u8::is_ascii_whitespace).next()?;
    if speed.is_empty() {
        return None;
    }
    let speed = text(speed);
    let rate = speed.parse::<Rate>().ok().or_else(|| Rate::of_gbps(&speed));
    let known = rate.map(|rate| format!("{}{rate}", text(width)));
    let known = known.filter(|link| link.parse::<Speed>().is_ok());
    Some(known.unwrap_or_default())
}

impl Side<'_> {
    fn id(&self) -> String {
        self.kind.id(self.guid)
    }

    fn node(&self) -> Result<Node, Reason> {
        let (id, count) = (self.id(), self.port_count);
        let mut node = new_node(self.kind, id, self.guid, count, self.description)?;
        if self.kind == Kind::Switch {
            node.lid = self.lid;
        }
        Ok(Node {
            system_guid: self.system_guid,
            vendor: self.vendor,
            device: self.device,
            ..node
        })
    }
}
