//! The path down mirrors the path up.
//!
//! In a PGFT one group of a switch leads down to a leaf. Where several do, `faults=stable` takes the one on
//! the path that the leaf itself would take upward for this number: the leaf chooses among its groups by
//! ⌊t/Π⌋, then the switch above it, and so on up to the switch in question. A number at that switch has come
//! up by the same choices elsewhere, so the routes down are as even as those up.

use super::inputs::Inputs;
use super::port_choice::digit;
use crate::dmodc::tree::Group;

/// The groups of one switch that lead down to one leaf.
pub struct Mirror<'m> {
    inputs: &'m Inputs,
    switch: u32,
    leaf: u32,
    hops: u8,
    /// By switch on a path down, as found: which of its groups up are on such a path.
    allowed: Vec<(u32, Vec<usize>)>,
}

impl<'m> Mirror<'m> {
    /// The paths down from one switch to another, which it reaches going down only.
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
        let Inputs {
            nominal,
            path_dividers,
            ..
        } = self.inputs;
        let groups = &nominal.groups;
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

    /// Which groups up of a switch are on a path of this many further hops.
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
