//! Leaves: the switches with end nodes at the bottom of the tree.
//!
//! The paper takes every switch with nodes for a leaf. Real fabrics have a gateway or the subnet manager's
//! host on a spine, and a spine taken for a leaf bends the ranks of the whole tree. Only the shape of the
//! fabric separates the two: *no shortest path between two leaves leads through a third*, while shortest
//! paths lead through every switch further up. So a switch is further up if it lies on shortest paths from
//! the leaves nearest to it to many of the others.
//!
//! The test costs four searches of the fabric. It is skipped if a look at the switch and its neighbours is
//! enough ([`Carriers::looks_like_a_leaf`]): in a tree whose leaves are alike, however damaged, it is never
//! made, and the ranks are the paper's.

use super::links::Links;
use super::partition::{Partition, mix};
use crate::fabric::Fabric;
use std::cmp::Reverse;

/// The switches whose shortest paths tell which others lie between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judges {
    /// All that carry end nodes.
    Carriers,
    /// Those that carry as many as most, or more. In a small damaged tree with a host on most upper switches the
    /// carriers are no guide: a leaf lies between its neighbour and a switch that has lost its way up.
    Usual,
}

/// For every switch whether it is a leaf. `hosts` is what each carries ([`host_counts`]). `known` are
/// switches that are leaves for certain (those with a node of `cn_guid_file`); where there are any,
/// they are the judges, and all others are put to the test.
pub fn find(links: &Links, hosts: &[u32], known: &[bool], judges: Judges) -> Vec<bool> {
    let between_levels = without_odd(links);
    let links = between_levels.as_ref().unwrap_or(links);
    let carriers = Carriers::new(links, hosts);
    let switches = || 0..hosts.len() as u32;
    let certain: Vec<bool> = match known.contains(&true) {
        true => known.to_vec(),
        false => switches().map(|s| carriers.looks_like_a_leaf(s)).collect(),
    };
    let carry: Vec<bool> = switches().map(|s| carriers.carries(s)).collect();
    let usual: Vec<bool> = hosts.iter().map(|&count| count >= carriers.usual).collect();
    let judges = match judges {
        _ if known.contains(&true) => known,
        Judges::Carriers => &carry,
        Judges::Usual => &usual,
    };
    // Switches with the same neighbours stand on the same level: one of them is put to the test.
    let suspects = switches().filter(|&s| carry[s as usize] && !certain[s as usize]);
    let alike = Partition::new(
        certain.len(),
        suspects,
        |s| links.neighbours(s).fold(0, |h, n| mix(h, n.into())),
        |a, b| links.neighbours(a).eq(links.neighbours(b)),
    );
    let tested = alike.firsts().iter();
    let further_up: Vec<bool> = tested.map(|&s| carriers.is_between(s, judges)).collect();
    let is_leaf = |s: u32| match alike.class(s) {
        Some(class) => !further_up[class as usize],
        None => certain[s as usize],
    };
    let leaf: Vec<bool> = switches().map(is_leaf).collect();
    let on = |of: &[bool]| -> u64 {
        let counted = hosts.iter().zip(of).filter(|&(_, &is)| is);
        counted.map(|(&count, _)| u64::from(count)).sum()
    };
    match 3 * on(&leaf) >= 2 * on(&carry) {
        true => leaf,
        // Most end nodes lie between others: a ring, a mesh, a dragonfly. The ranks will say so.
        false => carry,
    }
}

/// Odd links, such as a cable between two leaves, are left out if at most one in this many is odd.
const ODD: usize = 8;

/// The links without the odd ones, which join switches of one level: without these every way around has an
/// even length. `None` if there are none, or so many that there are no levels.
fn without_odd(links: &Links) -> Option<Links> {
    // The switch with most neighbours is the least likely end of an odd link.
    let all = 0..links.switches() as u32;
    let seed = all.clone().min_by_key(|&s| Reverse(links.of(s).len()))?;
    let mut levels = TwoLevels::from(links, seed);
    if levels.odd() == 0 {
        return None;
    }
    levels.settle();
    let odd = levels.odd();
    let groups: usize = all.map(|s| links.of(s).len()).sum();
    (ODD * odd <= groups).then(|| links.filtered(|s, n| !levels.is_odd(s, n)))
}

/// Even and odd levels.
struct TwoLevels<'l> {
    links: &'l Links,
    is_upper: Vec<bool>,
}

impl<'l> TwoLevels<'l> {
    /// Those of the distances from one switch.
    fn from(links: &'l Links, seed: u32) -> Self {
        let mut distance = links.distances([seed]);
        links.extend_to_the_rest(&mut distance);
        TwoLevels {
            links,
            is_upper: distance.iter().map(|distance| distance % 2 != 0).collect(),
        }
    }

    fn is_odd(&self, s: u32, n: u32) -> bool {
        self.is_upper[s as usize] == self.is_upper[n as usize]
    }

