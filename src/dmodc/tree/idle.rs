//! Idle switches: those that carry nothing for others, since hosts have left.
//!
//! Ranks are distances from leaves with hosts. A leaf whose hosts are all off would so come to the top of the tree,
//! and a pod upside down above it. But no shortest way between two leaves leads over such a switch: it is *idle*.
//! Idle switches are ranked last, from the others outward:
//! - An idle switch is below its neighbour if the port there leads down on most switches of that rank that
//!   are not idle.
//! - If that port is dark on them, it is below if its neighbours are idle and below others themselves, if two of them
//!   have a switch below them in common, as those of a leaf have, or if the nearest port that is not dark leads down.
//! - Any other is above: a top that has lost its links to all pods but one.
//!
//! An idle switch with nothing below it is a leaf, so hosts that leave and come back change no levels.

use super::links::{Group, Links};
use super::partition::{Partition, mix};

/// The number of leaves below a switch from which the paths to the others are checked.
const LOOKS: usize = 4;

/// The search for idle switches.
pub struct Idle<'i> {
    links: &'i Links,
    rank: &'i mut [u32],
    leaf: &'i mut [bool],
    idle: Vec<bool>,
}

impl<'i> Idle<'i> {
    /// Ranks the idle switches among those with these ranks anew, and marks those that are leaves.
    pub fn rank(links: &'i Links, rank: &'i mut [u32], leaf: &'i mut [bool]) {
        let mut search = Idle {
            idle: vec![false; rank.len()],
            links,
            rank,
            leaf,
        };
        search.find();
        if search.idle.contains(&true) {
            search.place();
        }
    }

    /// Finds them from the top down: a switch is idle if it is a leaf of nobody, has nothing above it that is not
    /// idle, and joins no two leaves that are not joined further down.
    fn find(&mut self) {
        let mut open: Vec<u32> = (0..self.rank.len() as u32).collect();
        loop {
            let is_top = |&s: &u32| {
                !self.idle[s as usize] && !self.leaf[s as usize] && self.above(s).next().is_none()
            };
            open.retain(|&s| !self.idle[s as usize] && !self.leaf[s as usize]);
            let tops: Vec<u32> = open.iter().copied().filter(is_top).collect();
            // Tops with the same neighbours join the same leaves.
            let alike = Partition::new(
                self.rank.len(),
                tops.iter().copied(),
                |s| self.links.neighbours(s).fold(0, |h, n| mix(h, n.into())),
                |a, b| self.links.neighbours(a).eq(self.links.neighbours(b)),
            );
            let joins: Vec<bool> = alike.firsts().iter().map(|&s| self.joins(s)).collect();
            let mut found = false;
            for &s in &tops {
                if let Some(class) = alike.class(s)
                    && !joins[class as usize]
                {
                    self.idle[s as usize] = true;
                    found = true;
                }
            }
            if !found {
                return;
            }
        }
    }

    /// The neighbours above a switch that are not idle.
    fn above(&self, s: u32) -> impl Iterator<Item = u32> {
        let rank = self.rank[s as usize];
        let near = self.links.neighbours(s);
        near.filter(move |&n| self.rank[n as usize] > rank && !self.idle[n as usize])
    }

    /// Whether two leaves below a switch have no switch of lower rank above both.
    fn joins(&self, s: u32) -> bool {
        let leaves = self.leaves_below(&[s]);
        leaves.iter().take(LOOKS).any(|&leaf| {
            let mut near = vec![leaf];
            let mut next = 0;
            while let Some(&at) = near.get(next) {
                next += 1;
                for above in self.above(at) {
                    if self.rank[above as usize] < self.rank[s as usize] && !near.contains(&above) {
                        near.push(above);
                    }
                }
            }
            let joined = self.leaves_below(&near);
            leaves
                .iter()
                .any(|leaf| joined.binary_search(leaf).is_err())
        })
    }

