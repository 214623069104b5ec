//! Rank: the level of each switch in the tree (paper, section III.A, "Rank").
//!
//! The paper's rule: the rank of a switch is its distance from the nearest leaf. Where all end nodes are at the bottom
//! and all leaves equally deep, no other rule applies. Three rules cover other fabrics:
//! - module `leaves` separates leaves from switches further up with end nodes, and finds leaves whose hosts are off;
//! - a *tail*, a leaf that is linked to leaves only, is below them;
//! - a *shallow* leaf, linked to higher switches than other leaves are, would lower these switches to the rank of their
//!   neighbours; it gets its rank last, one below the lowest of its neighbours.
//!
//! With roots (`root_guid_file`), ranks are counted down from the roots instead, as OpenSM's `updn` does.

use super::cycle::level_cycle;
use super::leaves::{self, SHARES};
use super::levels::{by_leaves, carriers, host_counts};
use super::links::Links;
use super::ranking::{Ranking, Rule};
use crate::ids::{BySwitch, SwitchId};
use crate::kinds::NodeTypes;
use crate::options::{Faults, Options, RouteError};
use dmodc_fabric::{Fabric, NodeKind, PortNumber, known_boxes};
use std::cmp::Ordering;

/// A link: the own port, the far switch, the port there.
type Link = (PortNumber, SwitchId, PortNumber);

/// A reference, its levels, and by switch of the fabric its switch there.
struct Known<'r> {
    before: &'r Fabric,
    levels: &'r Ranking,
    boxes: BySwitch<Option<SwitchId>>,
}

impl Known<'_> {
    /// Whether a switch that wrong cables had lowered in the reference stands higher without them.
    fn has_wrong_cable(&self, own: &Ranking) -> bool {
        let boxes = self.boxes.iter_enumerated();
        boxes
            .filter_map(|(s, was)| Some((s, (*was)?)))
            .any(|(s, was)| own.rank(s) > self.levels.rank(was) && self.is_lowered(was))
    }

    /// Whether a switch of the reference has links down, and its others are at ports that lead up on other switches.
    fn is_lowered(&self, was: SwitchId) -> bool {
        let rank = self.levels.rank(was);
        let is_below = |link: &Link| self.levels.rank(link.1) < rank;
        let (below, others): (Vec<Link>, Vec<Link>) = self.before.links_of(was).partition(is_below);
        !below.is_empty() && others.iter().map(|link| self.votes_up(link)).sum::<i32>() > 0
    }

    /// On how many more switches of the rank at the far end of a link the port there leads up than down.
    fn votes_up(&self, &(_, far, port): &Link) -> i32 {
        let rank = self.levels.rank(far);
        let switches = self.before.switches().keys();
        let others = switches.filter(|&s| s != far && self.levels.rank(s) == rank);
        let to = others.filter_map(|s| self.before.far(s, port));
        let votes = to.map(|(to, _)| match self.levels.rank(to).cmp(&rank) {
            Ordering::Greater => 1,
            Ordering::Equal => 0,
            Ordering::Less => -1,
        });
        votes.sum()
    }
}

impl Ranking {
    /// The levels that [`Engine::plan`](crate::Engine::plan) finds, also of a fabric that it refuses.
    pub fn new(fabric: &Fabric, options: &Options) -> Self {
        match Self::find(fabric, options, None) {
            Ok((ranking, _)) => ranking,
            Err(_) => Self::by_share(
                fabric,
                &Links::new(fabric),
                options,
                &BySwitch::default(),
                SHARES[0],
            ),
        }
    }

