//! Parses a line of the text formats of tables.
//!
//! | format | a table begins | an entry |
//! |---|---|---|
//! | `opensm-lfts.dump`, `dump_lfts` | `Unicast lids [0-9] of switch Lid 1 guid 0x…` | `0x0012 004 …` |
//! | `.fdbs` of OpenSM and ibdiagnet | `dump_ucast_routes: Switch 0x…` | `0x0012 : 004  : 02   : yes` |
//! | `ibdiagnet2.far` | `Switch 0x…`, later `PLFT_NUM: 0, …` | `0x0012 4 Free 17` |
//!
//! An `.fdbs` has `UNREACHABLE` for a LID without an entry, OpenSM's also for an unused LID. ibdiagnet's has
//! `PLFT_NUM` lines too. A `.far` has the port of packets that must stay in order, and whether others may
//! take any port of a group.

use crate::fabric::{Guid, Lid};

/// The content of a line.
pub(super) enum Line {
    /// The table of a switch begins; `None` where the line has no GUID.
    Table {
        /// The switch.
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
    /// The table ends.
    End,
}

/// An entry.
pub(super) struct Entry {
    /// The destination.
    pub lid: Lid,
    /// The port; `None` if there is none.
    pub port: Option<u8>,
    /// Whether the switch may choose another one.
    pub adaptive: bool,
}

impl Line {
    /// Parses a line; `None` if it is no part of a dump.
    pub fn read(line: &[u8]) -> Option<Line> {
        // Nearly all lines of a dump are entries.
        if line.starts_with(b"0x") {
            return Some(Line::Entry(entry(line)));
        }
        let table = |guid, every_lid| Some(Line::Table { guid, every_lid });
        if line.starts_with(b"Unicast lids") {
            table(guid(line, b" guid 0x"), false)
        } else if let Some(at) = find(line, b"ucast_routes: Switch") {
            table(guid(&line[at..], b" 0x"), true)
        } else if line.starts_with(b"Switch 0x") {
            Some(Line::Switch(guid(line, b" 0x")))
        } else if let Some(rest) = line.strip_prefix(b"PLFT_NUM:") {
            Some(Line::Number(decimal(rest.trim_ascii_start()).0))
        } else if line.ends_with(b"lids dumped") || line.starts_with(b"Multicast") {
            Some(Line::End)
        } else {
            None
        }
    }
}

/// The position of a text in a line.
fn find(line: &[u8], text: &[u8]) -> Option<usize> {
    line.windows(text.len()).position(|w| w == text)
}

/// The GUID that follows a text.
fn guid(line: &[u8], key: &[u8]) -> Option<Guid> {
    let at = find(line, key)? + key.len();
    let is_digit = |b: &&u8| b.is_ascii_hexdigit();
    let len = line[at..].iter().take_while(is_digit).count();
    let digits = std::str::from_utf8(&line[at..at + len]).ok()?;
    u64::from_str_radix(digits, 16).ok().map(Guid)
}

/// The number that a text begins with, at most 255, and its length.
fn decimal(text: &[u8]) -> (u8, usize) {
    let (mut number, mut len) = (0u32, 0);
    while let Some(digit) = text.get(len).and_then(|&b| char::from(b).to_digit(10)) {
        number = (number * 10 + digit).min(u8::MAX.into());
        len += 1;
    }
    (number as u8, len)
}

/// The entry in a line.
fn entry(line: &[u8]) -> Option<Entry> {
    let mut at = 2;
    let mut lid = 0u32;
    while let Some(digit) = line.get(at).and_then(|&b| char::from(b).to_digit(16)) {
        lid = (lid << 4 | digit).min(0xffff);
        at += 1;
    }
    let is_gap = |b: &&u8| matches!(b, b' ' | b'\t' | b':');
    let gap = line[at..].iter().take_while(is_gap).count();
    if at == 2 || gap == 0 || lid > Lid::UNICAST_MAX.0.into() {
        return None;
    }
    let rest = &line[at + gap..];
    let entry = |port, adaptive| {
        let lid = Lid(lid as u16);
        Some(Entry {
            lid,
            port,
            adaptive,
        })
    };
    let (port, len) = decimal(rest);
    let after = &rest[len..];
    if len == 0 {
        let is_none = rest.trim_ascii_end() == b"UNREACHABLE";
        return if is_none { entry(None, false) } else { None };
    }
    if !after.first().is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let state = after.trim_ascii_start();
    let state = match state.first() {
        Some(b'F' | b'H' | b'S') => state.split(u8::is_ascii_whitespace).next(),
        _ => None,
    };
    let adaptive = match state {
        Some(b"Free" | b"HBF") => Some(true),
        Some(b"Static") => Some(false),
        _ => None,
    };
    match (port, adaptive) {
        (u8::MAX, None) => None,
        (u8::MAX, Some(_)) => entry(None, false),
        (port, adaptive) => entry(Some(port), adaptive == Some(true)),
    }
}
