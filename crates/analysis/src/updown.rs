//! The directions of links, and the shortest up-down paths.
//!
//! An up-down path goes up zero or more links, then down zero or more, and never up again: tables whose routes are all
//! such paths cannot deadlock. The caller's ranking decides which end of a link is the upper one, once per pair of
//! neighbours, so the two directions of a link cannot both be up.
//!
//! The shortest up-down distance is the measure of minimality. A breadth-first search from the destination
//! finds it, over the states (switch, "may still go up" or "down only"). Outside of PGFTs it may be less than
//! Dmodc's cost, since a path that begins upwards can be shorter than one that only goes down. In complete and degraded
//! PGFTs distance and cost are equal.

use super::channels::{ChannelId, Channels};
use dmodc_fabric::{Fabric, Lid, NO_PATH, SwitchId};
use typed_index_collections::{TiSlice, TiVec};

/// The distance of a switch that has no up-down path to the destination.
pub const UNREACHABLE: u16 = u16::MAX;

/// The direction of every channel, and the neighbours above and below each switch.
pub struct UpDown {
    up: TiVec<ChannelId, bool>,
    /// By switch: (neighbour, whether it is above), each neighbour once.
    neighbours: TiVec<SwitchId, Vec<(SwitchId, bool)>>,
}

impl UpDown {
    /// Orients the channels. `is_up(a, b)`, called for neighbours `a < b` only, returns whether the links from `a` to
    /// `b` go up.
    pub fn new(channels: &Channels, is_up: impl Fn(SwitchId, SwitchId) -> bool) -> UpDown {
        let oriented = |a: SwitchId, b: SwitchId| if a < b { is_up(a, b) } else { !is_up(b, a) };
        let up: TiVec<_, bool> = channels.iter().map(|c| oriented(c.from, c.to)).collect();
        let mut neighbours: TiVec<SwitchId, _> = vec![Vec::new(); channels.switches()].into();
        for (channel, &up) in channels.iter().zip(&up) {
            neighbours[channel.from].push((channel.to, up));
        }
        for of_switch in &mut neighbours {
            of_switch.sort_unstable();
            of_switch.dedup();
        }
        UpDown { up, neighbours }
    }

    /// Whether a channel goes up.
    pub fn is_up(&self, channel: ChannelId) -> bool {
        self.up[channel]
    }

    /// The length in links of the shortest up-down path from every switch to `destination`, or [`UNREACHABLE`].
    pub fn distances(&self, destination: SwitchId) -> TiVec<SwitchId, u16> {
        self.distances_and_down(destination).0
    }

    /// Pairs of switches (from, to), ascending: the first has neither an up-down path to the second nor an entry for any LID
    /// there. `rows` has the table of each switch, by LID.
    pub fn left_out(
        &self,
        fabric: &Fabric,
        rows: &TiSlice<SwitchId, &[u8]>,
    ) -> Vec<(SwitchId, SwitchId)> {
        let mut lids: TiVec<SwitchId, Vec<Lid>> = vec![Vec::new(); rows.len()].into();
        fabric.lids().for_each(|(lid, to, _)| lids[to].push(lid));
        let mut left = Vec::new();
        for (to, lids) in lids.iter_enumerated() {
            let is_hole =
                |row: &[u8], lid: &Lid| row.get(lid.index()).is_none_or(|&e| e == NO_PATH);
            let lacks = |from: &SwitchId| lids.iter().all(|lid| is_hole(rows[*from], lid));
            let lacking: Vec<SwitchId> = rows.keys().filter(lacks).collect();
            if !lacking.is_empty() {
                let distances = self.distances(to);
                let apart = lacking.into_iter();
                let apart = apart.filter(|&from| distances[from] == UNREACHABLE);
                left.extend(apart.map(|from| (from, to)));
            }
        }
        left.sort_unstable();
        left
    }

    /// As [`UpDown::distances`], and the same for the paths that only go down.
    pub(super) fn distances_and_down(
        &self,
        destination: SwitchId,
    ) -> (TiVec<SwitchId, u16>, TiVec<SwitchId, u16>) {
        let nowhere = vec![UNREACHABLE; self.neighbours.len()];
        let (mut best, mut down) = (TiVec::from(nowhere.clone()), TiVec::from(nowhere));
        best[destination] = 0;
        down[destination] = 0;
        let mut level = vec![destination];
        let mut next = Vec::new();
        let mut length = 0;
        while !level.is_empty() {
            for &at in &level {
                for &(n, above) in &self.neighbours[at] {
                    // A packet from a neighbour `n` above comes down to `at`; a packet from a neighbour below comes up.
                    let goes_on_down = above && down[at] == length;
                    let goes_up = !above && best[at] == length;
                    if goes_on_down && down[n] == UNREACHABLE {
                        down[n] = length + 1;
                        best[n] = best[n].min(length + 1);
                        next.push(n);
                    } else if goes_up && best[n] == UNREACHABLE {
                        best[n] = length + 1;
                        next.push(n);
                    }
                }
            }
            level.clear();
            std::mem::swap(&mut level, &mut next);
            length += 1;
        }
        (best, down)
    }
}
