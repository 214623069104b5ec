//! Reads `opensm-lfts.dump` as `osm_ucast_file.c` does, but more strictly, and the tables that ibdiagnet writes.
//!
//! Tables are sorted by switch GUID, so that two dumps can be compared without their netlist. Each line becomes a LID
//! and a port, four bytes, whatever the LIDs are: memory stays below the size of the file. The reader ignores port
//! GUIDs: an entry belongs to the LID that it names. It skips lines that are no entry, as OpenSM does; `dump_lfts` of
//! infiniband-diags writes some. Of several tables of a switch (`PLFT_NUM` of ibdiagnet) it takes the first,
//! InfiniBand's own.
//!
//! Oddities with a sensible reading are warnings. A missing or incomplete table is unknown ([`Tables::unknown`]); the
//! other tables are used.

use super::line::{Entry, Line};
use crate::input::{self, Fault, InputError, Lenient, Parsed, Warnings, lines, plain, quoted};
use dmodc_fabric::{Fabric, Guid, Lid, NO_PATH, SwitchId, Tables};
use std::collections::BTreeSet;
use std::path::Path;
use typed_index_collections::TiVec;

/// The tables of a dump.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dump {
    /// The switches in ascending GUID order.
    pub switches: Vec<DumpedSwitch>,
    /// Entries for which a switch may choose another port, by load or by a hash of the packet. Only
    /// `ibdiagnet2.far` has this.
    pub adaptive: usize,
}

/// The table of one switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DumpedSwitch {
    /// Node GUID.
    pub guid: Guid,
    /// The line at which the table begins.
    pub line: u32,
    /// LIDs in ascending order, and their ports.
    pub entries: Vec<(Lid, u8)>,
}

/// Why a dump was refused, or a warning about it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum DumpReason {
    #[error("binary data: not a dump of forwarding tables")]
    Binary,
    #[error(
        "no 'Unicast lids', 'ucast_routes: Switch' or 'PLFT_NUM' line: not a dump of forwarding tables"
    )]
    NoSwitch,
    #[error("the file ends in the middle of a table: it is truncated")]
    Truncated,
    #[error("no switch of the fabric is in the dump: it is of another fabric")]
    OtherFabric,
    // The variants below are warnings.
    #[error("terminal control characters: left out")]
    Terminal,
    #[error("a switch without a GUID, its table left out: '{0}'")]
    NoGuid(String),
    /// A table in the middle of a file without a line that ends it, unlike other tables.
    #[error("the table of switch {0} is not complete: left out")]
    Incomplete(Guid),
    #[error("table {1} of switch {0}, left out: only its table 0 is read")]
    PrivateTable(Guid, u8),
    #[error("switch {guid} appears twice, first in line {first}: this table counts")]
    SwitchTwice { guid: Guid, first: u32 },
    #[error("bad entry, left out: '0xLID PORT' expected, LID up to 0xbfff, port up to 254: '{0}'")]
    BadEntry(String),
    #[error("an entry that belongs to no switch, left out: '{0}'")]
    StrayEntry(String),
    #[error(
        "LID {lid} has two entries at switch {guid}, the first in line {first}: this one counts"
    )]
    LidTwice { guid: Guid, lid: Lid, first: u32 },
    #[error("switch {0} is not in the fabric: left out")]
    UnknownSwitch(Guid),
    #[error("switch {0} of the fabric is not in the dump: routes through it cannot be judged")]
    MissingSwitch(Guid),
    #[error("LID {1} goes to port {2} of switch {0}, which has {3}: taken as no path")]
    NoSuchPort(Guid, Lid, u8, u8),
}