    /// The leaves below some switches, ascending; leaves among these themselves.
    fn leaves_below(&self, from: &[u32]) -> Vec<u32> {
        let mut seen = vec![false; self.rank.len()];
        let mut open = from.to_vec();
        let mut found = Vec::new();
        while let Some(at) = open.pop() {
            if self.leaf[at as usize] {
                found.push(at);
            }
            for n in self.links.neighbours(at) {
                let is_lower = self.rank[n as usize] < self.rank[at as usize];
                if is_lower && !std::mem::replace(&mut seen[n as usize], true) {
                    open.push(n);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Ranks idle switches, from the others outward.
    fn place(&mut self) {
        let ports = self.ports();
        // Per switch: whether it is ranked, and whether it is idle and below others.
        let mut ranked: Vec<bool> = self.idle.iter().map(|idle| !idle).collect();
        let mut is_below = vec![false; ranked.len()];
        loop {
            let next: Vec<u32> = (0..ranked.len() as u32)
                .filter(|&s| !ranked[s as usize])
                .filter(|&s| self.links.neighbours(s).any(|n| ranked[n as usize]))
                .collect();
            if next.is_empty() {
                break;
            }
            for &s in &next {
                let near: Vec<u32> = (self.links.neighbours(s))
                    .filter(|&n| ranked[n as usize] && !next.contains(&n))
                    .collect();
                let lowest = near
                    .iter()
                    .map(|&n| self.rank[n as usize])
                    .min()
                    .unwrap_or(0);
                let below = lowest > 0 && self.is_below(s, &near, &ports, &is_below);
                self.rank[s as usize] = if below { lowest - 1 } else { lowest + 1 };
                is_below[s as usize] = below;
            }
            next.iter().for_each(|&s| ranked[s as usize] = true);
        }
        for s in (0..ranked.len() as u32).filter(|&s| is_below[s as usize]) {
            let lower = |n: u32| self.rank[n as usize] < self.rank[s as usize];
            self.leaf[s as usize] = !self.links.neighbours(s).any(lower);
        }
    }

    /// By rank and port: how many more switches that are not idle have it down than up.
    fn ports(&self) -> Vec<[i32; 256]> {
        let ranks = self.rank.iter().max().map_or(0, |&most| most as usize + 1);
        let mut ports = vec![[0; 256]; ranks];
        let there = |s: u32| !self.idle[s as usize];
        for s in (0..self.rank.len() as u32).filter(|&s| there(s)) {
            let rank = self.rank[s as usize];
            for group in self.links.of(s).iter().filter(|g| there(g.remote)) {
                let vote = match self.rank[group.remote as usize] < rank {
                    true => 1,
                    false => -1,
                };
                let all = self.links.ports(group).iter();
                all.for_each(|&port| ports[rank as usize][usize::from(port)] += vote);
            }
        }
        ports
    }

    /// Whether an idle switch is below some neighbours that are ranked.
    fn is_below(&self, s: u32, near: &[u32], ports: &[[i32; 256]], is_below: &[bool]) -> bool {
        let back = |group: &Group| {
            let far = self.links.of(group.remote);
            let back = far.binary_search_by_key(&s, |g| g.remote);
            back.map_or(&[][..], |at| self.links.ports(&far[at]))
        };
        let told = |votes: fn(&[i32; 256], u8) -> i32| -> i32 {
            let near = self.links.of(s).iter().filter(|g| near.contains(&g.remote));
            let of_group = |group: &Group| -> i32 {
                let of_rank = ports.get(self.rank[group.remote as usize] as usize);
                let of_port =
                    |&port: &u8| of_rank.map_or(0, |of_rank| votes(of_rank, port).signum());
                back(group).iter().map(of_port).sum()
            };
            near.map(of_group).sum()
        };
        let votes = told(|votes, port| votes[usize::from(port)]);
        if votes != 0 {
            return votes > 0;
        }
        if near.iter().all(|&n| self.idle[n as usize]) {
            return near.iter().any(|&n| is_below[n as usize]);
        }
        let mut lower: Vec<u32> = Vec::new();
        for &n in near {
            let rank = self.rank[n as usize];
            let is_lower =
                |&o: &u32| o != s && !self.idle[o as usize] && self.rank[o as usize] < rank;
            lower.extend(self.links.neighbours(n).filter(is_lower));
        }
        let all = lower.len();
        lower.sort_unstable();
        lower.dedup();
        lower.len() < all || told(nearest) > 0
    }
}

/// The votes on a port or, without any, on the nearest ports that have some.
fn nearest(votes: &[i32; 256], port: u8) -> i32 {
    let port = usize::from(port);
    let at = |at: Option<usize>| at.and_then(|at| votes.get(at)).copied().unwrap_or(0);
    let near = (0..256).map(|far| match far {
        0 => votes[port],
        _ => at(port.checked_sub(far)).signum() + at(Some(port + far)).signum(),
    });
    near.into_iter().find(|&votes| votes != 0).unwrap_or(0)
}
