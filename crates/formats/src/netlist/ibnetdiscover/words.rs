//! Values that both node lines and port lines have.

use crate::input::quoted;
use crate::netlist::draft::Draft;
use crate::netlist::error::Reason;
use crate::scan::{Scan, find, hex};
use dmodc_fabric::{Guid, Lid};

/// The node GUID in an id of ibnetdiscover's form: a letter, a dash, 16 hexadecimal digits.
pub fn guid_of_id(id: &[u8]) -> Option<Guid> {
    let digits = id.get(2..).filter(|d| d.len() == 16 && id[1] == b'-')?;
    hex(digits).map(Guid)
}

/// The values of `lid 13 lmc 0`; 0 if missing or unreadable.
pub fn lid_and_lmc(trailer: &[u8], draft: &mut Draft) -> (Lid, u8) {
    let mut value = |key: &'static str| {
        let at = find(trailer, key.as_bytes())?;
        let value = Scan(&trailer[at + key.len()..]).blanks().c_number();
        if value.is_none() {
            draft.warn(Reason::BadValue(key.trim_end(), quoted(trailer)));
        }
        value
    };
    let (lid, lmc) = (value("lid ").unwrap_or(0), value("lmc ").unwrap_or(0));
    let known = Lid::read(lid);
    let fits = u8::try_from(lmc).ok().filter(|lmc| *lmc <= 7);
    if known.is_none() || fits.is_none() {
        draft.warn(Reason::LidOutOfRange { lid, lmc });
    }
    (known.unwrap_or_default(), fits.unwrap_or_default())
}
