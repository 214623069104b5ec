//! Reads `opensm-lfts.dump` as `osm_ucast_file.c` does, but more strictly.
//!
//! Tables are sorted by switch GUID, so that two dumps can be compared without their netlist. Each
//! line becomes a LID and a port, three bytes, whatever the LIDs are: memory stays below the size of
//! the file. The reader ignores port GUIDs: an entry belongs to the LID that it names. It skips lines
//! that are no entry, as OpenSM does; `dump_lfts` of infiniband-diags writes some.
//!
//! What is odd and has a sensible reading is a warning. A table that is missing or not complete is
//! unknown ([`Tables::unknown`]); the rest stands.

use super::{NO_PATH, Tables};
use crate::fabric::{Fabric, Guid, Lid};
use crate::input::{self, Fault, InputError, Lenient, Warnings, lines, plain, quoted};
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
    /// The line at which it begins.
    pub line: u32,
    /// LIDs in ascending order, and their ports.
    pub entries: Vec<(Lid, u8)>,
}

/// Why a dump was refused, or a warning about it.
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
    /// Warning: what a terminal adds to text.
    #[error("terminal control characters: left out")]
    Terminal,
    /// Warning: a switch line without a GUID.
    #[error("a switch without a GUID, its table left out: '{0}'")]
    NoGuid(String),
    /// Warning: a table in the middle of a file that has no end, unlike others.
    #[error("the table of switch {0} is not complete: left out")]
    Incomplete(Guid),
    /// Warning: a switch that appears twice.
    #[error("switch {guid} appears twice, first in line {first}: this table counts")]
    SwitchTwice {
        /// The switch.
        guid: Guid,
        /// Where it appears first.
        first: u32,
    },
    /// Warning: a line of an entry that cannot be parsed.
    #[error("bad entry, left out: '0xLID PORT' expected, LID up to 0xbfff, port up to 254: '{0}'")]
    BadEntry(String),
    /// Warning: an entry before any switch line.
    #[error("an entry that belongs to no switch, left out: '{0}'")]
    StrayEntry(String),
    /// Warning: a LID with two entries.
    #[error(
        "LID {lid} has two entries at switch {guid}, the first in line {first}: this one counts"
    )]
    LidTwice {
        /// The switch.
        guid: Guid,
        /// The LID.
        lid: Lid,
        /// Line of the first entry.
        first: u32,
    },
    /// Warning: a switch that the fabric does not have.
    #[error("switch {0} is not in the fabric: left out")]
    UnknownSwitch(Guid),
    /// Warning: a switch of the fabric that the dump does not have.
    #[error("switch {0} of the fabric is not in the dump: routes through it cannot be judged")]
    MissingSwitch(Guid),
    /// No switch of the fabric is in the dump.
    #[error("no switch of the fabric is in the dump: it is of another fabric")]
    OtherFabric,
    /// Warning: a port that the switch does not have.
    #[error("LID {lid} goes to port {port} of switch {guid}, which has {ports}: taken as no path")]
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
    /// Reads a dump in which nothing is odd.
    pub fn read(path: &Path) -> Result<Dump, InputError> {
        let bytes = input::read(path)?;
        Dump::parse(&bytes).map_err(|fault| fault.in_file(path))
    }

    /// Parses a dump in which nothing is odd.
    pub fn parse(bytes: &[u8]) -> Result<Dump, Fault<DumpReason>> {
        Dump::parse_leniently(bytes)?.strict()
    }

    /// Parses a dump as it comes: what is odd in it and has a sensible reading is a warning.
    pub fn parse_leniently(bytes: &[u8]) -> Result<Lenient<Dump, DumpReason>, Fault<DumpReason>> {
        let mut draft = Draft::default();
        let mut last = 0;
        for (number, line) in lines(bytes) {
            last = number;
            if draft.take(line, number) || !line.iter().any(|b| b.is_ascii_control() && *b != b'\t')
            {
                continue;
            }
            let text = plain(line).ok_or(Fault::at(number, DumpReason::Binary))?;
            draft.warnings.add(number, DumpReason::Terminal);
            draft.take(text.trim_ascii(), number);
        }
        let open = draft.place == Place::Table;
        if open && (draft.ends || !bytes.ends_with(b"\n")) {
            return Err(Fault::at(last, DumpReason::Truncated));
        }
        draft.finish()
    }

    /// The dump that [`write_dump`](super::write_dump) would write.
    pub fn of(fabric: &Fabric, tables: &Tables) -> Dump {
        let switches = (0..).zip(fabric.switches()).map(|(index, switch)| {
            let entries = (0..).map(Lid).zip(tables.row(index).iter().copied());
            DumpedSwitch {
                guid: switch.guid,
                line: 0,
                entries: entries.filter(|&(_, port)| port <= switch.ports).collect(),
            }
        });
        Dump {
            switches: switches.collect(),
        }
    }

    /// The tables of a fabric. Its switches must be those of the dump. This drops entries of LIDs
    /// above the fabric's highest: no port has them.
    pub fn tables(&self, fabric: &Fabric) -> Result<Tables, Fault<DumpReason>> {
        self.tables_leniently(fabric)?.strict()
    }

    /// The tables of those of a fabric's switches that the dump has.
    pub fn tables_leniently(
        &self,
        fabric: &Fabric,
    ) -> Result<Lenient<Tables, DumpReason>, Fault<DumpReason>> {
        let mut tables = Tables::for_fabric(fabric);
        let mut warnings = Warnings::default();
        let mut known = vec![false; fabric.switches().len()];
        for dumped in &self.switches {
            let guid = dumped.guid;
            let Some(index) = fabric.switch_by_guid(guid) else {
                warnings.add(dumped.line, DumpReason::UnknownSwitch(guid));
                continue;
            };
            known[index as usize] = true;
            let ports = fabric.switches()[index as usize].ports;
            let row = tables.row_mut(index);
            for &(lid, port) in &dumped.entries {
                let fits = port <= ports;
                if !fits {
                    let reason = DumpReason::NoSuchPort {
                        guid,
                        lid,
                        port,
                        ports,
                    };
                    warnings.add(dumped.line, reason);
                }
                if let Some(entry) = row.get_mut(lid.index()) {
                    *entry = if fits { port } else { NO_PATH };
                }
            }
        }
        if !known.contains(&true) {
            return Err(Fault::whole(DumpReason::OtherFabric));
        }
        let unknown = |&switch: &u32| !known[switch as usize];
        let unknown: Vec<u32> = (0..known.len() as u32).filter(unknown).collect();
        for &switch in &unknown {
            let guid = fabric.switches()[switch as usize].guid;
            warnings.add(0, DumpReason::MissingSwitch(guid));
        }
        tables.set_unknown(unknown);
        Ok(Lenient {
            value: tables,
            warnings,
        })
    }
}

