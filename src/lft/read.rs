//! Reads `opensm-lfts.dump`, as `osm_ucast_file.c` does, and stricter.
//!
//! A dump is kept by switch GUID, so that two can be compared without their netlist. Only LIDs and
//! ports are kept, three bytes of each line, whatever the LIDs are: memory stays below the size of
//! the file. Port GUIDs are not followed: here an entry belongs to the LID it names. Lines that
//! are no entry are skipped, as OpenSM skips them; `dump_lfts` of infiniband-diags writes some.

use super::Tables;
use crate::fabric::{Fabric, Guid, Lid};
use crate::input::{self, Fault, InputError, lines};
use std::path::Path;

/// The tables of a dump.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dump {
    /// The switches in ascending GUID order.
    pub switches: Vec<DumpedSwitch>,
}

/// The table of one switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DumpedSwitch {
    /// Node GUID.
    pub guid: Guid,
    /// Where it begins in the file.
    pub line: u32,
    /// LIDs in ascending order, and their ports.
    pub entries: Vec<(Lid, u8)>,
}

/// Why a dump was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DumpReason {
    /// Control characters.
    #[error("binary data: not a dump of forwarding tables")]
    Binary,
    /// No switch in it.
    #[error("no 'Unicast lids .. of switch' line: not a dump of forwarding tables")]
    NoSwitch,
    /// The last table is not complete.
    #[error("the file ends in the middle of a table: it is truncated")]
    Truncated,
    /// A switch line without a GUID.
    #[error("a switch without a GUID")]
    NoGuid,
    /// A switch that appears twice.
    #[error("switch {0} appears twice")]
    SwitchTwice(Guid),
    /// A line of an entry that cannot be parsed.
    #[error("bad entry: '0xLID PORT' expected, LID up to 0xbfff, port up to 254")]
    BadEntry,
    /// An entry before any switch line.
    #[error("an entry that belongs to no switch")]
    StrayEntry,
    /// A LID with two entries.
    #[error("LID {lid} has two entries at switch {guid}")]
    LidTwice {
        /// The switch.
        guid: Guid,
        /// The LID.
        lid: Lid,
    },
    /// A switch that the fabric does not have.
    #[error("switch {0} is not in the fabric")]
    UnknownSwitch(Guid),
    /// A switch of the fabric that the dump does not have.
    #[error("switch {0} of the fabric is not in the dump")]
    MissingSwitch(Guid),
    /// A port that the switch does not have.
    #[error("LID {lid} goes to port {port} of switch {guid}, which has {ports}")]
    NoSuchPort {
        /// The switch.
        guid: Guid,
        /// The LID.
        lid: Lid,
        /// The port.
        port: u8,
        /// How many it has.
        ports: u8,
    },
}

impl Dump {
    /// Reads a dump; `-` is standard input.
    pub fn read(path: &Path) -> Result<Dump, InputError> {
        let bytes = input::read(path)?;
        Dump::parse(&bytes).map_err(|fault| fault.in_file(path))
    }

