//! Port lines: a port and the port at the other end of its link.

use super::context::Context;
use super::node::{guid_of_id, lid_and_lmc};
use crate::input::quoted;
use crate::netlist::claims::PortLine;
use crate::netlist::draft::{Draft, peer_port};
use crate::netlist::error::Reason;
use crate::netlist::model::Port;
use crate::scan::{Scan, find, hex};
use dmodc_fabric::{Guid, Lid, PortNumber};

/// Whether a line begins as `[1]` does: a shell prompt may also begin with a bracket.
pub fn begins(line: &[u8]) -> bool {
    line[0] == b'[' && line.get(1).is_some_and(u8::is_ascii_digit)
}

/// `[1](guid) "S-…"[24](guid)  # lid 28 lmc 0 "description" lid 13 4xEDR`, most of it optional. ibsim has options
/// instead of the last word: `w=1 s=4`. ibdiagnet has a label before the GUID, alone at a switch: `[1](1/1/2)(guid)`.
pub fn read(
    text: &[u8],
    node: u32,
    context: &Context,
    draft: &mut Draft,
) -> Result<(u64, Port, PortLine), &'static str> {
    let mut scan = Scan(&text[1..]);
    let port_number = scan.decimal().unwrap_or(0);
    scan.must(b"]", "no ']' after the port number")?;
    let own_id = draft.id_of(node).as_bytes().to_vec();
    let (near, label) = guid_and_label(&mut scan, &own_id)?;
    scan.blanks()
        .must(b"\"", "no id in quotes after the port")?;
    let peer = scan.until(b"\"").ok_or("the id's quotes are not closed")?;
    let mut number = 1;
    if scan.blanks().eat(b"[") {
        number = scan.decimal().ok_or("no number for the other port")?;
        scan.must(b"]", "no ']' after the other port")?;
    }
    let peer_port = peer_port(number)?;
    let (far, _) = guid_and_label(&mut scan, peer)?;
    let guid = near.and_then(|inner| port_guid(inner, &own_id, draft));
    let peer_guid = far.and_then(|inner| port_guid(inner, peer, draft));
    let before = scan.until(b"#");
    let (before, comment) = before.map_or((scan.0, &b""[..]), |before| (before, scan.0));
    let own = &comment[..find(comment, b"\"").unwrap_or(0)];
    let last = comment.iter().rposition(|&b| b == b'"');
    let behind = last.map_or(comment, |at| &comment[at + 1..]);
    let (lid, lmc) = lid_and_lmc(own, draft);
    let (peer_lid, link) = far_lid(behind.trim_ascii(), draft);
    let texts = [before, behind].into_iter();
    let mut words = texts.flat_map(|text| text.split(u8::is_ascii_whitespace));
    let unknown = words.find(|word| is_unknown_option(word)).map(quoted);
    if let Some(word) = unknown {
        draft.warn(Reason::UnknownWord(word, quoted(text)));
    }
    let link = if link.is_empty() {
        // The description has no options.
        let mut options = [before, own, behind].into_iter();
        let link = options.find_map(|text| context.link(text, draft));
        draft.link(link.unwrap_or_default().as_bytes())
    } else {
        draft.link(link)
    };
    let port = Port {
        guid,
        lid,
        lmc,
        label: label.map(|label| draft.link(label)),
        ..Port::new(PortNumber::ZERO, draft.id(peer), peer_port, link)
    };
    let port_line = PortLine {
        line: draft.line,
        peer_guid,
        peer_lid,
    };
    Ok((port_number, port, port_line))
}

/// The other side's LID, if it can be read, and the link, if there is one: `lid 13 4xEDR`.
fn far_lid<'t>(text: &'t [u8], draft: &mut Draft) -> (Lid, &'t [u8]) {
    let (mut lid, mut link) = (Lid(0), text);
    if let Some(rest) = text.strip_prefix(b"lid ") {
        let mut rest = Scan(rest.trim_ascii());
        let (word, behind) = (rest.word(), rest.0);
        let mut digits = Scan(word);
        let value = digits.decimal().filter(|_| digits.0.is_empty());
        match value {
            Some(value) => (lid, _) = draft.lid(value, 0),
            None => draft.warn(Reason::BadValue("lid", quoted(text))),
        }
        // `lid 4xEDR`: the one word is the link.
        let link_alone = behind.is_empty() && digits.0.first() == Some(&b'x');
        link = if link_alone { word } else { behind };
    }
    // `ibnetdiscover -f` writes more words after the link.
    let mut words = link.trim_ascii().split(u8::is_ascii_whitespace);
    let link = words.next().filter(|word| !word.contains(&b'='));
    (lid, link.unwrap_or_default())
}

/// Whether a word is an option that neither ibsim has nor `ibnetdiscover -f`.
fn is_unknown_option(word: &[u8]) -> bool {
    let name = word.split(|&b| b == b'=').next().unwrap_or_default();
    name.len() < word.len()
        && !name.is_empty()
        && name.iter().all(u8::is_ascii_alphabetic)
        && !matches!(name, b"w" | b"s" | b"e" | b"v")
}

/// The texts in up to two parentheses: of a GUID, and of a label, which is no long hexadecimal number.
#[expect(clippy::type_complexity, reason = "two texts that may be missing")]
fn guid_and_label<'a>(
    scan: &mut Scan<'a>,
    id: &[u8],
) -> Result<(Option<&'a [u8]>, Option<&'a [u8]>), &'static str> {
    let first = in_parentheses(scan)?;
    let second = in_parentheses(scan)?;
    Ok(match (first, second) {
        (Some(label), Some(guid)) => (Some(guid), Some(label)),
        (Some(one), None) if is_label(one) && (one.contains(&b'/') || is_long(id)) => {
            (None, Some(one))
        }
        (one, _) => (one, None),
    })
}

/// Whether a text is a label: `1/4/1`, `B57D0F0/0/0/1`, or a port number.
fn is_label(text: &[u8]) -> bool {
    let is_number = text.len() <= 3 && text.iter().all(u8::is_ascii_digit);
    let is_path = text.contains(&b'/') && text.iter().all(|b| b.is_ascii_graphic());
    !text.is_empty() && (is_number || is_path)
}

/// Skips `[ext 5]`, which a chassis has after a port number, and takes the text in parentheses, if any.
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

/// The port GUID in parentheses. Three digits or fewer beside a long node GUID are no GUID.
fn port_guid(inner: &[u8], id: &[u8], draft: &mut Draft) -> Option<Guid> {
    let plain = inner.strip_prefix(b"0x").unwrap_or(inner);
    let long = is_long(id);
    let guid = hex(plain).filter(|_| !(long && plain.len() <= 3));
    if guid.is_none() {
        draft.warn(Reason::BadValue("GUID", quoted(inner)));
    }
    guid.map(Guid)
}

/// Whether the id has a GUID of more than four digits.
fn is_long(id: &[u8]) -> bool {
    guid_of_id(id).is_some_and(|node| node.0 > 0xffff)
}
