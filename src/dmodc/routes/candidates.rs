//! Equation (1) for one switch and all columns at once: compares whole cost rows, sixteen or more columns at
//! a time; a candidate is a bit.

use super::port_choice::GroupSet;
use super::switch_view::SwitchView;
use crate::dmodc::paths::HOPS;
use crate::lft::NO_PATH;

/// The candidates above one switch for all columns, as if nothing were below it. Reused from switch to switch
/// for its buffers.
#[derive(Default)]
pub struct CandidatesUp {
    /// For every eight groups that lead up, one byte per column: a bit for each that is a candidate.
    planes: Vec<u8>,
    width: usize,
    /// Not 0 where a column has other candidates than the column before.
    differs: Vec<u8>,
    /// Not 0 where not all groups are candidates.
    unusual: Vec<u8>,
    /// The ports of the groups, if each has one port.
    ports: Vec<u8>,
}

impl CandidatesUp {
    /// Finds the candidates above the switch of a view.
    pub fn find(&mut self, view: &SwitchView) {
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
        self.ports.clear();
        if view.up.iter().all(|g| g.size() == 1) {
            let ports = view.up.iter().map(|g| view.groups.ports(g)[0]);
            self.ports.extend(ports);
        }
    }

    /// The ports of the groups that lead up, if each has one port; else empty.
    pub fn ports(&self) -> &[u8] {
        &self.ports
    }

    /// Whether a column has other candidates than the column before.
    pub fn differs(&self, column: usize) -> bool {
        self.differs[column] != 0
    }

    /// Whether all groups that lead up are candidates for a column, as for most columns.
    pub fn is_usual(&self, column: usize) -> bool {
        self.unusual[column] == 0
    }

    /// The candidates for a column.
    pub fn of(&self, column: usize) -> GroupSet {
        let mut set = GroupSet::default();
        for (i, plane) in self.planes.chunks(self.width).enumerate() {
            set.bits[i / 8] |= u64::from(plane[column]) << (8 * (i % 8));
        }
        set
    }

    /// The port to a column with a single candidate of one port; [`NO_PATH`] without a candidate.
    pub fn only_port(&self, column: usize) -> Option<u8> {
        if self.planes.is_empty() {
            return Some(NO_PATH);
        }
        let mut found = None;
        let ports = self.ports.chunks(8);
        for (ports, plane) in ports.zip(self.planes.chunks_exact(self.width)) {
            match plane[column] {
                0 => {}
                one if one.is_power_of_two() && found.is_none() => {
                    found = Some(ports[one.trailing_zeros() as usize]);
                }
                _ => return None,
            }
        }
        (!self.ports.is_empty()).then_some(found.unwrap_or(NO_PATH))
    }
}

/// The candidates below one switch, for the columns below it.
#[derive(Default)]
pub struct CandidatesDown {
    /// By column: the number of candidates, and the position of the last one.
    nearer: Vec<(u8, u8)>,
}

impl CandidatesDown {
    /// Finds the candidates below the switch of a view.
    pub fn find(&mut self, view: &SwitchView) {
        let costs = view.all;
        self.nearer.resize(view.costs.len(), (0, 0));
        for &column in costs.columns_below(view.switch) {
            self.nearer[column as usize] = (0, 0);
        }
        for (i, group) in (0u8..).zip(view.down) {
            let own = costs.column(group.remote);
            if view.costs[own] == 1 {
                self.nearer[own] = (self.nearer[own].0 + 1, i);
            }
            let row = view.behind(group);
            for column in costs.columns_below(group.remote) {
                let column = *column as usize;
                if row[column] + 1 == view.costs[column] {
                    self.nearer[column] = (self.nearer[column].0 + 1, i);
                }
            }
        }
    }

    /// The candidates for a column below the switch, as [`SwitchView::candidates`].
    pub fn of(&self, view: &SwitchView, column: usize) -> GroupSet {
        match self.nearer[column] {
            (1, only) => {
                let mut set = GroupSet {
                    down: true,
                    ..GroupSet::default()
                };
                set.put(usize::from(only), true);
                set
            }
            _ => view.candidates(column),
        }
    }

    /// The port to a column below the switch with a single candidate of one port.
    pub fn only_port(&self, view: &SwitchView, column: usize) -> Option<u8> {
        let (1, only) = self.nearer[column] else {
            return None;
        };
        let group = &view.down[usize::from(only)];
        (group.size() == 1).then(|| view.groups.ports(group)[0])
    }
}
