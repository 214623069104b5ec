//! What a claim has to list, by the tables themselves. No list can make a wrong proof: a turn that is listed must close
//! no cycle, and a pair that is listed has no entry.

use crate::ways::{Way, Ways};
use dmodc_fabric::{Fabric, NO_PATH, PortNumber, SwitchId};
use typed_index_collections::{TiSlice, TiVec};

/// Pairs of switches (from, to), ascending: packets from the first to LIDs at the second turn at the next switch.
pub fn turning(
    fabric: &Fabric,
    order: &TiSlice<SwitchId, u32>,
    rows: &TiSlice<SwitchId, &[u8]>,
) -> Vec<(SwitchId, SwitchId)> {
    let ways = Ways::new(fabric, order);
    let way = |s: SwitchId, lid: usize| {
        let entry = rows[s].get(lid).copied().unwrap_or(NO_PATH);
        ways.way(s, PortNumber(entry))
    };
    pairs(fabric, rows.len(), |s, lid| match way(s, lid) {
        Way::Down(below) => matches!(way(below, lid), Way::Up(_)),
        _ => false,
    })
}

/// Pairs of switches (from, to), ascending: end nodes need entries of the first for LIDs at the second, and it has none.
pub fn without_entry(
    fabric: &Fabric,
    rows: &TiSlice<SwitchId, &[u8]>,
) -> Vec<(SwitchId, SwitchId)> {
    let ways = Ways::new(fabric, &TiVec::from(vec![0; rows.len()]));
    let entry = |s: SwitchId, lid: usize| rows[s].get(lid).copied().unwrap_or(NO_PATH);
    let with = pairs(fabric, rows.len(), |s, lid| entry(s, lid) != NO_PATH);
    let mut with = with.into_iter().peekable();
    let all = rows.keys().flat_map(|s| rows.keys().map(move |to| (s, to)));
    let without = all.filter(|pair| with.next_if_eq(pair).is_none());
    without
        .filter(|&(s, to)| ways.are_needed(s, to, false))
        .collect()
}

/// The pairs (from, to), ascending, for which something is so of some LID at the second.
fn pairs(
    fabric: &Fabric,
    switches: usize,
    is_so: impl Fn(SwitchId, usize) -> bool,
) -> Vec<(SwitchId, SwitchId)> {
    let lids: Vec<(usize, SwitchId)> = (fabric.lids())
        .map(|(lid, to, _)| (lid.index(), to))
        .collect();
    let mut found: TiVec<SwitchId, bool> = vec![false; switches].into();
    let mut pairs = Vec::new();
    for s in (0..switches).map(SwitchId::from) {
        found.fill(false);
        lids.iter()
            .for_each(|&(lid, to)| found[to] |= is_so(s, lid));
        let all = found.iter_enumerated().filter(|(_, is_so)| **is_so);
        pairs.extend(all.map(|(to, _)| (s, to)));
    }
    pairs
}
