//! Compares two dumps: how much a subnet manager must send to get from the first to the second.
//!
//! A subnet manager sends tables in blocks of 64 LIDs, so this counts changed entries, and blocks with at least one. An
//! entry that appears or disappears is a change. All entries of a switch that only the second dump has count; a switch
//! that only the first dump has is gone, and gets nothing.

use super::read::{Dump, DumpedSwitch};
use dmodc_fabric::{BLOCK, Guid, Lid};
use typed_index_collections::TiVec;

/// Changes at one switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Changes {
    /// The switch.
    pub guid: Guid,
    /// Entries that differ.
    pub entries: usize,
    /// Blocks of 64 LIDs with at least one such entry.
    pub blocks: usize,
}

/// All differences between two dumps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diff {
    /// The switches of the second dump, in ascending GUID order, unchanged ones included.
    pub switches: Vec<Changes>,
    /// Switches that only the first dump has.
    pub removed: Vec<Guid>,
    /// Switches that only the second dump has.
    pub added: Vec<Guid>,
}

impl Diff {
    /// Changed entries in total.
    pub fn entries(&self) -> usize {
        self.switches.iter().map(|s| s.entries).sum()
    }

    /// Changed blocks in total.
    pub fn blocks(&self) -> usize {
        self.switches.iter().map(|s| s.blocks).sum()
    }
}

/// Compares two dumps.
pub fn diff(first: &Dump, second: &Dump) -> Diff {
    let find = |dump: &Dump, guid: Guid| -> Option<usize> {
        dump.switches.binary_search_by_key(&guid, |s| s.guid).ok()
    };
    let mut diff = Diff::default();
    for switch in &second.switches {
        let old: &[(Lid, u8)] = match find(first, switch.guid) {
            Some(at) => &first.switches[at].entries,
            None => {
                diff.added.push(switch.guid);
                &[]
            }
        };
        diff.switches.push(changes(old, switch));
    }
    let guids = first.switches.iter().map(|s| s.guid);
    diff.removed = guids.filter(|&guid| find(second, guid).is_none()).collect();
    diff
}

fn changes(old: &[(Lid, u8)], switch: &DumpedSwitch) -> Changes {
    let mut changes = Changes {
        guid: switch.guid,
        entries: 0,
        blocks: 0,
    };
    let by_lid = |entries: &[(Lid, u8)]| {
        let mut ports: TiVec<Lid, _> = vec![None; Lid::UNICAST_MAX.index() + 1].into();
        for &(lid, port) in entries {
            ports[lid] = Some(port);
        }
        ports
    };
    let [old, new] = [old, &switch.entries].map(by_lid);
    for (old, new) in old.raw.chunks(BLOCK).zip(new.raw.chunks(BLOCK)) {
        let changed = old.iter().zip(new).filter(|(a, b)| a != b).count();
        changes.entries += changed;
        changes.blocks += usize::from(changed > 0);
    }
    changes
}
