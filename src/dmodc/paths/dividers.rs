//! Dividers: how many consecutive NIDs the levels below have already spread (paper, Algorithm 1).

use crate::dmodc::tree::Groups;

/// The divider Π of every switch (Algorithm 1, max reduction): the product of the numbers of switches above
/// along the path up from the leaves. Links between equal ranks do not count. It saturates: a divider above
/// the number of nodes makes every quotient 0 anyway.
pub fn dividers(groups: &Groups) -> Vec<u32> {
    product_going_up(groups, |_| 1)
}

/// Like [`dividers`], but counts links instead of switches: how many different paths lead up to a switch.
/// This number spreads the further LIDs of a port (LMC).
pub fn path_dividers(groups: &Groups) -> Vec<u32> {
    product_going_up(groups, |links| links as u32)
}

fn product_going_up(groups: &Groups, weight: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut divider = vec![1u32; groups.switches()];
    for &s in groups.bottom_up() {
        let arity = groups
            .parents(s)
            .map(|g| weight(g.size()))
            .fold(0, u32::saturating_add);
        let product = divider[s as usize].saturating_mul(arity);
        for group in groups.parents(s) {
            let above = &mut divider[group.remote as usize];
            *above = product.max(*above);
        }
    }
    divider
}

/// The path count of every switch: paths to the top, going up only; 1 at the top. It saturates.
pub fn path_counts(groups: &Groups) -> Vec<u32> {
    let mut counts = vec![1u32; groups.switches()];
    for &s in groups.bottom_up().iter().rev() {
        let through = groups
            .parents(s)
            .map(|g| (g.size() as u32).saturating_mul(counts[g.remote as usize]));
        counts[s as usize] = through.fold(0, u32::saturating_add).max(1);
    }
    counts
}
