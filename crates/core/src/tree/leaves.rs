//! Leaves: the switches at the bottom of the tree.
//!
//! In the paper every switch with nodes is a leaf. Real fabrics have a gateway or the subnet manager's host on a spine,
//! and a spine taken for a leaf bends the ranks of the whole tree. Also, hosts leave. So at first only the switches
//! with most hosts are leaves: the *seeds*. Ranks are distances from the seeds, and a switch that joins two leaves is
//! no leaf. All other switches are *idle*, with or without hosts. Module `idle` ranks them; idle switches at the bottom
//! are leaves too.

use super::idle::Idle;
use super::levels::{by_leaves, carriers};
use super::links::Links;
use super::partition::components;
use crate::ids::{BySwitch, SwitchId};
use std::cell::LazyCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Seeds have at least one in this many of the usual number of end nodes, at first half. If this gives no levels, since
/// little is left of a small tree: a quarter, then any number; at last every switch with end nodes, as in the paper.
pub const SHARES: [u32; 4] = [2, 4, 256, EVERY];
const EVERY: u32 = u32::MAX;

/// Returns for each switch whether it is a leaf, and its rank. `hosts` has the number of hosts of each switch. `known`
/// has the switches that are leaves for certain (with a node of `cn_guid_file`): if there are any, they are the seeds;
/// else the switches with at least one in `share` of the usual number of end nodes are.
pub fn find(
    links: &Links,
    hosts: &BySwitch<u32>,
    known: &BySwitch<bool>,
    share: u32,
) -> (BySwitch<bool>, BySwitch<u32>) {
    if share == EVERY {
        let leaf = carriers(hosts);
        let rank = by_leaves(links, &leaf);
        return (leaf, rank);
    }
    let apart = without_joined_leaves(links, hosts, known);
    let (is_upper, without_odd) = parity(apart.as_ref().unwrap_or(links));
    let even = without_odd.as_ref().or(apart.as_ref()).unwrap_or(links);
    let (mut leaf, sure) = match known.contains(&true) {
        true => (known.clone(), known.clone()),
        false => seeds(even, hosts, &is_upper, share),
    };
    let mut rank = by_leaves(even, &leaf);
    let carries = hosts.iter().zip(sure);
    let unsure: BySwitch<bool> = carries.map(|(&count, sure)| count > 0 && !sure).collect();
    let found = Idle::find_leaves(even, &mut rank, &mut leaf, &unsure);
    let all: u32 = hosts.iter().sum();
    let on_leaves = hosts.iter().zip(&leaf).filter(|&(_, &leaf)| leaf);
    let on_leaves: u32 = on_leaves.map(|(&count, _)| count).sum();
    let others = links.switches().filter(|&s| !leaf[s]);
    let between = others.clone().filter(|&s| hosts[s] > 0).count();
    let is_between = 3 * on_leaves <= 2 * all && 2 * between > others.clone().count();
    if is_between && !(2 * on_leaves > all && are_joined(links, &leaf)) {
        // Many end nodes are on most of the other switches: a ring, a mesh, a dragonfly. The ranks will show it.
        leaf = carriers(hosts);
    } else if !found && without_odd.is_none() && apart.is_none() {
        return (leaf, rank);
    }
    let rank = by_leaves(links, &leaf);
    (leaf, rank)
}

/// Whether seven in eight pairs of a leaf and another switch are joined, as in a rack with hosts on its spines. Four
/// such pairs are a ring.
fn are_joined(links: &Links, leaf: &BySwitch<bool>) -> bool {
    let leaves = links.switches().filter(|&s| leaf[s]);
    let pairs = leaves.clone().count() * leaf.iter().filter(|&leaf| !leaf).count();
    let up = |s| links.neighbours(s).filter(|&n| !leaf[n]).count();
    pairs > 4 && 8 * leaves.map(up).sum::<usize>() >= 7 * pairs
}

