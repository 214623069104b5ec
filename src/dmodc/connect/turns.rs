//! The turns that are taken, and whether one more would close a circle.
//!
//! A turn (a, b, c) is a switch b at which packets that came down from a go up to c. All other
//! dependencies of channels are up-down, and every one that the links allow is taken to be there,
//! whether a route uses it or not. What follows a turn is then known from the costs alone: having
//! gone up to c, a packet may come down to any switch that c has an up-down path to, and so to the
//! next turn. The graph to keep without a circle is thus that of the turns, a handful, and not that of
//! all channels; and no choice of ports, no further LID of a port and no up-down multicast tree can
//! add to it.

use super::bits::{Bits, Set};
use crate::dmodc::paths::{INFINITE, Paths, UP};
use std::collections::BTreeSet;

const NONE: u32 = u32::MAX;

/// The turns at one switch, by the positions of switches above it among its groups that lead up.
#[derive(Clone, Debug)]
struct Hub {
    /// The number of the channel that comes down from there, among `Turns::downs`.
    down: Vec<u32>,
    /// The number of the channel that goes up there, among `Turns::ups`.
    up: Vec<u32>,
    /// Where packets from there may go up.
    taken: Vec<Set>,
    /// Where they never may: it would close a circle.
    refused: Vec<Set>,
}

/// The turns that are taken. Channels are (from, to), all links between two switches together.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Per switch: its place in `hubs`.
    hub_of: Vec<u32>,
    hubs: Vec<Hub>,
    /// The switches of `hubs`.
    at: Vec<u32>,
    /// Channels that come down to a hub.
    downs: Vec<(u32, u32)>,
    /// Channels that go up from a hub.
    ups: Vec<UpChannel>,
    /// Per channel of `downs`: those of `ups` that packets may go on by.
    onward: Vec<Vec<u32>>,
    /// Per channel of `ups`: those of `downs` that it leads to, over other turns or none.
    reach: Vec<Bits>,
}

impl Turns {
    /// No turns in a fabric of so many switches.
    pub fn new(switches: usize) -> Self {
        Turns {
            hub_of: vec![NONE; switches],
            hubs: Vec::new(),
            at: Vec::new(),
            downs: Vec::new(),
            ups: Vec::new(),
            onward: Vec::new(),
            reach: Vec::new(),
        }
    }

    /// The switches at which turns were asked for.
    pub fn hubs(&self) -> &[u32] {
        &self.at
    }

    /// Whether packets that come down to a switch by one of its groups that lead up may go on by any
    /// of some others.
    pub fn has(&self, switch: u32, from: usize, to: &Set) -> bool {
        let hub = self.hub_of[switch as usize];
        hub != NONE && to.is_within(&self.hubs[hub as usize].taken[from])
    }

    /// Whether packets that come down from one switch to another may go up to a third.
    pub fn may_turn(&self, paths: &Paths, from: u32, at: u32, to: u32) -> bool {
        let up = paths.groups.up(at);
        let position = |above: u32| up.binary_search_by_key(&above, |g| g.remote).ok();
        match (position(from), position(to)) {
            (Some(from), Some(to)) => self.has(at, from, &Set::of(to)),
            _ => false,
        }
    }

    /// Takes every turn at some switches that closes no circle, one switch and turn after the other.
    pub fn take_all_at(&mut self, paths: &Paths, switches: &[u32]) {
        for &s in switches {
            let above = paths.groups.up(s).len();
            for (from, to) in (0..above).flat_map(|from| (0..above).map(move |to| (from, to))) {
                if from != to {
                    self.take(paths, s, from, &Set::of(to));
                }
            }
        }
    }

    /// Takes all these turns, if none of them closes a circle.
    pub fn take(&mut self, paths: &Paths, switch: u32, from: usize, to: &Set) -> bool {
        let h = self.hub(paths, switch);
        if to.meets(&self.hubs[h].refused[from]) {
            return false;
        }
        let down = self.down(paths, h, switch, from);
        let mut ups = Vec::new();
        // They all start from one channel. A circle over several of them leads from one of them back to
        // that channel over turns that were there before: each can be tested by itself.
        for i in to.iter() {
            if self.hubs[h].taken[from].contains(i) {
                continue;
            }
            let up = self.up(paths, h, switch, i);
            if self.reach[up as usize].contains(down) {
                self.hubs[h].refused[from].put(i);
                return false;
            }
            ups.push((i, up));
        }
        for (i, up) in ups {
            self.hubs[h].taken[from].put(i);
            self.onward[down as usize].push(up);
            let further = self.reach[up as usize].clone();
            if further.is_empty() {
                continue;
            }
            for reach in self.reach.iter_mut().filter(|reach| reach.contains(down)) {
                reach.add(&further);
            }
        }
        true
    }

