//! Drained links and switches.

use crate::{Fabric, Guid, PortNumber, SwitchId};

/// A drained link, or a switch whose links are all drained: they carry no route that has another path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Drained {
    /// Node GUID of the switch at one end.
    pub switch: Guid,
    /// Its port; `None` for all its links to other switches.
    pub port: Option<PortNumber>,
}

impl Drained {
    /// Both ends of all drained links of a fabric, as (switch, port), ascending.
    pub fn ends(fabric: &Fabric, drain: &[Drained]) -> Vec<(SwitchId, PortNumber)> {
        let mut ends = Vec::new();
        for drained in drain {
            let Some(s) = fabric.switch_by_guid(drained.switch) else {
                continue;
            };
            for (port, index, far) in fabric.links_of(s) {
                if drained.port.is_none_or(|only| only == port) {
                    ends.extend([(s, port), (index, far)]);
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }
}
