//! What one switch sees of the costs: which of its groups lead nearer to a destination (paper,
//! equation (1), under the up-down guarantee of module `cost`).

use super::choice::GroupSet;
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
    /// The cost rows behind the groups that lead down, and behind those that lead up.
    down: Vec<&'r [u8]>,
    up: Vec<&'r [u8]>,
}

impl<'r> View<'r> {
    /// The view of a switch, for as much of its row as is to be computed.
    pub fn new(groups: &'r Groups, all: &'r Costs, switch: u32, part: Part) -> Self {
        let rows = |list: &[Group]| list.iter().map(|g| all.row(g.remote)).collect();
        View {
            groups,
            all,
            switch,
            part,
            costs: all.row(switch),
            above: all.above(groups.up_class(switch)),
            down: rows(groups.down(switch)),
            up: rows(groups.up(switch)),
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
    /// only, else above, where that is nearer. `down` is what [`View::find_ways_down`] found, or
    /// empty.
    pub fn candidates(&self, column: usize, down: &[(u8, u8)]) -> GroupSet {
        let mut set = GroupSet {
            down: self.goes_down(column),
            ..GroupSet::default()
        };
        let (cost, least) = (self.costs[column], self.above.least[column]);
        match (set.down, down.get(column)) {
            (true, Some(&(1, only))) => set.put(usize::from(only), true),
            (true, _) => {
                for (i, row) in self.down.iter().enumerate() {
                    set.put(i, row[column] == cost - 1);
                }
            }
            (false, _) if least == HOPS => {}
            (false, _) => {
                for (i, row) in self.up.iter().enumerate() {
                    set.put(i, row[column] & HOPS == least);
                }
            }
        }
        set
    }

    /// The groups of a set, in ascending UUID of the remote switch.
    pub fn groups(&self, set: GroupSet) -> impl Iterator<Item = Group> + 'r {
        let all = match set.down {
            true => self.groups.down(self.switch),
            false => self.groups.up(self.switch),
        };
        set.positions().map(|i| all[i])
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