/// The seeds, and the sure seeds. In each part of the fabric, seeds are on every second level, where most end nodes
/// are, and have at least one in `share` of the usual number: most end nodes are on switches with that number. If one
/// switch alone has so many, which shows no shape, half is enough. Switches with the usual number or more are sure.
fn seeds(
    links: &Links,
    hosts: &BySwitch<u32>,
    is_upper: &BySwitch<bool>,
    share: u32,
) -> (BySwitch<bool>, BySwitch<bool>) {
    let mut seeds: BySwitch<bool> = vec![false; hosts.len()].into();
    let mut sure = seeds.clone();
    let mut parts: BTreeMap<SwitchId, Vec<SwitchId>> = BTreeMap::new();
    let part = components(hosts.len(), |s| links.neighbours(s));
    for (s, part) in part.iter_enumerated() {
        parts.entry(*part).or_default().push(s);
    }
    for mut part in parts.into_values() {
        let on = |upper: bool| -> u32 {
            let of_level = part.iter().filter(|&&s| is_upper[s] == upper);
            of_level.map(|&s| hosts[s]).sum()
        };
        let level = on(true) > on(false);
        part.retain(|&s| hosts[s] > 0 && is_upper[s] == level);
        let usual = usual(part.iter().map(|&s| hosts[s]));
        let with = |share: u32| part.iter().filter(move |&&s| share * hosts[s] >= usual);
        let share = if with(share).count() > 1 {
            share
        } else {
            2 * share
        };
        with(share).for_each(|&s| seeds[s] = true);
        with(1).for_each(|&s| sure[s] = true);
    }
    (seeds, sure)
}

/// The links without those between two leaves that are also joined to a third switch, as in racks: two leaves below one
/// switch, or leaves that are all joined to one another. In a tree of levels no three switches are joined; of such
/// three, two `known` leaves are on one level, else the two with most hosts, a quarter more or less. `None` if there are
/// no such links.
fn without_joined_leaves(
    links: &Links,
    hosts: &BySwitch<u32>,
    known: &BySwitch<bool>,
) -> Option<Links> {
    let usual = usual(hosts.iter().copied());
    let is_full = |s: SwitchId| hosts[s] > 0 && 2 * hosts[s] >= usual;
    let joined = |a: SwitchId, b: SwitchId| {
        let are_known = known[a] && known[b];
        if !(are_known || is_full(a) && is_full(b)) {
            return false;
        }
        let least = hosts[a].min(hosts[b]);
        let is_above = |n: SwitchId| are_known || 3 * hosts[n] <= 4 * least;
        let mut thirds = links.common(a, b);
        thirds.next().is_some_and(is_above) && thirds.all(is_above)
    };
    let some = links
        .switches()
        .any(|a| links.neighbours(a).any(|b| joined(a, b)));
    some.then(|| links.filtered(|a, b, _| !joined(a, b)))
}

/// The usual number of end nodes of a switch: most end nodes are on switches with that number.
fn usual(hosts: impl Iterator<Item = u32>) -> u32 {
    let mut nodes = BTreeMap::new();
    for count in hosts.filter(|&count| count > 0) {
        *nodes.entry(count).or_insert(0) += count;
    }
    let most = nodes.iter().max_by_key(|&(_, &nodes)| nodes);
    most.map_or(0, |(&count, _)| count)
}

/// *Odd* links, such as a cable between two leaves, are left out if at most one link in this many is odd.
const ODD: usize = 8;
/// From how many switches the levels are counted while links are odd. The switches with most neighbours come first:
/// they are the least likely ends of odd links.
const VIEWS: usize = 16;

/// By switch, whether its level is odd, counted from one switch; and the links without odd links, which join two even
/// or two odd levels. `None` if no link is odd, or so many that there are no levels.
fn parity(links: &Links) -> (BySwitch<bool>, Option<Links>) {
    let mut views: Vec<SwitchId> = links.switches().collect();
    views.sort_by_key(|&s| Reverse(links.groups_of(s).len()));
    let common = LazyCell::new(|| commonness(links));
    let mut best: Option<(Count, BySwitch<bool>)> = None;
    for &view in views.iter().take(VIEWS) {
        let (is_upper, odd) = two_levels(links, || &common[..], view);
        if best.as_ref().is_none_or(|&(fewest, _)| odd < fewest) {
            best = Some((odd, is_upper));
        }
        if odd.0 == 0 {
            break;
        }
    }
    let Some(((odd, _), is_upper)) = best else {
        return (BySwitch::default(), None);
    };
    let some = odd > 0 && ODD * odd <= links.groups.len();
    let even = some.then(|| links.filtered(|s, n, _| is_upper[s] != is_upper[n]));
    (is_upper, even)
}

