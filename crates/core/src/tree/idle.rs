//! Idle switches: switches that join no leaves.
//!
//! A leaf whose hosts are all off is on no shortest path between two leaves; nor are the switches above it if its whole
//! pod is off. A gateway changes nothing in that. Idle switches are ranked last, nearest to the others first:
//! - An idle switch is above its neighbour if the neighbour's port leads up on most switches of that rank that are not
//!   idle, and below if it leads down. Ranks whose switches do not agree on their ports have no vote.
//! - Else it is below if the levels that hang on it end at the bottom: one level of idle switches fits below the second
//!   level. More levels hang on a root of which only one pod is left, fewer on a root of which only one is there so far.
//!
//! Switches on which no level hangs, or two or more, come first: they are certain, and their ports vote on the others.
//!
//! An idle switch with nothing below it is a leaf, so hosts that leave and come back change no levels.

use super::links::Links;
use super::partition::{Partition, mix};
use crate::ids::{BySwitch, ClassId, SwitchId};
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// From this many leaves below a switch the search checks the paths to the other leaves below it.
const LOOKS: usize = 4;

/// The leaves below switches, as far as they are known. Searched each time, 2,400 switches cabled at random, a third of
/// those above with hosts, take 6.6 s for 1.6.
type Below = BTreeMap<SwitchId, Vec<SwitchId>>;

/// The search for idle switches.
pub struct Idle<'i> {
    links: &'i Links,
    rank: &'i mut BySwitch<u32>,
    leaf: &'i mut BySwitch<bool>,
    idle: BySwitch<bool>,
    /// By switch: whether it has end nodes and may or may not be a leaf.
    unsure: &'i BySwitch<bool>,
}

impl<'i> Idle<'i> {
    /// Unmarks false seeds, then marks the idle switches that are leaves. Returns whether there were any false seeds or
    /// idle switches. `rank` has the distances from the marked leaves.
    pub fn find_leaves(
        links: &'i Links,
        rank: &'i mut BySwitch<u32>,
        leaf: &'i mut BySwitch<bool>,
        unsure: &'i BySwitch<bool>,
    ) -> bool {
        let mut search = Idle {
            unsure,
            idle: vec![false; rank.len()].into(),
            links,
            rank,
            leaf,
        };
        let mut dropped = false;
        // With fewer false seeds the others are easier to find.
        while search.drop_seeds() {
            dropped = true;
        }
        search.find();
        let idle = search.idle.contains(&true);
        if idle {
            search.place();
        }
        dropped || idle
    }

    /// Unmarks seeds that would join leaves if they were above their neighbours, as a root with many hosts does, unless
    /// the ports of the neighbours vote for below. A seed with as many hosts as leaves have is unmarked only if these
    /// ports vote for above. Returns whether there were any.
    fn drop_seeds(&mut self) -> bool {
        let ports = self.ports();
        let near = |s: SwitchId| self.links.neighbours(s).collect::<Vec<SwitchId>>();
        let mut seeds: Vec<SwitchId> = self.rank.keys().collect();
        seeds.retain(|&s| match (self.leaf[s], self.unsure[s]) {
            (true, true) => self.votes(s, &near(s), &ports) <= 0,
            (true, false) => self.is_at_ports_up(s, &ports),
            (false, _) => false,
        });
        let above = |s: SwitchId| {
            let near = self.links.neighbours(s).map(|n| self.rank[n]);
            near.min().map_or(0, |lowest| lowest + 1)
        };
        let joins = self.join_leaves(&seeds, above, &mut Below::new());
        let dropped = seeds.into_iter().zip(joins).filter(|&(_, joins)| joins);
        let dropped: Vec<(SwitchId, u32)> = dropped.map(|(s, _)| (s, above(s))).collect();
        for &(s, above) in &dropped {
            self.leaf[s] = false;
            self.rank[s] = above;
        }
        !dropped.is_empty()
    }

