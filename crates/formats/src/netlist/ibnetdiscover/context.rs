//! The assignments before a node line, and ibsim's counters of GUIDs.

use super::enabled::Enabled;
use super::node::{NodeParts, guid_of_id, lid_and_lmc, word};
use crate::input::quoted;
use crate::netlist::draft::{Draft, new_node};
use crate::netlist::error::Reason;
use crate::netlist::model::{Kind, Node, PortZero};
use crate::scan::{Scan, find, text};
use dmodc_fabric::Guid;

/// The assignments before a node line, and ibsim's GUID counters.
pub struct Context {
    vendor: u32,
    device: u16,
    system_guid: Option<Guid>,
    /// By kind.
    bases: [u64; 3],
    next: [u64; 3],
    given: Option<GivenGuid>,
    /// Whether the file gives GUIDs, so that a node without one lacks its line.
    pub has_guids: bool,
    /// For ports without options.
    pub enabled: Enabled,
    /// Whether an assignment waits for its node line.
    pub is_open: bool,
}

/// The content of a `switchguid=` line and the like.
struct GivenGuid {
    kind: Kind,
    guid: Option<Guid>,
    /// The port GUID in parentheses behind it.
    port: Option<Guid>,
}

impl Default for Context {
    fn default() -> Self {
        let bases = [0x20_0000, 0x10_0000, 0];
        Context {
            vendor: 0,
            device: 0,
            system_guid: None,
            bases,
            next: bases,
            given: None,
            has_guids: false,
            enabled: Enabled::default(),
            is_open: false,
        }
    }
}

/// The assignments that give a node its values, and the kind of a node whose GUID they give.
const KEYS: [(&str, Option<Kind>); 7] = [
    ("vendid", None),
    ("devid", None),
    ("sysimgguid", None),
    ("switchguid", Some(Kind::Switch)),
    ("hcaguid", Some(Kind::Ca)),
    ("caguid", Some(Kind::Ca)),
    ("rtguid", Some(Kind::Router)),
];

/// The word of an assignment that is not known, such as `foo` of `foo=1`: one word, at the begin of a line.
pub fn unknown(line: &[u8]) -> Option<&[u8]> {
    let (word, rest) = word(line);
    let is_one = !word.is_empty() && rest.starts_with(b"=") && !rest.contains(&b' ');
    is_one.then_some(word)
}

impl Context {
    pub fn begins(line: &[u8]) -> bool {
        KEYS.iter().any(|(key, _)| {
            let rest = line.strip_prefix(key.as_bytes());
            rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"="))
        }) || Enabled::default().assignment(line)
    }

    /// The width and speed that ibsim's options at a port enable, if there are any.
    pub fn link(&self, options: &[u8], draft: &mut Draft) -> Option<String> {
        let enabled = self.enabled.with_options(options)?;
        draft.usual.enabled = true;
        Some(enabled.most().to_string())
    }

    /// Takes an assignment such as `vendid=0x2c9`; false if it is unknown.
    pub fn assignment(&mut self, line: &[u8], draft: &mut Draft) -> bool {
        if self.enabled.assignment(line) {
            draft.usual.enabled = true;
            return true;
        }
        let mut keys = KEYS.into_iter();
        let Some((key, kind)) = keys.find(|(key, _)| line.starts_with(key.as_bytes())) else {
            return false;
        };
        self.is_open = true;
        let sign = line.iter().position(|&b| b == b'=' || b == b'+');
        let mut scan = Scan(sign.map_or(b"", |at| &line[at + 1..]));
        let value = scan.blanks().c_number();
        let Some(kind) = kind else {
            if value.and_then(|value| self.set(key, value)).is_none() {
                draft.warn(Reason::BadValue(key, quoted(line)));
            }
            return true;
        };
        let (base, next) = (
            &mut self.bases[kind as usize],
            &mut self.next[kind as usize],
        );
        let offset = sign.is_some_and(|at| line[at] == b'+');
        match value {
            Some(value) if offset => *next = base.wrapping_add(value),
            Some(value) => (*base, *next) = (value, value),
            None => draft.warn(Reason::BadValue(key, quoted(line))),
        }
        if !offset {
            scan.until(b"(");
            self.given = Some(GivenGuid {
                kind,
                guid: value.map(Guid),
                port: scan.hex().map(Guid),
            });
        }
        true
    }

    /// Sets a value of the next node; `None` if the value does not fit.
    fn set(&mut self, key: &str, value: u64) -> Option<()> {
        match key {
            "vendid" => self.vendor = value.try_into().ok()?,
            "devid" => self.device = value.try_into().ok()?,
            _ => self.system_guid = Some(Guid(value)),
        }
        Some(())
    }

    /// The GUID for a node line: from the assignment before it, else from ibsim's counter. The quoted id counts instead
    /// if the assignment is missing or unreadable, if another node has its GUID, or if a switch's port GUID in
    /// parentheses does not confirm it: some chassis give one GUID to all their switches.
    fn guid(&mut self, kind: Kind, id: &[u8], draft: &mut Draft) -> Guid {
        let counted = Guid(self.next[kind as usize]);
        let given = self.given.take().filter(|given| given.kind == kind);
        let Some(named) = guid_of_id(id).filter(|named| *named != counted) else {
            return counted;
        };
        let Some(given) = given else {
            if !self.has_guids {
                return counted;
            }
            draft.warn(Reason::NoGuidLine(text(id)));
            return named;
        };
        let Some(guid) = given.guid else { return named };
        let confirmed = kind != Kind::Switch || given.port.is_some_and(|port| port != named);
        if confirmed && !draft.guids.contains(&guid) {
            return guid;
        }
        draft.warn(Reason::OtherGuid {
            given: guid,
            id: text(id),
            used: named,
        });
        named
    }

    /// The node of a node line, and the number of its id.
    pub fn node(
        &mut self,
        kind: Kind,
        parts: NodeParts,
        draft: &mut Draft,
    ) -> Result<(u32, Node), Reason> {
        let NodeParts { id, trailer, .. } = parts;
        let (lid, lmc) = lid_and_lmc(trailer, draft);
        let enhanced = find(trailer, b"enhanced port 0").map(|_| PortZero::Enhanced);
        let base = find(trailer, b"base port 0").map(|_| PortZero::Base);
        let port_zero = enhanced.or(base);
        let guid = self.guid(kind, id, draft);
        let mut node = new_node(kind, text(id), guid, parts.count, parts.description)?;
        let mut reserved = 1;
        match kind {
            Kind::Switch => (node.lid, node.lmc, node.port_zero) = (lid, lmc, port_zero),
            _ => reserved += parts.count,
        }
        self.next[kind as usize] = guid.0.wrapping_add(reserved);
        let node = Node {
            system_guid: self.system_guid.take(),
            vendor: std::mem::take(&mut self.vendor),
            device: self.device,
            ..node
        };
        self.is_open = false;
        Ok((draft.id(id), node))
    }
}
