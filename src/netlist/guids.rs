//! GUID files (`root_guid_file`, `cn_guid_file`, `io_guid_file`), as `parse_node_map` of complib
//! reads them: one GUID a line in C's notation, `#` begins a comment, what follows the GUID on its
//! line is ignored.

use super::scan::Scan;
use crate::fabric::Guid;
use crate::input::{self, Fault, InputError, lines};
use std::path::Path;

/// A line that does not begin with a GUID.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no GUID at the start of the line")]
pub struct NoGuid;

/// Reads a GUID file; `-` is standard input.
pub fn read_guids(path: &Path) -> Result<Vec<Guid>, InputError> {
    let bytes = input::read(path)?;
    parse_guids(&bytes).map_err(|fault| fault.in_file(path))
}

/// Parses a GUID file.
pub fn parse_guids(bytes: &[u8]) -> Result<Vec<Guid>, Fault<NoGuid>> {
    let mut guids = Vec::new();
    for (number, line) in lines(bytes) {
        let mut scan = Scan(line);
        if matches!(scan.blanks().0.first(), None | Some(b'#')) {
            continue;
        }
        let guid = scan.c_number();
        let ends = scan
            .0
            .first()
            .is_none_or(|b| b.is_ascii_whitespace() || *b == b'#');
        let guid = guid.filter(|_| ends).ok_or(Fault::at(number, NoGuid))?;
        guids.push(Guid(guid));
    }
    Ok(guids)
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
        assert_eq!(parse_guids(b"0x1\nspine\n"), Err(Fault::at(2, NoGuid)));
        assert_eq!(parse_guids(b"0x1z\n"), Err(Fault::at(1, NoGuid)));
    }
}