    /// Finds idle switches from the top down: a switch is idle if it is no seed, if all switches above it are idle, and
    /// if it joins no two leaves that are not joined further down.
    fn find(&mut self) {
        let mut open: Vec<SwitchId> = self.rank.keys().collect();
        let mut below = Below::new();
        loop {
            let is_top = |&s: &SwitchId| self.above(s).next().is_none();
            open.retain(|&s| !self.idle[s] && !self.leaf[s]);
            let tops: Vec<SwitchId> = open.iter().copied().filter(is_top).collect();
            let joins = self.join_leaves(&tops, |s| self.rank[s], &mut below);
            for (&s, joins) in tops.iter().zip(&joins) {
                self.idle[s] = !joins;
            }
            if !joins.contains(&false) {
                return;
            }
        }
    }

    /// Whether each of some switches joins leaves, if it is of this rank. Switches with the same neighbours, and as sure,
    /// join the same leaves.
    fn join_leaves(
        &self,
        switches: &[SwitchId],
        rank: impl Fn(SwitchId) -> u32,
        below: &mut Below,
    ) -> Vec<bool> {
        let near = |s: SwitchId| self.links.neighbours(s);
        let alike = Partition::new(
            self.rank.len(),
            switches.iter().copied(),
            |s| near(s).fold(0, |h, n| mix(h, n.0.into())),
            |a, b| self.unsure[a] == self.unsure[b] && near(a).eq(near(b)),
        );
        let firsts = alike.firsts().iter();
        let joins: TiVec<ClassId, bool> = firsts.map(|&s| self.joins(s, rank(s), below)).collect();
        switches.iter().map(|&s| joins[alike.class(s)]).collect()
    }

    /// The neighbours above a switch that are not idle.
    fn above(&self, s: SwitchId) -> impl Iterator<Item = SwitchId> {
        let rank = self.rank[s];
        let near = self.links.neighbours(s);
        near.filter(move |&n| self.rank[n] > rank && !self.idle[n])
    }

    /// Whether two leaves below a switch have no switch of lower rank above both, if the switch is of this rank. An unsure
    /// switch may be a leaf of two pods: it joins none if another switch of its rank is above all these leaves and at
    /// least twice as many.
    fn joins(&self, s: SwitchId, rank: u32, below: &mut Below) -> bool {
        let is_lower = |n: &SwitchId| self.rank[*n] < rank;
        let mut leaves = self.leaves_below(self.links.neighbours(s).filter(is_lower).collect());
        leaves.retain(|&leaf| leaf != s);
        let joins = leaves.iter().take(LOOKS).any(|&leaf| {
            let mut near = vec![leaf];
            let mut seen: BySwitch<bool> = vec![false; self.rank.len()].into();
            let mut next = 0;
            while let Some(&at) = near.get(next) {
                next += 1;
                let above = self.above(at).filter(is_lower);
                near.extend(above.filter(|&n| !std::mem::replace(&mut seen[n], true)));
            }
            let joined = self.leaves_below(near);
            leaves
                .iter()
                .any(|leaf| joined.binary_search(leaf).is_err())
        });
        let is_leaf = |s: &SwitchId| self.leaf[*s];
        let all = self
            .rank
            .keys()
            .filter(|other| *other != s && is_leaf(other));
        if !joins || !self.unsure[s] || 2 * leaves.len() > all.count() {
            return joins;
        }
        let is_less = |other: SwitchId| {
            let theirs = below
                .entry(other)
                .or_insert_with(|| self.leaves_below(vec![other]));
            let is_theirs = |leaf: &SwitchId| theirs.binary_search(leaf).is_ok();
            let count = theirs.len() - usize::from(is_theirs(&s));
            2 * leaves.len() <= count && leaves.iter().all(is_theirs)
        };
        let mut peers = self.rank.keys().filter(|&n| self.rank[n] == rank);
        !peers.any(is_less)
    }

