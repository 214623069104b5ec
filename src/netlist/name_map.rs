//! Names for GUIDs, in the format of the node name maps of infiniband-diags: a line has a GUID and a name,
//! which may stand in quotation marks; `#` begins a comment.

use super::guids::{GuidReason, first_guid};
use crate::fabric::Guid;
use crate::input::{Fault, Lenient, Warnings, lines, quoted};
use std::collections::HashMap;

/// Names by node or port GUID.
pub type NameMap = HashMap<Guid, String>;

/// Errors in a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameMapReason {
    /// It does not begin with a GUID.
    #[error(transparent)]
    Guid(#[from] GuidReason),
    /// It has only a GUID.
    #[error("a GUID without a name: '{0}'")]
    NoName(String),
}

/// Parses a map and skips a line without GUID or name, with a warning. Of two lines for one GUID the last
/// holds. Refuses a file that has lines and no name.
pub fn parse_names_leniently(
    bytes: &[u8],
) -> Result<Lenient<NameMap, NameMapReason>, Fault<NameMapReason>> {
    let (mut value, mut warnings) = (NameMap::new(), Warnings::default());
    for (number, line) in lines(bytes) {
        let Some((guid, rest)) = first_guid(line) else {
            continue;
        };
        let guid = guid.or_else(|(guid, reason)| {
            warnings.add(number, reason.into());
            guid.ok_or(())
        });
        let Ok(guid) = guid else { continue };
        let rest = String::from_utf8_lossy(rest.trim_ascii());
        let name = match rest.strip_prefix('"') {
            Some(rest) => rest.split('"').next(),
            None => rest.split('#').next(),
        };
        match name.map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => drop(value.insert(guid, name.to_owned())),
            None => warnings.add(number, NameMapReason::NoName(quoted(line))),
        }
    }
    match warnings.clone().first().into_iter().next() {
        Some(fault) if value.is_empty() => Err(fault),
        _ => Ok(Lenient { value, warnings }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_quotation_marks_or_not() {
        let text = b"# a map\n\n0x1 \"node 1\" # the first\n  0x2\tnode2 # the second\n\
            0002c90000000003 node3\n0x4\n0x2 node2b\nspine x\n";
        let read = parse_names_leniently(text).unwrap();
        let name = |guid| read.value.get(&Guid(guid)).map(String::as_str);
        assert_eq!(
            [1, 2, 0x0002_c900_0000_0003, 4].map(name),
            [Some("node 1"), Some("node2b"), Some("node3"), None]
        );
        let lines: Vec<u32> = read.warnings.first().iter().map(|w| w.line).collect();
        assert_eq!(lines, [5, 6, 8]);
        assert_eq!(parse_names_leniently(b"\nx y\n").unwrap_err().line, 2);
    }
}
