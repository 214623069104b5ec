//! The netlists of `ibnetdiscover` and ibsim.
//!
//! One format in two dialects. ibnetdiscover writes GUIDs, LIDs and link speeds and names nodes by
//! GUID; people write `Hca 2 "h1"` and `[1] "sw1"[3]` by hand and leave the rest to ibsim, which
//! counts GUIDs up from a base for each kind of node. What is accepted is what ibsim accepts
//! (`sim_net.c`), with ibsim's defaults (remote port 1, GUID counters, description = id), except
//! for what would be read as another fabric than the one meant: that is refused. Unknown lines are
//! skipped as ibsim does: captures of ibnetdiscover come with shell prompts and chassis lines.

use super::draft::{Draft, Said};
use super::error::Reason;
use super::model::{Kind, Netlist, Node, Port, PortZero};
use super::scan::{Scan, find, find_last, is_binary, text};
use crate::fabric::{Guid, Lid};
use crate::input::{Fault, lines};

/// The lines of ibsim's language that reach beyond one netlist.
const UNSUPPORTED: [&str; 3] = ["include", "module", "@"];

/// What the lines before a node line say of it, and ibsim's GUID counters.
struct Context {
    vendor: u32,
    device: u16,
    system_guid: Option<Guid>,
    bases: [u64; 3],
    next: [u64; 3],
    /// A line waits for its node line.
    open: bool,
}

