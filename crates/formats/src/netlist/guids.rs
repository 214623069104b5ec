//! Files whose lines begin with a GUID; `#` begins a comment, also right behind the GUID.
//!
//! The GUID is in C's notation, or as netlists have it: `S-0002c9…`, `H-…`, `R-…`, with or without `0x`; or hexadecimal
//! digits alone, with a warning, since OpenSM would read another number.
//!
//! GUID files (`root_guid_file`, `cn_guid_file`, `io_guid_file`) are read as `parse_node_map` of complib reads them:
//! the rest of a line is ignored. In node name maps of infiniband-diags the rest of a line is a name, which may be in
//! quotation marks.

use crate::input::{self, InputError, Lenient, Parsed, Warnings, lines, quoted};
use crate::scan::{Scan, hex};
use dmodc_fabric::{Fabric, Guid};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A warning about a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum GuidReason {
    #[error("no GUID at the start of the line: '{0}'")]
    NoGuid(String),
    /// Hexadecimal digits alone, which OpenSM would read as something else.
    #[error("a GUID without 0x: '{0}'")]
    NoPrefix(String),
    #[error("a GUID without a name: '{0}'")]
    NoName(String),
}

/// Names by node or port GUID.
pub type NameMap = HashMap<Guid, String>;

/// Reads a GUID file without oddities. It must be a plain file.
pub fn read_guids(path: &Path) -> Result<Vec<Guid>, InputError> {
    let bytes = input::read_plain(path)?;
    let guids = parse_guids_leniently(&bytes).and_then(Lenient::strict);
    guids.map_err(|fault| fault.in_file(path))
}

/// Parses a GUID file; skips a line without a GUID, with a warning. Refuses a file of such lines alone.
pub fn parse_guids_leniently(bytes: &[u8]) -> Parsed<Vec<Guid>, GuidReason> {
    let mut warnings = Warnings::default();
    let guids = lines(bytes).filter_map(|(number, line)| first_guid(line, number, &mut warnings));
    let value = guids.map(|(guid, _)| guid).collect();
    Lenient::new(value, warnings).unless(Vec::is_empty)
}

/// Parses a name map; skips a line without GUID or name, with a warning. Of two lines for one GUID the last holds.
/// Refuses a file of such lines alone.
pub fn parse_names_leniently(bytes: &[u8]) -> Parsed<NameMap, GuidReason> {
    let (mut value, mut warnings) = (NameMap::new(), Warnings::default());
    for (number, line) in lines(bytes) {
        let Some((guid, rest)) = first_guid(line, number, &mut warnings) else {
            continue;
        };
        let rest = String::from_utf8_lossy(rest.trim_ascii());
        let name = match rest.strip_prefix('"') {
            Some(rest) => rest.split('"').next(),
            None => rest.split('#').next(),
        };
        match name.map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => drop(value.insert(guid, name.to_owned())),
            None => warnings.add(number, GuidReason::NoName(quoted(line))),
        }
    }
    Lenient::new(value, warnings).unless(NameMap::is_empty)
}

/// The GUID at the start of a line, and the rest of the line. Warns of a missing or an odd GUID, but not of an empty
/// line or a comment.
fn first_guid<'l>(
    line: &'l [u8],
    number: u32,
    warnings: &mut Warnings<GuidReason>,
) -> Option<(Guid, &'l [u8])> {
    let mut scan = Scan(line);
    if matches!(scan.blanks().0.first(), None | Some(b'#')) {
        return None;
    }
    let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'#';
    let word = scan.0.split(ends).next().unwrap_or_default();
    let rest = &scan.0[word.len()..];
    if let Some(guid) = of_netlist(word) {
        return Some((guid, rest));
    }
    // Eight digits or more that can be no decimal number.
    let is_hex_alone = word.len() >= 8 && word.iter().any(u8::is_ascii_alphabetic);
    let bare = hex(word).filter(|_| word.len() == 16 || is_hex_alone);
    let guid = scan.c_number().filter(|_| bare.is_none());
    if let Some(guid) = guid.filter(|_| scan.0.first().is_none_or(ends)) {
        return Some((Guid(guid), rest));
    }
    let reason = match bare {
        Some(_) => GuidReason::NoPrefix(quoted(word)),
        None => GuidReason::NoGuid(quoted(line)),
    };
    warnings.add(number, reason);
    bare.map(|guid| (Guid(guid), rest))
}

/// A GUID as the id of a node in a netlist: `S-0002c9…`.
fn of_netlist(word: &[u8]) -> Option<Guid> {
    let ids: [&[u8]; 3] = [b"S-", b"H-", b"R-"];
    let digits = ids.iter().find_map(|id| word.strip_prefix(*id))?;
    hex(digits.strip_prefix(b"0x").unwrap_or(digits)).map(Guid)
}

/// The kind of GUIDs in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuidsOf {
    /// Switches (`root_guid_file`): node GUIDs.
    Switches,
    /// Ports of end nodes (`cn_guid_file`, `io_guid_file`): port GUIDs.
    Ports,
}

/// A message if none of the GUIDs of a file is in the fabric: the file is of another fabric, or has GUIDs of another
/// kind.
pub fn none_found(fabric: &Fabric, guids: &[Guid], of: GuidsOf) -> Option<String> {
    if guids.is_empty() {
        return None;
    }
    let given: HashSet<Guid> = guids.iter().copied().collect();
    let (mut switches, mut nodes) = (fabric.switches().iter(), fabric.end_nodes().iter());
    let (is_found, what) = match of {
        GuidsOf::Switches => (switches.any(|s| given.contains(&s.guid)), "switches"),
        GuidsOf::Ports => (nodes.any(|n| given.contains(&n.guid)), "ports of end nodes"),
    };
    (!is_found).then(|| format!("0 of {} GUIDs are {what} of this fabric", guids.len()))
}
