//! The ways that turn, and who is left out.

use super::need::{Needs, pairs};
use super::turns::Turns;
use super::{attempt, hubs};
use crate::dmodc::paths::{HOPS, INFINITE, Paths};
use crate::fabric::{EndPairs, Fabric};

/// What becomes of pairs without an up-down path.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    /// Pairs of switch and LID that have a way by a turn.
    pub turned: usize,
    /// Pairs of switch and LID that have none. Switches without end nodes do not count among one
    /// another, unless `connect_roots` asks for them.
    pub left_out: usize,
    /// The pairs of switches that make up `left_out`, as (from, to), the greatest need first.
    pub left: Vec<(u32, u32)>,
    /// Whether the search was ended since it took long: more pairs might have a way.
    pub cut_short: bool,
    /// The turns taken, and the switches at which it was begun to turn.
    turns: Option<Turns>,
    hubs: Vec<u32>,
}

impl Connections {
    /// Turns for multicast, beside those taken: all at the same switches and those above them, or
    /// at a leaf that reaches most others, that close no circle.
    pub fn more_turns(&self, paths: &Paths) -> Turns {
        let costs = &paths.costs;
        let mut turns = match &self.turns {
            Some(turns) => turns.clone(),
            None => Turns::new(costs.switches()),
        };
        let mut hubs = self.hubs.clone();
        if hubs.is_empty() {
            let unreached = |s: u32| {
                let to_leaves = costs.row(s)[..costs.leaves()].iter();
                to_leaves.filter(|&&byte| byte == INFINITE).count()
            };
            let lie_below_two =
                (0..costs.switches() as u32).filter(|&s| paths.groups.up(s).len() > 1);
            hubs.extend(lie_below_two.min_by_key(|&s| (unreached(s), costs.column(s))));
        }
        turns.take_all_at(paths, &hubs::cones(paths, &hubs));
        turns
    }

    /// Who is left out.
    pub fn left_out_ends(&self, fabric: &Fabric) -> EndPairs {
        let mut pairs = EndPairs::default();
        for &(from, to) in &self.left {
            pairs.add_all(fabric, from, to);
        }
        pairs
    }
}

/// The ways that turn: per switch (switch to be reached, next switch), ascending. Empty if nobody
/// turns.
pub type Steps = Vec<Vec<(u32, u32)>>;

impl Connections {
    /// Finds ways, if pairs are to be connected. `lids` says how many LIDs are behind a switch, its own
    /// included.
    pub fn find(
        needs: &Needs,
        paths: &Paths,
        connect: bool,
        lids: impl Fn(u32) -> usize,
    ) -> (Self, Steps) {
        let mut found = Connections::default();
        let mut steps = Steps::new();
        let mut left = &needs.of_kind;
        let attempt;
        if connect && !needs.is_empty() && go_both_ways(paths) {
            attempt = attempt::best(paths, needs);
            steps = vec![Vec::new(); attempt.steps.len()];
            for (to, taken) in (0..).zip(&attempt.steps) {
                found.turned += taken.len() * lids(to);
                for step in taken {
                    steps[step.at as usize].push((to, step.next));
                }
            }
            found.cut_short = attempt.cut_short;
            left = &attempt.left;
            found.turns = Some(attempt.turns.clone());
            found.hubs = attempt.hubs.clone();
        }
        let left = left.iter().flat_map(|kind| pairs(&paths.costs, kind));
        let left = left.chain(needs.apart.iter().copied());
        found.left = left.filter(|&pair| needs.has(pair)).collect();
        found.left_out = found.left.iter().map(|&(_, to)| lids(to)).sum();
        (found, steps)
    }
}

/// Whether who has a path has one back: no up-down path is too long for a cost. Nobody turns in a fabric
/// of more layers than directed routes have hops.
fn go_both_ways(paths: &Paths) -> bool {
    let layers = paths.groups.layer_starts().len().saturating_sub(1);
    2 * layers.saturating_sub(1) < usize::from(HOPS)
}
