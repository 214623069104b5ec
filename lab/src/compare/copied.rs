//! The tables that the relay copied out of OpenSM's memory.

use dmodc::fabric::{Fabric, Guid};
use dmodc::lft::Tables;
use std::collections::HashMap;

/// The tables of an engine, by GUID of the switch and then by LID.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copied {
    rows: HashMap<Guid, Vec<u8>>,
}

/// How far tables differ from earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// Entries.
    pub entries: usize,
    /// Blocks of 64 LIDs of one switch, which the subnet manager has to send.
    pub blocks: usize,
}

impl Copied {
    /// Reads a file of the relay; `None` if it is cut short.
    pub(super) fn parse(mut bytes: &[u8]) -> Option<Copied> {
        let mut take = |length: usize| {
            let (head, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            Some(head)
        };
        let count = u32::from_le_bytes(take(4)?.try_into().ok()?);
        let mut rows = HashMap::new();
        for _ in 0..count {
            let guid = u64::from_le_bytes(take(8)?.try_into().ok()?);
            let length = u32::from_le_bytes(take(4)?.try_into().ok()?);
            rows.insert(Guid(guid), take(length as usize)?.to_owned());
        }
        Some(Copied { rows })
    }

    /// Copies the tables of a fabric.
    pub(super) fn of(fabric: &Fabric, tables: &Tables) -> Copied {
        let rows = (0..).zip(fabric.switches());
        Copied {
            rows: rows
                .map(|(index, switch)| (switch.guid, tables.row(index).to_vec()))
                .collect(),
        }
    }

    /// As tables of a fabric. Switches that OpenSM did not find have no entry.
    pub fn tables(&self, fabric: &Fabric) -> Tables {
        let mut tables = Tables::for_fabric(fabric);
        for (index, switch) in (0..).zip(fabric.switches()) {
            if let Some(from) = self.rows.get(&switch.guid) {
                let row = tables.row_mut(index);
                let length = row.len().min(from.len());
                row[..length].copy_from_slice(&from[..length]);
            }
        }
        tables
    }

    /// How far they differ from earlier tables. The subnet manager sends nothing to a switch that is gone.
    pub fn changes(&self, earlier: &Copied) -> Changes {
        let mut changes = Changes::default();
        for (guid, row) in &self.rows {
            let old = earlier.rows.get(guid).map_or(&[][..], Vec::as_slice);
            for (i, block) in row.chunks(64).enumerate() {
                let places = (i * 64..).zip(block);
                let differ = places.filter(|&(lid, port)| old.get(lid) != Some(port));
                let entries = differ.count();
                changes.entries += entries;
                changes.blocks += usize::from(entries > 0);
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: &[(u64, &[u8])]) -> Vec<u8> {
        let mut bytes = (rows.len() as u32).to_le_bytes().to_vec();
        for (guid, row) in rows {
            bytes.extend(guid.to_le_bytes());
            bytes.extend((row.len() as u32).to_le_bytes());
            bytes.extend(*row);
        }
        bytes
    }

    #[test]
    fn tables_cut_short_are_not_taken() {
        let bytes = file(&[(7, &[255, 1, 2]), (9, &[255, 0, 1])]);
        assert_eq!(Copied::parse(&bytes).unwrap().rows[&Guid(9)], [255, 0, 1]);
        for length in 0..bytes.len() {
            assert_eq!(Copied::parse(&bytes[..length]), None, "{length}");
        }
    }

    #[test]
    fn entries_that_differ_and_their_blocks_are_counted() {
        let copied = |rows: &[(u64, &[u8])]| Copied::parse(&file(rows)).unwrap();
        let before = copied(&[(1, &[1; 128]), (2, &[2; 128])]);
        let mut row = [1; 192];
        row[70] = 9;
        row[71] = 9;
        // Switch 2 is gone, 3 is new, 1 has a changed block and one more than before.
        let after = copied(&[(1, &row), (3, &[3; 64])]);
        let (entries, blocks) = (2 + 64 + 64, 3);
        assert_eq!(after.changes(&before), Changes { entries, blocks });
        assert_eq!(before.changes(&before), Changes::default());
    }
}
