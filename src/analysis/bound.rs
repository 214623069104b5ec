//! How low A2A can be at best: the cut bound.
//!
//! All that leaves a subtree crosses its links up. With `h` of the `N` end nodes that links join
//! inside and `u` links up, some link takes at least `(N - h) / u` of the destinations outside, and
//! all `h` sources send to each. So its risk is `min(h, (N - h) / u)`, rounded up, or more. For a leaf that
//! holds whatever the routes are. For a larger subtree it holds for routes that send a destination
//! up the same link from everywhere in the subtree, as those do that are balanced by destination;
//! routes that give each leaf its own links up can have less there.
//!
//! Hosts on an upper switch send to everyone by the links of that switch alone, which others use for a share of
//! the destinations each. So each link up has its part of all `(N - h)`, `h` of them at or below the switch, and
//! all `h` send over it: `min(h, (N - h) / u)` with the `u` links up of this one switch. Likewise downwards: of
//! the `t` end nodes of a subtree below, each of its `d` links to there has `t / d`, and all others send over it.
//! A handful of hosts on a spine thus costs as much as if all traffic went by that spine; again for routes
//! that are balanced by destination.

use crate::fabric::{Fabric, NodeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The greatest bound of all subtrees; `None` where no subtree has a link up. A subtree is what
/// holds together once the switches above some rank are gone; `rank` gives a switch's, 0 for the
/// lowest.
pub fn bound(fabric: &Fabric, rank: impl Fn(u32) -> u32) -> Option<u32> {
    let switches = fabric.switches().len() as u32;
    let mut hosts = vec![0u32; switches as usize];
    for node in fabric.end_nodes() {
        hosts[node.switch as usize] += u32::from(node.kind != NodeKind::Aggregation);
    }
    // The sum of some number of each switch over the switches of its part, by the part.
    let sums = |part: &[Option<u32>], of: &dyn Fn(u32) -> u32| {
        let mut sums = vec![0; switches as usize];
        for (s, part) in (0..).zip(part) {
            if let Some(part) = part {
                sums[*part as usize] += of(s);
            }
        }
        sums
    };
    let hosts = |s: u32| hosts[s as usize];
    let whole = fabric.parts(|_| true);
    let joined = sums(&whole, &hosts);
    let top = (0..switches).map(&rank).max()?;
    let mut greatest = None;
    for level in 0..top {
        let subtrees = fabric.parts(|s| rank(s) <= level);
        let above = |s: u32| fabric.neighbours(s).filter(|&s| rank(s) > level).count() as u32;
        let (inside, up) = (sums(&subtrees, &hosts), sums(&subtrees, &above));
        for (first, whole) in whole.iter().enumerate().filter(|&(s, _)| up[s] > 0) {
            let outside = whole.map_or(0, |whole| joined[whole as usize]) - inside[first];
            let least = inside[first].min(outside.div_ceil(up[first]));
            greatest = greatest.max(Some(least));
        }
        // Of switches just above with hosts of their own: the links to each subtree, and those up.
        for s in (0..switches).filter(|&s| rank(s) == level + 1 && hosts(s) > 0) {
            let all = whole[s as usize].map_or(0, |whole| joined[whole as usize]);
            let mut below = BTreeMap::new();
            let mut up = 0;
            for next in fabric.neighbours(s) {
                match subtrees[next as usize] {
                    Some(subtree) => *below.entry(subtree).or_insert(0) += 1,
                    None => up += u32::from(rank(next) > rank(s)),
                }
            }
            let mut least = 0;
            let mut here = hosts(s);
            for (subtree, links) in below {
                let there = inside[subtree as usize];
                here += there;
                least = least.max((all - there).min(there.div_ceil(links)));
            }
            if up > 0 {
                let there = over(fabric, &rank, s).into_iter().map(hosts).sum::<u32>();
                least = least.max(here.min(there.saturating_sub(here).div_ceil(up)));
            }
            greatest = greatest.max(Some(least));
        }
    }
    greatest
}

/// The switches that a switch with links up reaches over them, and those below it.
fn over(fabric: &Fabric, rank: &impl Fn(u32) -> u32, switch: u32) -> BTreeSet<u32> {
    let mut reached = BTreeSet::new();
    let mut open = vec![(switch, true)];
    let mut climbed = BTreeSet::new();
    while let Some((at, climbs)) = open.pop() {
        let is_new = reached.insert(at) | (climbs && climbed.insert(at));
        for next in fabric.neighbours(at).filter(|_| is_new) {
            if rank(next) < rank(at) {
                open.push((next, false));
            } else if climbs && rank(next) > rank(at) {
                open.push((next, true));
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Net, two_spines};
    use super::*;
    use crate::netlist::generate::{Order, Pgft, build};

    fn of(shape: &str) -> Option<u32> {
        let shape: Pgft = shape.parse().unwrap();
        let (fabric, _) = build(&shape.into(), Order::default())
            .to_fabric(None)
            .unwrap();
        // Generated GUIDs tell the level.
        let level = |s: u32| (fabric.switches()[s as usize].guid.0 >> 32) as u32 & 0xff;
        bound(&fabric, |s| level(s) - 1)
    }

    #[test]
    fn by_hand() {
        let (fabric, ranks) = two_spines();
        // Two nodes and two links up on each leaf, four nodes elsewhere: min(2, 4 / 2).
        assert_eq!(bound(&fabric, |s| ranks[s as usize].into()), Some(2));
        // Leaves: min(2, 10 / 4) = 2; subtrees of 4 nodes with 4 links up: min(4, 8 / 4) = 2.
        assert_eq!(of("PGFT(3;2,2,3;1,2,2;1,2,1)"), Some(2));
        // One link up for four nodes of eight.
        assert_eq!(of("PGFT(2;4,2;1,1;1,1)"), Some(4));
        assert_eq!(of("PGFT(1;4;1;1)"), None);
    }

    #[test]
    fn nodes_that_no_links_join_do_not_count() {
        let whole = build(
            &"PGFT(2;4,6;1,1;1,1)".parse::<Pgft>().unwrap().into(),
            Order::default(),
        );
        let (less, _) = whole.without_links(5, 1).unwrap();
        let (fabric, _) = less.to_fabric(None).unwrap();
        let is_spine = |s: u32| fabric.end_nodes_of(s).is_empty();
        // One leaf of 24 nodes is still at the spine, alone.
        assert_eq!(bound(&fabric, |s| is_spine(s).into()), Some(0));
    }

    #[test]
    fn hosts_on_an_upper_switch_send_over_its_own_links() {
        // Switches 0 to 3 with four nodes each, 0 and 1 below 4 and 5, 2 and 3 below 6 and 7; 8 and 9 at the top
        // of 4 and 6, and of 5 and 7.
        let pods = [
            (0, 4),
            (0, 5),
            (1, 4),
            (1, 5),
            (2, 6),
            (2, 7),
            (3, 6),
            (3, 7),
        ];
        let tops = [(4, 8), (6, 8), (5, 9), (7, 9)];
        let links = [&pods[..], &tops[..]].concat();
        let of = |extra: &[u32]| {
            let mut nodes: Vec<u32> = (0..16).map(|n| n / 4).collect();
            nodes.extend(extra);
            let fabric = Net::new(&links, &nodes).build();
            let rank = |s: u32| [0, 0, 0, 0, 1, 1, 1, 1, 2, 2][s as usize];
            bound(&fabric, rank)
        };
        // A pod: 8 nodes, 2 links up, 8 nodes elsewhere.
        assert_eq!(of(&[]), Some(4));
        // One on 4: its link up has all of the other pod, and everyone at or below 4 sends there.
        assert_eq!(of(&[4]), Some(8));
        // One on 8: all of a pod over one link.
        assert_eq!(of(&[8]), Some(8));
        // 5 and 7 with no top between them: 5 has nobody to reach upwards.
        let links = [&pods[..], &tops[..2]].concat();
        let nodes = [0, 1, 2, 3, 5];
        let fabric = Net::new(&links, &nodes).build();
        let rank = |s: u32| [0, 0, 0, 0, 1, 1, 1, 1, 2][s as usize];
        assert_eq!(bound(&fabric, rank), Some(2));
    }
}
