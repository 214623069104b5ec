//! The notes of a reference: lines beside its netlist.

use super::Reference;
use dmodc_fabric::{Guid, Merged, PortNumber, SwitchId};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::time::SystemTime;

/// A dark part of the fabric: equipment that should be there and is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dark {
    /// A switch, with all its links and hosts.
    Switch(Guid),
    /// A link between two present switches, by its ends: GUID and port, the lower first.
    Link([(Guid, PortNumber); 2]),
    /// An end node on a present switch, by its port GUID.
    Host(Guid),
}

impl Dark {
    /// A link by its ends, in any order.
    pub fn link(mut ends: [(Guid, PortNumber); 2]) -> Dark {
        ends.sort_unstable();
        Dark::Link(ends)
    }
}

/// The dark parts of a fabric merged with its reference.
pub fn dark(merged: &Merged) -> BTreeSet<Dark> {
    let guid = |s: SwitchId| merged.nominal.guid(s);
    let switches = merged.has_switch.keys();
    let switches = switches.filter(|&s| !merged.has_switch[s]);
    let links = merged.dark_links();
    let links = links.map(|ends| Dark::link(ends.map(|(s, port)| (guid(s), port))));
    let mut dark: BTreeSet<Dark> = switches.map(|s| Dark::Switch(guid(s))).collect();
    dark.extend(links);
    dark.extend(merged.dark_nodes().map(|node| Dark::Host(node.guid)));
    dark
}

impl fmt::Display for Dark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dark::Switch(guid) => write!(f, "switch {guid}"),
            Dark::Link([(a, p), (b, q)]) => write!(f, "link {a} [{p}] -- {b} [{q}]"),
            Dark::Host(guid) => write!(f, "host {guid}"),
        }
    }
}

impl Reference {
    /// Adds a note to the reference; `None` if the text is no note.
    pub(super) fn take_note(&mut self, text: &str) -> Option<()> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let dark = match words[..] {
            ["place", guid, "of", key, "era", era] => {
                let place = (hex(key)?.0, era.parse().ok()?);
                self.keys.insert(hex(guid)?, place);
                return Some(());
            }
            ["seen", _, "switch", guid] => Dark::Switch(hex(guid)?),
            ["seen", _, "host", guid] => Dark::Host(hex(guid)?),
            ["seen", _, "link", a, p, "--", b, q] => {
                Dark::link([(hex(a)?, port(p)?), (hex(b)?, port(q)?)])
            }
            _ => return None,
        };
        let day = words[1].strip_suffix(':')?;
        let day = Date::strptime("%Y-%m-%d", day).ok()?;
        self.dark.insert(dark, day);
        Some(())
    }

    pub(super) fn write_notes(&self, out: &mut dyn Write) -> io::Result<()> {
        for (guid, &(key, era)) in &self.keys {
            writeln!(out, "#: place {guid} of {} era {era}", Guid(key))?;
        }
        for (dark, day) in &self.dark {
            writeln!(out, "#: seen {day}: {dark}")?;
        }
        Ok(())
    }
}

fn hex(text: &str) -> Option<Guid> {
    text.parse().ok().filter(|_| text.starts_with("0x"))
}

fn port(text: &str) -> Option<PortNumber> {
    text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// The day of a time, in UTC.
pub fn day_of(time: SystemTime) -> Date {
    let time = Timestamp::try_from(time).unwrap_or_default();
    Offset::UTC.to_datetime(time).date()
}

/// The present day.
pub fn today() -> Date {
    day_of(SystemTime::now())
}
