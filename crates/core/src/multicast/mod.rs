//! The spanning tree of a multicast group: all its packets go up-down where possible.
//!
//! If the root reaches the switch of every member by going down only, packets go up towards the root, then down: no
//! turn, so multicast adds no credit loop to the unicast routes. The *reach* of a switch is the set of member switches
//! below it; one pass computes it, in the total order (rank, place), lowest first. Of the switches with full reach,
//! those of lowest rank make the shortest trees. The LID of the group picks one of them, so groups spread over the
//! spines and the choice depends on nothing else.
//!
//! Where no switch has full reach (members on spines, a badly degraded tree) the root is the switch of greatest reach
//! in the part of the fabric with most members. The others join by turns that close no cycle with unicast turns
//! (module `join`), or are left out. OpenSM's own engines (`mcast_mgr_build_spanning_tree`, sssp's) turn anywhere.

mod join;

use super::detours::MayTurn;
use super::tree::{Ranking, components};
use dmodc_fabric::{Fabric, Peer, PortNumber, SwitchId};
use std::collections::VecDeque;
use typed_index_collections::{TiSlice, TiVec};

/// A link of the tree: two ends, (switch, port) each, the end nearer to the root first.
pub type Edge = [(SwitchId, PortNumber); 2];

/// By switch: the link to its parent, parent first.
type Parents = TiVec<SwitchId, Option<Edge>>;

/// A multicast tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The links.
    pub edges: Vec<Edge>,
    /// Whether all packets on the tree go up-down.
    pub up_down: bool,
    /// The member switches that the tree does not reach.
    pub left_out: Vec<SwitchId>,
}

/// The switches and links that forward multicast.
pub struct Terrain<'a> {
    fabric: &'a Fabric,
    ranking: &'a Ranking,
    capable: &'a TiSlice<SwitchId, bool>,
    may_turn: MayTurn<'a>,
    /// Switches in ascending (rank, place).
    order: Vec<SwitchId>,
}

impl<'a> Terrain<'a> {
    /// `capable` has for each switch whether it forwards multicast. `may_turn` is called only if the members have no
    /// common switch above them.
    pub fn new(
        fabric: &'a Fabric,
        ranking: &'a Ranking,
        capable: &'a TiSlice<SwitchId, bool>,
        may_turn: MayTurn<'a>,
    ) -> Self {
        Terrain {
            fabric,
            ranking,
            capable,
            may_turn,
            order: ranking.ascending(),
        }
    }

    /// The tree of the group `mlid` over these distinct member switches; `None` if no member forwards multicast.
    pub fn tree(&self, members: &[SwitchId], mlid: u16) -> Option<Tree> {
        let (able, mut left_out): (Vec<SwitchId>, Vec<SwitchId>) =
            members.iter().partition(|&&m| self.capable[m]);
        if able.is_empty() {
            return None;
        }
        let reach = self.reach(&able);
        let common = self.common_root(&reach, able.len() as u32, mlid);
        let root = common.or_else(|| self.best_root(&reach, &able))?;
        let mut parents = self.span(root, mlid);
        if common.is_none() {
            self.join(root, mlid, &mut parents, &able);
        }
        let is_reached = |m: &SwitchId| *m == root || parents[*m].is_some();
        let (reached, missed): (Vec<SwitchId>, Vec<SwitchId>) =
            able.into_iter().partition(is_reached);
        left_out.extend(missed);
        let edges = branches(&parents, &reached);
        Some(Tree {
            up_down: (edges.iter()).all(|[from, to]| self.ranking.is_up(to.0, from.0)),
            edges,
            left_out,
        })
    }

