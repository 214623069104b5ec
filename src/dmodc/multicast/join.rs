//! Joins multicast members that have no common switch above them, by turns.
//!
//! A tree may grow down from any of its switches: packets from the new branch go up, or come down from above. It may
//! grow up from a switch without a switch above it in the tree. Elsewhere packets that come down would go up the new
//! link, and packets down the new link up again: both turns must be among the turns that close no cycle.

use super::{Edge, Terrain};
use std::collections::VecDeque;

/// A switch, and whether the path to it ends with a link up.
type State = (u32, bool);

impl Terrain<'_> {
    /// Adds shortest paths from the tree to the members that it does not reach, one after the other.
    /// `parents` has the link to its parent for each switch of the tree but the root.
    pub(super) fn join(&self, root: u32, mlid: u16, parents: &mut [Option<Edge>], members: &[u32]) {
        let mut above: Vec<Vec<u32>> = vec![Vec::new(); parents.len()];
        for (s, edge) in (0..).zip(parents.iter()) {
            let parent = edge.map(|edge| edge[0].0);
            above[s as usize].extend(parent.filter(|&p| self.ranking.is_up(s, p)));
        }
        let mut missing: Vec<u32> = members.to_vec();
        missing.retain(|&m| m != root && parents[m as usize].is_none());
        while !missing.is_empty() {
            let Some(path) = self.path_to_any(root, mlid, parents, &above, &missing) else {
                return;
            };
            for edge in path {
                let [(from, _), (to, _)] = edge;
                parents[to as usize] = Some(edge);
                let (low, high) = match self.ranking.is_up(from, to) {
                    true => (from, to),
                    false => (to, from),
                };
                above[low as usize].push(high);
            }
            missing.retain(|&m| parents[m as usize].is_none());
        }
    }

    /// The links of a shortest path from the tree to any of `goals`, starting at the tree.
    fn path_to_any(
        &self,
        root: u32,
        mlid: u16,
        parents: &[Option<Edge>],
        above: &[Vec<u32>],
        goals: &[u32],
    ) -> Option<Vec<Edge>> {
        let in_tree = |s: u32| s == root || parents[s as usize].is_some();
        let mut came: Vec<[Option<(State, Edge)>; 2]> = vec![[None; 2]; parents.len()];
        let mut queue: VecDeque<State> = VecDeque::new();
        queue.extend(
            (0..parents.len() as u32)
                .filter(|&s| in_tree(s))
                .map(|s| (s, false)),
        );
        while let Some((s, up)) = queue.pop_front() {
            for (port, next, remote_port) in self.neighbours(s, mlid) {
                let goes_up = self.ranking.is_up(s, next);
                let turns = |&a: &u32| (self.may_turn)(a, s, next) && (self.may_turn)(next, s, a);
                let may = !goes_up
                    || match came[s as usize][usize::from(up)] {
                        None => above[s as usize].iter().all(turns),
                        Some(((from, _), _)) if !up => turns(&from),
                        Some(_) => true,
                    };
                let known = &mut came[next as usize][usize::from(goes_up)];
                if !may || in_tree(next) || known.is_some() {
                    continue;
                }
                *known = Some(((s, up), [(s, port), (next, remote_port)]));
                if goals.contains(&next) {
                    return Some(path(&came, (next, goes_up)));
                }
                queue.push_back((next, goes_up));
            }
        }
        None
    }
}

/// The links on the path to a state, starting at the tree.
fn path(came: &[[Option<(State, Edge)>; 2]], mut state: State) -> Vec<Edge> {
    let mut links = Vec::new();
    while let Some((before, link)) = came[state.0 as usize][usize::from(state.1)] {
        links.push(link);
        state = before;
    }
    links.reverse();
    links
}
