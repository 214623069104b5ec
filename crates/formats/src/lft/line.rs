//! Parses a line of the text formats of tables.
//!
//! | format | a table begins | an entry |
//! |---|---|---|
//! | `opensm-lfts.dump`, `dump_lfts` | `Unicast lids [0-9] of switch Lid 1 guid 0x…` | `0x0012 004 …` |
//! | `.fdbs` of OpenSM and ibdiagnet | `dump_ucast_routes: Switch 0x…` | `0x0012 : 004  : 02   : yes` |
//! | `ibdiagnet2.far` | `Switch 0x…`, later `PLFT_NUM: 0, …` | `0x0012 4 Free 17` |
//!
//! An `.fdbs` has `UNREACHABLE` for a LID without an entry, OpenSM's also for an unused LID; `dump_lfts -a` has port 255.
//! ibdiagnet's `.fdbs` has `PLFT_NUM` lines too. A `.far` has the port of packets that must stay in order, and whether
//! other packets may take any port of a group.

use crate::scan::Scan;
use dmodc_fabric::{Guid, Lid, NO_PATH};

pub(super) enum Line {
    /// The table of a switch begins; `None` where the line has no GUID.
    Table {
        guid: Option<Guid>,
        /// Whether its table has a line for every LID up to a highest one.
        every_lid: bool,
    },
    /// Tables of a switch follow.
    Switch(Option<Guid>),
    /// The number of the table that follows: 0 is InfiniBand's own.
    Number(u8),
    /// An entry; `None` if it cannot be parsed.
    Entry(Option<Entry>),
    End,
}

pub(super) struct Entry {
    pub lid: Lid,
    /// The port; `None` if there is none.
    pub port: Option<u8>,
    /// Whether the switch may choose another port.
    pub adaptive: bool,
}

impl Line {
    /// Parses a line; `None` if it is no part of a dump.
    pub fn read(line: &[u8]) -> Option<Line> {
        let line = line.trim_ascii();
        // Nearly all lines of a dump are entries.
        if line.starts_with(b"0x") {
            return Some(Line::Entry(entry(line)));
        }
        let table = |guid, every_lid| Some(Line::Table { guid, every_lid });
        let mut words = line.split(u8::is_ascii_whitespace);
        let first = words.next().unwrap_or_default();
        if line.starts_with(b"Unicast lids") {
            table(guid(line, b" guid 0x"), false)
        } else if first.ends_with(b"ucast_routes:") {
            table(guid(line, b" Switch 0x"), true)
        } else if line.starts_with(b"Switch 0x") {
            Some(Line::Switch(guid(line, b" 0x")))
        } else if let Some(rest) = line.strip_prefix(b"PLFT_NUM:") {
            let number = Scan(rest).blanks().decimal().unwrap_or(0);
            Some(Line::Number(number.min(u8::MAX.into()) as u8))
        } else if line.ends_with(b"lids dumped") || line.starts_with(b"Multicast") {
            Some(Line::End)
        } else {
            None
        }
    }
}

fn guid(line: &[u8], key: &[u8]) -> Option<Guid> {
    let mut scan = Scan(line);
    scan.until(key)?;
    scan.hex().map(Guid)
}

/// The entry in a line that begins with `0x`.
fn entry(line: &[u8]) -> Option<Entry> {
    let mut scan = Scan(&line[2..]);
    let lid = scan.hex().and_then(Lid::read)?;
    let is_gap = |b: &&u8| matches!(b, b' ' | b'\t' | b':');
    let gap = scan.0.iter().take_while(is_gap).count();
    scan.0 = &scan.0[gap..];
    let entry = |port, adaptive| {
        (gap > 0).then_some(Entry {
            lid,
            port,
            adaptive,
        })
    };
    let Some(port) = scan.decimal() else {
        let is_none = scan.0.trim_ascii_end() == b"UNREACHABLE";
        return if is_none { entry(None, false) } else { None };
    };
    if !scan.0.first().is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let adaptive = match scan.blanks().0.split(u8::is_ascii_whitespace).next() {
        Some(b"Free" | b"HBF") => Some(true),
        Some(b"Static") => Some(false),
        _ => None,
    };
    match (u8::try_from(port), adaptive) {
        (Ok(port), adaptive) if port < NO_PATH => entry(Some(port), adaptive == Some(true)),
        (_, Some(_)) | (Ok(NO_PATH), None) => entry(None, false),
        (_, None) => None,
    }
}
