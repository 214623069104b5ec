//! Linear forwarding tables in memory: one row of bytes per switch, indexed by LID.

use crate::{Fabric, Lid, SwitchId};
use typed_index_collections::TiSlice;

/// "No path": the entry of a LID without a route (`OSM_NO_PATH`).
pub const NO_PATH: u8 = 255;

/// The entries of a block: a subnet manager sends it whole if one of them changes (`IB_SMP_DATA_SIZE`).
pub const BLOCK: usize = 64;

/// The LFTs of all switches of a [`Fabric`], a byte for each switch and LID, rows in the fabric's switch order. An
/// entry 0 is port 0 (the switch itself), [`NO_PATH`] is no route, any other value is an external port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    width: usize,
    entries: Vec<u8>,
    unknown: Vec<SwitchId>,
}

impl Tables {
    /// Tables of these rows, one after the other; `None` if the last row is not whole.
    pub fn from_entries(width: usize, entries: Vec<u8>) -> Option<Self> {
        let is_whole = width > 0 && entries.len().is_multiple_of(width);
        is_whole.then_some(Tables {
            width,
            entries,
            unknown: Vec::new(),
        })
    }

    /// Tables of the size for a fabric, every entry [`NO_PATH`].
    pub fn for_fabric(fabric: &Fabric) -> Self {
        let width = fabric.max_lid().index() + 1;
        Tables {
            width,
            entries: vec![NO_PATH; width * fabric.switches().len()],
            unknown: Vec::new(),
        }
    }

    /// Entries per row: the highest LID plus one.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows (switches).
    pub fn len(&self) -> usize {
        self.entries.len() / self.width
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All rows, one after the other.
    pub fn entries(&self) -> &[u8] {
        &self.entries
    }

    /// The switches whose table is unknown, in ascending order. Their rows are all [`NO_PATH`]: no information.
    pub fn unknown(&self) -> &[SwitchId] {
        &self.unknown
    }

    /// Marks the table of a switch as unknown, each switch once and in ascending order.
    pub fn set_unknown(&mut self, switch: SwitchId) {
        self.unknown.push(switch);
    }

    /// The row of one switch.
    pub fn row(&self, switch: SwitchId) -> &TiSlice<Lid, u8> {
        self.entries[usize::from(switch) * self.width..][..self.width].as_ref()
    }

    /// The row of one switch, writable.
    pub fn row_mut(&mut self, switch: SwitchId) -> &mut TiSlice<Lid, u8> {
        self.entries[usize::from(switch) * self.width..][..self.width].as_mut()
    }

    /// The same tables without the LIDs above `highest`.
    pub fn up_to(&self, highest: Lid) -> Tables {
        let width = self.width.min(highest.index() + 1);
        let rows = self.entries.chunks(self.width);
        Tables {
            width,
            entries: rows.flat_map(|row| &row[..width]).copied().collect(),
            unknown: self.unknown.clone(),
        }
    }

    /// The tables with further LIDs, each with the entries of another one.
    pub fn with_copies(self, copies: &[(Lid, Lid)]) -> Tables {
        let most = copies.iter().map(|(lid, _)| lid.index() + 1).max();
        let width = self.width.max(most.unwrap_or(0));
        let mut entries = Vec::with_capacity(width * self.len());
        for row in self.entries.chunks(self.width) {
            let start = entries.len();
            entries.extend_from_slice(row);
            entries.resize(start + width, NO_PATH);
            for (lid, from) in copies {
                entries[start + lid.index()] = row.get(from.index()).copied().unwrap_or(NO_PATH);
            }
        }
        Tables {
            width,
            entries,
            unknown: self.unknown,
        }
    }

    /// All rows at once, for writers that work in parallel.
    pub fn rows_mut(&mut self) -> Vec<&mut [u8]> {
        self.entries.chunks_mut(self.width).collect()
    }

    /// The entry of one LID at one switch; [`NO_PATH`] for a LID beyond the table.
    pub fn get(&self, switch: SwitchId, lid: Lid) -> u8 {
        let entry = self.row(switch).get(lid);
        entry.copied().unwrap_or(NO_PATH)
    }
}