impl Dump {
    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.switches.iter().map(|s| s.entries.len()).sum()
    }

    /// Reads a dump without oddities.
    pub fn read(path: &Path) -> Result<Dump, InputError> {
        let bytes = input::read(path)?;
        Dump::parse(&bytes).map_err(|fault| fault.in_file(path))
    }

    /// Parses a dump without oddities.
    pub fn parse(bytes: &[u8]) -> Result<Dump, Fault<DumpReason>> {
        Dump::parse_leniently(bytes)?.strict()
    }

    /// Parses a dump; oddities with a sensible reading are warnings.
    pub fn parse_leniently(bytes: &[u8]) -> Parsed<Dump, DumpReason> {
        let mut draft = Draft::default();
        let mut last = 0;
        for (number, line) in lines(bytes) {
            last = number;
            let is_control = |b: &u8| b.is_ascii_control() && *b != b'\t';
            if draft.take(line, number) || !line.iter().any(is_control) {
                continue;
            }
            let text = plain(line).ok_or(Fault::in_line(number, DumpReason::Binary))?;
            draft.warnings.add(number, DumpReason::Terminal);
            draft.take(text.trim_ascii(), number);
        }
        let open = draft.section == Section::Table;
        if open && (draft.ends || !bytes.ends_with(b"\n") || draft.is_cut()) {
            return Err(Fault::in_line(last, DumpReason::Truncated));
        }
        draft.finish()
    }

    /// The dump that [`write_dump`](super::write_dump) would write.
    pub fn from_tables(fabric: &Fabric, tables: &Tables) -> Dump {
        let switches = fabric.switches().iter_enumerated();
        let dumped = switches.map(|(index, switch)| {
            let row = tables.row(index).iter_enumerated();
            let entries = row.map(|(lid, &port)| (lid, port));
            DumpedSwitch {
                guid: switch.guid,
                line: 0,
                entries: entries.filter(|&(_, port)| port <= switch.ports).collect(),
            }
        });
        Dump {
            switches: dumped.collect(),
            adaptive: 0,
        }
    }

    /// The tables of a fabric, which must have the same switches as the dump. Entries of LIDs above the fabric's
    /// highest are dropped: no port has them.
    pub fn tables(&self, fabric: &Fabric) -> Result<Tables, Fault<DumpReason>> {
        self.tables_leniently(fabric)?.strict()
    }

    /// The tables of a fabric's switches, as far as the dump has them.
    pub fn tables_leniently(&self, fabric: &Fabric) -> Parsed<Tables, DumpReason> {
        let mut tables = Tables::for_fabric(fabric);
        let mut warnings = Warnings::default();
        let mut known: TiVec<SwitchId, _> = vec![false; fabric.switches().len()].into();
        for dumped in &self.switches {
            let guid = dumped.guid;
            let Some(index) = fabric.switch_by_guid(guid) else {
                warnings.add(dumped.line, DumpReason::UnknownSwitch(guid));
                continue;
            };
            known[index] = true;
            let ports = fabric.switches()[index].ports;
            let row = tables.row_mut(index);
            for &(lid, port) in &dumped.entries {
                let fits = port <= ports;
                if !fits {
                    warnings.add(dumped.line, DumpReason::NoSuchPort(guid, lid, port, ports));
                }
                if let Some(entry) = row.get_mut(lid) {
                    *entry = if fits { port } else { NO_PATH };
                }
            }
        }
        if !known.contains(&true) {
            return Err(Fault::whole(DumpReason::OtherFabric));
        }
        let switches = fabric.switches().iter_enumerated().zip(known);
        for ((index, switch), _) in switches.filter(|(_, known)| !known) {
            warnings.add(0, DumpReason::MissingSwitch(switch.guid));
            tables.set_unknown(index);
        }
        Ok(Lenient::new(tables, warnings))
    }
}

/// The position of a line in a dump.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Section {
    /// Between two tables.
    #[default]
    Outside,
    Table,
    LeftOut,
}

