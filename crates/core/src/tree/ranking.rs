//! The levels of a fabric: of each switch its rank, and whether it is a leaf.
//!
//! Of two neighbours of equal rank, the switch with the greater GUID is above. So (rank, GUID) is a total order: every
//! link goes up or down, and no path of links up closes a cycle. Indices of switches are in the order of GUIDs.

use super::links::Links;
use dmodc_fabric::SwitchId;
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
    pub(super) rank: Vec<u32>,
    pub(super) leaf: Vec<bool>,
    pub(super) rule: Rule,
}

impl Ranking {
    /// How many pairs of neighbours are not in adjacent ranks, each pair twice.
    pub(super) fn uneven(&self, links: &Links) -> usize {
        let of = |s: u32| {
            let ranks = links.neighbours(s).map(|other| self.rank[other as usize]);
            ranks
                .filter(move |rank| rank.abs_diff(self.rank[s as usize]) != 1)
                .count()
        };
        (0..links.switches() as u32).map(of).sum()
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
