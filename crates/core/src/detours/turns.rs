//! The turns that are taken, and whether one more would close a cycle.
//!
//! At a turn (a, b, c), packets that came down from a to switch b go up to c. All other dependencies of channels are
//! up-down; the check counts every one that the links allow, whether a route uses it or not. So no choice of ports, no
//! further LID of a port and no up-down multicast tree can add to them. Dmodc takes a turn if no packet that goes up
//! from b to c can come down from a to b, with or without other taken turns on its way.
//!
//! Some turns are *free*: where one of the two links leads out to switches that close no cycle of links (what is left
//! if switches with one neighbour are taken away, again and again, is the rest), a packet that turns there never comes
//! back. In a tree of switches all turns are free. They need no check, and are not listed.

use crate::ids::{BySwitch, SwitchId};
use crate::tree::{Group, Groups, peel};
use std::collections::BTreeSet;

/// In [`Reach`]: no packet comes up to a switch; or packets come up from more than one switch below.
const NONE: SwitchId = SwitchId(u32::MAX);
const SEVERAL: SwitchId = SwitchId(u32::MAX - 1);

/// The turns that are taken. They close no cycle with anything that the links allow, so they suit every routing; the
/// price is some harmless turns that the check refuses.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Per switch: the turns taken there, as (from, to); free turns are not listed.
    taken: BySwitch<BTreeSet<(SwitchId, SwitchId)>>,
    /// The switches with turns: those with free turns, ascending, then others in the order in which they got their first.
    hubs: Vec<SwitchId>,
    /// Per switch: whether links around it may close a cycle. A turn over a link to any other switch is free.
    in_core: BySwitch<bool>,
    /// Per switch: whether it is a hub or above one. Packets that come down to any other switch come to no turn.
    above_hub: BySwitch<bool>,
}

/// The switches to which packets can come from one channel.
struct Reach {
    /// Per switch: the switch below from which they come up to it, [`NONE`] or [`SEVERAL`].
    below: BySwitch<SwitchId>,
    /// Per switch: whether they come down to it.
    down: BySwitch<bool>,
    /// The number of neighbours visited.
    work: u64,
}

/// A turn, as (from, at, to).
pub type Turn = (SwitchId, SwitchId, SwitchId);

/// A switch to which packets come, and the switch below, if they come up from it.
type Arrival = (SwitchId, Option<SwitchId>);

impl Turns {
    /// The free turns of a fabric.
    pub fn new(groups: &Groups) -> Self {
        let switches = groups.switches().len();
        let in_core = peel(switches, |s| groups.neighbours(s));
        let has_free = |&s: &SwitchId| {
            let up = groups.up(s);
            let leads_out = |g: &Group| !in_core[g.remote];
            up.len() > 1 && (!in_core[s] || up.iter().any(leads_out))
        };
        let hubs: Vec<SwitchId> = groups.switches().filter(has_free).collect();
        Turns {
            taken: vec![BTreeSet::new(); switches].into(),
            hubs,
            in_core,
            above_hub: vec![false; switches].into(),
        }
    }

    /// The switches with turns.
    pub fn hubs(&self) -> &[SwitchId] {
        &self.hubs
    }

    /// Whether packets may turn at a switch from each switch above to each other one.
    pub fn has_all(&self, groups: &Groups, at: SwitchId) -> bool {
        let in_core = |s: SwitchId| self.in_core[s];
        let above = groups.up(at).iter().filter(|g| in_core(g.remote)).count();
        !in_core(at) || self.taken[at].len() == above * above.saturating_sub(1)
    }

    /// Whether packets that come down from one switch to another may go up to a third.
    pub fn has(&self, from: SwitchId, at: SwitchId, to: SwitchId) -> bool {
        let in_core = |s: SwitchId| self.in_core[s];
        let is_free = !(in_core(from) && in_core(at) && in_core(to));
        from != to && (is_free || self.taken[at].contains(&(from, to)))
    }