#[derive(Default)]
struct Draft {
    switches: Vec<DumpedSwitch>,
    /// The entries of the last switch, each with its line.
    entries: Vec<(Lid, u8, u32)>,
    adaptive: usize,
    section: Section,
    /// The switch whose tables follow.
    named: Option<Guid>,
    /// The highest LID of the open table so far, if its format has a line for every LID up to a highest one.
    last: Option<Lid>,
    /// The highest LIDs of earlier tables of that format.
    before: BTreeSet<Lid>,
    /// Whether a line has ended a table.
    ends: bool,
    /// Tables without such a line, by index.
    endless: Vec<usize>,
    warnings: Warnings<DumpReason>,
}

impl Draft {
    /// Whether the open table ends at a lower LID than all earlier tables, which end at the same LID.
    fn is_cut(&self) -> bool {
        let mut all = self.before.iter();
        match (self.last, all.next(), all.next()) {
            (Some(open), Some(&whole), None) => open < whole,
            _ => false,
        }
    }

    /// Takes a line; false if it is no part of a dump.
    fn take(&mut self, line: &[u8], number: u32) -> bool {
        match Line::read(line) {
            None => return false,
            Some(Line::Entry(entry)) => self.entry(entry, line, number),
            Some(Line::Table { guid, every_lid }) => {
                self.named = guid;
                self.table(line, number);
                self.before.extend(self.last.take());
                self.last = every_lid.then_some(Lid(0));
            }
            Some(Line::Switch(guid)) => {
                self.close();
                self.named = guid;
                self.section = Section::Outside;
            }
            // In an `.fdbs`, whose table has begun already.
            Some(Line::Number(0)) if self.section == Section::Table => {}
            Some(Line::Number(0)) => self.table(line, number),
            Some(Line::Number(table)) => {
                self.close();
                self.section = Section::LeftOut;
                let reason = self.named.map(|guid| DumpReason::PrivateTable(guid, table));
                if let Some(reason) = reason {
                    self.warnings.add(number, reason);
                }
            }
            Some(Line::End) => {
                self.close();
                self.section = Section::Outside;
                self.ends = true;
            }
        }
        true
    }

    /// Adds an entry, or warns of an unreadable one.
    fn entry(&mut self, entry: Option<Entry>, line: &[u8], number: u32) {
        let reason = match (entry, self.section) {
            (_, Section::LeftOut) => return,
            (None, _) => DumpReason::BadEntry(quoted(line)),
            (Some(_), Section::Outside) => DumpReason::StrayEntry(quoted(line)),
            (Some(entry), Section::Table) => {
                self.last = self.last.map(|last| last.max(entry.lid));
                self.adaptive += usize::from(entry.adaptive);
                let port = entry.port.map(|port| (entry.lid, port, number));
                self.entries.extend(port);
                return;
            }
        };
        self.warnings.add(number, reason);
    }

    fn table(&mut self, line: &[u8], number: u32) {
        if self.section == Section::Table {
            self.endless.push(self.switches.len() - 1);
        }
        self.close();
        let Some(guid) = self.named else {
            self.warnings.add(number, DumpReason::NoGuid(quoted(line)));
            self.section = Section::LeftOut;
            return;
        };
        self.switches.push(DumpedSwitch {
            guid,
            line: number,
            entries: Vec::new(),
        });
        self.section = Section::Table;
    }

    /// Moves the collected entries to the last switch, in order of LIDs.
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

    fn finish(mut self) -> Parsed<Dump, DumpReason> {
        self.close();
        if self.ends {
            for at in self.endless.into_iter().rev() {
                let switch = self.switches.remove(at);
                let reason = DumpReason::Incomplete(switch.guid);
                self.warnings.add(switch.line, reason);
            }
        }
        if self.switches.is_empty() {
            let first = self.warnings.into_first();
            return Err(first.unwrap_or(Fault::whole(DumpReason::NoSwitch)));
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
        let dump = Dump {
            switches: self.switches,
            adaptive: self.adaptive,
        };
        Ok(Lenient::new(dump, self.warnings))
    }
}
