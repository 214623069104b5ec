//! Paths: the cost of the up-down path from every switch to every other, over one set of links.

mod cost;

use super::ids::{Column, SwitchId};
use super::threads::Threads;
use super::tree::{Group, Groups, Links, Ranking};

use cost::columns;
pub use cost::{Costs, HOPS, INFINITE, UP};

/// Port groups of one set of links, and their costs.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The port groups.
    pub groups: Groups,
    /// The costs.
    pub costs: Costs,
}

impl Paths {
    /// Computes the paths over port groups.
    pub fn new(groups: Groups, ranking: &Ranking, threads: &Threads) -> Self {
        let leaves = Column::from(ranking.leaves().count());
        let costs = Costs::new(columns(ranking, &groups), leaves, &groups, threads);
        Paths { groups, costs }
    }

    /// The paths over those links that are there, of the same switches, with the same columns.
    pub fn over(
        &self,
        links: &Links,
        is_there: impl Fn(SwitchId, u8) -> bool,
        ranking: &Ranking,
        threads: &Threads,
    ) -> Self {
        let links = links.filtered(|s, _, port| is_there(s, port));
        let groups = Groups::new(&links, ranking, threads);
        let columns = self.costs.columns().to_owned();
        let costs = Costs::new(columns, self.costs.leaves(), &groups, threads);
        Paths { groups, costs }
    }

    /// The candidates C of equation (1), in ascending UUID: the groups of a switch that lead nearer to another. A switch
    /// that reaches it going down only goes down; any other goes up.
    pub fn candidates(&self, from: SwitchId, to: SwitchId) -> impl Iterator<Item = &Group> + Clone {
        let costs = &self.costs;
        let column = costs.column(to);
        let own = costs.row(from)[column];
        let goes_up = own & UP != 0;
        let all = match goes_up {
            true => self.groups.up(from),
            false => self.groups.down(from),
        };
        all.iter().filter(move |group| {
            let cost = costs.row(group.remote)[column];
            let is_way = goes_up || cost & UP == 0;
            // No cost at the other end is the greatest number of hops: one more is no switch's own.
            own != INFINITE && is_way && (cost & HOPS) + 1 == own & HOPS
        })
    }
}
