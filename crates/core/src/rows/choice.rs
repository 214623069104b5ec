//! Which port of a class a number takes among the open ones: the nominal port, else the deal, the circle or the ring.
//!
//! Nominal are equations 3 and 4 over expected uplinks: with q = ⌊t/Π⌋ the port is cycle[q mod n], whether it is up or not.
//! So the index in the cycle depends on Π and n alone: it is computed once for all classes with the same two, and a row
//! is one lookup for each LID.

use super::lack::Circle;
use super::open::{Deal, Set, paper_port};
use super::targets::Targets;
use crate::kinds::{Class, Classes, Dividers, HASHED, Uplink};
use crate::spread::hash;
use dmodc_fabric::NO_PATH;
use std::collections::BTreeMap;

/// The most ports that are drawn by hash; then the first open port.
const DRAWS: u64 = 30;

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

/// The choice of one class for one set of open ports.
pub struct Choice<'c> {
    class: &'c Class,
    open: Set,
    count: usize,
    goes_up: bool,
    deal: Option<Deal>,
    /// Of ports of several parents, on the way up.
    circle: Option<Circle<'c>>,
}

impl<'c> Choice<'c> {
    /// The choice for entries that go up; `lack` is what each port lacks.
    pub fn up(class: &'c Class, open: Set, lack: &[f64]) -> Self {
        let choice = Self::down(class, open);
        let is_one = choice.count < 2 || choice.deal.is_some();
        Choice {
            goes_up: true,
            circle: (!is_one).then(|| Circle::new(class, lack, &choice.open)),
            ..choice
        }
    }

    /// The choice for a way down, read backward.
    pub fn down(class: &'c Class, open: Set) -> Self {
        Choice {
            class,
            open,
            count: open.len(),
            goes_up: false,
            deal: (open.len() > 1).then(|| Deal::new(class, &open)).flatten(),
            circle: None,
        }
    }

    /// The uplink for a number; `None` if no port is open.
    pub fn uplink(&self, number: u32) -> Option<&'c Uplink> {
        let nominal = nominal(self.class, number);
        let port = match nominal.filter(|&i| self.open.has(i)) {
            Some(i) => Some(i),
            None => self.displaced(number),
        };
        port.map(|i| &self.class.ports[i])
    }

    /// The index of the port for a number whose nominal port is not open.
    pub fn displaced(&self, number: u32) -> Option<usize> {
        if self.count < 2 {
            return self.open.iter().next();
        }
        let Dividers { below, here, .. } = self.class.dividers;
        if let Some(deal) = &self.deal {
            let q = number / below;
            if !self.goes_up
                && let Some(at) = paper_port(self.class, &self.open, q)
            {
                return Some(at);
            }
            let (at, before) = deal.place(q);
            let port = |at: usize| usize::from(deal.ports[at]);
            let is_open = |at: usize| self.open.has(port(at));
            return match is_open(at) {
                true => Some(port(at)),
                false => next_on_ring(deal.ports.len(), is_open, at, before).map(port),
            };
        }
        let at = nominal(self.class, number).unwrap_or(0);
        let cycle = number / here;
        match &self.circle {
            Some(circle) if number < HASHED => Some(circle.port(at, cycle, number % below)),
            _ => {
                let is_open = |i: usize| self.open.has(i);
                next_on_ring(self.class.ports.len(), is_open, at, cycle)
            }
        }
    }
}

/// The next open port of a dealt or hashed number, or of a way down, of `n` with at least one open; the ports form a ring. The
/// second port is counted on from the first one by the cycle, further ones are drawn by hash, until one is open. So what is
/// open elsewhere does not matter: a port that goes or comes moves only what draws it.
fn next_on_ring(
    n: usize,
    is_open: impl Fn(usize) -> bool,
    nominal: usize,
    cycle: u32,
) -> Option<usize> {
    let second = (nominal + 1 + cycle as usize % (n - 1).max(1)) % n;
    let drawn = (1..=DRAWS).map(|nth| {
        (hash(u64::from(cycle) << 16 | (nominal as u64) << 8 | nth) % n as u64) as usize
    });
    let mut all = std::iter::once(second).chain(drawn);
    all.find(|&i| is_open(i))
        .or_else(|| (0..n).find(|&i| is_open(i)))
}

#[cfg(test)]
mod tests {
    use super::super::open::tests::class;
    use super::*;

    /// With a list of the open ports instead, a port that goes would move entries of all others.
    #[test]
    fn a_port_that_goes_moves_only_what_drew_it() {
        let mut counts = [0; 12];
        for cycle in 0..1200 {
            let port = next_on_ring(12, |i| i > 1, 1, cycle).expect("open ports");
            counts[port] += 1;
            let then = next_on_ring(12, |i| i > 2, 1, cycle).expect("open ports");
            assert!(then == port || port == 2);
        }
        assert_eq!(counts[..2], [0, 0]);
        assert!(
            counts[2..].iter().all(|count| (90..150).contains(count)),
            "{counts:?}"
        );
        assert_eq!(next_on_ring(3, |i| i == 2, 0, 5), Some(2));
    }

    /// On the circle all five would meet at one port: those of one leaf are in one cycle of the class.
    #[test]
    fn numbers_that_a_dark_port_was_dealt_go_to_the_others_in_turn() {
        let mut class = class(&[3, 3, 3, 3]);
        (class.dividers.below, class.dividers.here) = (1, 12);
        let choice = Choice::up(&class, Set::new(3, |i| i > 0), &[1.0; 12]);
        let mut counts = [0; 3];
        for number in (0..12).filter(|&t| nominal(&class, t).is_some_and(|i| i > 2)) {
            counts[choice.displaced(number).expect("open ports")] += 1;
        }
        assert_eq!(counts, [0, 5, 4]);
        // So do the dark port's own.
        let own = (0..4).map(|cycle| choice.displaced(12 * cycle));
        assert_eq!(own.collect::<Vec<_>>(), [1, 2, 1, 2].map(Some));
    }
}
