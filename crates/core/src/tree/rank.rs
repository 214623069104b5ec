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
//!
//! Of two neighbours of equal rank, the switch with the greater GUID is above. So (rank, GUID) is a total order: every link
//! goes up or down, and no path of links up closes a cycle. Indices of switches are in the order of GUIDs.

use super::cycle::level_cycle;
use super::groups::Sides;
use super::leaves::{self, SHARES};
use super::levels::{Levels, carriers, host_counts};
use super::links::Links;
use crate::kinds::NodeTypes;
use crate::options::{Faults, Options, RouteError};
use dmodc_fabric::{Fabric, NodeKind, PortNumber, SwitchId, known_boxes};
use std::cmp::{Ordering, Reverse};
use std::fmt;
use typed_index_collections::TiVec;

/// The rule that decides the ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Every switch with end nodes is a leaf: the paper's rule.
    EndNodes,
    /// Some switches with end nodes stand further up, or leaves are not equally deep.
    Shape,
    /// The switches of `root_guid_file` are at the top.
    Roots,
    /// The switches with nodes of `cn_guid_file` are leaves.
    ComputeNodes,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::EndNodes => "every switch with end nodes is a leaf",
            Rule::Shape => "leaves found by the shape of the fabric",
            Rule::Roots => "counted down from the given roots",
            Rule::ComputeNodes => "switches with the given compute nodes are leaves",
        })
    }
}

/// The levels of a fabric: of each switch its rank, and whether it is a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    rank: Vec<u32>,
    leaf: Vec<bool>,
    rule: Rule,
}

/// A reference, its levels, and by switch of the fabric its switch there.
struct Known<'r> {
    before: &'r Fabric,
    levels: &'r Ranking,
    boxes: TiVec<SwitchId, Option<SwitchId>>,
}

impl Ranking {
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
        let mut own = Self::by_links(fabric, options, &links, known.as_ref());
        let known = known.filter(|_| options.root_guids.is_empty());
        let before = known.and_then(|known| Self::as_before(fabric, &known));
        if let (Ok(own), Some(before)) = (&mut own, &before) {
            let is_alone = |s: &usize| links.neighbours(*s as u32).len() == 0;
            (0..links.switches())
                .filter(is_alone)
                .for_each(|s| own.rank[s] = before.rank[s]);
        }
        // Its own levels are right if they are as good: a wrong cable in the reference may have moved levels there.
        let is_better = |before: &Self| match &own {
            Ok(own) => before.disorder(&links) < own.disorder(&links),
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
        let known = known.map_or_else(Vec::new, |Known { boxes, levels, .. }| {
            let was_leaf = |of: &Option<SwitchId>| of.is_some_and(|r| levels.is_leaf(r.0));
            boxes.iter().map(was_leaf).collect()
        });
        let by_share = |share| {
            let ranking = Self::of(fabric, links, options, &known, share);
            let cycle = level_cycle(&Sides::new(links, &ranking), &ranking);
            (ranking, cycle)
        };
        let (ranking, cycle) = by_share(SHARES[0]);
        let Some(cycle) = cycle.filter(|_| ranking.rule() != Rule::Roots) else {
            return Ok(ranking);
        };
        let further = SHARES[1..].iter().map(|&share| by_share(share));
        let found = further
            .filter(|(_, cycle)| cycle.is_none())
            .map(|(ranking, _)| ranking)
            .next();
        found.ok_or_else(|| {
            let cycle = cycle.into_iter();
            RouteError::NotATree(cycle.map(|s| fabric.guid(SwitchId(s))).collect())
        })
    }

    /// How many pairs of neighbours are not in adjacent ranks, each pair twice; the number of ranks; and their sum: a wrong
    /// cable lowers a switch, and so does the loss of all its links but one.
    fn disorder(&self, links: &Links) -> (usize, usize, Reverse<u32>) {
        let of = |s: u32| {
            let ranks = links.neighbours(s).map(|other| self.rank[other as usize]);
            ranks
                .filter(move |rank| rank.abs_diff(self.rank[s as usize]) != 1)
                .count()
        };
        let uneven = (0..links.switches() as u32).map(of).sum();
        let sum = self.rank.iter().sum();
        (uneven, self.per_rank().len(), Reverse(sum))
    }

