//! Joins multicast members that have no common switch above them, by turns.
//!
//! A tree may grow down from any of its switches: packets from the new branch go up, or come down from above. It may
//! grow up from a switch without a switch above it in the tree. Elsewhere packets that come down would go up the new
//! link, and packets down the new link up again: both turns must be among the turns that close no cycle.

use super::{Edge, Parents, Terrain};
use dmodc_fabric::SwitchId;
use std::collections::VecDeque;
use typed_index_collections::{TiSlice, TiVec};

/// A switch, and whether the path to it ends with a link up.
type State = (SwitchId, bool);

/// By switch, and by whether the path to it ends with a link up: the state before, and the link from there.
type Came = TiVec<SwitchId, [Option<(State, Edge)>; 2]>;

impl Terrain<'_> {
    /// Adds shortest paths from the tree to the members that it does not reach, one after the other.
    /// `parents` has the link to its parent for each switch of the tree but the root.
    pub(super) fn join(
        &self,
        root: SwitchId,
        mlid: u16,
        parents: &mut Parents,
        members: &[SwitchId],
    ) {
        let mut above: TiVec<SwitchId, Vec<SwitchId>> = vec![Vec::new(); parents.len()].into();
        for (s, edge) in parents.iter_enumerated() {
            let parent = edge.map(|edge| edge[0].0);
            above[s].extend(parent.filter(|&p| self.ranking.is_up(s, p)));
        }
        let mut missing: Vec<SwitchId> = members.to_vec();
        missing.retain(|&m| m != root && parents[m].is_none());
        while !missing.is_empty() {
            let Some(path) = self.path_to_any(root, mlid, parents, &above, &missing) else {
                return;
            };
            for edge in path {
                let [(from, _), (to, _)] = edge;
                parents[to] = Some(edge);
                let (low, high) = match self.ranking.is_up(from, to) {
                    true => (from, to),
                    false => (to, from),
                };
                above[low].push(high);
            }
            missing.retain(|&m| parents[m].is_none());
        }
    }

    /// The links of a shortest path from the tree to any of `goals`, starting at the tree.
    fn path_to_any(
        &self,
        root: SwitchId,
        mlid: u16,
        parents: &Parents,
        above: &TiSlice<SwitchId, Vec<SwitchId>>,
        goals: &[SwitchId],
    ) -> Option<Vec<Edge>> {
        let in_tree = |s: SwitchId| s == root || parents[s].is_some();
        let mut came: Came = vec![[None; 2]; parents.len()].into();
        let mut queue: VecDeque<State> = VecDeque::new();
        queue.extend(parents.keys().filter(|&s| in_tree(s)).map(|s| (s, false)));
        while let Some((s, up)) = queue.pop_front() {
            for (port, next, remote_port) in self.neighbours(s, mlid) {
                let goes_up = self.ranking.is_up(s, next);
                let turns =
                    |&a: &SwitchId| (self.may_turn)(a, s, next) && (self.may_turn)(next, s, a);
                let may = !goes_up
                    || match came[s][usize::from(up)] {
                        None => above[s].iter().all(turns),
                        Some(((from, _), _)) if !up => turns(&from),
                        Some(_) => true,
                    };
                let known = &mut came[next][usize::from(goes_up)];
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
fn path(came: &Came, mut state: State) -> Vec<Edge> {
    let mut links = Vec::new();
    while let Some((before, link)) = came[state.0][usize::from(state.1)] {
        links.push(link);
        state = before;
    }
    links.reverse();
    links
}