    fn hub(&mut self, paths: &Paths, switch: u32) -> usize {
        let hub = &mut self.hub_of[switch as usize];
        if *hub == NONE {
            *hub = self.hubs.len() as u32;
            self.at.push(switch);
            let above = paths.groups.up(switch).len();
            self.hubs.push(Hub {
                down: vec![NONE; above],
                up: vec![NONE; above],
                taken: vec![Set::default(); above],
                refused: vec![Set::default(); above],
            });
        }
        *hub as usize
    }

    /// The number of the channel that comes down to a hub.
    fn down(&mut self, paths: &Paths, hub: usize, switch: u32, from: usize) -> u32 {
        let known = self.hubs[hub].down[from];
        if known != NONE {
            return known;
        }
        let new = self.downs.len() as u32;
        self.hubs[hub].down[from] = new;
        let channel = (paths.groups.up(switch)[from].remote, switch);
        self.downs.push(channel);
        self.onward.push(Vec::new());
        let leads: Vec<bool> = (self.ups.iter())
            .map(|up| up.leads(paths, channel))
            .collect();
        let mut over = Bits::default();
        for (d, onward) in (0..).zip(&self.onward) {
            if onward.iter().any(|&u| leads[u as usize]) {
                over.put(d);
            }
        }
        for (reach, &directly) in self.reach.iter_mut().zip(&leads) {
            if directly || reach.meets(&over) {
                reach.put(new);
            }
        }
        new
    }

    /// The number of the channel that goes up from a hub.
    fn up(&mut self, paths: &Paths, hub: usize, switch: u32, to: usize) -> u32 {
        let known = self.hubs[hub].up[to];
        if known != NONE {
            return known;
        }
        let new = self.ups.len() as u32;
        self.hubs[hub].up[to] = new;
        let channel = UpChannel::new(paths, switch, paths.groups.up(switch)[to].remote);
        let mut reach = Bits::default();
        for (d, &down) in (0..).zip(&self.downs) {
            if channel.leads(paths, down) {
                reach.put(d);
                for &u in &self.onward[d as usize] {
                    reach.add(&self.reach[u as usize]);
                }
            }
        }
        self.ups.push(channel);
        self.reach.push(reach);
        new
    }
}

/// A channel that goes up from a hub.
#[derive(Clone, Debug)]
struct UpChannel {
    low: u32,
    high: u32,
    /// The columns of what lies below `high`, or any switch above it, by a way down beside the one that
    /// leads up from `low`. `None` if that is all.
    beside: Option<Bits>,
}

impl UpChannel {
    fn new(paths: &Paths, low: u32, high: u32) -> UpChannel {
        UpChannel {
            low,
            high,
            beside: beside(paths, low, high),
        }
    }

    /// Whether a packet that goes up by it can come down by another channel without a turn between.
    /// No packet goes back by the link that it came by, which is what makes turns at a switch and at
    /// those above it go together: in a tree with one way down to each switch, whoever goes up from
    /// there can come back only so.
    fn leads(&self, paths: &Paths, (from, to): (u32, u32)) -> bool {
        let byte = paths.costs.byte(self.high, from);
        if byte & UP != 0 {
            // What the way comes down from is not on the way up, or the way could be made shorter.
            return byte != INFINITE;
        }
        let is_beside = |all: &Bits| all.contains(paths.costs.column(from) as u32);
        (self.high == from && self.low != to) || self.beside.as_ref().is_none_or(is_beside)
    }
}

