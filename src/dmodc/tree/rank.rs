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
//! Of two neighbours of equal rank, the switch with the later place is above (under `faults=paper`: the greater GUID).
//! So (rank, place) is a total order: every link goes up or down, and no path of links up closes a cycle.

use super::leaves;
use super::levels::{Levels, carriers, host_counts};
use super::links::Links;
use crate::dmodc::options::{Faults, Options};
use crate::dmodc::targets::NodeTypes;
use crate::fabric::{Fabric, NodeKind};
use std::cmp::Ordering;
use std::fmt;

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

/// The levels of a fabric: of each switch its rank, its place among equal ranks, and whether it is a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    rank: Vec<u32>,
    leaf: Vec<bool>,
    /// Orders switches of equal rank: the switch with the greater number is above.
    place: Vec<u32>,
    rule: Rule,
}

impl Ranking {
    /// Ranks a fabric by its links. Without roots, the seeds (module `leaves`) are the switches with at least one in
    /// `share` of the usual number of end nodes.
    pub(in crate::dmodc) fn of(
        fabric: &Fabric,
        links: &Links,
        options: &Options,
        share: u32,
    ) -> Self {
        let is_root = |s: &u32| {
            let guid = fabric.switches()[*s as usize].guid;
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
            true => fabric.end_nodes(),
            false => &[],
        };
        for node in listed_nodes {
            let listed = types.is_listed_compute(node.guid);
            compute[node.switch as usize] |= listed && node.kind != NodeKind::Aggregation;
        }
        let hosts = host_counts(fabric);
        let (mut leaf, mut rank) = leaves::find(links, &hosts, &compute, share);
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
        Ranking {
            place: (0..rank.len() as u32).collect(),
            rank,
            leaf,
            rule,
        }
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

    /// The levels with the switches in another order: between equal ranks, the switch later in `order` is above.
    pub(in crate::dmodc) fn arranged(mut self, order: &[u32]) -> Self {
        self = self.of_some(order);
        self.place = (0..order.len() as u32).collect();
        self
    }

    /// The levels of some of the switches, in this order.
    pub(in crate::dmodc) fn of_some(&self, switches: &[u32]) -> Self {
        Ranking {
            rank: switches.iter().map(|&s| self.rank(s)).collect(),
            leaf: switches.iter().map(|&s| self.is_leaf(s)).collect(),
            place: switches.iter().map(|&s| self.place[s as usize]).collect(),
            rule: self.rule,
        }
    }

    /// Adds switches of these ranks without end nodes.
    pub(in crate::dmodc) fn add(&mut self, ranks: impl Iterator<Item = u32>) {
        self.rank.extend(ranks);
        self.leaf.resize(self.rank.len(), false);
        self.place = (0..self.rank.len() as u32).collect();
    }

    /// The rank of a switch; 0 is the lowest.
    #[inline]
    pub fn rank(&self, switch: u32) -> u32 {
        self.rank[switch as usize]
    }

    /// Whether a switch is a leaf.
    #[inline]
    pub fn is_leaf(&self, switch: u32) -> bool {
        self.leaf[switch as usize]
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
    pub fn is_up(&self, from: u32, to: u32) -> bool {
        let key = |s: u32| (self.rank(s), self.place[s as usize]);
        key(to) > key(from)
    }

    /// All switches in ascending (rank, place): each after all switches below it.
    pub fn ascending(&self) -> Vec<u32> {
        let mut switches: Vec<u32> = (0..self.rank.len() as u32).collect();
        switches.sort_by_key(|&s| (self.rank(s), self.place[s as usize]));
        switches
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
