//! Shared by node lines and port lines.

use crate::fabric::{Guid, Lid};
use crate::input::quoted;
use crate::netlist::draft::Draft;
use crate::netlist::error::Reason;
use crate::scan::{Scan, find};

/// The node GUID in an id of ibnetdiscover's form: a letter, a dash, 16 hexadecimal digits.
pub fn guid_of_id(id: &[u8]) -> Option<Guid> {
    let digits = id.get(2..).filter(|d| d.len() == 16 && id[1] == b'-')?;
    let mut scan = Scan(digits);
    let guid = scan.hex()?;
    scan.0.is_empty().then_some(Guid(guid))
}

/// `lid 13 lmc 0`, each if it is there and can be read.
pub fn lid_and_lmc(trailer: &[u8], line: u32, draft: &mut Draft) -> (Lid, u8) {
    let mut value = |key: &'static str| {
        let at = find(trailer, key.as_bytes())?;
        let value = Scan(&trailer[at + key.len()..]).blanks().c_number();
        if value.is_none() {
            draft.warn(line, Reason::BadValue(key.trim_end(), quoted(trailer)));
        }
        value
    };
    let (lid, lmc) = (value("lid ").unwrap_or(0), value("lmc ").unwrap_or(0));
    let (known, fits) = (lid <= Lid::UNICAST_MAX.0.into(), lmc <= 7);
    if !(known && fits) {
        draft.warn(line, Reason::LidOutOfRange { lid, lmc });
    }
    (
        Lid(if known { lid as u16 } else { 0 }),
        if fits { lmc as u8 } else { 0 },
    )
}
