//! Cycles of links between equal ranks.
//!
//! GUIDs decide which end of a link between equal ranks is above. A few such links do no harm. If they alone close a cycle (ring, torus, mesh, dragonfly), there are no levels: Dmodc refuses the fabric. But
//! leaves may all be joined to one another: then no route between them has two such links.

use super::groups::Sides;
use super::partition::{components, peel};
use super::ranking::Ranking;

/// A cycle of links between equal ranks, as the switches along it, or `None`. Leaves that are all joined to one another
/// make none.
pub fn level_cycle(groups: &Sides, ranking: &Ranking) -> Option<Vec<u32>> {
    if !groups.has_level_links() {
        return None;
    }
    let switches = groups.switches();
    let beside = |s: u32| {
        let all = groups.up(s).iter().chain(groups.down(s));
        all.filter(|g| g.level).map(|g| g.remote)
    };
    let core = peel(switches, beside);
    let is_left = |s: u32| core[s as usize];
    let beside_left = |s: u32| beside(s).filter(move |&other| is_left(s) && is_left(other));
    let part = components(switches, beside_left);
    let mut members = vec![0; switches];
    part.iter().for_each(|&part| members[part as usize] += 1);
    let is_joined_to_all = |s: u32| {
        ranking.is_leaf(s) && beside_left(s).count() + 1 == members[part[s as usize] as usize]
    };
    let mut is_refused = vec![false; switches];
    for s in (0..switches as u32).filter(|&s| is_left(s) && !is_joined_to_all(s)) {
        is_refused[part[s as usize] as usize] = true;
    }
    // A walk from any switch of such a part comes back to a switch that it has passed.
    let mut along = vec![is_refused.iter().position(|&refused| refused)? as u32];
    loop {
        let before = along.iter().nth_back(1).copied();
        let next = beside_left(*along.last()?).find(|&s| Some(s) != before)?;
        if let Some(at) = along.iter().position(|&s| s == next) {
            return Some(along.split_off(at));
        }
        along.push(next);
    }
}
