//! How low A2A can be at best: the cut bound.
//!
//! All that leaves a subtree crosses its links up. With `h` of the `N` end nodes that links join
//! inside and `u` links up, some link takes at least `(N - h) / u` of the destinations outside, and
//! all `h` sources send to each. So its risk is `min(h, (N - h) / u)`, rounded up, or more. For a leaf that
//! holds whatever the routes are. For a larger subtree it holds for routes that send a destination
//! up the same link from everywhere in the subtree, as those do that are balanced by destination;
//! routes that give each leaf its own links up can have less there.

use crate::fabric::{Fabric, NodeKind};

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
    }
    greatest
}

#[cfg(test)]
mod tests {
    use super::super::testing::two_spines;
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
}