    /// Takes the turns over `groups` at a switch that `wanted` selects, by the switches that they come from and go to, and
    /// that close no cycle over `all` links. Turns to `urgent` switches come before others, which they may exclude.
    /// Returns whether any turn is new, and adds the neighbours visited to `work`.
    pub fn take(
        &mut self,
        [groups, all]: [&Groups; 2],
        switch: SwitchId,
        urgent: impl Fn(SwitchId) -> bool,
        wanted: impl Fn(SwitchId, SwitchId) -> bool,
        work: &mut u64,
    ) -> bool {
        self.mark_above(all, switch);
        let mut up: Vec<SwitchId> = groups.up(switch).iter().map(|g| g.remote).collect();
        up.sort_by_key(|&s| !urgent(s));
        let before = self.taken[switch].len();
        for &to in &up {
            let new =
                |&from: &SwitchId| from != to && wanted(from, to) && !self.has(from, switch, to);
            let mut new: Vec<SwitchId> = up.iter().copied().filter(new).collect();
            if !new.is_empty() {
                // More turns into one channel do not change where that channel leads.
                let reach = self.reach(all, switch, to);
                *work += reach.work;
                new.retain(|&from| !reach.comes_down(from, switch));
            }
            self.taken[switch].extend(new.into_iter().map(|from| (from, to)));
        }
        let is_new = self.taken[switch].len() > before;
        if is_new && !self.hubs.contains(&switch) {
            self.hubs.push(switch);
        }
        is_new
    }

    /// Marks a switch and all switches above it.
    fn mark_above(&mut self, groups: &Groups, switch: SwitchId) {
        let mut open = vec![switch];
        while let Some(s) = open.pop() {
            if !std::mem::replace(&mut self.above_hub[s], true) {
                open.extend(groups.up(s).iter().map(|g| g.remote));
            }
        }
    }

    /// The switches to which packets come that go up from `low` to `high`, with or without taken turns. No packet goes
    /// back by the link by which it came. So turns at a switch and at the switches above it go together: in a tree with
    /// one way down to each switch, a packet that goes up from a switch can come back to it only by that link.
    fn reach(&self, groups: &Groups, low: SwitchId, high: SwitchId) -> Reach {
        let switches = self.taken.len();
        let mut reach = Reach {
            below: vec![NONE; switches].into(),
            down: vec![false; switches].into(),
            work: 0,
        };
        let mut open: Vec<Arrival> = vec![(high, Some(low))];
        while let Some((at, from)) = open.pop() {
            let (below, down) = (&mut reach.below[at], &mut reach.down[at]);
            let known = *below;
            match from {
                None if std::mem::replace(down, true) => continue,
                None => {}
                Some(from) if known == from || known == SEVERAL => continue,
                Some(from) => *below = if known == NONE { from } else { SEVERAL },
            }
            reach.work += groups.neighbours(at).count() as u64;
            if from.is_some() && known == NONE {
                open.extend(groups.up(at).iter().map(|g| (g.remote, Some(at))));
            }
            let lower = groups.down(at).iter().map(|g| g.remote);
            for next in lower.filter(|&next| self.above_hub[next] && Some(next) != from) {
                open.push((next, None));
                let turns = self.taken[next].range((at, SwitchId(0))..=(at, NONE));
                open.extend(turns.map(|&(_, to)| (to, Some(next))));
            }
        }
        reach
    }
}

impl Reach {
    /// Whether packets can come down from one switch to another.
    fn comes_down(&self, from: SwitchId, to: SwitchId) -> bool {
        let below = self.below[from];
        self.down[from] || (below != NONE && below != to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::tree::Ranking;
    use fabrics::Net;

    #[test]
    fn planes_that_each_own_a_leaf_turn_into_each_other_and_the_lowest_at_no_other_leaf() {
        // Three planes of one switch each above three leaves.
        let links: Vec<(u32, u32)> = (0..9).map(|i| (i / 3, 3 + i % 3)).collect();
        let fabric = Net::new(&links, &[0, 1, 2]).build();
        let ranking = Ranking::new(&fabric, &Options::default());
        let groups = Groups::of_fabric(&fabric, &ranking);
        let mut turns = Turns::new(&groups);
        let mut is_taken = |turn: [u32; 3]| {
            let [from, at, to] = turn.map(SwitchId);
            let wanted = |a, c| (a, c) == (from, to);
            turns.take([&groups; 2], at, |_| false, wanted, &mut 0);
            turns.has(from, at, to)
        };
        let at_first = [[3, 0, 4], [4, 0, 3], [3, 0, 5], [5, 0, 3]];
        let at_owners = [&at_first[..], &[[4, 1, 5], [5, 1, 4]]].concat();
        assert!(at_owners.iter().all(|&turn| is_taken(turn)));
        for at in 0..3 {
            let all = [3, 4, 5].map(|from| [3, 4, 5].map(|to| [from, at, to]));
            let mut others = all.concat();
            others.retain(|turn| !at_owners.contains(turn));
            assert!(!others.into_iter().any(&mut is_taken));
        }
    }
}
