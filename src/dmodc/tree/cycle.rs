//! Cycles of links between equal ranks.
//!
//! A link between equal ranks is oriented by UUID, which is harmless here and there. Where such links alone
//! close a cycle (a ring, a torus, a mesh, a dragonfly) there are no levels, and the fabric is refused.

use super::groups::Sides;

/// A cycle of links between equal ranks, as the switches along it, or `None`.
pub fn level_cycle(groups: &Sides) -> Option<Vec<u32>> {
    if !groups.has_level_links() {
        return None;
    }
    let beside = |s: u32| {
        let all = groups.up(s).iter().chain(groups.down(s));
        all.filter(|g| g.level).map(|g| g.remote)
    };
    // What is beside one other at most is in no cycle: it goes, and then whatever is so without it.
    let switches = 0..groups.switches() as u32;
    let mut others: Vec<usize> = switches.clone().map(|s| beside(s).count()).collect();
    let mut open: Vec<u32> = switches.filter(|&s| others[s as usize] == 1).collect();
    while let Some(s) = open.pop() {
        for other in beside(s) {
            let left = &mut others[other as usize];
            *left = left.saturating_sub(1);
            if *left == 1 {
                open.push(other);
            }
        }
    }
    // From one that is left a walk comes back to where it was.
    let mut along = vec![others.iter().position(|&others| others > 1)? as u32];
    loop {
        let before = along.iter().nth_back(1).copied();
        let mut next = beside(*along.last()?);
        let next = next.find(|&s| others[s as usize] > 1 && Some(s) != before)?;
        if let Some(at) = along.iter().position(|&s| s == next) {
            return Some(along.split_off(at));
        }
        along.push(next);
    }
}
