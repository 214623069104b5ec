//! Equation (1) for one switch and all columns at once: whole cost rows are compared, sixteen or more
//! columns at a time, and a candidate is a bit.

use super::choice::GroupSet;
use super::cost::HOPS;
use super::sharing::Part;
use super::view::View;
use crate::lft::NO_PATH;

/// The candidates of one switch for all columns. Kept from switch to switch for its memory.
#[derive(Default)]
pub struct Survey {
    /// For every eight groups that lead up, one byte a column: a bit for each that is a candidate.
    planes: Vec<u8>,
    width: usize,
    /// Not 0 where a column may have other candidates than the one before.
    differs: Vec<u8>,
    /// Not 0 where not all groups that lead up, and they alone, are candidates.
    unusual: Vec<u8>,
    /// How many groups lead down to a column, and the last of them.
    down: Vec<(u8, u8)>,
    /// The ports of the groups that lead up, if each has but one.
    up_ports: Vec<u8>,
}

impl Survey {
    /// Surveys a part of what the switch of a view sees.
    pub fn take(&mut self, view: &View, part: Part) {
        self.find_ways_up(view);
        if part != Part::Upward {
            self.find_ways_down(view);
            self.mark_ways_down(view);
        }
    }

    fn find_ways_up(&mut self, view: &View) {
        let width = view.least.len();
        self.width = width;
        self.planes.clear();
        self.planes.resize(width * view.up.len().div_ceil(8), 0);
        self.differs.clear();
        self.differs.resize(width, 0);
        self.unusual.clear();
        self.unusual.resize(width, u8::from(view.up.is_empty()));
        for (plane, groups) in self.planes.chunks_mut(width).zip(view.up.chunks(8)) {
            for (i, group) in groups.iter().enumerate() {
                let costs = view.behind(group);
                for ((bits, &cost), &least) in plane.iter_mut().zip(costs).zip(view.least) {
                    *bits |= if cost & HOPS == least { 1 << i } else { 0 };
                }
            }
            let pairs = plane[1..].iter().zip(plane.iter());
            for (differs, (here, before)) in self.differs[1..].iter_mut().zip(pairs) {
                *differs |= here ^ before;
            }
            let all = u8::MAX >> (8 - groups.len());
            for (unusual, here) in self.unusual.iter_mut().zip(plane.iter()) {
                *unusual |= here ^ all;
            }
        }
        self.down.clear();
        self.down.resize(width, (0, 0));
        self.up_ports.clear();
        if view.up.iter().all(|g| g.size() == 1) {
            let ports = view.up.iter().map(|g| view.groups.ports(g)[0]);
            self.up_ports.extend(ports);
        }
    }

    /// The ports of the groups that lead up, if each has but one; else nothing.
    pub fn up_ports(&self) -> &[u8] {
        &self.up_ports
    }

    /// Finds the groups that lead down to the columns below the switch, and no more than that.
    pub fn find_ways_down(&mut self, view: &View) {
        let costs = view.all;
        self.down.resize(view.costs.len(), (0, 0));
        for &column in costs.columns_below(view.switch) {
            self.down[column as usize] = (0, 0);
        }
        for (i, group) in (0u8..).zip(view.down) {
            let own = costs.column(group.remote);
            if view.costs[own] == 1 {
                self.down[own] = (self.down[own].0 + 1, i);
            }
            let row = view.behind(group);
            for column in costs.columns_below(group.remote) {
                let column = *column as usize;
                if row[column] + 1 == view.costs[column] {
                    self.down[column] = (self.down[column].0 + 1, i);
                }
            }
        }
    }

    /// Marks the columns below the switch, whose candidates are others than those further up.
    fn mark_ways_down(&mut self, view: &View) {
        for column in view.all.columns_below(view.switch) {
            let column = *column as usize;
            let before = column.checked_sub(1).map(|before| self.down[before]);
            let differs = self.down[column].0 > 1 || before != Some(self.down[column]);
            self.differs[column] = u8::from(differs);
            if self.down.get(column + 1).is_some_and(|&(n, _)| n == 0) {
                self.differs[column + 1] = 1;
            }
            self.unusual[column] = 1;
        }
    }

    /// Whether a column may have other candidates than the one before it.
    pub fn differs(&self, column: usize) -> bool {
        self.differs[column] != 0
    }

    /// What the candidates for most columns are, if anything leads up: all groups that do.
    pub fn usual(&self, view: &View) -> Option<GroupSet> {
        let mut set = GroupSet::default();
        (0..view.up.len()).for_each(|i| set.put(i, true));
        (!view.up.is_empty()).then_some(set)
    }

    /// Whether the candidates for a column are the usual ones.
    pub fn is_usual(&self, column: usize) -> bool {
        self.unusual[column] == 0
    }

    /// The candidates for a column of the part surveyed: what [`View::candidates`] says.
    pub fn candidates(&self, view: &View, column: usize) -> GroupSet {
        let mut set = GroupSet::default();
        match self.down[column] {
            (0, _) => {
                for (i, plane) in self.planes.chunks(self.width).enumerate() {
                    set.bits[i / 8] |= u64::from(plane[column]) << (8 * (i % 8));
                }
            }
            (1, only) => {
                set.down = true;
                set.put(usize::from(only), true);
            }
            _ => set = view.candidates(column),
        }
        set
    }

    /// The port to a column, where there is but one: one group leads there and no other, and it has
    /// one port. [`NO_PATH`] where nothing leads there.
    pub fn only_port(&self, view: &View, column: usize) -> Option<u8> {
        match self.down[column] {
            (0, _) if view.up.is_empty() => Some(NO_PATH),
            (0, _) => self.only_port_up(column),
            (1, only) => {
                let group = &view.down[usize::from(only)];
                (group.size() == 1).then(|| view.groups.ports(group)[0])
            }
            _ => None,
        }
    }

    fn only_port_up(&self, column: usize) -> Option<u8> {
        let mut found = None;
        let ports = self.up_ports.chunks(8);
        for (ports, plane) in ports.zip(self.planes.chunks_exact(self.width)) {
            match plane[column] {
                0 => {}
                one if one.is_power_of_two() && found.is_none() => {
                    found = Some(ports[one.trailing_zeros() as usize]);
                }
                _ => return None,
            }
        }
        (!self.up_ports.is_empty()).then_some(found.unwrap_or(NO_PATH))
    }
}
