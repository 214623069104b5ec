//! The output of `ibnetdiscover -p`: a line for each port (`dump_ports_report` in `ibnetdiscover.c`).
//!
//! `SW     3 30 0x0010e0… 4x QDR - CA    52  1 0x0010e0… ( 'leaf 1' - 'node1 HCA-1' )`: kind, LID, number, GUID, width and
//! rate, and the same of the other end. A port without a link has its own description alone behind its rate.

use super::draft::Draft;
use super::error::Reason;
use super::links::{End, Links, speed_of};
use super::model::{Kind, Netlist};
use crate::input::{Parsed, quoted};
use crate::scan::{Scan, find, text};
use dmodc_fabric::{Guid, Lid};

pub(super) fn begins(line: &[u8]) -> bool {
    end(&mut Scan(line)).is_some()
}

pub(super) fn parse(bytes: &[u8]) -> Parsed<Netlist, Reason> {
    let mut links = Links::default();
    let draft = Draft::read(bytes, |draft, line| {
        let mut scan = Scan(line);
        let Some(mut near) = end(&mut scan) else {
            if !line.is_empty() && line[0] != b'#' {
                draft.warn(Reason::Foreign(quoted(line)));
            }
            return Ok(());
        };
        let bad = || Reason::BadLine("no port with its link", quoted(line));
        let (width, rate) = (scan.blanks().word(), scan.blanks().word());
        if !scan.blanks().eat(b"- ") {
            let name = scan.0.strip_prefix(b"'").and_then(|n| n.strip_suffix(b"'"));
            near.description = text(name.ok_or_else(bad)?);
            links.add(draft, near, None, String::new());
            return Ok(());
        }
        let mut far = end(&mut scan).ok_or_else(bad)?;
        let names = scan.blanks().0.strip_prefix(b"( '");
        let names = names.and_then(|names| names.strip_suffix(b"' )"));
        let names = names.ok_or_else(bad)?;
        let middle = find(names, b"' - '").ok_or_else(bad)?;
        near.description = text(&names[..middle]);
        far.description = text(&names[middle + 5..]);
        links.add(draft, near, Some(far), speed_of(width, rate));
        Ok(())
    })?;
    links.finish(draft)
}

/// `SW     3 30 0x0010e0…`
fn end(scan: &mut Scan) -> Option<End> {
    let kinds: [(&[u8], Kind); 4] = [
        (b"SW", Kind::Switch),
        (b"CA", Kind::Ca),
        (b"RT", Kind::Router),
        (b"Rt", Kind::Router),
    ];
    let mut kinds = kinds.into_iter();
    let (_, kind) = kinds.find(|(word, _)| scan.blanks().eat(word))?;
    let is_word = scan.0.starts_with(b" ");
    let lid = scan.blanks().decimal().filter(|_| is_word)?;
    let number = scan.blanks().decimal()?;
    let is_guid = scan.blanks().0.starts_with(b"0x");
    let guid = scan.c_number().filter(|_| is_guid)?;
    Some(End {
        kind: Some(kind),
        guid: Some(Guid(guid)),
        number,
        lid: Lid::read(lid).unwrap_or_default(),
        ..End::default()
    })
}
