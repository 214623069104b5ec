//! The output of `iblinkinfo` (`iblinkinfo.c` of infiniband-diags).
//!
//! Without `-l`, a line for each node and one for each of its ports:
//! `Switch: 0x0002c9… leaf 1:` and `     3    1[  ] ==( 4X   25.78125 Gbps Active/  LinkUp)==>      10    1[  ] "node1
//! HCA-1" ( )`. Before the `3`, its LID, a host's port has its GUID; the other end has none. So in a file without the lines
//! of hosts (`grep -v CA:`) their ports are known. With `-l`, each port has its GUID and description before that, and the
//! GUID of the other end behind the arrow. Old versions have no colon behind `Switch`. In brackets is the number outside
//! on a chassis. Ports that are down have no other end.

use super::draft::Draft;
use super::error::Reason;
use super::links::{End, Links, speed_of};
use super::model::{Kind, Netlist};
use crate::input::{Parsed, quoted};
use crate::scan::{Scan, find, text};
use dmodc_fabric::{Guid, Lid};

/// Whether a line is a node without `-l`, or a port with it.
pub(super) fn begins(line: &[u8]) -> bool {
    header(line).is_some() || (line.starts_with(b"0x") && arrow(line).is_some())
}

pub(super) fn parse(bytes: &[u8]) -> Parsed<Netlist, Reason> {
    let (mut links, mut node) = (Links::default(), None);
    let draft = Draft::read(bytes, |draft, line| {
        if let Some(found) = header(line) {
            node = Some(found);
        } else if let Some((before, middle, behind)) = arrow(line) {
            let bad = |what| Reason::BadLine(what, quoted(line));
            let near = near(before, node.as_ref()).map_err(bad)?;
            let link = link(middle);
            let far = match link.is_some() {
                true => far(behind, draft).map_err(bad)?,
                false => None,
            };
            links.add(draft, near, far, link.unwrap_or_default());
        } else if !line.is_empty() && line[0] != b'#' {
            draft.warn(Reason::Foreign(quoted(line)));
        }
        Ok(())
    })?;
    links.finish(draft)
}

/// `Switch: 0x0002c9… leaf 1:`, `CA: node1 HCA-1:`.
fn header(line: &[u8]) -> Option<End> {
    let kinds: [(&[u8], Kind); 3] = [
        (b"Switch", Kind::Switch),
        (b"CA:", Kind::Ca),
        (b"Router:", Kind::Router),
    ];
    let mut scan = Scan(line);
    let (_, kind) = kinds.into_iter().find(|(word, _)| scan.eat(word))?;
    let guid = match kind {
        Kind::Switch => {
            scan.eat(b":");
            let is_guid = scan.blanks().0.starts_with(b"0x");
            Some(Guid(scan.c_number().filter(|_| is_guid)?))
        }
        _ => None,
    };
    let name = scan.blanks().0;
    Some(End {
        kind: Some(kind),
        guid,
        description: text(name.strip_suffix(b":")?),
        ..End::default()
    })
}

/// The parts of a port's line: before `==(`, between, and behind `)==>`.
fn arrow(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let mut scan = Scan(line);
    let before = scan.until(b"==(")?;
    let middle = scan.until(b")==>")?;
    Some((before, middle, scan.0))
}

/// A port before the arrow: its node, if the line has it, LID and number.
fn near(before: &[u8], node: Option<&End>) -> Result<End, &'static str> {
    let mut scan = Scan(before);
    let mut end = node.cloned().unwrap_or_default();
    if scan.blanks().0.starts_with(b"0x") {
        if end.kind == Some(Kind::Switch) {
            end = End::default();
        }
        end.guid = Some(Guid(scan.c_number().ok_or("no GUID of the port")?));
        if scan.blanks().eat(b"\"") {
            let close = scan.0.iter().rposition(|&b| b == b'"');
            let close = close.ok_or("the description's quotes are not closed")?;
            end.kind = None;
            end.description = text(scan.0[..close].trim_ascii());
            scan.0 = &scan.0[close + 1..];
        }
    }
    if end.guid.is_none() {
        return Err("a port line that belongs to no node");
    }
    (end.lid, end.number) = lid_and_number(&mut scan)?;
    Ok(end)
}

/// The other end behind the arrow, if there is one.
fn far(behind: &[u8], draft: &mut Draft) -> Result<Option<End>, &'static str> {
    if find(behind, b"Port not available").is_some() {
        draft.warn(Reason::Foreign(quoted(behind)));
        return Ok(None);
    }
    let mut scan = Scan(behind);
    let mut end = End::default();
    if scan.blanks().0.starts_with(b"0x") {
        end.guid = scan.c_number().map(Guid);
    }
    (end.lid, end.number) = lid_and_number(&mut scan)?;
    let name = scan.blanks().0.strip_prefix(b"\"");
    let name = name.ok_or("no description of the other end")?;
    let close = name.iter().rposition(|&b| b == b'"');
    end.description = text(&name[..close.ok_or("the description's quotes are not closed")?]);
    Ok(Some(end))
}

/// `3    1[  ]`: LID and port number. A LID out of range is unknown.
fn lid_and_number(scan: &mut Scan) -> Result<(Lid, u64), &'static str> {
    let lid = scan.blanks().decimal().ok_or("no LID")?;
    let number = scan.blanks().decimal().ok_or("no port number")?;
    if !scan.eat(b"[") || scan.until(b"]").is_none() {
        return Err("no brackets behind the port number");
    }
    Ok((Lid::read(lid).unwrap_or_default(), number))
}

/// ` 4X  25.78125 Gbps Active/  LinkUp` in ibnetdiscover's words; `None` of a port that is down. Tools before 2017 have
/// no word for 2X, whose code is 16.
fn link(middle: &[u8]) -> Option<String> {
    let words = middle.split(u8::is_ascii_whitespace);
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    let (width, rate) = match words[..] {
        _ if words.iter().any(|word| word.starts_with(b"Down")) => return None,
        [b"undefined", b"(16)", rate, ..] => (&b"2X"[..], rate),
        [width, rate, ..] => (width, rate),
        _ => return None,
    };
    let rate = match find(middle, b"(FDR10)") {
        Some(_) => b"FDR10",
        None => rate,
    };
    Some(speed_of(width, rate))
}
