//! OpenSM's `opensm-subnet.lst` (`dump_topology_node` in `osm_dump.c`).
//!
//! One line for each port with a link, and so two for each link:
//! `{ SW Ports:24 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:0002C9 DevID:CF08 Rev:.. {name}
//! LID:0001 PN:01 } { CA .. } PHY=4x LOG=ACT SPD=25`, numbers in hexadecimal. All of a node is
//! taken from lines that have it on the left: OpenSM prints the device ID on the right in the
//! wrong byte order. LMC and the kind of port 0 are not in the file.

use super::draft::{Draft, Said};
use super::error::Reason;
use super::model::{Kind, Netlist, Node, Port};
use super::scan::{Scan, is_binary, text};
use crate::fabric::{Guid, Lid};
use crate::input::{Fault, lines};

/// One side of a line.
struct Side<'a> {
    kind: Kind,
    port_count: u64,
    system_guid: Guid,
    guid: Guid,
    port_guid: Guid,
    vendor: u64,
    device: u64,
    description: &'a [u8],
    lid: u64,
    port: u64,
}

/// Whether this is the format: its first line begins with a node in braces.
pub(super) fn recognise(bytes: &[u8]) -> bool {
    let first = lines(bytes)
        .map(|(_, l)| l.trim_ascii())
        .find(|l| !l.is_empty());
    first.is_some_and(|line| line.starts_with(b"{ "))
}

pub(super) fn parse(bytes: &[u8]) -> Result<Netlist, Fault<Reason>> {
    let mut draft = Draft::default();
    for (number, line) in lines(bytes) {
        if is_binary(line) {
            return Err(Fault::at(number, Reason::Binary));
        }
        if !line.trim_ascii().is_empty() {
            parse_line(line, number, &mut draft)?;
        }
    }
    draft.finish()
}

fn parse_line(line: &[u8], number: u32, draft: &mut Draft) -> Result<(), Fault<Reason>> {
    let fail = |reason| Fault::at(number, reason);
    let mut scan = Scan(line);
    let near = side(&mut scan).map_err(fail)?;
    let far = side(&mut scan).map_err(fail)?;
    let link = link(&mut scan).ok_or(fail(Reason::Truncated))?;
    let id = draft.id(near.id().as_bytes());
    let node = match draft.node(id) {
        Some(node) => node,
        None => draft.add_node(id, near.node().map_err(fail)?, number)?,
    };
    let peer_port = match u8::try_from(far.port) {
        Ok(port @ 1..=254) => port,
        _ => {
            return Err(fail(Reason::BadPort(
                "the other port is out of range (1 to 254)",
            )));
        }
    };
    let is_switch = near.kind == Kind::Switch;
    let port = Port {
        number: 0,
        peer: draft.id(far.id().as_bytes()),
        peer_port,
        guid: (!is_switch).then_some(near.port_guid),
        lid: if is_switch {
            Lid(0)
        } else {
            near.lid().map_err(fail)?
        },
        lmc: 0,
        link: draft.link(link.as_bytes()),
    };
    draft.add_port(
        node,
        near.port,
        port,
        Said {
            line: number,
            ..Said::default()
        },
    )
}

fn side<'a>(scan: &mut Scan<'a>) -> Result<Side<'a>, Reason> {
    if !scan.blanks().eat(b"{ ") {
        return Err(Reason::BadPort("no '{' where a node should begin"));
    }
    let kind = match scan.until(b" Ports:") {
        Some(b"SW" | b"SW-SM") => Kind::Switch,
        Some(b"CA" | b"CA-SM") => Kind::Ca,
        Some(b"Rt" | b"Rt-SM") => Kind::Router,
        Some(_) => return Err(Reason::BadPort("neither SW, CA nor Rt")),
        None => return Err(Reason::Truncated),
    };
    let port_count = scan.hex().ok_or(Reason::BadValue("Ports"))?;
    let system_guid = field(scan, b" SystemGUID:", "SystemGUID")?;
    let guid = field(scan, b" NodeGUID:", "NodeGUID")?;
    let port_guid = field(scan, b" PortGUID:", "PortGUID")?;
    let vendor = field(scan, b" VenID:", "VenID")?;
    let device = field(scan, b" DevID:", "DevID")?;
    field(scan, b" Rev:", "Rev")?;
    if !scan.eat(b" {") {
        return Err(Reason::BadPort("no description in braces"));
    }
    let description = scan.until(b"} LID:").ok_or(Reason::Truncated)?;
    let lid = scan.hex().ok_or(Reason::BadValue("LID"))?;
    let port = field(scan, b" PN:", "PN")?;
    if !scan.eat(b" }") {
        return Err(Reason::Truncated);
    }
    let (system_guid, guid, port_guid) = (Guid(system_guid), Guid(guid), Guid(port_guid));
    let side = Side {
        kind,
        port_count,
        system_guid,
        guid,
        port_guid,
        vendor,
        device,
        description,
        lid,
        port,
    };
    Ok(side)
}

fn field(scan: &mut Scan, key: &[u8], name: &'static str) -> Result<u64, Reason> {
    if !scan.eat(key) {
        return Err(Reason::BadValue(name));
    }
    scan.hex().ok_or(Reason::BadValue(name))
}

/// `PHY=4x LOG=ACT SPD=25` in ibnetdiscover's words: `4xEDR`.
fn link(scan: &mut Scan) -> Option<String> {
    scan.until(b"PHY=")?;
    let width = scan.until(b" ")?;
    scan.until(b"SPD=")?;
    let speed = match scan.0.trim_ascii() {
        b"2.5" => "SDR",
        b"5" => "DDR",
        b"10" => "QDR",
        b"FDR10" => "FDR10",
        b"14" => "FDR",
        b"25" => "EDR",
        b"50" => "HDR",
        b"" => return None,
        _ => return Some(String::new()),
    };
    Some(text(width) + speed)
}

impl Side<'_> {
    fn id(&self) -> String {
        let letter = match self.kind {
            Kind::Switch => 'S',
            Kind::Ca => 'H',
            Kind::Router => 'R',
        };
        format!("{letter}-{:016x}", self.guid.0)
    }

    fn lid(&self) -> Result<Lid, Reason> {
        if self.lid > Lid::UNICAST_MAX.0.into() {
            return Err(Reason::LidOutOfRange {
                lid: self.lid,
                lmc: 0,
            });
        }
        Ok(Lid(self.lid as u16))
    }

    fn node(&self) -> Result<Node, Reason> {
        if !(1..=254).contains(&self.port_count) {
            return Err(Reason::PortCount(self.port_count));
        }
        let is_switch = self.kind == Kind::Switch;
        let id = self.id();
        let described = !self.description.is_empty();
        Ok(Node {
            kind: self.kind,
            description: if described {
                text(self.description)
            } else {
                id.clone()
            },
            id,
            guid: self.guid,
            system_guid: Some(self.system_guid),
            vendor: u32::try_from(self.vendor).map_err(|_| Reason::BadValue("VenID"))?,
            device: u16::try_from(self.device).map_err(|_| Reason::BadValue("DevID"))?,
            port_count: self.port_count as u8,
            port_zero: None,
            lid: if is_switch { self.lid()? } else { Lid(0) },
            lmc: 0,
            ports: Vec::new(),
        })
    }
}
