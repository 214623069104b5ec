//! Cycles of links between equal ranks.
//!
//! GUIDs decide which end of a link between equal ranks is above. A few such links do no harm. If they alone close a cycle
//! (ring, torus, mesh, dragonfly), there are no levels: Dmodc refuses the fabric. But leaves may all be joined to one
//! another: then no route between them has two such links.

use super::links::Links;
use super::partition::{components, peel};
use super::ranking::Ranking;
use crate::ids::{BySwitch, SwitchId};

/// A cycle of links between equal ranks, as the switches along it, or `None`. Leaves that are all joined to one another
/// make none.
pub fn level_cycle(links: &Links, ranking: &Ranking) -> Option<Vec<SwitchId>> {
    let is_level = |a: SwitchId, b: SwitchId| ranking.rank(a) == ranking.rank(b);
    let has_level = |s: SwitchId| links.neighbours(s).any(|n| is_level(s, n));
    if !links.switches().any(has_level) {
        return None;
    }
    // Those above come first.
    let beside = |s: SwitchId| {
        let level = links.neighbours(s).filter(move |&n| is_level(s, n));
        let below = level.clone().filter(move |&n| n < s);
        level.filter(move |&n| n > s).chain(below)
    };
    let switches = links.switches().len();
    let core = peel(switches, beside);
    let is_left = |s: SwitchId| core[s];
    let beside_left = |s: SwitchId| beside(s).filter(move |&other| is_left(s) && is_left(other));
    let part = components(switches, beside_left);
    let mut members: BySwitch<usize> = vec![0; switches].into();
    part.iter().for_each(|&part| members[part] += 1);
    let is_joined_to_all =
        |s: SwitchId| ranking.is_leaf(s) && beside_left(s).count() + 1 == members[part[s]];
    let mut is_refused: BySwitch<bool> = vec![false; switches].into();
    for s in links
        .switches()
        .filter(|&s| is_left(s) && !is_joined_to_all(s))
    {
        is_refused[part[s]] = true;
    }
    // A walk from any switch of such a part comes back to a switch that it has passed.
    let mut along = vec![is_refused.keys().find(|&part| is_refused[part])?];
    loop {
        let before = along.iter().nth_back(1).copied();
        let next = beside_left(*along.last()?).find(|&s| Some(s) != before)?;
        if let Some(at) = along.iter().position(|&s| s == next) {
            return Some(along.split_off(at));
        }
        along.push(next);
    }
}
