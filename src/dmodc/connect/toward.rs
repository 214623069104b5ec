//! By which neighbour a switch goes to a gate, whatever the switch to be reached.

use crate::dmodc::paths::Paths;
use crate::dmodc::routes::SwitchView;

const NONE: u32 = u32::MAX;

/// The neighbours asked for so far.
pub struct Toward<'s> {
    paths: &'s Paths,
    /// Per switch that was a gate: its place in `next`, or [`NONE`].
    place: Vec<u32>,
    /// Per gate and switch: twice the neighbour, one more if it is above; [`NONE`] as long as nobody has
    /// asked.
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

    /// The neighbour by which a switch goes to a gate that it has an up-down path to, and whether that
    /// one is above.
    pub fn next(&mut self, at: u32, gate: u32) -> (u32, bool) {
        let place = &mut self.place[gate as usize];
        if *place == NONE {
            *place = self.next.len() as u32;
            self.next.push(vec![NONE; self.paths.costs.switches()]);
        }
        let place = *place as usize;
        let mut next = self.next[place][at as usize];
        if next == NONE {
            let all = self.all(at, gate);
            let turn = (at as usize + gate as usize) % all.len().max(1);
            let (neighbour, up) = all.get(turn).copied().unwrap_or((gate, false));
            next = 2 * neighbour + u32::from(up);
            self.next[place][at as usize] = next;
        }
        (next / 2, next % 2 == 1)
    }

    /// All by which it may.
    pub fn all(&self, at: u32, gate: u32) -> Vec<(u32, bool)> {
        let view = SwitchView::new(self.paths, at);
        let set = view.candidates(self.paths.costs.column(gate));
        let groups = view.groups(set);
        groups.map(|group| (group.remote, !set.down)).collect()
    }
}
