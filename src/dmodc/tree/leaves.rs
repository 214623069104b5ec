//! Leaves: the switches at the bottom of the tree.
//!
//! In the paper every switch with nodes is a leaf. Real fabrics have a gateway or the subnet manager's host on a spine,
//! and a spine taken for a leaf bends the ranks of the whole tree. Also, hosts leave. So at first only the switches
//! with most hosts are leaves: the *seeds*. Ranks are distances from the seeds, and a switch that joins two leaves is
//! no leaf. All other switches are *idle*, with or without hosts. Module `idle` ranks them; idle switches at the bottom
//! are leaves too.

use super::idle::Idle;
use super::levels::{Levels, carriers};
use super::links::Links;
use super::partition::components;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Seeds have at least one in this many of the usual number of end nodes, at first half. If this gives no levels, since
/// little is left of a small tree: a quarter, then any number; at last every switch with end nodes, as in the paper.
pub const SHARES: [u32; 4] = [2, 4, 256, EVERY];
const EVERY: u32 = u32::MAX;

/// Returns for each switch whether it is a leaf, and its rank. `hosts` has the number of hosts of each switch. `known`
/// has the switches that are leaves for certain (with a node of `cn_guid_file`): if there are any, they are the seeds;
/// else the switches with at least one in `share` of the usual number of end nodes are.
pub fn find(links: &Links, hosts: &[u32], known: &[bool], share: u32) -> (Vec<bool>, Vec<u32>) {
    let levels = |links, leaf: &_| Levels { links, leaf }.rank();
    if share == EVERY {
        let leaf = carriers(hosts);
        let rank = levels(links, &leaf);
        return (leaf, rank);
    }
    let (is_upper, without_odd) = parity(links);
    let even = without_odd.as_ref().unwrap_or(links);
    let (mut leaf, sure) = match known.contains(&true) {
        true => (known.to_vec(), known.to_vec()),
        false => seeds(even, hosts, &is_upper, share),
    };
    let mut rank = levels(even, &leaf);
    let carries = hosts.iter().zip(sure);
    let unsure: Vec<bool> = carries.map(|(&count, sure)| count > 0 && !sure).collect();
    let found = Idle::find_leaves(even, &mut rank, &mut leaf, &unsure);
    let on_leaves = hosts.iter().zip(&leaf).filter(|&(_, &leaf)| leaf);
    let on_leaves: u32 = on_leaves.map(|(&count, _)| count).sum();
    let others = || hosts.iter().zip(&leaf).filter(|&(_, &leaf)| !leaf);
    let between = others().filter(|&(&count, _)| count > 0).count();
    if 3 * on_leaves <= 2 * hosts.iter().sum::<u32>() && 2 * between > others().count() {
        // Many end nodes are on most of the other switches: a ring, a mesh, a dragonfly. The ranks will show it.
        leaf = carriers(hosts);
    } else if !found && without_odd.is_none() {
        return (leaf, rank);
    }
    let rank = levels(links, &leaf);
    (leaf, rank)
}

/// The seeds, and the sure seeds. In each part of the fabric, seeds are on every second level, where most end nodes
/// are, and have at least one in `share` of the usual number: most end nodes are on switches with that number. If one
/// switch alone has so many, which shows no shape, half is enough. Switches with the usual number or more are sure.
fn seeds(links: &Links, hosts: &[u32], is_upper: &[bool], share: u32) -> (Vec<bool>, Vec<bool>) {
    let mut seeds = vec![false; hosts.len()];
    let mut sure = seeds.clone();
    let mut parts: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let part = components(hosts.len(), |s| links.neighbours(s));
    (0..)
        .zip(part)
        .for_each(|(s, part)| parts.entry(part).or_default().push(s));
    for mut part in parts.into_values() {
        let on = |upper: bool| -> u32 {
            let of_level = part.iter().filter(|&&s| is_upper[s] == upper);
            of_level.map(|&s| hosts[s]).sum()
        };
        let level = on(true) > on(false);
        part.retain(|&s| hosts[s] > 0 && is_upper[s] == level);
        let mut nodes = BTreeMap::new();
        for &s in &part {
            *nodes.entry(hosts[s]).or_insert(0) += hosts[s];
        }
        let usual = nodes.iter().max_by_key(|&(_, &nodes)| nodes);
        let usual = usual.map_or(0, |(&count, _)| count);
        let with = |share: u32| part.iter().filter(move |&&s| share * hosts[s] >= usual);
        let share = if with(share).count() > 1 {
            share
        } else {
            2 * share
        };
        with(share).for_each(|&s| seeds[s] = true);
        with(1).for_each(|&s| sure[s] = true);
    }
    (seeds, sure)
}