    /// Finds the levels of a fabric, and its links.
    ///
    /// # Errors
    /// [`RouteError::NotATree`] if links between equal ranks alone close a cycle and no roots are given.
    pub(crate) fn find(
        fabric: &Fabric,
        options: &Options,
        reference: Option<(&Fabric, &Ranking)>,
    ) -> Result<(Self, Links), RouteError> {
        let links = Links::new(fabric);
        let known = reference.map(|(before, levels)| Known {
            boxes: known_boxes(fabric, before),
            before,
            levels,
        });
        let known = known.as_ref();
        let own = Self::by_links(fabric, options, &links, known);
        let before = known.and_then(|known| Self::as_before(fabric, known));
        let is_wrong = |own| known.is_some_and(|known| known.has_wrong_cable(own));
        let is_better = |before: &Self| match &own {
            // Both count down from the given roots; what is lost lifts nobody.
            Ok(own) if own.rule == Rule::Roots => before.rule == Rule::Roots,
            Ok(own) => {
                let (was, is) = (before.uneven(&links), own.uneven(&links));
                was < is || (was == is && !is_wrong(own))
            }
            Err(_) => true,
        };
        match before.filter(is_better) {
            Some(before) => Ok((before, links)),
            None => own.map(|own| (own, links)),
        }
    }

    fn by_links(
        fabric: &Fabric,
        options: &Options,
        links: &Links,
        known: Option<&Known>,
    ) -> Result<Self, RouteError> {
        let known = known.map_or_else(BySwitch::default, |Known { boxes, levels, .. }| {
            let was_leaf = |of: &Option<SwitchId>| of.is_some_and(|r| levels.is_leaf(r));
            boxes.iter().map(was_leaf).collect()
        });
        let mut refused = None;
        for share in SHARES {
            let ranking = Self::by_share(fabric, links, options, &known, share);
            let cycle = level_cycle(links, &ranking);
            let Some(cycle) = cycle.filter(|_| ranking.rule != Rule::Roots) else {
                return Ok(ranking);
            };
            refused.get_or_insert(cycle);
        }
        let cycle = refused.into_iter().flatten();
        Err(RouteError::NotATree(
            cycle.map(|s| fabric.guid(s)).collect(),
        ))
    }

    /// The levels of a reference, if this fabric has no other links between switches: what it lost moves nobody up or down.
    fn as_before(fabric: &Fabric, known: &Known) -> Option<Self> {
        let Known {
            before,
            levels,
            boxes,
        } = known;
        let was_linked = |s: SwitchId, (port, to, _): Link| {
            let (Some(s), Some(to)) = (boxes[s], boxes[to]) else {
                return false;
            };
            let is_it = |far: Option<(SwitchId, PortNumber)>| far.is_some_and(|far| far.0 == to);
            is_it(before.far(s, port)) || before.links_of(s).any(|link| link.1 == to)
        };
        let switches = || fabric.switches().keys();
        let is_part = |s: SwitchId| fabric.links_of(s).all(|link| was_linked(s, link));
        switches().all(is_part).then(|| {
            let was = switches().map(|s| boxes[s]);
            let rank_of = |of: Option<SwitchId>| of.map_or(0, |of| levels.rank(of));
            let is_leaf = |of: Option<SwitchId>| of.is_some_and(|of| levels.is_leaf(of));
            let (rank, leaf) = was.map(|of| (rank_of(of), is_leaf(of))).unzip();
            Ranking {
                rank,
                leaf,
                rule: levels.rule,
            }
        })
    }

    /// Ranks a fabric by its links. Without roots, the seeds (module `leaves`) are the switches with at least one in
    /// `share` of the usual number of end nodes.
    /// `known` are leaves of a reference, if there is one.
    fn by_share(
        fabric: &Fabric,
        links: &Links,
        options: &Options,
        known: &BySwitch<bool>,
        share: u32,
    ) -> Self {
        let is_root = |s: &SwitchId| options.root_guids.contains(&fabric.guid(*s));
        let roots: Vec<SwitchId> = fabric.switches().keys().filter(is_root).collect();
        if !roots.is_empty() {
            return Self::from_roots(fabric, links, &roots, options.faults);
        }
        let types = NodeTypes::new(options);
        let mut compute: BySwitch<bool> = vec![false; fabric.switches().len()].into();
        for node in fabric.end_nodes() {
            let listed = types.is_listed_compute(node.guid);
            compute[node.switch] |= listed && node.kind != NodeKind::Aggregation;
        }
        let hosts = host_counts(fabric);
        let given = compute.iter_enumerated();
        let given: BySwitch<bool> = given
            .map(|(s, &is)| is || known.get(s) == Some(&true))
            .collect();
        let (mut leaf, mut rank) = leaves::find(links, &hosts, &given, share);
        let carry = carriers(&hosts);
        if options.faults == Faults::Paper
            && leaf.iter().zip(&carry).any(|(leaf, carry)| leaf > carry)
        {
            leaf.iter_mut()
                .zip(&carry)
                .for_each(|(leaf, carry)| *leaf &= carry);
            rank = by_leaves(links, &leaf);
        }
        let plain = |s: SwitchId| leaf[s] >= carry[s] && (!leaf[s] || rank[s] == 0);
        let plain = rank.keys().all(plain);
        let rule = match (compute.contains(&true), plain) {
            (true, _) => Rule::ComputeNodes,
            (false, true) => Rule::EndNodes,
            (false, false) => Rule::Shape,
        };
        Ranking { rank, leaf, rule }
    }