    /// Parses a dump.
    pub fn parse(bytes: &[u8]) -> Result<Dump, Fault<DumpReason>> {
        let mut switches: Vec<DumpedSwitch> = Vec::new();
        let (mut open, mut trailers, mut last) = (false, false, 0);
        for (number, line) in lines(bytes) {
            last = number;
            if line.starts_with(b"0x") {
                let entry = entry(line).ok_or(Fault::at(number, DumpReason::BadEntry))?;
                let switch = switches.last_mut().filter(|_| open);
                let switch = switch.ok_or(Fault::at(number, DumpReason::StrayEntry))?;
                switch.entries.push(entry);
            } else if line.starts_with(b"Unicast lids") {
                let guid = guid(line).ok_or(Fault::at(number, DumpReason::NoGuid))?;
                switches.push(DumpedSwitch {
                    guid,
                    line: number,
                    entries: Vec::new(),
                });
                open = true;
            } else if line.ends_with(b"lids dumped") || line.starts_with(b"Multicast") {
                (open, trailers) = (false, true);
            } else if line.iter().any(|&b| b.is_ascii_control() && b != b'\t') {
                return Err(Fault::at(number, DumpReason::Binary));
            }
        }
        if switches.is_empty() {
            return Err(Fault::whole(DumpReason::NoSwitch));
        }
        if open && (trailers || !bytes.ends_with(b"\n")) {
            return Err(Fault::at(last, DumpReason::Truncated));
        }
        for switch in &mut switches {
            switch.entries.shrink_to_fit();
            switch.entries.sort_by_key(|&(lid, _)| lid);
            if let Some(pair) = switch
                .entries
                .windows(2)
                .find(|pair| pair[0].0 == pair[1].0)
            {
                let reason = DumpReason::LidTwice {
                    guid: switch.guid,
                    lid: pair[0].0,
                };
                return Err(Fault::at(switch.line, reason));
            }
        }
        switches.sort_by_key(|switch| switch.guid);
        if let Some(pair) = switches
            .windows(2)
            .find(|pair| pair[0].guid == pair[1].guid)
        {
            return Err(Fault::at(
                pair[1].line,
                DumpReason::SwitchTwice(pair[1].guid),
            ));
        }
        Ok(Dump { switches })
    }

    /// The tables of a fabric's switches, which must be those of the dump. Entries of LIDs above
    /// the fabric's highest are dropped: there is nothing at them.
    pub fn tables(&self, fabric: &Fabric) -> Result<Tables, Fault<DumpReason>> {
        let mut tables = Tables::for_fabric(fabric);
        for dumped in &self.switches {
            let fail = |reason| Fault::at(dumped.line, reason);
            let guid = dumped.guid;
            let index = fabric.switch_by_guid(guid);
            let index = index.ok_or(fail(DumpReason::UnknownSwitch(guid)))?;
            let ports = fabric.switches()[index as usize].ports;
            let row = tables.row_mut(index);
            for &(lid, port) in &dumped.entries {
                if port > ports {
                    return Err(fail(DumpReason::NoSuchPort {
                        guid,
                        lid,
                        port,
                        ports,
                    }));
                }
                if let Some(entry) = row.get_mut(lid.index()) {
                    *entry = port;
                }
            }
        }
        let has = |guid| {
            self.switches
                .binary_search_by_key(&guid, |s| s.guid)
                .is_ok()
        };
        match fabric.switches().iter().find(|switch| !has(switch.guid)) {
            Some(switch) => Err(Fault::whole(DumpReason::MissingSwitch(switch.guid))),
            None => Ok(tables),
        }
    }
}

/// The GUID in a switch line: `.. guid 0x0002c90000000001 ('name'):`.
fn guid(line: &[u8]) -> Option<Guid> {
    let key = b" guid 0x";
    let at = line.windows(key.len()).position(|w| w == key)? + key.len();
    let len = line[at..]
        .iter()
        .take_while(|b| b.is_ascii_hexdigit())
        .count();
    let digits = std::str::from_utf8(&line[at..at + len]).ok()?;
    u64::from_str_radix(digits, 16).ok().map(Guid)
}

/// `0x0012 004 ..`: nearly all lines of a dump, so read byte by byte.
fn entry(line: &[u8]) -> Option<(Lid, u8)> {
    let mut at = 2;
    let mut lid = 0u32;
    while let Some(digit) = line.get(at).and_then(|&b| char::from(b).to_digit(16)) {
        lid = (lid << 4 | digit).min(0xffff);
        at += 1;
    }
    let start = at;
    at += line[at..]
        .iter()
        .take_while(|&&b| b == b' ' || b == b'\t')
        .count();
    if start == 2 || at == start || lid > Lid::UNICAST_MAX.0.into() {
        return None;
    }
    let start = at;
    let mut port = 0u32;
    while let Some(digit) = line.get(at).and_then(|&b| char::from(b).to_digit(10)) {
        port = (port * 10 + digit).min(255);
        at += 1;
    }
    let ends = line.get(at).is_none_or(|b| b.is_ascii_whitespace());
    (at > start && ends && port < 255).then_some((Lid(lid as u16), port as u8))
}