/// Where in a dump a line stands.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// Between two tables.
    #[default]
    Outside,
    /// In a table.
    Table,
    /// In a table that is left out.
    LeftOut,
}

/// A dump in the making.
#[derive(Default)]
struct Draft {
    switches: Vec<DumpedSwitch>,
    /// The entries of the last switch, each with its line.
    entries: Vec<(Lid, u8, u32)>,
    place: Place,
    /// Whether tables have lines that end them.
    ends: bool,
    /// Tables that another one follows without such a line.
    endless: Vec<usize>,
    warnings: Warnings<DumpReason>,
}

impl Draft {
    /// Takes a line; false if it is no part of a dump.
    fn take(&mut self, line: &[u8], number: u32) -> bool {
        if line.starts_with(b"0x") {
            match entry(line) {
                _ if self.place == Place::LeftOut => {}
                None => {
                    let reason = DumpReason::BadEntry(quoted(line));
                    self.warnings.add(number, reason);
                }
                Some(_) if self.place == Place::Outside => {
                    let reason = DumpReason::StrayEntry(quoted(line));
                    self.warnings.add(number, reason);
                }
                Some((lid, port)) => self.entries.push((lid, port, number)),
            }
        } else if line.starts_with(b"Unicast lids") {
            if self.place == Place::Table {
                self.endless.push(self.switches.len() - 1);
            }
            self.close();
            let Some(guid) = guid(line) else {
                self.warnings.add(number, DumpReason::NoGuid(quoted(line)));
                self.place = Place::LeftOut;
                return true;
            };
            self.switches.push(DumpedSwitch {
                guid,
                line: number,
                entries: Vec::new(),
            });
            self.place = Place::Table;
        } else if line.ends_with(b"lids dumped") || line.starts_with(b"Multicast") {
            self.close();
            self.place = Place::Outside;
            self.ends = true;
        } else {
            return false;
        }
        true
    }

    /// Gives the last switch its entries.
    fn close(&mut self) {
        let Some(switch) = self.switches.last_mut() else {
            return;
        };
        self.entries.sort_by_key(|&(lid, _, line)| (lid, line));
        switch.entries.reserve_exact(self.entries.len());
        let mut first = 0;
        for (lid, port, line) in self.entries.drain(..) {
            match switch.entries.last_mut() {
                Some(last) if last.0 == lid => {
                    let guid = switch.guid;
                    let reason = DumpReason::LidTwice { guid, lid, first };
                    self.warnings.add(line, reason);
                    last.1 = port;
                }
                _ => {
                    first = line;
                    switch.entries.push((lid, port));
                }
            }
        }
    }

    fn finish(mut self) -> Result<Lenient<Dump, DumpReason>, Fault<DumpReason>> {
        self.close();
        if self.ends {
            for at in self.endless.into_iter().rev() {
                let switch = self.switches.remove(at);
                let reason = DumpReason::Incomplete(switch.guid);
                self.warnings.add(switch.line, reason);
            }
        }
        if self.switches.is_empty() {
            let mut first = self.warnings.first().into_iter();
            return Err(first.next().unwrap_or(Fault::whole(DumpReason::NoSwitch)));
        }
        self.switches.sort_by_key(|switch| switch.guid);
        let warnings = &mut self.warnings;
        self.switches.dedup_by(|later, kept| {
            let twice = later.guid == kept.guid;
            if twice {
                let (guid, first) = (kept.guid, kept.line);
                warnings.add(later.line, DumpReason::SwitchTwice { guid, first });
                std::mem::swap(later, kept);
            }
            twice
        });
        Ok(Lenient {
            value: Dump {
                switches: self.switches,
            },
            warnings: self.warnings,
        })
    }
}

/// The GUID in a switch line: `… guid 0x0002c90000000001 ('name'):`.
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

/// The entry in a line `0x0012 004 …`. Nearly all lines of a dump are such, so it reads byte by byte.
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