    /// Counts ranks down from the roots. A leaf is a switch with end nodes and at least as many links up as down.
    fn from_roots(fabric: &Fabric, links: &Links, roots: &[SwitchId], faults: Faults) -> Self {
        let mut depth = links.distances(roots.iter().copied());
        links.extend_to_the_rest(&mut depth);
        let deepest = depth.iter().copied().max().unwrap_or(0);
        let rank: BySwitch<u32> = depth.iter().map(|d| deepest - d).collect();
        let hosts = host_counts(fabric);
        let mut leaf = carriers(&hosts);
        for (s, leaf) in leaf.iter_mut_enumerated() {
            let (mut above, mut below) = (0, 0);
            for group in links.groups_of(s) {
                match rank[group.remote].cmp(&rank[s]) {
                    Ordering::Greater => above += group.size(),
                    Ordering::Less => below += group.size(),
                    Ordering::Equal => {}
                }
            }
            // A leaf whose hosts are off stays a leaf.
            let is_empty = faults == Faults::Stable && above > 0 && below == 0;
            *leaf = is_empty || (*leaf && above >= below);
        }
        let rule = Rule::Roots;
        Ranking { rank, leaf, rule }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dmodc_fabric::random::Random;
    use dmodc_formats::netlist::generate::Order;
    use fabrics::{Net, pgft};

    /// The ranks of a fabric, and of what is left of it with the fabric as reference.
    fn ranks(whole: &Fabric, less: &Fabric) -> [BySwitch<u32>; 2] {
        ranks_with(&Options::default(), whole, less)
    }

    fn ranks_with(options: &Options, whole: &Fabric, less: &Fabric) -> [BySwitch<u32>; 2] {
        let (before, _) = Ranking::find(whole, options, None).expect("a tree");
        let (after, _) = Ranking::find(less, options, Some((whole, &before))).expect("a tree");
        [before.rank, after.rank]
    }

    /// Three pods of two leaves (0 to 5) below a mid switch each (6, 10, 11), and three spines (7 to 9). Without two of the
    /// mid switches the spines have a link each, as empty leaves of the third would. They stay where the reference has
    /// them.
    #[test]
    fn a_spine_with_one_link_left_is_no_leaf() {
        let pods = [(0, 6), (2, 10), (4, 11)];
        let links = pods.iter().flat_map(|&(leaf, mid)| {
            let up = (7..10).map(move |spine| (mid, spine));
            [(leaf, mid), (leaf + 1, mid)].into_iter().chain(up)
        });
        let links: Vec<(u32, u32)> = links.collect();
        let nodes = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
        let whole = Net::new(&links, &nodes).build();
        let left = links.iter().copied().filter(|&(a, b)| a.max(b) < 10);
        let less = Net::new(&left.collect::<Vec<_>>(), &nodes).build();
        let [before, after] = ranks(&whole, &less);
        assert_eq!(after.raw, before.raw[..less.switches().len()]);
    }

    /// Each top has one child so far: most of them were leaves, and A2A was three times the paper's.
    #[test]
    fn tops_of_a_first_group_are_no_leaves() {
        for (shape, levels) in [
            ("PGFT(4;4,4,4,1;1,4,4,4;1,1,1,1)", [16, 16, 16, 64]),
            ("PGFT(4;3,2,2,1;1,3,3,1;1,1,1,1)", [4, 6, 9, 9]),
        ] {
            let (fabric, _) = pgft(shape).to_fabric(None).expect("LIDs");
            let (ranking, _) = Ranking::find(&fabric, &Options::default(), None).expect("a tree");
            assert_eq!(ranking.per_rank(), levels);
        }
    }

    /// A fabric with further links, each from a switch to another, at ports that no other switch uses.
    fn with_links(fabric: &Fabric, links: &[[SwitchId; 2]]) -> Fabric {
        let ports = |s: SwitchId| fabric.switches()[s].ports;
        let more = links.len() as u8;
        let mut b = fabrics::rebuilt(fabric, |_, switch| switch.ports += more);
        for (i, &ends) in (1..).zip(links) {
            let [near, far] = ends.map(|s| (s, PortNumber(ports(s) + i)));
            b.link(near, far);
        }
        b.finish().0
    }

    /// Up to three wrong cables lead from leaves to switches further up, mostly to one, and bend the levels of the reference.
    /// Pulled, they bend nearly none: of 2,853 such references 11, all with cables to several switches.
    #[test]
    fn levels_that_wrong_cables_bent_do_not_stay() {
        let mut random = Random::new(1);
        let [mut bent, mut stay] = [0; 2];
        for seed in 0..1000 {
            let shape = match seed % 2 {
                0 => "PGFT(3;2,2,3;1,2,2;1,1,1)",
                _ => "PGFT(4;2,2,2,2;1,2,2,2;1,1,1,1)",
            };
            let order = Order {
                seed: Some(seed),
                ..Order::default()
            };
            let right = fabrics::tree(shape, order).to_fabric(None).expect("LIDs").0;
            let own = Ranking::new(&right, &Options::default());
            let switches = right.switches().keys();
            let (leaves, others): (Vec<_>, Vec<_>) = switches.partition(|&s| own.rank(s) == 0);
            let mut one_of = |of: &[SwitchId]| of[random.below(of.len())];
            let to = [one_of(&others), one_of(&others)];
            let wrong =
                (0..1 + seed % 3).map(|_| [one_of(&leaves), one_of(&[to[0], to[0], to[1]])]);
            let wrong = with_links(&right, &wrong.collect::<Vec<_>>());
            let [before, after] = ranks(&wrong, &right);
            bent += u32::from(before != own.rank);
            stay += u32::from(after != own.rank);
        }
        assert!(bent > 100 && 50 * stay < bent, "{stay} of {bent}");
    }

    /// Leaves 0, 2 and 4 below the mid switches 1, 3 and 5; 5 alone is below both spines, 6 and 7. Without its leaf it joins
    /// 0 and 2 from above, as a switch with a wrong cable to a leaf would; but it is at ports that lead down.
    #[test]
    fn a_mid_switch_that_loses_its_only_leaf_stays() {
        let links = [(0, 1), (2, 3), (4, 5), (1, 6), (3, 7), (5, 6), (5, 7)];
        let whole = Net::new(&links, &[0, 0, 2, 2, 4, 4]).build();
        let up = whole.links_of(SwitchId(4)).next().expect("a link");
        let less = whole.without(&[(SwitchId(4), up.0), (up.1, up.2)]);
        let [before, after] = ranks(&whole, &less);
        assert_eq!(after, before);
    }

    /// Two planes, of a mid switch for each of two leaves and a spine each. Without its spine (8) the mid switches of a plane
    /// (2 and 3) were counted down from the other one, below their leaves.
    #[test]
    fn a_root_that_goes_moves_nobody() {
        let planes = [[2, 3, 8], [4, 5, 9]];
        let of_plane = |[a, b, spine]: [u32; 3]| [(0, a), (1, b), (a, spine), (b, spine)];
        let whole = Net::new(&planes.map(of_plane).concat(), &[0, 0, 1, 1]).build();
        let options = Options {
            root_guids: [8, 9].map(|s| whole.guid(SwitchId(s))).to_vec(),
            ..Options::default()
        };
        let links = whole
            .links_of(SwitchId(8))
            .flat_map(|(port, to, far)| [(SwitchId(8), port), (to, far)]);
        let less = whole.without(&links.collect::<Vec<_>>());
        let [before, after] = ranks_with(&options, &whole, &less);
        assert_eq!(after, before);
    }
}
