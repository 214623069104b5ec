//! The turns that are taken, and whether one more would close a circle.
//!
//! A turn (a, b, c) is a switch b at which packets that came down from a go up to c. All other
//! dependencies of channels are up-down, and every one that the links allow is taken to be there,
//! whether a route uses it or not. What follows a turn is then known from the costs alone: having
//! gone up to c, a packet may come down to any switch that c has an up-down path to, and so to the
//! next turn. The graph to keep without a circle is thus that of the turns, a handful, and not that of
//! all channels; and no choice of ports, no further LID of a port and no up-down multicast tree can
//! add to it.

use super::bits::Set;
use crate::dmodc::paths::{INFINITE, Paths, UP};
use crate::dmodc::tree::Group;
use std::collections::BTreeSet;

const NONE: u32 = u32::MAX;

/// The turns at one switch, by the positions of switches above it among its groups that lead up.
#[derive(Clone, Debug)]
struct Hub {
    switch: u32,
    /// The numbers of the channels from and to the first of them; those of the others follow.
    first: usize,
    /// Where packets from there may go up.
    taken: Vec<Set>,
}

/// A channel that comes down to a hub, all links between two switches together.
#[derive(Clone, Debug)]
struct Down {
    /// From where to where.
    channel: (u32, u32),
    /// The channels up that packets may go on by.
    onward: Vec<usize>,
}

/// A channel that goes up from a hub.
#[derive(Clone, Debug)]
struct Up {
    /// From where to where.
    channel: (u32, u32),
    /// By column: what lies below its upper end, or any switch above that, by a way down beside the one
    /// that leads up from the hub. `None` if that is all.
    beside: Option<Vec<bool>>,
    /// The channels down that it leads to without a turn between.
    leads: Vec<usize>,
}

/// The turns that are taken.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Per switch: its number in `hubs`.
    hub_of: Vec<u32>,
    hubs: Vec<Hub>,
    downs: Vec<Down>,
    ups: Vec<Up>,
}

impl Turns {
    /// No turns in a fabric of so many switches.
    pub fn new(switches: usize) -> Self {
        Turns {
            hub_of: vec![NONE; switches],
            hubs: Vec::new(),
            downs: Vec::new(),
            ups: Vec::new(),
        }
    }

    /// The switches at which turns were asked for.
    pub fn hubs(&self) -> impl Iterator<Item = u32> + '_ {
        self.hubs.iter().map(|hub| hub.switch)
    }

    /// Whether turns were asked for at a switch.
    pub fn is_hub(&self, switch: u32) -> bool {
        self.hub_of[switch as usize] != NONE
    }

    /// Whether packets that come down to a switch by one of its groups that lead up may go on by any
    /// of some others.
    pub fn has(&self, switch: u32, from: usize, to: &Set) -> bool {
        let hub = self.hub_of[switch as usize];
        hub != NONE && to.is_within(&self.hubs[hub as usize].taken[from])
    }

    /// Whether packets that come down from one switch to another may go up to a third.
    pub fn may_turn(&self, paths: &Paths, from: u32, at: u32, to: u32) -> bool {
        match (position(paths, at, from), position(paths, at, to)) {
            (Some(from), Some(to)) => self.has(at, from, &Set::of(to)),
            _ => false,
        }
    }

    /// Takes those turns at a switch that are wanted, by the switches that they come from and go to, and
    /// that close no circle; those to and from what is `urgent` before others that exclude them. Whether there
    /// are any that were not taken before.
    pub fn take(
        &mut self,
        paths: &Paths,
        switch: u32,
        urgent: impl Fn(u32) -> bool,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> bool {
        let up = paths.groups.up(switch);
        let mut order: Vec<(usize, &Group)> = up.iter().enumerate().collect();
        order.sort_by_key(|(_, group)| !urgent(group.remote));
        let hub = self.hub(paths, switch);
        let first = self.hubs[hub].first;
        let mut is_new = false;
        for &(to, above) in &order {
            // Turns that go on by the same channel do not change where it leads.
            let mut reach = None;
            for &(from, came) in &order {
                let (down, onward, turn) = (first + from, first + to, Set::of(to));
                if from != to
                    && wanted(came.remote, above.remote)
                    && !turn.is_within(&self.hubs[hub].taken[from])
                    && !reach.get_or_insert_with(|| self.reach(onward))[down]
                {
                    self.hubs[hub].taken[from].put(to);
                    self.downs[down].onward.push(onward);
                    is_new = true;
                }
            }
        }
        is_new
    }

    /// Which channels down one up leads to, over turns that are taken or none.
    fn reach(&self, up: usize) -> Vec<bool> {
        let mut found = vec![false; self.downs.len()];
        let mut seen = vec![false; self.ups.len()];
        let mut open = vec![up];
        while let Some(up) = open.pop() {
            if std::mem::replace(&mut seen[up], true) {
                continue;
            }
            for &down in &self.ups[up].leads {
                if !std::mem::replace(&mut found[down], true) {
                    open.extend(&self.downs[down].onward);
                }
            }
        }
        found
    }

    /// The number of a hub, whose channels are known from then on.
    fn hub(&mut self, paths: &Paths, switch: u32) -> usize {
        let hub = self.hub_of[switch as usize];
        if hub != NONE {
            return hub as usize;
        }
        let first = self.downs.len();
        for above in paths.groups.up(switch).iter().map(|g| g.remote) {
            self.downs.push(Down {
                channel: (above, switch),
                onward: Vec::new(),
            });
            self.ups.push(Up {
                channel: (switch, above),
                beside: beside(paths, switch, above),
                leads: Vec::new(),
            });
        }
        for (u, up) in self.ups.iter_mut().enumerate() {
            // Those before know the channels before.
            let new = if u < first { first } else { 0 };
            let downs = self.downs.iter().enumerate().skip(new);
            let downs = downs.filter(|(_, down)| up.leads_to(paths, down.channel));
            let leads: Vec<usize> = downs.map(|(d, _)| d).collect();
            up.leads.extend(leads);
        }
        self.hub_of[switch as usize] = self.hubs.len() as u32;
        self.hubs.push(Hub {
            switch,
            first,
            taken: vec![Set::default(); self.downs.len() - first],
        });
        self.hubs.len() - 1
    }
}

