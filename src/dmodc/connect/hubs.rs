//! At which switches to turn.
//!
//! Turns at few switches close no circle; at many they soon do. Turns at a switch and at those above
//! it, its *cone*, go together well (see `leads` of module `turns`). So turns are looked for in one
//! cone before another is begun, and those hubs come first that can serve most.

use super::need::{KINDS, Need, count, pairs};
use crate::dmodc::paths::{HOPS, INFINITE, Paths};
use std::cmp::Reverse;

/// So many pairs are asked at most, of each kind of need.
const SAMPLE: usize = 1024;

/// All switches that lie below two others, those first that most pairs in need have an up-down path
/// to from both ends: pairs of `kind`, and of those equally good the other kinds after it. Hosts come
/// near by: of hubs equally good for them the nearest. For what is not traffic of hosts it is better to
/// have the same hub whatever link is gone.
pub fn in_order(paths: &Paths, needs: &[Vec<Need>; KINDS], kind: usize) -> Vec<u32> {
    let costs = &paths.costs;
    let mut score = vec![0u64; costs.switches()];
    let mut ask = |needs: &[Need], weight: u64, nearness: u64| {
        let step = count(needs).div_ceil(SAMPLE).max(1);
        for (from, to) in pairs(needs).step_by(step) {
            let rows = costs.row(from).iter().zip(costs.row(to));
            for (score, (&a, &b)) in score.iter_mut().zip(rows) {
                if a != INFINITE && b != INFINITE {
                    *score += weight + nearness * u64::from(255 - (a & HOPS) - (b & HOPS));
                }
            }
        }
    };
    // Pairs in the sample are too few to reach the next weight.
    ask(&needs[kind], 1 << 40, u64::from(kind == 0));
    needs[kind + 1..]
        .iter()
        .for_each(|needs| ask(needs, 1 << 20, 0));
    let mut hubs: Vec<u32> = (0..score.len() as u32)
        .filter(|&s| paths.groups.up(s).len() > 1)
        .collect();
    hubs.sort_by_key(|&s| (Reverse(score[costs.column(s)]), s));
    hubs
}

/// Some switches and all above them that lie below two others, each once, the lowest of each first.
pub fn cones(paths: &Paths, hubs: &[u32]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = vec![false; paths.costs.switches()];
    for &hub in hubs {
        let mut next = found.len();
        found.extend((!std::mem::replace(&mut seen[hub as usize], true)).then_some(hub));
        while let Some(&s) = found.get(next) {
            next += 1;
            for above in paths.groups.up(s).iter().map(|g| g.remote) {
                let lies_below_two = paths.groups.up(above).len() > 1;
                if lies_below_two && !std::mem::replace(&mut seen[above as usize], true) {
                    found.push(above);
                }
            }
        }
    }
    found
}