/// *Odd* links, such as a cable between two leaves, are left out if at most one link in this many is odd.
const ODD: usize = 8;
/// From how many switches the levels are counted while links are odd. The switches with most neighbours come first:
/// they are the least likely ends of odd links.
const VIEWS: usize = 16;

/// By switch, whether its level is odd, counted from one switch; and the links without odd links, which join two even
/// or two odd levels. `None` if no link is odd, or so many that there are no levels.
fn parity(links: &Links) -> (Vec<bool>, Option<Links>) {
    let mut views: Vec<u32> = (0..links.switches() as u32).collect();
    views.sort_by_key(|&s| Reverse(links.of(s).len()));
    let mut best: Option<((usize, u32), TwoLevels)> = None;
    for &view in views.iter().take(VIEWS) {
        let (levels, odd) = TwoLevels::from(links, view);
        if best.as_ref().is_none_or(|&(fewest, _)| odd < fewest) {
            best = Some((odd, levels));
        }
        if odd.0 == 0 {
            break;
        }
    }
    let Some(((odd, _), levels)) = best else {
        return (Vec::new(), None);
    };
    let some = odd > 0 && ODD * odd <= links.groups.len();
    let even = some.then(|| links.filtered(|s, n, _| !levels.is_odd(s, n)));
    (levels.is_upper, even)
}

/// Even and odd levels.
struct TwoLevels<'l> {
    links: &'l Links,
    is_upper: Vec<bool>,
    /// By port number: how many ends of links have it.
    common: [u32; 256],
}

impl<'l> TwoLevels<'l> {
    /// Levels by the distances from one switch, but changed for switches of which most links are odd then: the shortest
    /// path to such a switch may have used an odd link. Also returns [`TwoLevels::odd`].
    fn from(links: &'l Links, seed: u32) -> (Self, (usize, u32)) {
        let mut distance = links.distances([seed]);
        links.extend_to_the_rest(&mut distance);
        let mut levels = TwoLevels {
            links,
            is_upper: distance.iter().map(|distance| distance % 2 != 0).collect(),
            common: [0; 256],
        };
        let odd = levels.odd();
        if odd.0 == 0 {
            return (levels, odd);
        }
        for &port in &links.ports {
            levels.common[usize::from(port)] += 1;
        }
        let mut open: Vec<u32> = (0..levels.is_upper.len() as u32).collect();
        while let Some(s) = open.pop() {
            if levels.of(s, true) > levels.of(s, false) {
                levels.is_upper[s as usize] ^= true;
                open.extend(links.neighbours(s));
            }
        }
        let odd = levels.odd();
        (levels, odd)
    }

    fn is_odd(&self, s: u32, n: u32) -> bool {
        self.is_upper[s as usize] == self.is_upper[n as usize]
    }

    /// How many links of all switches are odd, and how common their ports are.
    fn odd(&self) -> (usize, u32) {
        let all = 0..self.is_upper.len() as u32;
        let odd = all.map(|s| self.of(s, true));
        odd.fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1))
    }

    /// The same for one switch, over its odd links or over its other links.
    fn of(&self, s: u32, odd: bool) -> (usize, u32) {
        let groups = self.links.of(s).iter();
        let groups = groups.filter(|group| self.is_odd(s, group.remote) == odd);
        groups.fold((0, 0), |(count, ports), group| {
            let back = self.links.to(group.remote, s);
            let of_group = self.links.ports(group).iter().chain(back);
            let common = of_group.map(|&port| self.common[usize::from(port)]);
            (count + 1, ports + common.sum::<u32>())
        })
    }
}
