//! Routes over drained links, where no other links lead.
//!
//! A switch without an entry takes its entry from the rows over more links, and a packet follows such entries up to the
//! first switch with an entry of its own. If it makes a turn there that is not taken, the rest of its way takes these
//! rows too. If packets that come down to this way then turn as well, all entries of the LID that these rows have are theirs.
//! If even so one turns that keeps its entry, since these rows have none, they decide alone: the plan leaves such pairs out.

use crate::detours::MayTurn;
use crate::ids::{BySwitch, SwitchId};
use crate::tree::Ranking;
use dmodc_fabric::{Fabric, Lid, NO_PATH, PortNumber};
use std::collections::BTreeMap;
use typed_index_collections::TiSlice;

/// The rows of all switches.
type RowsOf<'r> = TiSlice<SwitchId, &'r mut [u8]>;

/// The input of the fallback.
pub struct Fallback<'f> {
    /// The fabric.
    pub fabric: &'f Fabric,
    /// Its levels.
    pub ranking: &'f Ranking,
    /// Whether a turn (from, at, to) is taken.
    pub may_turn: MayTurn<'f>,
    /// Whether the rows over more links decide alone for a LID.
    pub is_whole: &'f dyn Fn(Lid) -> bool,
    /// The port in place of an entry over all links: one that is not drained, if such a port leads nearer, too.
    pub spare: &'f dyn Fn(SwitchId, Lid, u8) -> u8,
}

impl Fallback<'_> {
    /// Fills in the missing entries of all switches for all LIDs from `wide`, the rows over more links. Returns the LIDs for
    /// which packets make a turn that is not taken even so; `before` are those of fewer links.
    pub fn write(
        &self,
        rows: &mut [&mut [u8]],
        wide: &BySwitch<Vec<u8>>,
        before: Vec<Lid>,
    ) -> Vec<Lid> {
        let rows: &mut RowsOf<'_> = rows.as_mut();
        let lids = 0..wide.first().map_or(0, Vec::len);
        for lid in lids.filter(|&lid| (self.is_whole)(Lid::from(lid))) {
            let all = rows.iter_mut().zip(wide);
            all.for_each(|(row, wide)| row[lid] = wide[lid]);
        }
        let mut turning = Vec::new();
        let before = before.iter().map(|lid| (lid.index(), Vec::new()));
        let mut missing: BTreeMap<usize, Vec<SwitchId>> = before.collect();
        for ((s, wide), row) in wide.iter_enumerated().zip(rows.iter()) {
            let entries = row.iter().zip(wide).enumerate();
            for (lid, _) in entries.filter(|&(_, (&e, &w))| e == NO_PATH && w != NO_PATH) {
                missing.entry(lid).or_default().push(s);
            }
        }
        for (lid, from) in missing {
            let others = |s: SwitchId| (self.spare)(s, Lid::from(lid), wide[s][lid]);
            from.iter().for_each(|&s| rows[s][lid] = others(s));
            for &s in &from {
                let mut next = match self.turns(rows, lid, s) {
                    true => self.next(rows, lid, s),
                    false => None,
                };
                // If rows ever lead around, the proof has to see it: this must end.
                for _ in 0..rows.len() {
                    let Some(at) = next else { break };
                    rows[at][lid] = others(at);
                    next = self.next(rows, lid, at);
                }
            }
            if rows.keys().any(|s| self.turns(rows, lid, s)) {
                // No spare either: it closed credit loops in 3 of 10,000 random fabrics with drains.
                let all = rows.iter_mut().zip(wide);
                let found = all.filter(|(_, wide)| wide[lid] != NO_PATH);
                found.for_each(|(row, wide)| row[lid] = wide[lid]);
                if rows.keys().any(|s| self.turns(rows, lid, s)) {
                    turning.push(Lid::from(lid));
                }
            }
        }
        turning
    }

    /// The switch that an entry leads to.
    fn next(&self, rows: &RowsOf<'_>, lid: usize, from: SwitchId) -> Option<SwitchId> {
        let port = PortNumber(rows[from][lid]);
        Some(self.fabric.far(from, port)?.0)
    }

    /// Whether an entry leads down to a switch that goes up by a turn that is not taken.
    fn turns(&self, rows: &RowsOf<'_>, lid: usize, from: SwitchId) -> bool {
        let next = |s| self.next(rows, lid, s);
        let down = next(from).filter(|&at| !self.ranking.is_up(from, at));
        let up = down.and_then(|at| Some((at, next(at).filter(|&to| self.ranking.is_up(at, to))?)));
        up.is_some_and(|(at, to)| !(self.may_turn)(from, at, to))
    }
}
