//! Where to turn: each plane at a leaf of its own, or everybody at one leaf after the other.

use super::need::{KINDS, Need, components};
use super::turns::Turns;
use crate::dmodc::paths::{HOPS, INFINITE, Paths};
use std::cmp::Reverse;

/// So many pairs are asked at most, of each kind of need.
const SAMPLE: usize = 255;

/// Takes all turns that close no circle at a switch and at those above it, its *cone*. Whether there are
/// any new ones. What is `urgent` comes before others.
pub fn turn_in_cone(
    paths: &Paths,
    turns: &mut Turns,
    hub: u32,
    urgent: impl Fn(u32) -> bool,
) -> bool {
    let cone = cone(paths, hub, |_| true);
    // Each takes what it can.
    let takes = (cone.iter()).map(|&s| turns.take(paths, s, &urgent, |_, _| true));
    takes.fold(false, |any, new| any | new)
}

/// Some switch and all above it that are wanted and lie below two others, the lowest first.
fn cone(paths: &Paths, first: u32, wanted: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut found = vec![first];
    let mut next = 0;
    while let Some(&s) = found.get(next) {
        next += 1;
        for above in paths.groups.up(s).iter().map(|g| g.remote) {
            let below_two = paths.groups.up(above).len() > 1;
            if below_two && wanted(above) && !found.contains(&above) {
                found.push(above);
            }
        }
    }
    found
}

/// Lets each two planes turn into each other at the leaf of the lower one. The planes in which least is to
/// be entered by turns come first. `false` if no hosts are in need, there are no planes, or
/// several switches of one plane lead to a leaf.
pub fn turn_by_planes(paths: &Paths, needs: &[Need], turns: &mut Turns) -> bool {
    let costs = &paths.costs;
    let is_leaf = |s: u32| costs.column(s) < costs.leaves();
    // A plane is known by its first switch.
    let plane = components(costs.switches(), |s| {
        let neighbours = paths.groups.up(s).iter().chain(paths.groups.down(s));
        let others = neighbours.filter(move |g| !is_leaf(s) && !is_leaf(g.remote));
        others.map(|g| g.remote)
    });
    let planes_above = |leaf: u32| {
        let above = paths.groups.up(leaf).iter();
        let mut planes: Vec<u32> = above.map(|g| plane[g.remote as usize]).collect();
        planes.sort_unstable();
        planes.dedup();
        planes
    };
    let mut entered = vec![0.0; costs.switches()];
    let mut any = false;
    for need in needs.iter().filter(|need| is_leaf(need.to)) {
        let from = need.from.iter().filter(|&&(_, kind)| kind == 0).count();
        let planes = planes_above(need.to);
        any |= from > 0;
        for &plane in &planes {
            entered[plane as usize] += from as f64 / planes.len() as f64;
        }
    }
    let leaves: Vec<(u32, Vec<u32>)> = costs.columns()[..costs.leaves()]
        .iter()
        .map(|&leaf| (leaf, planes_above(leaf)))
        .collect();
    let mut planes: Vec<u32> = leaves
        .iter()
        .flat_map(|(_, planes)| planes.clone())
        .collect();
    planes.sort_unstable();
    planes.dedup();
    // Where two switches of one plane lead to a leaf, there is more than one way down from a switch to another.
    let one_each = |(leaf, planes): &(u32, Vec<u32>)| planes.len() == paths.groups.up(*leaf).len();
    if !any || planes.len() < 2 || !leaves.iter().all(one_each) {
        return false;
    }
    planes.sort_by(|&a, &b| entered[a as usize].total_cmp(&entered[b as usize]));
    let place = |s: u32| planes.iter().position(|&p| p == plane[s as usize]);
    let mut owned = vec![false; costs.switches()];
    for (at, own) in planes.iter().enumerate() {
        let owns = leaves.iter().filter(|(_, planes)| planes.contains(own));
        let owner = owns.min_by_key(|(leaf, planes)| {
            let row = &costs.row(*leaf)[..costs.leaves()];
            let unreached = row.iter().filter(|&&byte| byte == INFINITE).count();
            (Reverse(planes.len()), unreached, owned[*leaf as usize])
        });
        let Some(&(owner, _)) = owner else { continue };
        owned[owner as usize] = true;
        turns.take(
            paths,
            owner,
            |_| false,
            |from, to| {
                let [from, to] = [place(from), place(to)];
                from != to && from.min(to) == Some(at)
            },
        );
        for s in cone(paths, owner, |s| place(s) == Some(at)).split_off(1) {
            turns.take(paths, s, |_| false, |_, _| true);
        }
    }
    true
}

/// All switches that lie below two others, those first that most pairs in need have an up-down path
/// to from both ends: pairs of the greatest kind, and of those equally good the others. Hosts come near
/// by: of hubs equally good for them the nearest. For what is not traffic of hosts it is better to have
/// the same hub whatever link is gone.
pub fn hubs(paths: &Paths, needs: &[Need]) -> Vec<u32> {
    let costs = &paths.costs;
    let pairs = needs.iter().flat_map(|need| {
        let from = need.from.iter();
        from.map(|&(column, kind)| (kind, column, need.to))
    });
    let mut of_kind: [Vec<(u32, u32)>; KINDS] = Default::default();
    pairs.for_each(|(kind, column, to)| of_kind[usize::from(kind)].push((column, to)));
    let mut served = vec![[0u32; 3]; costs.switches()];
    let kinds = of_kind
        .iter()
        .enumerate()
        .filter(|(_, pairs)| !pairs.is_empty());
    for (place, (kind, pairs)) in kinds.enumerate() {
        for &(from, to) in pairs.iter().step_by(pairs.len().div_ceil(SAMPLE)) {
            let from = costs.row(costs.switch(from as usize));
            for ((served, &a), &b) in served.iter_mut().zip(from).zip(costs.row(to)) {
                served[place.min(1)] += u32::from(a == INFINITE || b == INFINITE);
                let hops = u32::from(a & HOPS) + u32::from(b & HOPS);
                served[2] += if kind == 0 { hops } else { 0 };
            }
        }
    }
    let switches = 0..costs.switches() as u32;
    let mut hubs: Vec<u32> = switches.filter(|&s| paths.groups.up(s).len() > 1).collect();
    hubs.sort_by_key(|&s| served[costs.column(s)]);
    hubs
}