    /// How many links of all switches are odd.
    fn odd(&self) -> usize {
        let all = 0..self.is_upper.len() as u32;
        all.map(|s| self.odd_of(s)).sum()
    }

    fn odd_of(&self, s: u32) -> usize {
        let near = self.links.neighbours(s);
        near.filter(|&n| self.is_odd(s, n)).count()
    }

    /// Moves switches of which most links are odd to the other levels: a way by an odd link may have been shorter.
    fn settle(&mut self) {
        let mut open: Vec<u32> = (0..self.is_upper.len() as u32).collect();
        while let Some(s) = open.pop() {
            if 2 * self.odd_of(s) > self.links.of(s).len() {
                self.is_upper[s as usize] ^= true;
                open.extend(self.links.neighbours(s));
            }
        }
    }
}

/// End nodes per switch, aggregation nodes not counted.
pub fn host_counts(fabric: &Fabric) -> Vec<u32> {
    let switches = 0..fabric.switches().len() as u32;
    switches
        .map(|s| fabric.hosts_of(s).count() as u32)
        .collect()
}

/// The switches that carry end nodes, and their links.
struct Carriers<'a> {
    links: &'a Links,
    hosts: &'a [u32],
    /// The number of end nodes that most end nodes' switches have.
    usual: u32,
}

/// How many neighbours are checked, and how many carriers beyond each.
const LOOKS: usize = 2;
const SIBLINGS: usize = 8;
/// How many of the nearest judges vote. One alone may be cut off by damage.
const VIEWS: usize = 3;

impl<'a> Carriers<'a> {
    fn new(links: &'a Links, hosts: &'a [u32]) -> Self {
        let most = hosts.iter().copied().max().unwrap_or(0) as usize;
        let mut on = vec![0; most + 1];
        hosts.iter().for_each(|&count| on[count as usize] += count);
        Carriers {
            links,
            hosts,
            usual: (0..)
                .zip(&on)
                .max_by_key(|&(_, nodes)| nodes)
                .map_or(0, |(count, _)| count),
        }
    }

    fn carries(&self, s: u32) -> bool {
        self.hosts[s as usize] > 0
    }

    /// A leaf is not linked to other switches with end nodes. It carries the usual number, or most end nodes
    /// of its neighbours are on its siblings, which are linked to most of its neighbours. Further up,
    /// neighbours lead to different parts of the fabric.
    fn looks_like_a_leaf(&self, s: u32) -> bool {
        let mine = self.links.neighbours(s);
        if !self.carries(s) || mine.clone().any(|n| self.carries(n)) {
            return false;
        }
        if self.hosts[s as usize] == self.usual {
            return true;
        }
        let share = |other: u32| {
            let theirs = self.links.of(other);
            let is_theirs = |n: &u32| theirs.binary_search_by_key(n, |g| g.remote).is_ok();
            2 * mine.clone().filter(is_theirs).count() > mine.len()
        };
        mine.clone()
            .step_by(mine.len().div_ceil(LOOKS).max(1))
            .all(|n| {
                let beyond = self.links.neighbours(n);
                let beyond: Vec<u32> = beyond.filter(|&o| o != s && self.carries(o)).collect();
                let (mut on_siblings, mut on_all) = (0, 0);
                for &other in beyond
                    .iter()
                    .step_by(beyond.len().div_ceil(SIBLINGS).max(1))
                {
                    on_all += self.hosts[other as usize];
                    on_siblings += if share(other) {
                        self.hosts[other as usize]
                    } else {
                        0
                    };
                }
                2 * on_siblings > on_all
            })
    }

    /// Whether `s` lies on a shortest path to a quarter or more of the judges and of their hosts, as seen
    /// from most of those nearest to it. A spine between two halves of a fabric sees half of the paths; a
    /// leaf none.
    fn is_between(&self, s: u32, judges: &[bool]) -> bool {
        let from_s = self.links.distances([s]);
        let reached = |j: &u32| *j != s && judges[*j as usize] && from_s[*j as usize] != Links::FAR;
        let mut others: Vec<u32> = (0..judges.len() as u32).filter(reached).collect();
        others.sort_by_key(|&j| from_s[j as usize]);
        let views = others.len().min(VIEWS);
        let between = others.iter().take(VIEWS).filter(|&&nearest| {
            let from_nearest = self.links.distances([nearest]);
            let to_s = from_s[nearest as usize];
            let through = |j: &&u32| to_s + from_s[**j as usize] <= from_nearest[**j as usize];
            let hosts = |j: &u32| u64::from(self.hosts[*j as usize]);
            let all = || others.iter().filter(|&&j| j != nearest);
            let (switches, of_hosts) = (
                all().filter(through).count(),
                all().filter(through).map(hosts),
            );
            4 * switches >= all().count()
                && switches > 0
                && 4 * of_hosts.sum::<u64>() >= all().map(hosts).sum::<u64>()
        });
        2 * between.count() > views
    }
}
