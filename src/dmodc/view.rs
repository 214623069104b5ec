//! What one switch sees of the costs: which of its groups lead nearer to a destination (paper,
//! equation (1), under the up-down guarantee of module `cost`).

use super::choice::GroupSet;
use super::cost::{Costs, HOPS, UP};
use super::groups::{Group, Groups};

/// What one switch sees of the costs.
pub struct View<'r> {
    pub(super) groups: &'r Groups,
    pub(super) all: &'r Costs,
    pub(super) switch: u32,
    /// The switch's own costs, by column.
    pub(super) costs: &'r [u8],
    /// The least cost above, by column.
    pub(super) least: &'r [u8],
    /// The cost rows behind the groups that lead down, and behind those that lead up.
    pub(super) down: Vec<&'r [u8]>,
    pub(super) up: Vec<&'r [u8]>,
}

impl<'r> View<'r> {
    /// The view of a switch.
    pub fn new(groups: &'r Groups, all: &'r Costs, switch: u32) -> Self {
        let rows = |list: &[Group]| list.iter().map(|g| all.row(g.remote)).collect();
        View {
            groups,
            all,
            switch,
            costs: all.row(switch),
            least: all.least_above(groups.up_class(switch)),
            down: rows(groups.down(switch)),
            up: rows(groups.up(switch)),
        }
    }

    /// The candidate groups C of equation (1) for a column: below where one leads there going down
    /// only, else above, where that is nearer.
    pub fn candidates(&self, column: usize) -> GroupSet {
        let cost = self.costs[column];
        let down = cost & UP == 0 && cost != 0;
        let mut set = GroupSet {
            down,
            ..GroupSet::default()
        };
        if down {
            for (i, row) in self.down.iter().enumerate() {
                set.put(i, row[column] == cost - 1);
            }
        } else {
            for (i, row) in self.up.iter().enumerate() {
                set.put(i, row[column] & HOPS == self.least[column]);
            }
        }
        set
    }

    /// The groups of a set, in ascending UUID of the remote switch.
    pub fn groups(&self, set: GroupSet) -> Vec<Group> {
        let all = match set.down {
            true => self.groups.down(self.switch),
            false => self.groups.up(self.switch),
        };
        let mut groups = Vec::new();
        set.for_each(|i| groups.push(all[i]));
        groups
    }
}
