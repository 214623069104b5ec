//! Node lines: `Switch 41 "S-..."  # "description" enhanced port 0 lid 13 lmc 0`.

use crate::input::quoted;
use crate::netlist::draft::Draft;
use crate::netlist::error::Reason;
use crate::netlist::model::Kind;
use crate::scan::{Scan, find, hex};
use dmodc_fabric::{Guid, Lid};

/// The kind of node with which a line begins, and the rest of the line.
pub fn begins(line: &[u8]) -> Option<(Kind, &[u8])> {
    let words: [(&[u8], Kind); 5] = [
        (b"Switch", Kind::Switch),
        (b"Hca", Kind::Ca),
        (b"Ca", Kind::Ca),
        (b"Router", Kind::Router),
        (b"Rt", Kind::Router),
    ];
    let mut words = words.into_iter();
    let found = words.find_map(|(word, kind)| Some((kind, line.strip_prefix(word)?)));
    found.filter(|(_, rest)| rest.first().is_none_or(|b| !b.is_ascii_alphabetic()))
}

/// A word that is no kind of node here, before what follows a kind: a number of ports and an id. And the rest of the
/// line.
pub fn unknown(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|b| !b.is_ascii_alphabetic())?;
    let (word, rest) = line.split_at(end);
    let is_node = !word.is_empty() && rest[0].is_ascii_whitespace() && begins(line).is_none();
    NodeParts::read(rest).ok().filter(|_| is_node)?;
    Some((word, rest))
}

/// The kind that an unknown word most likely is: a known one in other letters, else a host.
pub fn likely(word: &[u8]) -> Kind {
    let is = |words: &[&[u8]]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    match () {
        () if is(&[b"switch", b"sw"]) => Kind::Switch,
        () if is(&[b"router", b"rt"]) => Kind::Router,
        () => Kind::Ca,
    }
}

/// The parts of a node line.
pub struct NodeParts<'a> {
    /// The number of ports.
    pub count: u64,
    /// The id in quotes.
    pub id: &'a [u8],
    /// The words between id and description: none are known.
    pub options: &'a [u8],
    /// The description, empty if there is none.
    pub description: &'a [u8],
    /// The rest of the line.
    pub trailer: &'a [u8],
}

impl<'a> NodeParts<'a> {
    /// The rest of a node line: `41 "S-..."  # "description" enhanced port 0 lid 13 lmc 0`.
    pub fn read(rest: &'a [u8]) -> Result<Self, &'static str> {
        let mut scan = Scan(rest);
        let count = scan.blanks().decimal().ok_or("no number of ports")?;
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
    let known = Lid::read(lid);
    let fits = u8::try_from(lmc).ok().filter(|lmc| *lmc <= 7);
    if known.is_none() || fits.is_none() {
        draft.warn(Reason::LidOutOfRange { lid, lmc });
    }
    (known.unwrap_or_default(), fits.unwrap_or_default())
}
