//! The netlists of `ibnetdiscover` and ibsim.
//!
//! One format, two dialects. ibnetdiscover writes GUIDs, LIDs and link speeds, and names nodes by
//! GUID. People write `Hca 2 "h1"` and `[1] "sw1"[3]` by hand; ibsim then counts GUIDs up from a
//! base for each kind of node. This parser accepts what ibsim accepts (`sim_net.c`), with ibsim's
//! defaults (remote port 1, GUID counters, description = id). It refuses text that would give
//! another fabric than the author meant. It skips unknown lines, as ibsim does: captures of
//! ibnetdiscover contain shell prompts and chassis lines. A value that is empty or unreadable
//! (`xxxxxx` for a GUID or a LID) is unknown, with a warning; mostly the other side of the link has
//! it.

use super::draft::{Draft, Said};
use super::error::Reason;
use super::model::{Kind, Netlist, Node, Port, PortZero};
use super::scan::{Scan, find, find_last, text};
use crate::fabric::{Guid, Lid};
use crate::input::{Fault, Lenient, lines, plain, quoted};
use std::borrow::Cow;
use std::sync::Arc;

/// Commands of ibsim that reach beyond one netlist.
const UNSUPPORTED: [&str; 3] = ["include", "module", "@"];

/// The assignments before a node line, and ibsim's GUID counters.
struct Context {
    vendor: u32,
    device: u16,
    system_guid: Option<Guid>,
    bases: [u64; 3],
    next: [u64; 3],
    said: Option<SaidGuid>,
    /// Whether an assignment waits for its node line.
    open: bool,
}

/// What a `switchguid=` line and the like says.
struct SaidGuid {
    kind: Kind,
    /// The GUID, if it can be read.
    guid: Option<Guid>,
    /// The port GUID in parentheses behind it.
    port: Option<Guid>,
}

