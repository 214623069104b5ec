//! Cycles of links between equal ranks.
//!
//! Places (under `faults=paper` GUIDs) decide which end of a link between equal ranks is above. A few such links do no
//! harm. If they alone close a cycle (ring, torus, mesh, dragonfly), there are no levels: Dmodc refuses the fabric.

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
    // A switch with at most one neighbour of equal rank is in no cycle. Takes such switches out until none is left.
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
    // A walk from any switch that is left comes back to a switch that it has passed.
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
