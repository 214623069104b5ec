//! The nominal port of a number: equations 3 and 4 over expected uplinks.
//!
//! With q = ⌊t/Π⌋ the port is cycle[q mod n], whether it is up or not. So the index in the cycle depends on Π and n
//! alone: it is computed once for all classes with the same two, and a row is one lookup for each LID.

use super::targets::Targets;
use crate::kinds::{Class, Classes};
use dmodc_fabric::NO_PATH;
use std::collections::BTreeMap;

/// The index, in the ports of a class, of the nominal port of a number; `None` without uplinks.
#[inline]
pub fn nominal(class: &Class, number: u32) -> Option<usize> {
    let n = class.cycle.len();
    (n > 0).then(|| usize::from(class.cycle[(number / class.dividers.below % n as u32) as usize]))
}

/// By Π and n: for each LID the index in the cycle; [`NO_PATH`] for a LID of nobody.
pub struct Cycles(BTreeMap<(u32, usize), Vec<u8>>);

impl Cycles {
    /// Computes the indices for all classes.
    pub fn new(targets: &Targets, classes: &Classes) -> Self {
        let mut cycles = BTreeMap::new();
        for class in classes
            .classes
            .iter()
            .filter(|class| !class.cycle.is_empty())
        {
            let (below, n) = (class.dividers.below, class.cycle.len());
            cycles.entry((below, n)).or_insert_with(|| {
                let index = |number: &Option<u32>| match number {
                    Some(number) => ((number / below) % n as u32) as u8,
                    None => NO_PATH,
                };
                targets.numbers().iter().map(index).collect()
            });
        }
        Cycles(cycles)
    }

    /// By LID, up to a greatest one: the nominal port.
    pub fn row(&self, class: &Class, width: usize) -> Vec<u8> {
        let Some(indices) = self.0.get(&(class.dividers.below, class.cycle.len())) else {
            return vec![NO_PATH; width];
        };
        let mut ports = [NO_PATH; 256];
        for (port, &index) in ports.iter_mut().zip(&class.cycle) {
            *port = class.ports[usize::from(index)].port;
        }
        let port = |&index: &u8| ports[usize::from(index)];
        indices.iter().map(port).collect()
    }
}