/// By group: how many ends of links have the port numbers of its links, at both ends.
fn commonness(links: &Links) -> Vec<u64> {
    let mut common = [0; 256];
    for &port in &links.ports {
        common[usize::from(port)] += 1;
    }
    let of_groups = links.switches().flat_map(|s| {
        links.groups_of(s).iter().map(move |group| {
            let back = links.to(group.remote, s);
            let ports = links.ports(group).iter().chain(back);
            ports.map(|&port| common[usize::from(port)]).sum()
        })
    });
    of_groups.collect()
}

/// How many groups, and how common their ports are. Both grow with the switches, so their sum with the square.
type Count = (usize, u64);

/// By switch, whether its level is odd, and how many groups of all switches are odd. Levels are the distances from one
/// switch, but changed for switches of which most links are odd then: the shortest path to such a switch may have used an
/// odd link. `common` is [`commonness`].
fn two_levels<'l>(
    links: &Links,
    common: impl FnOnce() -> &'l [u64],
    seed: SwitchId,
) -> (BySwitch<bool>, Count) {
    let mut distance = links.distances([seed]);
    links.extend_to_the_rest(&mut distance);
    let mut is_upper: BySwitch<bool> = distance.iter().map(|distance| distance % 2 != 0).collect();
    let has_odd = |s: SwitchId| links.neighbours(s).any(|n| is_upper[s] == is_upper[n]);
    if !links.switches().any(has_odd) {
        return (is_upper, (0, 0));
    }
    let common = common();
    // The groups of a switch that are not odd, and those that are.
    let count = |is_upper: &BySwitch<bool>, s: SwitchId| {
        let mut count: [Count; 2] = [(0, 0); 2];
        for (number, group) in links.numbers_of(s).zip(links.groups_of(s)) {
            let is_odd = is_upper[s] == is_upper[group.remote];
            let (groups, ports) = &mut count[usize::from(is_odd)];
            (*groups, *ports) = (*groups + 1, *ports + common[number]);
        }
        count
    };
    let mut open: Vec<SwitchId> = links.switches().collect();
    while let Some(s) = open.pop() {
        let [even, odd] = count(&is_upper, s);
        if odd > even {
            is_upper[s] ^= true;
            open.extend(links.neighbours(s));
        }
    }
    let odd = links.switches().map(|s| count(&is_upper, s)[1]);
    let odd = odd.fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1));
    (is_upper, odd)
}

#[cfg(test)]
mod tests {
    use super::two_levels;
    use crate::tree::Links;
    use crate::{Engine, Options, Plan, RouteError};
    use dmodc_fabric::SwitchId;
    use fabrics::Net;

    /// The plan of a fabric with three hosts on each of the first switches; `None` if it is refused.
    fn plan(links: &[(u32, u32)], with_hosts: u32) -> Option<Plan> {
        plan_with(
            links,
            &(0..with_hosts).flat_map(|s| [s, s, s]).collect::<Vec<_>>(),
        )
    }

    /// The same with a host at each of these switches.
    fn plan_with(links: &[(u32, u32)], hosts: &[u32]) -> Option<Plan> {
        let engine = Engine::new(1).expect("a thread");
        match engine.plan(&Net::new(links, hosts).build(), &Options::default()) {
            Err(RouteError::NotATree(_)) => None,
            plan => Some(plan.expect("a plan")),
        }
    }

    fn mesh(first: u32, end: u32) -> Vec<(u32, u32)> {
        (first..end)
            .flat_map(|a| (a + 1..end).map(move |b| (a, b)))
            .collect()
    }

    /// Some 5,000 switches of 254 ports have more than 32 bits.
    #[test]
    fn how_common_odd_ports_are_has_no_limit() {
        let links = Links::new(&Net::new(&mesh(0, 3), &[]).build());
        let common = vec![u64::from(u32::MAX); links.groups.len()];
        let (_, odd) = two_levels(&links, || &common, SwitchId(0));
        assert_eq!(odd, (2, 2 * u64::from(u32::MAX)));
    }