/// The position of a switch above another among the groups of that one that lead up.
pub fn position(paths: &Paths, switch: u32, above: u32) -> Option<usize> {
    let up = paths.groups.up(switch);
    up.binary_search_by_key(&above, |g| g.remote).ok()
}

impl Up {
    /// Whether a packet that goes up by it can come down by another channel without a turn between.
    /// No packet goes back by the link that it came by, which is what makes turns at a switch and at
    /// those above it go together: in a tree with one way down to each switch, whoever goes up from
    /// there can come back only so.
    fn leads_to(&self, paths: &Paths, (from, to): (u32, u32)) -> bool {
        let (low, high) = self.channel;
        let byte = paths.costs.byte(high, from);
        if byte & UP != 0 {
            // What the way comes down from is not on the way up, or the way could be made shorter.
            return byte != INFINITE;
        }
        let column = paths.costs.column(from);
        (high == from && low != to) || self.beside.as_ref().is_none_or(|all| all[column])
    }
}

/// See [`Up::beside`].
fn beside(paths: &Paths, low: u32, high: u32) -> Option<Vec<bool>> {
    let costs = &paths.costs;
    let mut found = vec![false; costs.switches()];
    let mut seen = BTreeSet::new();
    let mut open = vec![(low, high)];
    while let Some((low, at)) = open.pop() {
        // Two ways up to one switch are two ways down from it.
        if !seen.insert(at) {
            return None;
        }
        for next in paths.groups.down(at).iter().map(|g| g.remote) {
            if next != low {
                found[costs.column(next)] = true;
                let below = costs.columns_below(next).iter();
                below.for_each(|&column| found[column as usize] = true);
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

    /// Which of these turns are taken if they are wanted.
    fn taken(paths: &Paths, turns: &mut Turns, wanted: &[(u32, u32, u32)]) -> Vec<bool> {
        let take = |&(from, at, to): &(u32, u32, u32)| {
            turns.take(paths, at, |_| false, |a, c| (a, c) == (from, to));
            turns.may_turn(paths, from, at, to)
        };
        wanted.iter().map(take).collect()
    }

    #[test]
    fn two_spines_turn_at_one_leaf_and_at_no_other() {
        let paths = paths(4, &[(0, 2), (0, 3), (1, 2), (1, 3)], &[2, 3]);
        let turns = &mut Turns::new(4);
        assert_eq!(taken(&paths, turns, &[(2, 0, 3), (3, 0, 2)]), [true, true]);
        assert_eq!(
            taken(&paths, turns, &[(2, 1, 3), (3, 1, 2)]),
            [false, false]
        );
    }

    #[test]
    fn no_turn_is_taken_where_ways_up_meet_again() {
        // A leaf below 1 and 2, both below 3: what goes up to 1 comes back down from 2.
        let links = [(0, 1), (0, 2), (1, 3), (2, 3)];
        let both = [(1, 0, 2), (2, 0, 1)];
        let met = paths(4, &links, &[3]);
        assert_eq!(taken(&met, &mut Turns::new(4), &both), [false, false]);
        // Without the top it does not.
        let open = paths(3, &links[..2], &[1, 2]);
        assert_eq!(taken(&open, &mut Turns::new(3), &both), [true, true]);
    }

    /// Three planes of one switch each above three leaves; the links of a tree of two levels.
    fn three_planes() -> Paths {
        let links: Vec<(u32, u32)> = (0..9).map(|i| (i / 3, 3 + i % 3)).collect();
        paths(6, &links, &[3, 4, 5])
    }

    #[test]
    fn planes_that_each_own_a_leaf_turn_into_each_other_and_the_lowest_at_no_other_leaf() {
        let paths = three_planes();
        let turns = &mut Turns::new(6);
        let at_owners = [
            (3, 0, 4),
            (4, 0, 3),
            (3, 0, 5),
            (5, 0, 3),
            (4, 1, 5),
            (5, 1, 4),
        ];
        assert_eq!(taken(&paths, turns, &at_owners), [true; 6]);
        for at in 0..3 {
            let others = [3, 4, 5].map(|a| [3, 4, 5].map(|c| (a, at, c))).concat();
            let others: Vec<_> = others
                .into_iter()
                .filter(|turn| turn.0 != turn.2 && !at_owners.contains(turn))
                .collect();
            assert!(taken(&paths, turns, &others).iter().all(|taken| !taken));
        }
    }

    #[test]
    fn a_leaf_for_each_pair_of_planes_closes_a_circle() {
        let turns = &mut Turns::new(6);
        let wanted = [(3, 0, 4), (4, 1, 5), (5, 2, 3)];
        assert_eq!(taken(&three_planes(), turns, &wanted), [true, true, false]);
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
        for at in [0, 2, 4] {
            turns.take(&paths, at, |_| false, |_, _| true);
        }
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
        turns.take(&paths, 1, |_| false, |_, _| true);
        assert!(!(turns.may_turn(&paths, 3, 1, 5) || turns.may_turn(&paths, 5, 1, 3)));
    }
}
