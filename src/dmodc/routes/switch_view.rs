//! One switch's view of the costs: which of its groups lead nearer to a destination (paper, equation (1),
//! under the up-down guarantee of module `cost`).

use super::port_choice::GroupSet;
use crate::dmodc::paths::{Costs, HOPS, Paths, UP};
use crate::dmodc::tree::{Group, Groups};

/// One switch's view of the costs.
pub struct SwitchView<'r> {
    pub groups: &'r Groups,
    pub all: &'r Costs,
    pub(super) switch: u32,
    /// The switch's own costs, by column.
    pub(super) costs: &'r [u8],
    /// The least cost above, by column.
    pub(super) least: &'r [u8],
    /// The groups that lead down, and those that lead up.
    pub(super) down: &'r [Group],
    pub(super) up: &'r [Group],
}

impl<'r> SwitchView<'r> {
    /// The view of a switch.
    pub fn new(paths: &'r Paths, switch: u32) -> Self {
        let Paths {
            groups, costs: all, ..
        } = paths;
        SwitchView {
            groups,
            all,
            switch,
            costs: all.row(switch),
            least: all.least_above(groups.up_class(switch)),
            down: groups.down(switch),
            up: groups.up(switch),
        }
    }

    /// The costs of the switch behind a group, by column.
    pub fn behind(&self, group: &Group) -> &'r [u8] {
        self.all.row(group.remote)
    }

    /// The candidate groups C of equation (1) for a column: groups below if the switch reaches it going down
    /// only, else the nearer groups above.
    pub fn candidates(&self, column: usize) -> GroupSet {
        let cost = self.costs[column];
        let down = cost & UP == 0 && cost != 0;
        let mut set = GroupSet {
            down,
            ..GroupSet::default()
        };
        if down {
            for (i, group) in self.down.iter().enumerate() {
                set.put(i, self.behind(group)[column] == cost - 1);
            }
        } else {
            for (i, group) in self.up.iter().enumerate() {
                set.put(i, self.behind(group)[column] & HOPS == self.least[column]);
            }
        }
        set
    }

    /// The groups of a set, in their order.
    pub fn groups(&self, set: GroupSet) -> impl Iterator<Item = &'r Group> + Clone + use<'r> {
        let all = if set.down { self.down } else { self.up };
        set.positions().map(|i| &all[i])
    }
}