    /// The leaves among some switches and below them, ascending.
    fn leaves_below(&self, mut open: Vec<SwitchId>) -> Vec<SwitchId> {
        let mut seen: BySwitch<bool> = vec![false; self.rank.len()].into();
        let mut found = Vec::new();
        while let Some(at) = open.pop() {
            if self.leaf[at] {
                found.push(at);
            }
            // Nothing is below rank 0, so the links of most leaves are not looked at: 2 % of the plan and the routes of
            // 27,648 nodes with faults.
            if self.rank[at] == 0 {
                continue;
            }
            for n in self.links.neighbours(at) {
                let is_lower = self.rank[n] < self.rank[at];
                if is_lower && !std::mem::replace(&mut seen[n], true) {
                    open.push(n);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Ranks idle switches, nearest to the other switches first.
    fn place(&mut self) {
        let busy = self.idle.keys().filter(|&s| !self.idle[s]);
        let away = self.links.distances(busy);
        let mut outward: Vec<SwitchId> = away.keys().collect();
        outward.retain(|&s| self.idle[s]);
        outward.sort_by_key(|&s| away[s]);
        let links = self.links;
        let near = |s: SwitchId, is_near: fn(&u32, &u32) -> bool| {
            let is_near = |n: &SwitchId| is_near(&away[*n], &away[s]);
            links
                .neighbours(s)
                .filter(is_near)
                .collect::<Vec<SwitchId>>()
        };
        // How many levels hang on each switch. A few links outward, as by a link around a lost link, do not count.
        let mut hanging: BySwitch<u32> = vec![0; away.len()].into();
        for &s in outward.iter().rev() {
            let further = near(s, u32::gt);
            if 2 * further.len() >= near(s, u32::lt).len() {
                let levels = further.iter().map(|&n| hanging[n] + 1);
                hanging[s] = levels.max().unwrap_or(0);
            }
        }
        let mut is_below: BySwitch<bool> = vec![false; away.len()].into();
        // Certain switches first.
        let order = |s: SwitchId| {
            let doubt = match hanging[s] {
                0 => 1,
                1 => 2,
                _ => 0,
            };
            (away[s], doubt)
        };
        outward.sort_by_key(|&s| order(s));
        let mut ports = self.ports();
        for alike in outward.chunk_by(|&a, &b| order(a) == order(b)) {
            for &s in alike {
                let nearer = near(s, u32::lt);
                let lowest = nearer.iter().map(|&n| self.rank[n]).min();
                let lowest = lowest.unwrap_or(0);
                let below = match self.votes(s, &nearer, &ports) {
                    0 => hanging[s] + 1 == lowest,
                    votes => votes > 0 && lowest > 0,
                };
                self.rank[s] = if below { lowest - 1 } else { lowest + 1 };
                is_below[s] = below;
            }
            for &s in alike {
                self.idle[s] = false;
                self.count_links(s, &mut ports);
            }
        }
        for s in away.keys().filter(|&s| is_below[s]) {
            let lower = |n: SwitchId| self.rank[n] < self.rank[s];
            self.leaf[s] = !self.links.neighbours(s).any(lower);
        }
    }

    /// Whether most ports of its neighbours to a leaf lead up on the other switches of the neighbours' ranks.
    fn is_at_ports_up(&self, s: SwitchId, ports: &Ports) -> bool {
        let near = self.links.neighbours(s);
        // On nearly all leaves most of these ports lead down: no need to count again.
        let up = near.clone().flat_map(|n| {
            let of_rank = &ports[&self.rank[n]];
            let back = self.links.to(n, s).iter();
            back.map(|&port| of_rank.all[usize::from(port)])
        });
        if up.map(|[up, down]| (up - down).signum()).sum::<i32>() < 0 {
            return false;
        }
        let near: Vec<SwitchId> = near.collect();
        let mut others = Ports::new();
        for &n in &near {
            let rank = self.rank[n];
            let of_rank = others.entry(rank).or_insert_with(|| PortsOfRank {
                sure: ports[&rank].all,
                ..ports[&rank]
            });
            for &port in self.links.to(n, s) {
                of_rank.all[usize::from(port)][1] -= 1;
                of_rank.sure[usize::from(port)][1] -= 1;
            }
        }
        self.votes(s, &near, &others) < 0
    }

    /// The ports of all switches that are not idle.
    fn ports(&self) -> Ports {
        let mut ports = Ports::new();
        let is_busy = |s: &SwitchId| !self.idle[*s];
        for s in self.rank.keys().filter(is_busy) {
            let of_rank = ports.entry(self.rank[s]).or_default();
            for group in self
                .links
                .groups_of(s)
                .iter()
                .filter(|g| is_busy(&g.remote))
            {
                self.count(of_rank, s, group.remote, self.links.ports(group));
            }
        }
        ports
    }

    /// Counts the links of a switch that is no longer idle, at both ends.
    fn count_links(&self, s: SwitchId, ports: &mut Ports) {
        for n in self.links.neighbours(s).filter(|&n| !self.idle[n]) {
            for (a, b) in [(s, n), (n, s)] {
                let of_rank = ports.entry(self.rank[a]).or_default();
                self.count(of_rank, a, b, self.links.to(a, b));
            }
        }
    }

    /// Counts the ports of a switch to a neighbour.
    fn count(&self, of_rank: &mut PortsOfRank, s: SwitchId, n: SwitchId, ports: &[u8]) {
        let is_sure = |s: SwitchId| !(self.leaf[s] && self.unsure[s]);
        let is_sure = i32::from(is_sure(s) && is_sure(n));
        let side = usize::from(self.rank[n] < self.rank[s]);
        for &port in ports {
            of_rank.all[usize::from(port)][side] += 1;
            of_rank.sure[usize::from(port)][side] += is_sure;
        }
    }

    /// Of the ports of some neighbours to a switch: how many more vote that it is below than that it is above.
    fn votes(&self, s: SwitchId, near: &[SwitchId], ports: &Ports) -> i32 {
        let rank = |n: &SwitchId| self.rank[*n];
        let votes = near.chunk_by(|a, b| rank(a) == rank(b)).map(|alike| {
            let of_rank = Some(&ports[&rank(&alike[0])]).filter(|of_rank| of_rank.agree());
            let back = alike.iter().flat_map(|&n| self.links.to(n, s));
            let of_port = |&port: &u8| {
                let [up, down] = of_rank.map_or([0; 2], |of_rank| of_rank.sure[usize::from(port)]);
                (down - up).signum()
            };
            back.map(of_port).sum::<i32>()
        });
        votes.sum()
    }
}

/// The ports of the switches that are not idle, by rank.
type Ports = BTreeMap<u32, PortsOfRank>;

/// By port: on how many switches it leads up (or to an equal rank), and on how many down.
type PortCounts = [[i32; 2]; 256];

/// The ports of the switches of one rank that are not idle: over all links, and without links of unsure leaves, which do
/// not vote.
#[derive(Clone, Copy)]
struct PortsOfRank {
    all: PortCounts,
    sure: PortCounts,
}

impl PortsOfRank {
    /// Whether nine in ten pairs of equal ports lead the same way: else the ports of the rank have no vote.
    fn agree(&self) -> bool {
        let pairs = |count: i32| i64::from(count) * i64::from(count - 1);
        let agree: i64 = self.all.iter().flatten().map(|&count| pairs(count)).sum();
        let all: i64 = self.all.iter().map(|&[up, down]| pairs(up + down)).sum();
        10 * agree >= 9 * all
    }
}

impl Default for PortsOfRank {
    fn default() -> Self {
        let none = [[0; 2]; 256];
        PortsOfRank {
            all: none,
            sure: none,
        }
    }
}
