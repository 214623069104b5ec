//! References: files of the equipment that a fabric should have, with notes on what of it is dark.
//!
//! A reference is a netlist in the format of `ibnetdiscover`, so every reader of fabrics can read it. The file of
//! `dmodc.reference=auto` begins with a line that names the version. It also has *notes*, lines that begin with `#:`,
//! comments to other programs: boxes that replace others or were added later, and the day when dark equipment was last
//! seen. A netlist without notes is a reference, too.

mod notes;

pub use notes::{Dark, day_of, today};

use crate::input::{Fault, Lenient, lines};
use crate::netlist::{Netlist, Part, Port, Reason, TooManyLids};
use dmodc_fabric::{Fabric, Guid, Merged, PortNumber, Speed, SwitchId};
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

/// The name of the file that `dmodc.reference=auto` keeps, by [`crate::files::of_port`]; and the name that `dmodc follow`
/// gives it, which knows no port, as did the plugin up to version 1.0.
const NAME: &str = "opensm-dmodc-reference-%g.net";
const NAME_OF_NO_PORT: &str = "opensm-dmodc-reference.net";

/// OpenSM's folder for files that outlive it (OSM_DEFAULT_CACHE_DIR), unless OSM_CACHE_DIR names another.
const CACHE_DIR: &str = "/var/cache/opensm";

const VERSION: u32 = 1;
const HEAD: &[u8] = b"# dmodc reference ";

/// The files that `dmodc.reference=auto` keeps: of the plugin, by port, and of programs that know no port.
pub fn auto_paths() -> [PathBuf; 2] {
    let dir = env::var_os("OSM_CACHE_DIR").filter(|dir| !dir.is_empty());
    let dir = dir.map_or(PathBuf::from(CACHE_DIR), PathBuf::from);
    [NAME, NAME_OF_NO_PORT].map(|name| dir.join(name))
}

/// Why a file is not a usable reference.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum NoReference {
    #[error(transparent)]
    Netlist(#[from] Reason),
    /// The file's version is later: its notes may have another meaning.
    #[error("a reference of version '{0}'; this dmodc reads versions up to {VERSION}")]
    Newer(String),
    #[error("not a note of a reference: {0}")]
    Note(String),
}

/// The equipment that a fabric should have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reference {
    /// The switches, hosts and links, with their names.
    pub netlist: Netlist,
    /// Whether a cabling plan has this equipment, and not a fabric.
    pub is_plan: bool,
    /// The dark parts, and the day when each was last seen.
    pub dark: BTreeMap<Dark, Date>,
    /// The key and era of each switch whose key is not its GUID or whose era is not 0.
    keys: BTreeMap<Guid, (u64, u32)>,
}

impl From<Netlist> for Reference {
    fn from(netlist: Netlist) -> Self {
        Reference {
            netlist,
            ..Reference::default()
        }
    }
}

impl Reference {
    /// Reads a reference; oddities with a sensible reading are warnings.
    ///
    /// # Errors
    /// If the file is no netlist, or if its notes are broken or of a later version.
    pub fn parse_leniently(bytes: &[u8]) -> Result<Lenient<Reference, Reason>, Fault<NoReference>> {
        let mut reference = Reference::default();
        if let Some(version) = bytes.strip_prefix(HEAD) {
            let version = version.split(|&b| b == b'\n').next().unwrap_or_default();
            let version = String::from_utf8_lossy(version.trim_ascii());
            if version != VERSION.to_string() {
                return Err(Fault::in_line(1, NoReference::Newer(version.into_owned())));
            }
            for (number, line) in lines(bytes) {
                let Some(line) = line.strip_prefix(b"#:") else {
                    continue;
                };
                let line = String::from_utf8_lossy(line);
                let note = reference.take_note(&line);
                note.ok_or_else(|| Fault::in_line(number, NoReference::Note(line.trim().into())))?;
            }
        }
        let read = Netlist::parse_leniently(bytes).map_err(|fault| Fault {
            line: fault.line,
            reason: fault.reason.into(),
        })?;
        reference.netlist = read.value;
        Ok(Lenient::new(reference, read.warnings))
    }

    /// The equipment as a fabric.
    ///
    /// # Errors
    /// If there are more nodes than LIDs.
    pub fn fabric(&self) -> Result<Fabric, TooManyLids> {
        let (fabric, _) = self.netlist.to_fabric(None)?;
        Ok(fabric.with_keys(&self.keys))
    }

