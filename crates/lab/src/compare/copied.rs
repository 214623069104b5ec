//! What an engine made: the tables that the relay copied out of OpenSM's memory, and times; or the reason why it made none.

use super::lanes::Levels;
use crate::sim::NoTables;
use dmodc_fabric::{Fabric, Guid, Switch, SwitchId, Tables};
use std::collections::HashMap;
use std::time::Duration;

/// The times of an engine's callbacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Callbacks {
    pub lid_matrices: Duration,
    pub fwd_tables: Duration,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    /// The engine made tables, and has service levels if it gives any.
    Routed(Copied, Callbacks, Option<Levels>),
    NoTables(NoTables),
}

/// The tables of an engine, by GUID of the switch and then by LID.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copied {
    rows: HashMap<Guid, Vec<u8>>,
}

/// The difference between tables and earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Changes {
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
    pub(super) fn new(fabric: &Fabric, tables: &Tables) -> Copied {
        let switches = fabric.switches().iter_enumerated();
        let row = |(s, switch): (SwitchId, &Switch)| (switch.guid, tables.row(s).raw.to_vec());
        Copied {
            rows: switches.map(row).collect(),
        }
    }

    /// Returns them as tables of a fabric. Switches that OpenSM did not find have no entry.
    pub fn tables(&self, fabric: &Fabric) -> Tables {
        let mut tables = Tables::for_fabric(fabric);
        for (index, switch) in fabric.switches().iter_enumerated() {
            if let Some(from) = self.rows.get(&switch.guid) {
                let row = &mut tables.row_mut(index).raw;
                let length = row.len().min(from.len());
                row[..length].copy_from_slice(&from[..length]);
            }
        }
        tables
    }

    /// Compares them with earlier tables. The subnet manager sends nothing to a switch that is gone.
    pub fn changes(&self, earlier: &Copied) -> Changes {
        let mut changes = Changes::default();
        for (guid, row) in &self.rows {
            let old = earlier.rows.get(guid).map_or(&[][..], Vec::as_slice);
            for (i, block) in row.chunks(64).enumerate() {
                let entries = (i * 64..).zip(block);
                let differ = entries.filter(|&(lid, port)| old.get(lid) != Some(port));
                let entries = differ.count();
                changes.entries += entries;
                changes.blocks += usize::from(entries > 0);
            }
        }
        changes
    }
}
