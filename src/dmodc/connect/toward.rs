//! By which neighbour a switch goes to a gate, whatever the switch to be reached.

use crate::dmodc::paths::Paths;
use crate::dmodc::routes::SwitchView;
use crate::dmodc::tree::Group;

const NONE: u32 = u32::MAX;

/// The neighbours asked for so far.
pub struct Toward<'s> {
    paths: &'s Paths,
    /// Per switch that was a gate: its place in `next`, or [`NONE`].
    place: Vec<u32>,
    /// Per gate and switch: the neighbour, or [`NONE`] as long as nobody has asked.
    next: Vec<Vec<u32>>,
}

impl<'s> Toward<'s> {
    /// Nothing is known.
    pub fn new(paths: &'s Paths) -> Self {
        Toward {
            paths,
            place: vec![NONE; paths.costs.switches()],
            next: Vec::new(),
        }
    }

    /// The neighbour by which a switch goes to a gate that it has an up-down path to.
    pub fn next(&mut self, at: u32, gate: u32) -> u32 {
        let place = &mut self.place[gate as usize];
        if *place == NONE {
            *place = self.next.len() as u32;
            self.next.push(vec![NONE; self.paths.costs.switches()]);
        }
        let (place, switch) = (*place as usize, at as usize);
        if self.next[place][switch] == NONE {
            let groups = self.all(at, gate);
            let chosen = groups.get((switch + gate as usize) % groups.len().max(1));
            self.next[place][switch] = chosen.map_or(gate, |group| group.remote);
        }
        self.next[place][switch]
    }

    /// All groups by which it may.
    pub fn all(&self, at: u32, gate: u32) -> Vec<Group> {
        let view = SwitchView::new(self.paths, at);
        view.groups(view.candidates(self.paths.costs.column(gate)))
    }
}