fn slot(kind: Kind) -> usize {
    match kind {
        Kind::Ca => 0,
        Kind::Switch => 1,
        Kind::Router => 2,
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Lenient<Netlist, Reason>, Fault<Reason>> {
    let bases = [0x10_0000, 0x20_0000, 0];
    let mut context = Context {
        vendor: 0,
        device: 0,
        system_guid: None,
        bases,
        next: bases,
        said: None,
        open: false,
    };
    let mut draft = Draft::default();
    let mut current = None;
    let mut last = 0;
    for (number, line) in lines(bytes) {
        last = number;
        let text = plain(line).ok_or(Fault::at(number, Reason::Binary))?;
        if matches!(text, Cow::Owned(_)) {
            draft.warn(number, Reason::Terminal);
        }
        let line = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        let line = line.trim_ascii();
        let fail = |reason| Fault::at(number, reason);
        let bad = |what| Fault::at(number, Reason::BadLine(what, quoted(line)));
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        if let Some((kind, rest)) = node_line(line) {
            let parts = node_parts(rest).map_err(bad)?;
            let (id, node) = context.node(kind, parts, number, &mut draft)?;
            current = Some(draft.add_node(id, node, number)?);
        } else if is_port_line(line) {
            let node = current.ok_or(fail(Reason::StrayPort))?;
            let (port_number, port, said) =
                port_line(line, number, node, &mut draft).map_err(bad)?;
            draft.add_port(node, port_number, port, said)?;
        } else if context.assignment(line, number, &mut draft) {
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

/// The kind of node with which a line begins, and the rest of the line.
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

/// Whether a line begins as `[1]` does: a bracket alone may also begin a shell prompt.
fn is_port_line(line: &[u8]) -> bool {
    line[0] == b'[' && line.get(1).is_some_and(u8::is_ascii_digit)
}

/// The parts of a node line.
struct NodeParts<'a> {
    count: u64,
    id: &'a [u8],
    description: &'a [u8],
    trailer: &'a [u8],
}

/// The rest of a node line: `41 "S-..."  # "description" enhanced port 0 lid 13 lmc 0`.
fn node_parts(rest: &[u8]) -> Result<NodeParts<'_>, &'static str> {
    let mut scan = Scan(rest);
    let count = scan.blanks().decimal().ok_or("no number of ports")?;
    if !scan.blanks().eat(b"\"") {
        return Err("no id in quotes");
    }
    let id = scan.until(b"\"").ok_or("the id's quotes are not closed")?;
    if id.is_empty() {
        return Err("the id is empty");
    }
    let (description, trailer) = node_comment(scan.0)?;
    Ok(NodeParts {
        count,
        id,
        description,
        trailer,
    })
}

/// The node GUID in an id of ibnetdiscover's form: a letter, a dash, 16 hexadecimal digits.
fn guid_of_id(id: &[u8]) -> Option<Guid> {
    let digits = id.get(2..).filter(|d| d.len() == 16 && id[1] == b'-')?;
    let mut scan = Scan(digits);
    let guid = scan.hex()?;
    scan.0.is_empty().then_some(Guid(guid))
}

impl Context {
    /// Takes an assignment such as `vendid=0x2c9`; false if the line is none that it knows.
    fn assignment(&mut self, line: &[u8], number: u32, draft: &mut Draft) -> bool {
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
            return false;
        };
        self.open = true;
        let sign = line.iter().position(|&b| b == b'=' || b == b'+');
        let mut scan = Scan(sign.map_or(b"", |at| &line[at + 1..]));
        let value = scan.blanks().c_number();
        let kind = match key {
            "switchguid" => Kind::Switch,
            "rtguid" => Kind::Router,
            "hcaguid" | "caguid" => Kind::Ca,
            _ => {
                let fits = match (key, value) {
                    ("vendid", Some(value)) => {
                        u32::try_from(value).map(|v| self.vendor = v).is_ok()
                    }
                    ("devid", Some(value)) => u16::try_from(value).map(|v| self.device = v).is_ok(),
                    (_, Some(value)) => {
                        self.system_guid = Some(Guid(value));
                        true
                    }
                    (_, None) => false,
                };
                if !fits {
                    draft.warn(number, Reason::BadValue(key, quoted(line)));
                }
                return true;
            }
        };
        let (base, next) = (&mut self.bases[slot(kind)], &mut self.next[slot(kind)]);
        let offset = sign.is_some_and(|at| line[at] == b'+');
        match value {
            Some(value) if offset => *next = base.wrapping_add(value),
            Some(value) => (*base, *next) = (value, value),
            None => draft.warn(number, Reason::BadValue(key, quoted(line))),
        }
        if !offset {
            scan.until(b"(");
            self.said = Some(SaidGuid {
                kind,
                guid: value.map(Guid),
                port: scan.hex().map(Guid),
            });
        }
        true
    }

    /// The GUID of the node whose line comes now: what the line before says, else ibsim's counter.
    /// The quoted id counts where that line is unreadable, where its GUID is another node's, and
    /// where a switch's port GUID in parentheses does not confirm it: some chassis give the GUID
    /// of the whole to each of their switches.
    fn guid(&mut self, kind: Kind, id: &[u8], line: u32, draft: &mut Draft) -> Guid {
        let counted = Guid(self.next[slot(kind)]);
        let (Some(said), Some(named)) = (self.said.take(), guid_of_id(id)) else {
            return counted;
        };
        if said.kind != kind || said.guid == Some(named) {
            return counted;
        }
        let Some(guid) = said.guid else {
            return named;
        };
        let confirmed = kind != Kind::Switch || said.port.is_some_and(|port| port != named);
        if confirmed && !draft.has_guid(guid) {
            return guid;
        }
        let reason = Reason::OtherGuid {
            said: guid,
            id: text(id),
            used: named,
        };
        draft.warn(line, reason);
        named
    }

    fn node(
        &mut self,
        kind: Kind,
        parts: NodeParts,
        line: u32,
        draft: &mut Draft,
    ) -> Result<(u32, Node), Fault<Reason>> {
        let NodeParts {
            count,
            id,
            description,
            trailer,
        } = parts;
        if !(1..=254).contains(&count) {
            return Err(Fault::at(line, Reason::PortCount(count)));
        }
        let (lid, lmc) = lid_and_lmc(trailer, line, draft);
        let port_zero = if find(trailer, b"enhanced port 0").is_some() {
            Some(PortZero::Enhanced)
        } else {
            find(trailer, b"base port 0").map(|_| PortZero::Base)
        };
        let guid = self.guid(kind, id, line, draft);
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

/// Splits `# "description" trailer`, or ibsim's `# description enhanced port 0 …`. The
/// description runs to the last quote, since descriptions may hold quotes of their own.
fn node_comment(rest: &[u8]) -> Result<(&[u8], &[u8]), &'static str> {
    let Some(hash) = find(rest, b"#") else {
        return Ok((b"", b""));
    };
    let comment = rest[hash + 1..].trim_ascii();
    if let Some(quoted) = comment.strip_prefix(b"\"") {
        let end = find_last(quoted, b'"').ok_or("the description's quotes are not closed")?;
        return Ok((&quoted[..end], &quoted[end + 1..]));
    }
    let trailers: [&[u8]; 4] = [b" enhanced port ", b" base port ", b" lid ", b" lmc "];
    let end = trailers
        .iter()
        .find_map(|t| find(comment, t))
        .unwrap_or(comment.len());
    Ok((&comment[..end], &comment[end..]))
}

/// `lid 13 lmc 0`, each if it is there and can be read.
fn lid_and_lmc(trailer: &[u8], line: u32, draft: &mut Draft) -> (Lid, u8) {
    let mut value = |key: &'static str| {
        let at = find(trailer, key.as_bytes())?;
        let value = Scan(&trailer[at + key.len()..]).blanks().c_number();
        if value.is_none() {
            draft.warn(line, Reason::BadValue(key.trim_end(), quoted(trailer)));
        }
        value
    };
    let (lid, lmc) = (value("lid ").unwrap_or(0), value("lmc ").unwrap_or(0));
    let (known, fits) = (lid <= Lid::UNICAST_MAX.0.into(), lmc <= 7);
    if !(known && fits) {
        draft.warn(line, Reason::LidOutOfRange { lid, lmc });
    }
    (
        Lid(if known { lid as u16 } else { 0 }),
        if fits { lmc as u8 } else { 0 },
    )
}

/// The other side's LID, if it can be read, and the link: `lid 13 4xEDR`.
fn far_lid(text: &[u8], line: u32, draft: &mut Draft) -> (Lid, Arc<str>) {
    let (mut lid, mut link) = (Lid(0), text);
    if let Some(rest) = text.strip_prefix(b"lid ") {
        let rest = rest.trim_ascii();
        let end = rest.iter().position(u8::is_ascii_whitespace);
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let mut digits = Scan(word);
        match digits.decimal().filter(|_| digits.0.is_empty()) {
            Some(value) if value <= Lid::UNICAST_MAX.0.into() => lid = Lid(value as u16),
            Some(lid) => draft.warn(line, Reason::LidOutOfRange { lid, lmc: 0 }),
            None => draft.warn(line, Reason::BadValue("lid", quoted(text))),
        }
        // `lid 4xEDR`: the one word is the link.
        let link_alone = behind.is_empty() && digits.0.first() == Some(&b'x');
        link = if link_alone { word } else { behind };
    }
    (lid, draft.link(link.trim_ascii()))
}

/// `[1](guid) "S-…"[24](guid)  # lid 28 lmc 0 "description" lid 13 4xEDR`, most of it optional.
fn port_line(
    text: &[u8],
    line: u32,
    node: u32,
    draft: &mut Draft,
) -> Result<(u64, Port, Said), &'static str> {
    let mut scan = Scan(&text[1..]);
    let port_number = scan.decimal().unwrap_or(0);
    if !scan.eat(b"]") {
        return Err("no ']' after the port number");
    }
    let near = in_parentheses(&mut scan)?;
    if !scan.blanks().eat(b"\"") {
        return Err("no id in quotes after the port");
    }
    let peer = scan.until(b"\"").ok_or("the id's quotes are not closed")?;
    let mut peer_port = 1;
    if scan.blanks().eat(b"[") {
        peer_port = scan.decimal().ok_or("no number for the other port")?;
        if !scan.eat(b"]") {
            return Err("no ']' after the other port");
        }
    }
    let peer_port = match u8::try_from(peer_port) {
        Ok(port @ 1..=254) => port,
        _ => return Err("the other port is out of range (1 to 254)"),
    };
    let far = in_parentheses(&mut scan)?;
    let own_id = draft.id_of(node).as_bytes().to_vec();
    let guid = near.and_then(|inner| port_guid(inner, &own_id, line, draft));
    let peer_guid = far.and_then(|inner| port_guid(inner, peer, line, draft));
    let comment = find(scan.0, b"#").map_or(&b""[..], |at| &scan.0[at + 1..]);
    let own = &comment[..find(comment, b"\"").unwrap_or(0)];
    let behind = find_last(comment, b'"').map_or(comment, |at| &comment[at + 1..]);
    let (lid, lmc) = lid_and_lmc(own, line, draft);
    let (peer_lid, link) = far_lid(behind.trim_ascii(), line, draft);
    let port = Port {
        number: 0,
        peer: draft.id(peer),
        peer_port,
        guid,
        lid,
        lmc,
        link,
    };
    let said = Said {
        line,
        peer_guid,
        peer_lid,
    };
    Ok((port_number, port, said))
}

/// What may follow a port number: `[ext 5]` in a chassis, and something in parentheses.
fn in_parentheses<'a>(scan: &mut Scan<'a>) -> Result<Option<&'a [u8]>, &'static str> {
    if scan.blanks().eat(b"[ext") {
        scan.until(b"]").ok_or("no ']' after the external port")?;
    }
    if !scan.blanks().eat(b"(") {
        return Ok(None);
    }
    let inner = scan.until(b")").ok_or("the parenthesis is not closed")?;
    Ok(Some(inner.trim_ascii()))
}

/// The port GUID in parentheses. A short number beside a long node GUID is none: some programs
/// write the port number there.
fn port_guid(inner: &[u8], id: &[u8], line: u32, draft: &mut Draft) -> Option<Guid> {
    let mut digits = Scan(inner);
    let _ = digits.eat(b"0x");
    let guid = digits.hex().filter(|_| digits.0.is_empty()).map(Guid);
    let long = guid_of_id(id).is_some_and(|node| node.0 > 0xffff);
    match guid {
        Some(guid) if !(long && guid.0 <= 0xfff) => return Some(guid),
        _ => draft.warn(line, Reason::BadValue("GUID", quoted(inner))),
    }
    None
}
