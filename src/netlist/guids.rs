//! GUID files (`root_guid_file`, `cn_guid_file`, `io_guid_file`), as `parse_node_map` of complib reads them: one GUID
//! per line in C's notation; `#` begins a comment; the rest of a line after its GUID does not count.

use super::scan::Scan;
use crate::fabric::Guid;
use crate::input::{self, Fault, InputError, Lenient, Warnings, lines, quoted};
use std::path::Path;

/// What can be wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GuidReason {
    /// It does not begin with a GUID.
    #[error("no GUID at the start of the line: '{0}'")]
    NoGuid(String),
    /// Sixteen hexadecimal digits alone, which OpenSM would read as something else.
    #[error("a GUID without 0x: '{0}'")]
    NoPrefix(String),
}

/// Reads a GUID file without oddities. It must be a plain file.
pub fn read_guids(path: &Path) -> Result<Vec<Guid>, InputError> {
    let bytes = input::read_plain(path)?;
    parse_guids(&bytes).map_err(|fault| fault.in_file(path))
}

/// Parses a GUID file without oddities.
pub fn parse_guids(bytes: &[u8]) -> Result<Vec<Guid>, Fault<GuidReason>> {
    parse_guids_leniently(bytes)?.strict()
}

/// Parses a GUID file and skips a line without a GUID, with a warning. Refuses a file that has lines and no GUID.
pub fn parse_guids_leniently(
    bytes: &[u8],
) -> Result<Lenient<Vec<Guid>, GuidReason>, Fault<GuidReason>> {
    let (mut guids, mut warnings) = (Vec::new(), Warnings::default());
    for (number, line) in lines(bytes) {
        match first_guid(line) {
            None => {}
            Some((Ok(guid), _)) => guids.push(guid),
            Some((Err((guid, reason)), _)) => {
                guids.extend(guid);
                warnings.add(number, reason);
            }
        }
    }
    let read = Lenient {
        value: guids,
        warnings,
    };
    read.unless_empty()
}

/// A GUID, or why there is none or an odd one.
type First = Result<Guid, (Option<Guid>, GuidReason)>;

/// The GUID that a line begins with, and what follows. `None` for an empty line or a comment.
pub(super) fn first_guid(line: &[u8]) -> Option<(First, &[u8])> {
    let mut scan = Scan(line);
    if matches!(scan.blanks().0.first(), None | Some(b'#')) {
        return None;
    }
    let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'#';
    let word = scan.0.split(ends).next().unwrap_or_default();
    let rest = &scan.0[word.len()..];
    let guid = scan.c_number();
    if let Some(guid) = guid.filter(|_| scan.0.first().is_none_or(ends)) {
        return Some((Ok(Guid(guid)), rest));
    }
    let mut digits = Scan(word);
    let bare = digits
        .hex()
        .filter(|_| word.len() == 16 && digits.0.is_empty());
    let reason = match bare {
        Some(_) => GuidReason::NoPrefix(quoted(word)),
        None => GuidReason::NoGuid(quoted(line)),
    };
    Some((Err((bare.map(Guid), reason)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_names_and_notations() {
        let text = b"# roots\n\n  0x0002c90000000001 spine one\r\n0X2#two\n17\n";
        let guids = parse_guids(text).unwrap();
        assert_eq!(guids, [Guid(0x0002_c900_0000_0001), Guid(2), Guid(17)]);
    }

    #[test]
    fn a_bad_line_is_named() {
        let bad = |text: &[u8]| parse_guids(text).unwrap_err();
        let no_guid = |line, text: &str| Fault::at(line, GuidReason::NoGuid(text.into()));
        assert_eq!(bad(b"0x1\nspine\n"), no_guid(2, "spine"));
        assert_eq!(bad(b"0x1z\n"), no_guid(1, "0x1z"));
        assert_eq!(bad(b"0x\n"), no_guid(1, "0x"));
    }

    #[test]
    fn odd_lines_are_warnings_while_there_is_a_guid() {
        let text = b"0x1\nxxxxxx\n\n0002c90000000001 # without 0x\n";
        let read = parse_guids_leniently(text).unwrap();
        assert_eq!(read.value, [Guid(1), Guid(0x0002_c900_0000_0001)]);
        let lines: Vec<_> = read.warnings.first().iter().map(|w| w.line).collect();
        assert_eq!(lines, [2, 4]);
        assert_eq!(parse_guids_leniently(b"\nxxxxxx\n").unwrap_err().line, 2);
        assert_eq!(parse_guids_leniently(b"# none\n").unwrap().value, []);
    }
}