/// See [`UpChannel::beside`].
fn beside(paths: &Paths, low: u32, high: u32) -> Option<Bits> {
    let costs = &paths.costs;
    let mut found = Bits::default();
    let mut seen = BTreeSet::new();
    let mut open = vec![(low, high)];
    while let Some((low, at)) = open.pop() {
        // Two ways up to one switch are two ways down from it.
        if !seen.insert(at) {
            return None;
        }
        for next in paths.groups.down(at).iter().map(|g| g.remote) {
            if next != low {
                found.put(costs.column(next) as u32);
                let below = costs.columns_below(next).iter();
                below.for_each(|&column| found.put(column));
            }
        }
        open.extend(paths.groups.up(at).iter().map(|g| (at, g.remote)));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dmodc::Options;
    use crate::dmodc::threads::ALONE;
    use crate::dmodc::tree::{Groups, Ranking};
    use crate::fabric::{Builder, Fabric, Guid, Lid};

    /// Switches with these links, each as (below, above), and these at the top.
    fn paths(switches: u64, links: &[(u32, u32)], roots: &[u32]) -> Paths {
        let mut b = Builder::default();
        for guid in 0..switches {
            b.switch(Guid(guid + 1), Lid(guid as u16 + 1), 0, 8);
        }
        let mut used = vec![0; switches as usize];
        let mut port = |s: u32| {
            used[s as usize] += 1;
            used[s as usize]
        };
        for &(low, high) in links {
            b.link((low, port(low)), (high, port(high)));
        }
        let fabric: Fabric = b.finish().0;
        let options = Options {
            root_guids: roots.iter().map(|&s| Guid(u64::from(s) + 1)).collect(),
            ..Options::default()
        };
        let ranking = Ranking::new(&fabric, &options);
        Paths::new(Groups::of(&fabric, &ranking), &ranking, Vec::new(), ALONE)
    }

    #[test]
    fn two_spines_turn_at_one_leaf_and_at_no_other() {
        let paths = paths(4, &[(0, 2), (0, 3), (1, 2), (1, 3)], &[2, 3]);
        let mut turns = Turns::new(4);
        for (from, to) in [(0, 1), (1, 0)] {
            assert!(turns.take(&paths, 0, from, &Set::of(to)));
        }
        for (from, to) in [(0, 1), (1, 0)] {
            assert!(!turns.take(&paths, 1, from, &Set::of(to)));
        }
        assert!(turns.may_turn(&paths, 2, 0, 3) && !turns.may_turn(&paths, 2, 1, 3));
    }

    #[test]
    fn no_turn_is_taken_where_ways_up_meet_again() {
        // A leaf below 1 and 2, both below 3: what goes up to 1 comes back down from 2.
        let paths = paths(4, &[(0, 1), (0, 2), (1, 3), (2, 3)], &[3]);
        let mut turns = Turns::new(4);
        assert!(!turns.take(&paths, 0, 0, &Set::of(1)));
        assert!(!turns.take(&paths, 0, 1, &Set::of(0)));
        // Without the top it does not.
        let paths = super::tests::paths(3, &[(0, 1), (0, 2)], &[1, 2]);
        let mut turns = Turns::new(3);
        assert!(turns.take(&paths, 0, 0, &Set::of(1)) && turns.take(&paths, 0, 1, &Set::of(0)));
    }

    #[test]
    fn all_turns_of_a_cone_are_taken_where_there_is_one_way_down() {
        // Two planes, {2, 3} below 6 and 7, {4, 5} below 8 and 9; leaf 0 below 2 and 4, 1 below 3 and 5.
        let planes = [
            (0, 2),
            (0, 4),
            (1, 3),
            (1, 5),
            (2, 6),
            (2, 7),
            (3, 6),
            (3, 7),
        ];
        let links = [&planes[..], &[(4, 8), (4, 9), (5, 8), (5, 9)]].concat();
        let paths = paths(10, &links, &[6, 7, 8, 9]);
        let mut turns = Turns::new(10);
        turns.take_all_at(&paths, &[0, 2, 4]);
        for (from, at, to) in [
            (2, 0, 4),
            (4, 0, 2),
            (6, 2, 7),
            (7, 2, 6),
            (8, 4, 9),
            (9, 4, 8),
        ] {
            assert!(turns.may_turn(&paths, from, at, to), "{from} {at} {to}");
        }
        turns.take_all_at(&paths, &[1]);
        assert!(!(turns.may_turn(&paths, 3, 1, 5) || turns.may_turn(&paths, 5, 1, 3)));
    }
}
