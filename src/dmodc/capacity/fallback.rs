//! Routes over drained links, where no other links lead up-down.
//!
//! A switch without an entry takes the path with the fewest drained links, then hops, on which a packet that
//! has gone down stays down: up to any neighbour, or down to one whose own path only goes down. Existing
//! entries stay, with one exception: a switch still without an entry that all links together join takes its
//! path down over all of them, and the switches on it take the same, though they would have gone up. No
//! packet came down to these before, so none turns.

use crate::dmodc::tree::Ranking;
use crate::fabric::{Fabric, Peer};
use crate::lft::NO_PATH;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The length of a path: drained links, then hops.
type Far = (u32, u32);

/// The input of the fallback.
pub struct Fallback<'f> {
    /// The fabric.
    pub fabric: &'f Fabric,
    /// Its levels.
    pub ranking: &'f Ranking,
    /// Both ends of drained links, as (switch, port), ascending.
    pub drained: &'f [(u32, u8)],
    /// Whether all links together join a switch to another up-down.
    pub joins: &'f dyn Fn(u32, u32) -> bool,
}

/// The path of a switch to a LID.
#[derive(Clone)]
struct Path {
    far: Far,
    /// It only goes down.
    down: bool,
    /// The equally good ports.
    ports: Vec<u8>,
}

impl Fallback<'_> {
    /// Fills in the missing entries of all switches for all LIDs.
    pub fn write(&self, rows: &mut [&mut [u8]]) {
        let width = self.fabric.max_lid().index() + 1;
        let mut missing: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let mut at = vec![None; width];
        for node in self.fabric.end_nodes().iter().chain(self.fabric.absent()) {
            at[node.lid.index()..][..1 << node.lmc].fill(Some(node.switch));
        }
        for (s, switch) in (0u32..).zip(self.fabric.switches()) {
            at[switch.lid.index()..][..1 << switch.lmc].fill(Some(s));
        }
        for (s, row) in (0u32..).zip(rows.iter()) {
            let row = row[..width].iter().enumerate();
            for (lid, _) in row.filter(|(_, e)| **e == NO_PATH) {
                if at[lid].is_some_and(|to| lid > 0 && to != s && (self.joins)(s, to)) {
                    missing.entry(lid).or_default().push(s);
                }
            }
        }
        for (lid, from) in missing {
            if self.fill(rows, lid, &from) {
                continue;
            }
            let is_end = |s: u32| at[lid] == Some(s);
            let end = |s: u32| is_end(s).then_some(((0, 0), true));
            let switches = 0..rows.len() as u32;
            let down = self.paths(switches, |s| !is_end(s), end, [false, true]);
            let left = from.iter().copied();
            let left: Vec<u32> = left.filter(|&s| rows[s as usize][lid] == NO_PATH).collect();
            for mut s in left.iter().copied() {
                while let Some(path) = down.get(&s) {
                    let port = path.ports[lid % path.ports.len()];
                    rows[s as usize][lid] = port;
                    let Peer::Switch { index, .. } = self.fabric.peer(s, port) else {
                        break;
                    };
                    s = index;
                }
            }
            self.fill(rows, lid, &left);
        }
    }

    /// Fills in the missing entries of some switches for a LID; returns whether all have one then.
    fn fill(&self, rows: &mut [&mut [u8]], lid: usize, from: &[u32]) -> bool {
        let is_missing =
            |s: u32| from.binary_search(&s).is_ok() && rows[s as usize][lid] == NO_PATH;
        let known = |s| self.known(rows, s, lid);
        let paths = self.paths(from.iter().copied(), is_missing, known, [true, true]);
        for (s, path) in paths {
            rows[s as usize][lid] = path.ports[lid % path.ports.len()];
        }
        from.iter().all(|&s| rows[s as usize][lid] != NO_PATH)
    }

    /// The length of the path of a switch that has an entry, and whether it only goes down.
    fn known(&self, rows: &[&mut [u8]], from: u32, lid: usize) -> Option<(Far, bool)> {
        let (mut at, mut hops, mut down) = (from, 0, true);
        // Entries lead there; none is followed for ever, whatever they are.
        while hops <= rows.len() as u32 {
            let port = rows[at as usize][lid];
            if port == NO_PATH {
                return None;
            }
            let Peer::Switch { index, .. } = self.fabric.peer(at, port) else {
                return Some(((0, hops), down));
            };
            down &= !self.ranking.is_up(at, index);
            (at, hops) = (index, hops + 1);
        }
        None
    }

    /// The paths of the missing switches among `all`, nearest first, to those that are `known`; by links up,
    /// or down, or both.
    fn paths(
        &self,
        all: impl Iterator<Item = u32>,
        is_missing: impl Fn(u32) -> bool,
        known: impl Fn(u32) -> Option<(Far, bool)>,
        [up, down]: [bool; 2],
    ) -> BTreeMap<u32, Path> {
        let mut found: BTreeMap<u32, Path> = BTreeMap::new();
        let mut open: BinaryHeap<Reverse<(Far, u32, u8, bool)>> = BinaryHeap::new();
        // Offers a switch as the next one to those that miss a path.
        let offer =
            |open: &mut BinaryHeap<_>, to: u32, far: Far, only_down: bool, one: Option<u32>| {
                for peer in (1u8..).zip(self.fabric.peers_of(to)) {
                    let (back, Peer::Switch { index: s, port }) = peer else {
                        continue;
                    };
                    let goes_up = self.ranking.is_up(*s, to);
                    let may = if goes_up { up } else { down && only_down };
                    if may && one.is_none_or(|one| one == *s) && is_missing(*s) {
                        let drained = self.drained.binary_search(&(to, back)).is_ok();
                        let far = (far.0 + u32::from(drained), far.1 + 1);
                        open.push(Reverse((far, *s, *port, !goes_up && only_down)));
                    }
                }
            };
        for s in all.filter(|&s| is_missing(s)) {
            let mut neighbours: Vec<u32> = self.fabric.neighbours(s).collect();
            neighbours.sort_unstable();
            neighbours.dedup();
            for to in neighbours.into_iter().filter(|&to| !is_missing(to)) {
                if let Some((far, only_down)) = known(to) {
                    offer(&mut open, to, far, only_down, Some(s));
                }
            }
        }
        while let Some(Reverse((far, s, port, only_down))) = open.pop() {
            match found.get_mut(&s) {
                Some(path) if path.far == far && path.down == only_down => path.ports.push(port),
                Some(_) => {}
                None => {
                    let path = Path {
                        far,
                        down: only_down,
                        ports: vec![port],
                    };
                    found.insert(s, path);
                    offer(&mut open, s, far, only_down, None);
                }
            }
        }
        found
    }
}
