//! The path down mirrors the path up.
//!
//! In a PGFT one group of a switch leads down to a leaf. Where several do, `faults=stable` takes the group on the path
//! that the leaf itself would take upward for the same number: the leaf chooses among its groups by ⌊t/Π⌋, then the
//! switch above it chooses, and so on up to the switch in question. Packets for that number came up to this switch by
//! the same choices elsewhere, so the routes down are as even as the routes up.

use super::inputs::Inputs;
use super::port_choice::digit;
use crate::dmodc::paths::Paths;
use crate::dmodc::tree::Group;

/// The choice among the groups of one switch that lead down to one leaf. Each choice walks up from the leaf.
pub struct Mirror<'m> {
    inputs: &'m Inputs,
    switch: u32,
    leaf: u32,
    hops: u8,
    /// By switch on a path down, filled as needed: the positions of its groups up that are on such a path.
    allowed: Vec<(u32, Vec<usize>)>,
}

impl<'m> Mirror<'m> {
    /// The choice among the paths down from a switch to a leaf, which it reaches going down only.
    pub fn new(inputs: &'m Inputs, switch: u32, leaf: u32) -> Self {
        let hops = inputs.nominal.costs.hops_down(switch, leaf);
        Mirror {
            inputs,
            switch,
            leaf,
            hops: hops.unwrap_or_default(),
            allowed: Vec::new(),
        }
    }

    /// The port of the switch for the `offset`th LID of a number.
    pub fn port(&mut self, number: usize, offset: usize) -> u8 {
        let Paths {
            groups,
            path_dividers,
            ..
        } = &*self.inputs.nominal;
        let mut at = self.leaf;
        for further in (0..self.hops).rev() {
            let up = groups.up(at);
            let q = number / self.inputs.divider(at);
            let q = q + digit(offset, path_dividers[at as usize] as usize, up.len());
            let allowed = self.allowed(at, further);
            let whole = q % up.len();
            let nth = match allowed.binary_search(&whole) {
                Ok(_) => whole,
                Err(_) => allowed[q % allowed.len()],
            };
            if further == 0 {
                break;
            }
            at = up[nth].remote;
        }
        let group = groups.down(self.switch).iter().find(|g| g.remote == at);
        let ports = group.map_or(&[][..], |group| groups.ports(group));
        let q = number / self.inputs.divider(self.switch);
        let rotation = digit(
            offset,
            path_dividers[self.switch as usize] as usize,
            ports.len(),
        );
        ports[(q + rotation) % ports.len()]
    }

    /// The positions of the groups up of switch `at` that lead to a switch `further` hops below this one.
    fn allowed(&mut self, at: u32, further: u8) -> &[usize] {
        let known = self.allowed.iter().position(|&(of, _)| of == at);
        let known = known.unwrap_or_else(|| {
            let nominal = &self.inputs.nominal;
            let is_allowed =
                |g: &Group| nominal.costs.hops_down(self.switch, g.remote) == Some(further);
            let up = (0..).zip(nominal.groups.up(at));
            let up = up.filter(|&(_, g)| is_allowed(g)).map(|(i, _)| i);
            self.allowed.push((at, up.collect()));
            self.allowed.len() - 1
        });
        &self.allowed[known].1
    }
}