    /// Neighbours of a switch over links between switches that forward multicast, as (own port, neighbour,
    /// its port), starting at a port that depends on `first`.
    fn neighbours(
        &self,
        switch: SwitchId,
        first: u16,
    ) -> impl Iterator<Item = (PortNumber, SwitchId, PortNumber)> + '_ {
        let peers = self.fabric.peers_of(switch);
        let start = usize::from(first) % peers.len().max(1);
        let ports = (start..peers.len()).chain(0..start);
        ports.filter_map(move |i| match peers[i] {
            Peer::Switch { index, port } if self.capable[index] => {
                Some((PortNumber(i as u8 + 1), index, port))
            }
            _ => None,
        })
    }

    /// By switch: how many members it reaches by going down only.
    fn reach(&self, members: &[SwitchId]) -> TiVec<SwitchId, u32> {
        let words = members.len().div_ceil(64);
        let mut sets = vec![0u64; words * self.order.len()];
        for (bit, &m) in members.iter().enumerate() {
            sets[usize::from(m) * words + bit / 64] |= 1 << (bit % 64);
        }
        for &s in self.order.iter().filter(|&&s| self.capable[s]) {
            for (_, n, _) in self.neighbours(s, 0) {
                if self.ranking.is_up(n, s) {
                    for w in 0..words {
                        sets[usize::from(s) * words + w] |= sets[usize::from(n) * words + w];
                    }
                }
            }
        }
        sets.chunks(words)
            .map(|set| set.iter().map(|w| w.count_ones()).sum())
            .collect()
    }

    fn common_root(&self, reach: &TiSlice<SwitchId, u32>, all: u32, mlid: u16) -> Option<SwitchId> {
        let full = |s: &SwitchId| reach[*s] == all;
        let lowest = self.ranking.rank(self.order.iter().copied().find(full)?);
        let roots: Vec<SwitchId> = self
            .order
            .iter()
            .copied()
            .filter(|s| full(s) && self.ranking.rank(*s) == lowest)
            .collect();
        Some(roots[usize::from(mlid) % roots.len()])
    }

    /// The switch of the greatest reach in the connected part that holds most members.
    fn best_root(&self, reach: &TiSlice<SwitchId, u32>, members: &[SwitchId]) -> Option<SwitchId> {
        let part = components(self.order.len(), |s| {
            let near = self.neighbours(s, 0).map(|(_, n, _)| n);
            near.filter(move |_| self.capable[s])
        });
        let mut size: TiVec<SwitchId, usize> = vec![0; part.len()].into();
        members.iter().for_each(|&m| size[part[m]] += 1);
        // max_by_key takes the last of equals, here the part of the first member, then the lowest switch.
        let parts = members.iter().rev().map(|&m| part[m]);
        let largest = parts.max_by_key(|&of| size[of])?;
        let inside = self.order.iter().rev().copied();
        inside
            .filter(|&s| part[s] == largest)
            .max_by_key(|&s| reach[s])
    }

    /// Shortest paths from `root` going down only.
    fn span(&self, root: SwitchId, mlid: u16) -> Parents {
        let mut parents: Parents = vec![None; self.order.len()].into();
        let mut queue = VecDeque::from([root]);
        while let Some(s) = queue.pop_front() {
            for (port, n, remote_port) in self.neighbours(s, mlid) {
                if parents[n].is_none() && self.ranking.is_up(n, s) {
                    parents[n] = Some([(s, port), (n, remote_port)]);
                    queue.push_back(n);
                }
            }
        }
        parents
    }
}

