//! OpenSM's GUID files (`root_guid_file`, `cn_guid_file`, `io_guid_file`), read as its
//! `parse_node_map` reads them: one GUID a line as `strtoull` takes it, then white space, `#` or
//! the end; whatever follows on the line is not looked at; empty lines and `#` lines are skipped.

use crate::fabric::Guid;
use std::fs;

/// Reads a file. One that cannot be read, or has a line that is none, is an ERROR line in the log
/// and counts as not given, for half a list of roots is worse than none.
pub fn read(path: &str) -> Vec<Guid> {
    let parsed = match fs::read(path) {
        Ok(bytes) => parse(&String::from_utf8_lossy(&bytes)),
        Err(e) => {
            log::error!("cannot read {path}: {e}; going on without");
            return Vec::new();
        }
    };
    parsed.unwrap_or_else(|line| {
        log::error!("{path}, line {line}: not a GUID; going on without this file");
        Vec::new()
    })
}

/// The GUIDs, or the number of the first line that has none.
fn parse(text: &str) -> Result<Vec<Guid>, usize> {
    let mut guids = Vec::new();
    for (number, line) in (1usize..).zip(text.lines()) {
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let word = line
            .split(|c: char| c.is_ascii_whitespace() || c == '#')
            .next();
        guids.push(word.and_then(|w| w.parse().ok()).ok_or(number)?);
    }
    Ok(guids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_opensm_reads() {
        let text = "# roots\n\n0x10 spine 1\r\n  0X2f\n17#x\n\t0xffffffffffffffff\r\n";
        let expected = [0x10, 0x2f, 17, u64::MAX].map(Guid);
        assert_eq!(parse(text), Ok(expected.to_vec()));
        assert_eq!(parse(""), Ok(vec![]));
    }

    #[test]
    fn a_bad_line_is_named() {
        assert_eq!(parse("0x1\nspine-2\n"), Err(2));
        assert_eq!(parse("0x10000000000000000\n"), Err(1));
        assert_eq!(read("/nonexistent/guids"), []);
    }
}
