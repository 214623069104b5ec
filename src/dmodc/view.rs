//! What one switch sees of the costs: which of its groups lead nearer to a destination (paper,
//! equation (1), under the up-down guarantee of module `cost`).

use super::cost::{Above, Costs, HOPS, UP};
use super::groups::{Group, Groups};
use super::sharing::Part;

/// What one switch sees of the costs.
pub struct View<'r> {
    groups: &'r Groups,
    all: &'r Costs,
    switch: u32,
    part: Part,
    costs: &'r [u8],
    above: &'r Above,
}

impl<'r> View<'r> {
    /// The view of a switch, for as much of its row as is to be computed.
    pub fn new(groups: &'r Groups, all: &'r Costs, switch: u32, part: Part) -> Self {
        View {
            groups,
            all,
            switch,
            part,
            costs: all.row(switch),
            above: all.above(groups.up_class(switch)),
        }
    }

    fn goes_down(&self, column: usize) -> bool {
        self.part == Part::Whole && self.costs[column] & UP == 0 && self.costs[column] != 0
    }

    /// Whether two columns surely have the same candidates.
    pub fn alike(&self, last: usize, column: usize, down: &[(u8, u8)]) -> bool {
        match (self.goes_down(last), self.goes_down(column)) {
            (true, true) => down[column].0 == 1 && down[last] == down[column],
            (false, false) => {
                last == column || (last + 1 == column && self.above.same[column] != 0)
            }
            _ => false,
        }
    }

    /// The candidate groups C of equation (1) for a column: below where one leads there going down
    /// only, else above, where that is nearer; in ascending UUID. `down` is what [`View::find_ways_down`] found, or empty.
    pub fn candidates(&self, column: usize, down: &[(u8, u8)]) -> impl Iterator<Item = Group> + 'r {
        let (groups, costs) = (self.groups, self.all);
        let (cost, least) = (self.costs[column], self.above.least[column]);
        let goes_down = self.goes_down(column);
        let groups = match (goes_down, down.get(column)) {
            (true, Some(&(1, only))) => &groups.down(self.switch)[usize::from(only)..][..1],
            (true, _) => groups.down(self.switch),
            (false, _) if least == HOPS => &[],
            (false, _) => groups.up(self.switch),
        };
        let nearer = move |g: &&Group| match (goes_down, costs.row(g.remote)[column]) {
            (true, byte) => byte == cost - 1,
            (false, byte) => byte & HOPS == least,
        };
        groups.iter().filter(nearer).copied()
    }

    /// For every column below the switch, how many groups lead there and which is the last.
    pub fn find_ways_down(&self, down: &mut [(u8, u8)]) {
        let (groups, costs) = (self.groups, self.all);
        for &column in costs.columns_below(self.switch) {
            down[column as usize] = (0, 0);
        }
        for (i, group) in (0u8..).zip(groups.down(self.switch)) {
            let row = costs.row(group.remote);
            let own = costs.column(group.remote);
            for column in costs
                .columns_below(group.remote)
                .iter()
                .map(|&c| c as usize)
                .chain([own])
            {
                if row[column] + 1 == self.costs[column] {
                    down[column] = (down[column].0 + 1, i);
                }
            }
        }
    }
}