    /// The reference after its merge with a fabric. `names` are the names of the present switches and end nodes, by
    /// GUID; `last` is the day when newly dark equipment was last seen. A link keeps its highest speed.
    pub fn grown(&self, merged: &Merged, names: &HashMap<Guid, String>, last: Date) -> Reference {
        let known = self.fabric().unwrap_or_default();
        let highest = |now: &Fabric, s: SwitchId, port: PortNumber| {
            let before = known.speed_in(now, s, port);
            before.max(now.link_speed(s, port))
        };
        let mut netlist = Netlist::from_fabric(&merged.nominal.clone().with_speeds(highest));
        // `Netlist::from_fabric` makes a node of each port of an end node, with the port's GUID.
        let before = self.netlist.nodes.iter().flat_map(|node| {
            let ports = node.ports.iter().map(|port| node.port_guid(port));
            ports.map(|guid| (guid, &*node.description))
        });
        let before: HashMap<Guid, &str> = before.collect();
        for node in &mut netlist.nodes {
            let name = names.get(&node.guid).map(String::as_str);
            if let Some(name) = name.or_else(|| before.get(&node.guid).copied()) {
                node.description = name.replace(|c: char| c == '"' || c.is_control(), "_");
            }
        }
        let switches = merged.nominal.switches().iter();
        let keys = switches.filter(|s| s.key != s.guid.0 || s.era > 0);
        let day = |dark: Dark| {
            let before = self.dark.get(&dark).copied();
            (dark, before.unwrap_or(last))
        };
        Reference {
            netlist,
            dark: notes::dark(merged).into_iter().map(day).collect(),
            keys: keys.map(|s| (s.guid, (s.key, s.era))).collect(),
            ..Reference::default()
        }
    }

    /// Sets the speed of some links, given by one port of each.
    pub fn set_speed(&mut self, ports: &BTreeSet<(Guid, PortNumber)>, speed: Speed) {
        let mut ends = Vec::new();
        for (index, node) in (0..).zip(&self.netlist.nodes) {
            let named = |port: &&Port| ports.contains(&(node.guid, port.number));
            for port in node.ports.iter().filter(named) {
                ends.extend([(index, port.number), (port.peer, port.peer_port)]);
            }
        }
        self.netlist.set_speed(ends, speed);
    }

    /// Whether a merge with a fabric has changed equipment or dark parts. `known` is this reference as a fabric.
    pub fn grows(&self, known: &Fabric, merged: &Merged) -> bool {
        !known.has_equipment_of(&merged.nominal)
            || !self.dark.keys().copied().eq(notes::dark(merged))
    }

    /// The reference without some parts of its netlist.
    pub fn without(&self, parts: &[Part]) -> Reference {
        let netlist = self.netlist.without(parts);
        let guids = netlist.nodes.iter().map(|node| (node.guid, node));
        let guids: BTreeMap<Guid, _> = guids.collect();
        let is_there = |dark: &Dark| match *dark {
            Dark::Switch(guid) | Dark::Host(guid) => guids.contains_key(&guid),
            Dark::Link(ends) => ends.iter().all(|(guid, port)| {
                let node = guids.get(guid);
                node.is_some_and(|node| node.port(*port).is_some())
            }),
        };
        let dark = self.dark.iter().filter(|(dark, _)| is_there(dark));
        let mut keys = self.keys.clone();
        keys.retain(|guid, _| guids.contains_key(guid));
        Reference {
            dark: dark.map(|(&dark, &day)| (dark, day)).collect(),
            keys,
            netlist,
            is_plan: self.is_plan,
        }
    }

    /// Writes the reference in many small writes: use a buffered writer.
    pub fn write(&self, mut out: &mut dyn Write) -> io::Result<()> {
        out.write_all(HEAD)?;
        writeln!(
            out,
            "{VERSION}\n\
             # The places that a fabric should have. Lines that begin with '#:' are read, too: which box stands at\n\
             # the place of another one or came later, and when that which is dark was last seen. 'dmodc forget' takes\n\
             # out what will not come back."
        )?;
        self.write_notes(out)?;
        writeln!(out)?;
        self.netlist.write(&mut out)
    }
}
