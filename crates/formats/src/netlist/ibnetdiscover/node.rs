//! Node lines: `Switch 41 "S-..."  # "description" enhanced port 0 lid 13 lmc 0`.

use crate::input::quoted;
use crate::netlist::draft::Draft;
use crate::netlist::error::Reason;
use crate::netlist::model::Kind;
use crate::scan::{Scan, find, hex};
use dmodc_fabric::{Guid, Lid};

/// The words for the kinds of nodes.
const KINDS: [(&[u8], Kind); 5] = [
    (b"Switch", Kind::Switch),
    (b"Hca", Kind::Ca),
    (b"Ca", Kind::Ca),
    (b"Router", Kind::Router),
    (b"Rt", Kind::Router),
];

/// Splits a line behind its first word of letters.
pub fn word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(|b| !b.is_ascii_alphabetic());
    line.split_at(end.unwrap_or(line.len()))
}

/// The kind of node with which a line begins, whether its word is known, and the rest of the line. Another word is a
/// kind of node if a number of ports and an id are behind it: most likely a known one in other letters, else a host.
pub fn begins(line: &[u8]) -> Option<(Kind, bool, &[u8])> {
    let (word, rest) = word(line);
    if let Some((_, kind)) = KINDS.into_iter().find(|(known, _)| *known == word) {
        return Some((kind, true, rest));
    }
    let is_node = !word.is_empty() && rest.first()?.is_ascii_whitespace();
    NodeParts::read(rest).ok().filter(|_| is_node)?;
    let mut likely = KINDS.into_iter().chain([(&b"SW"[..], Kind::Switch)]);
    let likely = likely.find(|(known, _)| word.eq_ignore_ascii_case(known));
    Some((likely.map_or(Kind::Ca, |(_, kind)| kind), false, rest))
}

pub struct NodeParts<'a> {
    pub count: u64,
    pub id: &'a [u8],
    /// The words between id and description: none are known.
    pub options: &'a [u8],
    /// The description, empty if there is none.
    pub description: &'a [u8],
    pub trailer: &'a [u8],
}

impl<'a> NodeParts<'a> {
    /// The rest of a node line: `41 "S-..."  # "description" enhanced port 0 lid 13 lmc 0`.
    pub fn read(rest: &'a [u8]) -> Result<Self, &'static str> {
        let mut scan = Scan(rest);
        if scan.0.starts_with(b": guid ") {
            return Err("hop counts, as in opensm-lid-matrix.dump");
        }
        if scan.blanks().0.starts_with(b":") {
            return Err("a list of nodes without links, as of ibnetdiscover -l");
        }
        let count = scan.decimal().ok_or("no number of ports")?;
        scan.blanks().must(b"\"", "no id in quotes")?;
        let id = scan.until(b"\"").ok_or("the id's quotes are not closed")?;
        if id.is_empty() {
            return Err("the id is empty");
        }
        let (description, trailer) = node_comment(scan.0)?;
        let options = &scan.0[..find(scan.0, b"#").unwrap_or(scan.0.len())];
        Ok(NodeParts {
            count,
            id,
            options: options.trim_ascii(),
            description,
            trailer,
        })
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
        let end = quoted.iter().rposition(|&b| b == b'"');
        let end = end.ok_or("the description's quotes are not closed")?;
        return Ok((&quoted[..end], &quoted[end + 1..]));
    }
    let trailers: [&[u8]; 4] = [b" enhanced port ", b" base port ", b" lid ", b" lmc "];
    let end = trailers.iter().find_map(|t| find(comment, t));
    Ok(comment.split_at(end.unwrap_or(comment.len())))
}

/// The node GUID in an id of ibnetdiscover's form: a letter, a dash, 16 hexadecimal digits.
pub fn guid_of_id(id: &[u8]) -> Option<Guid> {
    let digits = id.get(2..).filter(|d| d.len() == 16 && id[1] == b'-')?;
    hex(digits).map(Guid)
}

/// The values of `lid 13 lmc 0`; 0 if missing or unreadable.
pub fn lid_and_lmc(trailer: &[u8], draft: &mut Draft) -> (Lid, u8) {
    let mut value = |key: &'static str| {
        let at = find(trailer, key.as_bytes())?;
        let value = Scan(&trailer[at + key.len()..]).blanks().c_number();
        if value.is_none() {
            draft.warn(Reason::BadValue(key.trim_end(), quoted(trailer)));
        }
        value
    };
    let (lid, lmc) = (value("lid ").unwrap_or(0), value("lmc ").unwrap_or(0));
    draft.lid(lid, lmc)
}