    /// Two of these were on two ranks before, so half of the hosts had a detour over the wrong one; more were refused.
    #[test]
    fn leaves_that_are_all_joined_are_of_one_rank() {
        for leaves in 2..7 {
            for spines in 0..3 {
                let below = |spine| (0..leaves).map(move |leaf| (leaf, leaves + spine));
                let mut links = mesh(0, leaves).repeat(2);
                links.extend((0..spines).flat_map(below));
                let hosts: Vec<u32> = (0..leaves).flat_map(|s| [s; 4]).collect();
                // A host less makes nobody a spine.
                for hosts in [&hosts[..], &hosts[1..]] {
                    let plan = plan_with(&links, hosts).expect("levels");
                    let rank = |s| plan.ranking().rank(SwitchId(s));
                    assert!(leaves + spines == 2 || (0..leaves).all(|s| rank(s) == 0));
                    assert!((leaves..leaves + spines).all(|s| rank(s) == 1));
                    let is_one_hop = |&(a, b)| plan.hops(SwitchId(a), SwitchId(b)) == Some(1);
                    assert!(mesh(0, leaves).iter().all(is_one_hop));
                }
            }
        }
    }

    /// All others were tails then, ranked in a row, and routes of a mesh shared one link of several.
    #[test]
    fn a_switch_on_its_own_moves_no_joined_leaves() {
        for leaves in 2..5 {
            let hosts: Vec<u32> = (0..=leaves).flat_map(|s| [s; 4]).collect();
            let plan = plan_with(&mesh(0, leaves).repeat(2), &hosts).expect("levels");
            assert!((0..=leaves).all(|s| plan.ranking().rank(SwitchId(s)) == 0));
        }
    }

    /// Such spines were taken for leaves, and the rack for a mesh.
    #[test]
    fn spines_with_nearly_half_of_the_hosts_stay_above() {
        let rack = |leaves: u32, each: u32, spines: u32, above: u32| {
            let below = |spine| (0..leaves).map(move |leaf| (leaf, leaves + spine));
            let links: Vec<(u32, u32)> = (0..spines).flat_map(below).collect();
            let hosts = |s| vec![s; if s < leaves { each } else { above } as usize];
            let hosts: Vec<u32> = (0..leaves + spines).flat_map(hosts).collect();
            let plan = plan_with(&links, &hosts)?;
            let is_above = |s| plan.ranking().rank(SwitchId(s)) == u32::from(s >= leaves);
            Some((0..leaves + spines).all(is_above) && plan.left_out().is_empty())
        };
        for (leaves, each, spines, above) in
            [(2, 5, 3, 3), (3, 3, 2, 4), (4, 4, 4, 3), (8, 4, 4, 7)]
        {
            assert_eq!(rack(leaves, each, spines, above), Some(true));
        }
        // Two and two are a ring.
        assert_eq!(rack(2, 4, 2, 3), None);
    }

    #[test]
    fn rings_tori_dragonflies_and_joined_spines_are_refused() {
        for switches in 4..9 {
            let ring: Vec<(u32, u32)> = (0..switches).map(|s| (s, (s + 1) % switches)).collect();
            assert!(plan(&ring, switches).is_none(), "a ring of {switches}");
        }
        let at = |x: u32, y: u32| 3 * (x % 3) + y % 3;
        let torus = (0..9).flat_map(|s| [(s, at(s / 3, s + 1)), (s, at(s / 3 + 1, s))]);
        assert!(plan(&torus.collect::<Vec<_>>(), 9).is_none());
        // Four groups of three, each two groups joined by a link.
        let mut dragonfly: Vec<(u32, u32)> = (0..4).flat_map(|g| mesh(3 * g, 3 * g + 3)).collect();
        dragonfly.extend(mesh(0, 4).iter().map(|&(a, b)| (3 * a + b - 1, 3 * b + a)));
        assert!(plan(&dragonfly, 12).is_none());
        // Three spines in a triangle above six leaves.
        let mut joined = mesh(6, 9);
        joined.extend((0..6).flat_map(|leaf| [(leaf, 6), (leaf, 7), (leaf, 8)]));
        assert!(plan(&joined, 6).is_none());
    }
}
