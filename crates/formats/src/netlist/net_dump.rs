//! ibdiagnet2's `.net_dump`: a table of ports for each switch.
//!
//! `"name", Mellanox, 0xGUID, LID 24`, then a line with the names of the columns between colons, then a line a port. The
//! columns are found by name, since versions differ: `#` (the label of the port), `IB#` (its number), `Sta`, `LWA`,
//! `LSA` (width and rate), `Neighbor Guid`, `N#` (the label of the other port, or its number), `NLID`, `Neighbor
//! Description`. Hosts have no table.

use super::draft::Draft;
use super::error::Reason;
use super::links::{End, Links, speed_of};
use super::model::{Kind, Netlist};
use crate::input::{Parsed, quoted};
use crate::scan::{Scan, find, text};
use dmodc_fabric::{Guid, Lid};

pub(super) fn begins(line: &[u8]) -> bool {
    header(line).is_some()
}

pub(super) fn parse(bytes: &[u8]) -> Parsed<Netlist, Reason> {
    let (mut links, mut node) = (Links::default(), None);
    let mut columns: Vec<String> = Vec::new();
    let draft = Draft::read(bytes, |draft, line| {
        if let Some(found) = header(line) {
            node = Some(found);
        } else if line.starts_with(b"#") && find(line, b": IB#").is_some() {
            columns = cells(line, usize::MAX).map(text).collect();
        } else if let (Some(node), false) = (&node, columns.is_empty())
            && cells(line, columns.len()).count() == columns.len()
        {
            let row: Vec<&[u8]> = cells(line, columns.len()).collect();
            let column = |name: &str| {
                let at = columns.iter().position(|column| column == name);
                at.map_or(&b""[..], |at| row[at])
            };
            port(node, &column, line, &mut links, draft)?;
        } else if !line.is_empty() && line[0] != b'#' {
            draft.warn(Reason::Foreign(quoted(line)));
        }
        Ok(())
    })?;
    links.finish(draft)
}

/// The cells of a line, at most this many: a description may have colons.
fn cells(line: &[u8], most: usize) -> impl Iterator<Item = &[u8]> {
    line.splitn(most, |&b| b == b':').map(<[u8]>::trim_ascii)
}

fn port<'l>(
    node: &End,
    column: &dyn Fn(&str) -> &'l [u8],
    line: &[u8],
    links: &mut Links,
    draft: &mut Draft,
) -> Result<(), Reason> {
    let bad = |what| Reason::BadLine(what, quoted(line));
    let number = |name: &str| whole(column(name));
    let near = End {
        number: number("IB#").ok_or(bad("no port number"))?,
        label: text(column("#")),
        ..node.clone()
    };
    let neighbour = column("Neighbor Guid");
    if neighbour.is_empty() || column("Sta").starts_with(b"DOWN") {
        links.add(draft, near, None, String::new());
        return Ok(());
    }
    let guid = Scan(neighbour).c_number();
    let guid = guid.ok_or(bad("no GUID of the neighbour"))?;
    let name = column("Neighbor Description");
    let name = name.strip_prefix(b"\"").unwrap_or(name);
    let label = column("N#");
    // Those of hosts have letters: `B184D0F0/0/0/1`. This tells a switch without a table.
    let is_cage = find(label, b"/").is_some() && !label.iter().any(u8::is_ascii_alphabetic);
    let far = End {
        kind: is_cage.then_some(Kind::Switch),
        guid: Some(Guid(guid)),
        number: whole(label).unwrap_or(0),
        lid: number("NLID").and_then(Lid::read).unwrap_or_default(),
        description: text(name.strip_suffix(b"\"").unwrap_or(name)),
        label: text(label),
    };
    let link = speed_of(column("LWA"), column("LSA"));
    links.add(draft, near, Some(far), link);
    Ok(())
}

/// A cell that is a decimal number and nothing else.
fn whole(cell: &[u8]) -> Option<u64> {
    let mut scan = Scan(cell);
    scan.decimal().filter(|_| scan.0.is_empty())
}

/// `"name", Mellanox, 0xGUID, LID 24`
fn header(line: &[u8]) -> Option<End> {
    let name = line.strip_prefix(b"\"")?;
    let close = name.iter().rposition(|&b| b == b'"')?;
    let mut scan = Scan(&name[close + 1..]);
    scan.until(b", 0x")?;
    let guid = scan.hex()?;
    let lid = scan.until(b"LID ").and_then(|_| scan.decimal())?;
    Some(End {
        kind: Some(Kind::Switch),
        guid: Some(Guid(guid)),
        lid: Lid::read(lid).unwrap_or_default(),
        description: text(&name[..close]),
        ..End::default()
    })
}
