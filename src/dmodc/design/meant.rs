//! Decides which links of a reference that are dark at both ends were never meant.
//!
//! A cable that was plugged in by mistake and then removed leaves a dark link, too. A link was meant if a parallel link
//! exists, or if its lower switch has a *sibling*: a child of the upper switch that shares another parent with the
//! lower switch. If the lower switch has no other parent, or if none of its parents has another child, a link between
//! two adjacent ranks was meant.

use crate::dmodc::tree::{Ranking, Sides};

/// Returns the dark links that were never meant. `groups` has all links, dark links included.
pub fn never_meant(
    groups: &Sides,
    ranking: &Ranking,
    mut dark: Vec<[(u32, u8); 2]>,
) -> Vec<[(u32, u8); 2]> {
    dark.retain(
        |&[(a, _), (b, _)]| match ranking.rank(a) < ranking.rank(b) {
            true => !is_meant(groups, ranking, a, b),
            false => !is_meant(groups, ranking, b, a),
        },
    );
    dark
}

fn is_meant(groups: &Sides, ranking: &Ranking, low: u32, high: u32) -> bool {
    if ranking.rank(low) == ranking.rank(high) {
        return false;
    }
    let is_parallel = |s: u32| {
        groups
            .up(s)
            .iter()
            .any(|g| g.remote == high && g.size() > 1)
    };
    if is_parallel(low) {
        return true;
    }
    let of_rank = |s: u32| move |other: &u32| ranking.rank(*other) == ranking.rank(s);
    let others = |s: u32| {
        let parents = groups.up(s).iter().map(|g| g.remote);
        parents.filter(of_rank(high)).filter(|&s| s != high)
    };
    let siblings = |above: u32| {
        let children = groups.down(above).iter().map(|g| g.remote);
        children.filter(of_rank(low)).filter(|&s| s != low)
    };
    let own: Vec<u32> = others(low).collect();
    let is_alone = |above: u32| siblings(above).next().is_none();
    if own.is_empty() || (is_alone(high) && own.iter().all(|&s| is_alone(s))) {
        return ranking.rank(high) == ranking.rank(low) + 1;
    }
    siblings(high).any(|child| others(child).any(|s| own.contains(&s)))
}