    /// The levels of a reference, if this fabric has no other links between switches: what it lost moves nobody up or down.
    fn as_before(fabric: &Fabric, known: &Known) -> Option<Self> {
        let Known {
            before,
            levels,
            boxes,
        } = known;
        let was_linked = |s: SwitchId, (port, to, _): (PortNumber, SwitchId, PortNumber)| {
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
            let rank = |of: Option<SwitchId>| of.map_or(0, |of| levels.rank(of.0));
            let is_leaf = |of: Option<SwitchId>| of.is_some_and(|of| levels.is_leaf(of.0));
            let (ranks, leaves) = was.map(|of| (rank(of), is_leaf(of))).unzip();
            Self::by_guids(ranks, leaves, levels.rule)
        })
    }

    /// Ranks a fabric by its links. Without roots, the seeds (module `leaves`) are the switches with at least one in
    /// `share` of the usual number of end nodes.
    /// `known` are leaves of a reference, if there is one.
    pub(crate) fn of(
        fabric: &Fabric,
        links: &Links,
        options: &Options,
        known: &[bool],
        share: u32,
    ) -> Self {
        let is_root = |s: &u32| {
            let guid = fabric.guid(SwitchId(*s));
            options.root_guids.contains(&guid)
        };
        let switches = 0..fabric.switches().len() as u32;
        let roots: Vec<u32> = match options.root_guids.is_empty() {
            true => Vec::new(),
            false => switches.filter(is_root).collect(),
        };
        if !roots.is_empty() {
            return Self::from_roots(fabric, links, &roots, options.faults);
        }
        let types = NodeTypes::new(options);
        let mut compute = vec![false; fabric.switches().len()];
        let listed_nodes = match types.are_given() {
            true => &fabric.end_nodes().raw,
            false => &[],
        };
        for node in listed_nodes {
            let listed = types.is_listed_compute(node.guid);
            compute[usize::from(node.switch)] |= listed && node.kind != NodeKind::Aggregation;
        }
        let hosts = host_counts(fabric);
        let given = compute.iter().enumerate();
        let given: Vec<bool> = given
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
            rank = Levels { links, leaf: &leaf }.rank();
        }
        let plain = |s: usize| leaf[s] >= carry[s] && (!leaf[s] || rank[s] == 0);
        let plain = (0..rank.len()).all(plain);
        let rule = match (compute.contains(&true), plain) {
            (true, _) => Rule::ComputeNodes,
            (false, true) => Rule::EndNodes,
            (false, false) => Rule::Shape,
        };
        Self::by_guids(rank, leaf, rule)
    }

    fn by_guids(rank: Vec<u32>, leaf: Vec<bool>, rule: Rule) -> Self {
        Ranking { rank, leaf, rule }
    }

    /// Counts ranks down from the roots. A leaf is a switch with end nodes and at least as many links up as down.
    fn from_roots(fabric: &Fabric, links: &Links, roots: &[u32], faults: Faults) -> Self {
        let mut depth = links.distances(roots.iter().copied());
        links.extend_to_the_rest(&mut depth);
        let deepest = depth.iter().copied().max().unwrap_or(0);
        let rank: Vec<u32> = depth.iter().map(|d| deepest - d).collect();
        let hosts = host_counts(fabric);
        let mut leaf = carriers(&hosts);
        for (s, leaf) in leaf.iter_mut().enumerate() {
            let (mut above, mut below) = (0, 0);
            for group in links.of(s as u32) {
                match rank[group.remote as usize].cmp(&rank[s]) {
                    Ordering::Greater => above += group.size(),
                    Ordering::Less => below += group.size(),
                    Ordering::Equal => {}
                }
            }
            // A leaf whose hosts are off stays a leaf.
            let is_empty = faults == Faults::Stable && above > 0 && below == 0;
            *leaf = is_empty || (*leaf && above >= below);
        }
        Self::by_guids(rank, leaf, Rule::Roots)
    }

    /// The rank of a switch; 0 is the lowest.
    #[inline]
    pub fn rank(&self, switch: impl Numbered) -> u32 {
        self.rank[switch.number()]
    }

    /// Whether a switch is a leaf.
    #[inline]
    pub fn is_leaf(&self, switch: impl Numbered) -> bool {
        self.leaf[switch.number()]
    }

    /// The leaves in ascending index.
    pub fn leaves(&self) -> impl Iterator<Item = u32> {
        (0..self.leaf.len() as u32).filter(|&s| self.is_leaf(s))
    }

    /// The rule that decides the ranks.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Whether a link from switch `from` to its neighbour `to` goes up.
    #[inline]
    pub fn is_up<S: Numbered>(&self, from: S, to: S) -> bool {
        let key = |s: S| (self.rank(s), s.number());
        key(to) > key(from)
    }

    /// All switches in ascending (rank, GUID): each after all switches below it.
    pub fn ascending(&self) -> Vec<SwitchId> {
        let mut switches: Vec<SwitchId> = (0..self.rank.len()).map(SwitchId::from).collect();
        switches.sort_by_key(|&s| (self.rank(s), s));
        switches
    }

    /// The position of each switch in [`Ranking::ascending`]: a link goes up to the end with the greater one.
    pub fn positions(&self) -> TiVec<SwitchId, u32> {
        let mut positions: TiVec<SwitchId, u32> = vec![0; self.rank.len()].into();
        for (position, s) in (0..).zip(self.ascending()) {
            positions[s] = position;
        }
        positions
    }

    /// How many switches there are of each rank.
    pub fn per_rank(&self) -> Vec<usize> {
        let levels = self.rank.iter().max().map_or(0, |&r| r as usize + 1);
        let mut count = vec![0; levels];
        for &r in &self.rank {
            count[r as usize] += 1;
        }
        count
    }
}

/// A switch by its id, or by the bare number that some modules of this crate have for it.
pub trait Numbered: Copy {
    /// The number.
    fn number(self) -> usize;
}

impl Numbered for SwitchId {
    #[inline]
    fn number(self) -> usize {
        usize::from(self)
    }
}

impl Numbered for u32 {
    #[inline]
    fn number(self) -> usize {
        self as usize
    }
}

/// Maximum number of ranks written out.
const WRITTEN: usize = 16;

impl fmt::Display for Ranking {
    /// The rule, and how many switches each rank has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.per_rank();
        write!(f, "{}; switches by rank:", self.rule)?;
        let mut written = counts.iter().take(WRITTEN);
        written.try_for_each(|count| write!(f, " {count}"))?;
        match counts.len() > WRITTEN {
            true => write!(f, " .. ({} ranks)", counts.len()),
            false => Ok(()),
        }
    }
}