fn slot(kind: Kind) -> usize {
    match kind {
        Kind::Ca => 0,
        Kind::Switch => 1,
        Kind::Router => 2,
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Netlist, Fault<Reason>> {
    let bases = [0x10_0000, 0x20_0000, 0];
    let mut context = Context {
        vendor: 0,
        device: 0,
        system_guid: None,
        bases,
        next: bases,
        open: false,
    };
    let mut draft = Draft::default();
    let mut current = None;
    let mut last = 0;
    for (number, line) in lines(bytes) {
        last = number;
        if is_binary(line) {
            return Err(Fault::at(number, Reason::Binary));
        }
        let line = line.trim_ascii();
        let fail = |reason| Fault::at(number, reason);
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        if let Some((kind, rest)) = node_line(line) {
            let (id, node) = context.node(kind, rest, &mut draft).map_err(fail)?;
            current = Some(draft.add_node(id, node, number)?);
        } else if is_port_line(line) {
            let node = current.ok_or(fail(Reason::StrayPort))?;
            let (port_number, port, said) = port_line(line, number, &mut draft).map_err(fail)?;
            draft.add_port(node, port_number, port, said)?;
        } else if context.assignment(line).map_err(fail)? {
            current = None;
        } else if let Some(word) = UNSUPPORTED.iter().find(|w| line.starts_with(w.as_bytes())) {
            return Err(fail(Reason::Unsupported(word)));
        }
    }
    if draft.is_empty() && !context.open {
        return Err(Fault::whole(Reason::NoNode));
    }
    if context.open {
        return Err(Fault::at(last, Reason::Truncated));
    }
    draft.finish()
}

/// The kind of node that a line begins, and the rest of the line.
fn node_line(line: &[u8]) -> Option<(Kind, &[u8])> {
    let words: [(&[u8], Kind); 5] = [
        (b"Switch", Kind::Switch),
        (b"Hca", Kind::Ca),
        (b"Ca", Kind::Ca),
        (b"Router", Kind::Router),
        (b"Rt", Kind::Router),
    ];
    let (rest, kind) = words
        .into_iter()
        .find_map(|(w, k)| Some((line.strip_prefix(w)?, k)))?;
    rest.first()
        .is_none_or(|b| !b.is_ascii_alphabetic())
        .then_some((kind, rest))
}

/// `[1]..`: a bracket alone may also begin a shell prompt.
fn is_port_line(line: &[u8]) -> bool {
    line[0] == b'[' && line.get(1).is_some_and(u8::is_ascii_digit)
}

impl Context {
    /// Takes `vendid=0x2c9` and the like; false if the line is no assignment known.
    fn assignment(&mut self, line: &[u8]) -> Result<bool, Reason> {
        let keys = [
            "vendid",
            "devid",
            "sysimgguid",
            "switchguid",
            "hcaguid",
            "caguid",
            "rtguid",
        ];
        let Some(key) = keys.into_iter().find(|k| line.starts_with(k.as_bytes())) else {
            return Ok(false);
        };
        let bad = Reason::BadValue(key);
        let Some(sign) = line.iter().position(|&b| b == b'=' || b == b'+') else {
            return Err(bad);
        };
        let value = Scan(&line[sign + 1..])
            .blanks()
            .c_number()
            .ok_or(bad.clone())?;
        let kind = match key {
            "vendid" => {
                self.vendor = u32::try_from(value).map_err(|_| bad)?;
                None
            }
            "devid" => {
                self.device = u16::try_from(value).map_err(|_| bad)?;
                None
            }
            "sysimgguid" => {
                self.system_guid = Some(Guid(value));
                None
            }
            "switchguid" => Some(Kind::Switch),
            "rtguid" => Some(Kind::Router),
            _ => Some(Kind::Ca),
        };
        if let Some(kind) = kind {
            let (base, next) = (&mut self.bases[slot(kind)], &mut self.next[slot(kind)]);
            if line[sign] == b'=' {
                *base = value;
                *next = value;
            } else {
                *next = base.wrapping_add(value);
            }
        }
        self.open = true;
        Ok(true)
    }

    /// The rest of a node line: `41 "S-..."  # "description" enhanced port 0 lid 13 lmc 0`.
    fn node(&mut self, kind: Kind, rest: &[u8], draft: &mut Draft) -> Result<(u32, Node), Reason> {
        let mut scan = Scan(rest);
        let count = scan
            .blanks()
            .decimal()
            .ok_or(Reason::BadNode("no number of ports"))?;
        if !(1..=254).contains(&count) {
            return Err(Reason::PortCount(count));
        }
        if !scan.blanks().eat(b"\"") {
            return Err(Reason::BadNode("no id in quotes"));
        }
        let id = scan
            .until(b"\"")
            .ok_or(Reason::BadNode("the id's quotes are not closed"))?;
        if id.is_empty() {
            return Err(Reason::BadNode("the id is empty"));
        }
        let (description, trailer) = node_comment(scan.0)?;
        let (lid, lmc) = lid_and_lmc(trailer)?;
        let port_zero = if find(trailer, b"enhanced port 0").is_some() {
            Some(PortZero::Enhanced)
        } else {
            find(trailer, b"base port 0").map(|_| PortZero::Base)
        };
        let guid = Guid(self.next[slot(kind)]);
        let reserved = if kind == Kind::Switch { 1 } else { count + 1 };
        self.next[slot(kind)] = guid.0.wrapping_add(reserved);
        let is_switch = kind == Kind::Switch;
        let node = Node {
            kind,
            id: text(id),
            description: text(if description.is_empty() {
                id
            } else {
                description
            }),
            guid,
            system_guid: self.system_guid.take(),
            vendor: std::mem::take(&mut self.vendor),
            device: self.device,
            port_count: count as u8,
            port_zero: port_zero.filter(|_| is_switch),
            lid: if is_switch { lid } else { Lid(0) },
            lmc: if is_switch { lmc } else { 0 },
            ports: Vec::new(),
        };
        self.open = false;
        Ok((draft.id(id), node))
    }
}

/// Splits `# "description" trailer`, or ibsim's `# description enhanced port 0 ..`. The
/// description runs to the last quote, since descriptions may hold quotes of their own.
fn node_comment(rest: &[u8]) -> Result<(&[u8], &[u8]), Reason> {
    let Some(hash) = find(rest, b"#") else {
        return Ok((b"", b""));
    };
    let comment = rest[hash + 1..].trim_ascii();
    if let Some(quoted) = comment.strip_prefix(b"\"") {
        let end = find_last(quoted, b'"');
        let end = end.ok_or(Reason::BadNode("the description's quotes are not closed"))?;
        return Ok((&quoted[..end], &quoted[end + 1..]));
    }
    let trailers: [&[u8]; 4] = [b" enhanced port ", b" base port ", b" lid ", b" lmc "];
    let end = trailers
        .iter()
        .find_map(|t| find(comment, t))
        .unwrap_or(comment.len());
    Ok((&comment[..end], &comment[end..]))
}

/// `lid 13 lmc 0`, each if it is there.
fn lid_and_lmc(trailer: &[u8]) -> Result<(Lid, u8), Reason> {
    let value = |key: &[u8]| {
        let at = find(trailer, key)?;
        Scan(&trailer[at + key.len()..]).blanks().c_number()
    };
    let (lid, lmc) = (value(b"lid ").unwrap_or(0), value(b"lmc ").unwrap_or(0));
    if lid > Lid::UNICAST_MAX.0.into() || lmc > 7 {
        return Err(Reason::LidOutOfRange { lid, lmc });
    }
    Ok((Lid(lid as u16), lmc as u8))
}

/// `[1](guid) "S-..."[24](guid)  # lid 28 lmc 0 "description" lid 13 4xEDR`, most of it optional.
fn port_line(line: &[u8], number: u32, draft: &mut Draft) -> Result<(u64, Port, Said), Reason> {
    let mut scan = Scan(&line[1..]);
    let port_number = scan.decimal().unwrap_or(0);
    if !scan.eat(b"]") {
        return Err(Reason::BadPort("no ']' after the port number"));
    }
    let guid = external_port_and_guid(&mut scan)?;
    if !scan.blanks().eat(b"\"") {
        return Err(Reason::BadPort("no id in quotes after the port"));
    }
    let peer = scan
        .until(b"\"")
        .ok_or(Reason::BadPort("the id's quotes are not closed"))?;
    let mut peer_port = 1;
    if scan.blanks().eat(b"[") {
        peer_port = scan
            .decimal()
            .ok_or(Reason::BadPort("no number for the other port"))?;
        if !scan.eat(b"]") {
            return Err(Reason::BadPort("no ']' after the other port"));
        }
    }
    let peer_port = match u8::try_from(peer_port) {
        Ok(port @ 1..=254) => port,
        _ => return Err(Reason::BadPort("the other port is out of range (1 to 254)")),
    };
    let peer_guid = external_port_and_guid(&mut scan)?;
    let comment = find(scan.0, b"#").map_or(&b""[..], |at| &scan.0[at + 1..]);
    let own = &comment[..find(comment, b"\"").unwrap_or(0)];
    let far = find_last(comment, b'"')
        .map_or(comment, |at| &comment[at + 1..])
        .trim_ascii();
    let (lid, lmc) = lid_and_lmc(own)?;
    let mut far = Scan(far);
    let mut peer_lid = Lid(0);
    if far.eat(b"lid ") {
        let lid = far
            .blanks()
            .decimal()
            .ok_or(Reason::BadPort("no number after 'lid'"))?;
        if lid > Lid::UNICAST_MAX.0.into() {
            return Err(Reason::LidOutOfRange { lid, lmc: 0 });
        }
        peer_lid = Lid(lid as u16);
    }
    let link = draft.link(far.0.trim_ascii());
    let peer = draft.id(peer);
    let port = Port {
        number: 0,
        peer,
        peer_port,
        guid,
        lid,
        lmc,
        link,
    };
    Ok((
        port_number,
        port,
        Said {
            line: number,
            peer_guid,
            peer_lid,
        },
    ))
}

/// What may follow a port number: `[ext 5]` in a chassis, and the port's GUID in parentheses.
fn external_port_and_guid(scan: &mut Scan) -> Result<Option<Guid>, Reason> {
    if scan.blanks().eat(b"[ext") {
        scan.until(b"]")
            .ok_or(Reason::BadPort("no ']' after the external port"))?;
    }
    if !scan.blanks().eat(b"(") {
        return Ok(None);
    }
    let inner = scan
        .until(b")")
        .ok_or(Reason::BadPort("the GUID's parenthesis is not closed"))?;
    let mut digits = Scan(inner);
    let _ = digits.blanks().eat(b"0x");
    match digits.hex() {
        Some(guid) if digits.0.trim_ascii().is_empty() => Ok(Some(Guid(guid))),
        _ => Err(Reason::BadPort("no GUID in the parentheses")),
    }
}