/// The links of a spanning tree that lead to these switches.
fn branches(parents: &Parents, members: &[SwitchId]) -> Vec<Edge> {
    let mut taken: TiVec<SwitchId, _> = vec![false; parents.len()].into();
    let mut edges = Vec::new();
    for &m in members {
        let mut at = m;
        while let Some(edge) = parents[at]
            && !std::mem::replace(&mut taken[at], true)
        {
            edges.push(edge);
            at = edge[0].0;
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use fabrics::Net;

    /// The trees of groups of these members, with MLIDs from 0xC000 on, below two roots: one, and the switch after it.
    fn trees(
        links: &[(u32, u32)],
        root: u32,
        capable: &[bool],
        may_turn: MayTurn,
        groups: &[Vec<u32>],
    ) -> Vec<Option<Tree>> {
        let net = Net {
            switches: capable.len(),
            ..Net::new(links, &[])
        };
        let fabric = net.build();
        let options = Options {
            root_guids: [root, root + 1].map(|s| fabric.guid(SwitchId(s))).to_vec(),
            ..Options::default()
        };
        let ranking = Ranking::new(&fabric, &options);
        let terrain = Terrain::new(&fabric, &ranking, capable.as_ref(), may_turn);
        let tree = |(mlid, members): (u16, &Vec<u32>)| {
            let members: Vec<SwitchId> = members.iter().copied().map(SwitchId).collect();
            terrain.tree(&members, mlid)
        };
        (0xC000..).zip(groups).map(tree).collect()
    }

    const NEVER: MayTurn = &|_, _, _| false;

    /// Two spines (4, 5) over four leaves (0..=3), two parallel links each.
    fn two_level() -> Vec<(u32, u32)> {
        (0..16).map(|i| (i / 4, 4 + i % 4 / 2)).collect()
    }

    #[test]
    fn the_root_is_above_all_members_and_groups_spread() {
        let groups = vec![vec![0, 2, 3]; 4];
        let trees = trees(&two_level(), 4, &[true; 6], NEVER, &groups);
        let root = |tree: Option<Tree>| {
            let tree = tree.expect("a tree");
            assert!(tree.up_down && tree.left_out.is_empty());
            assert_eq!(tree.edges.len(), 3);
            let root = tree.edges[0][0].0;
            assert!(tree.edges.iter().all(|e| e[0].0 == root));
            root.0
        };
        assert_eq!(
            trees.into_iter().map(root).collect::<Vec<_>>(),
            [4, 5, 4, 5]
        );
    }

    /// Members are bits of words of 64: only spine 71 is above the last of 70 leaves.
    #[test]
    fn a_group_may_have_more_members_than_a_word_has_bits() {
        let below = |spine: u32, leaves: u32| (0..leaves).map(move |leaf| (leaf, spine));
        let links: Vec<(u32, u32)> = below(70, 69).chain(below(71, 70)).collect();
        let groups = vec![(0..70).collect(); 2];
        for tree in trees(&links, 70, &[true; 72], NEVER, &groups) {
            let tree = tree.expect("a tree");
            assert!(tree.up_down && tree.left_out.is_empty());
            assert!(tree.edges.iter().all(|edge| edge[0].0 == SwitchId(71)));
        }
    }

    #[test]
    fn switches_without_multicast_are_avoided() {
        let capable = [true, false, true, true, false, true];
        let groups = [vec![0, 1, 2], vec![1]];
        let trees = trees(&two_level(), 4, &capable, NEVER, &groups);
        let tree = trees[0].as_ref().expect("a tree");
        assert_eq!(tree.left_out, [SwitchId(1)]);
        assert!(tree.edges.iter().all(|e| e[0].0 == SwitchId(5)));
        assert_eq!(trees[1], None);
    }

    #[test]
    fn members_that_share_no_top_join_by_turns_that_may_be_taken() {
        // Leaves 0 and 1 meet in 4, 2 and 3 in 5, and 1 and 2 are joined directly; 6 is alone.
        let links = [(0, 4), (1, 4), (2, 5), (3, 5), (1, 2)];
        // A link from 1 up to 2: 1 has 4 and 2 above it, 2 has 5.
        let turns = |SwitchId(a), SwitchId(b), SwitchId(c)| {
            b == 1 && [a, c] != [a, a] && [2, 4].contains(&a)
        };
        let left_out_and_links = |may_turn| {
            let tree = trees(&links, 4, &[true; 7], may_turn, &[vec![6, 0, 3]]).remove(0);
            let tree = tree.expect("a tree");
            let mut links: Vec<[u32; 2]> =
                tree.edges.iter().map(|e| [e[0].0.0, e[1].0.0]).collect();
            links.iter_mut().for_each(|l| l.sort());
            links.sort();
            (tree.up_down, tree.left_out, links)
        };
        assert_eq!(left_out_and_links(NEVER).1, [6, 3].map(SwitchId));
        let all = vec![[0, 4], [1, 2], [1, 4], [2, 5], [3, 5]];
        let expected = (false, vec![SwitchId(6)], all);
        assert_eq!(left_out_and_links(&turns), expected);
    }
}
