//! The order in which blocks arrive.

use super::Routed;
use dmodc_fabric::{Lid, SwitchId};
use typed_index_collections::TiVec;

/// A block of 64 LIDs in the table of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The switch.
    pub switch: SwitchId,
    /// The block's first LID / 64.
    pub number: u16,
}

/// The blocks that differ, in the order in which OpenSM sends them: the first block of all switches, then
/// the second, and so on. Switches come in the order of OpenSM's map, whose keys are GUIDs in network byte
/// order. A new switch has no entries yet.
pub fn blocks_as_sent(before: Routed, after: Routed) -> Vec<Block> {
    let switches = after.0.switches();
    let mut order: Vec<SwitchId> = switches.keys().collect();
    order.sort_by_key(|&s| switches[s].guid.0.to_be());
    let was: TiVec<SwitchId, Option<SwitchId>> = (switches.iter())
        .map(|switch| before.0.switch_by_guid(switch.guid))
        .collect();
    let width = before.1.width().max(after.1.width());
    let mut blocks = Vec::new();
    for number in 0..width.div_ceil(64) as u16 {
        let lids = || (number * 64..number * 64 + 64).map(Lid);
        let changed = order.iter().copied().filter(|&s| {
            let old = was[s];
            lids().any(|lid| super::mixer::entry(before.1, old, lid) != after.1.get(s, lid))
        });
        blocks.extend(changed.map(|switch| Block { switch, number }));
    }
    blocks
}
