//! At which switches to turn.
//!
//! Turns at few switches close no circle; at many they soon do. Turns at a switch and at those above
//! it, its *cone*, go together well (see `leads` of module `turns`). So turns are looked for in one
//! cone before another is begun, and those hubs come first that can serve most.

use super::need::{KINDS, Need, count, pairs};
use crate::dmodc::paths::{HOPS, INFINITE, Paths};
use std::cmp::Reverse;

/// So many pairs are asked at most, of each kind of need: a byte counts them.
const SAMPLE: usize = 255;

/// All switches that lie below two others, those first that most pairs in need have an up-down path
/// to from both ends: pairs of `kind`, and of those equally good the other kinds after it. Hosts come
/// near by: of hubs equally good for them the nearest. For what is not traffic of hosts it is better to
/// have the same hub whatever link is gone.
pub fn in_order(paths: &Paths, needs: &[Vec<Need>; KINDS], kind: usize) -> Vec<u32> {
    let costs = &paths.costs;
    let mut served = vec![[0u16; 2]; costs.switches()];
    let mut far = vec![0u32; costs.switches()];
    let mut of_kind = vec![0u8; costs.switches()];
    for (k, needs) in needs.iter().enumerate().skip(kind) {
        of_kind.fill(0);
        let step = count(needs).div_ceil(SAMPLE).max(1);
        for (from, to) in pairs(costs, needs).step_by(step) {
            let (from, to) = (costs.row(from), costs.row(to));
            for ((served, &a), &b) in of_kind.iter_mut().zip(from).zip(to) {
                *served += u8::from(a != INFINITE) & u8::from(b != INFINITE);
            }
            if k == 0 {
                for ((far, &a), &b) in far.iter_mut().zip(from).zip(to) {
                    *far += u32::from(a & HOPS) + u32::from(b & HOPS);
                }
            }
        }
        for (served, &of_kind) in served.iter_mut().zip(&of_kind) {
            served[usize::from(k > kind)] += u16::from(of_kind);
        }
    }
    let mut hubs: Vec<u32> = (0..costs.switches() as u32)
        .filter(|&s| paths.groups.up(s).len() > 1)
        .collect();
    hubs.sort_by_key(|&s| {
        let c = costs.column(s);
        (Reverse(served[c]), far[c], s)
    });
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
