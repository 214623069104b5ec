//! The service levels that an engine gives, as the relay copied them.

use dmodc_fabric::Lid;
use std::collections::HashMap;

/// The service level of each pair of end nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Levels {
    index: HashMap<Lid, usize>,
    /// By index of the source, then of the destination.
    levels: Vec<u8>,
}

impl Levels {
    /// Reads a file of the relay; `None` if it is cut short.
    pub(super) fn parse(bytes: &[u8]) -> Option<Levels> {
        let (count, rest) = bytes.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (lids, levels) = rest.split_at_checked(2 * count)?;
        let lids = (lids.chunks(2)).map(|b| Lid(u16::from_le_bytes([b[0], b[1]])));
        (levels.len() == count * count).then(|| Levels {
            index: lids.zip(0..).collect(),
            levels: levels.to_owned(),
        })
    }

    /// The level of a pair of base LIDs; 0 if OpenSM did not find one of the two.
    pub fn level(&self, from: Lid, to: Lid) -> u8 {
        let index = |lid| self.index.get(&lid).copied();
        let at = index(from).zip(index(to));
        at.map_or(0, |(from, to)| self.levels[from * self.index.len() + to])
    }
}
