//! Which port of a class a number takes among the open ones: the nominal port, else the deal, the circle or the ring.

use super::lack::Circle;
use super::nominal::nominal;
use super::open::{Deal, Set, paper_port};
use super::ring;
use crate::kinds::{Class, Dividers, HASHED, Uplink};

/// The choice of one class for one set of open ports.
pub struct Choice<'c> {
    class: &'c Class,
    open: Set,
    count: usize,
    deal: Option<Deal>,
    /// `None` on the way down.
    circle: Option<Circle<'c>>,
}

impl<'c> Choice<'c> {
    /// The choice for entries that go up; `lack` is what each port lacks.
    pub fn up(class: &'c Class, open: Set, lack: &[f64]) -> Self {
        let circle = (open.len() > 1).then(|| Circle::new(class, lack, &open));
        Choice {
            circle,
            ..Self::down(class, open)
        }
    }

    /// The choice for a way down, read backward.
    pub fn down(class: &'c Class, open: Set) -> Self {
        Choice {
            class,
            open,
            count: open.len(),
            deal: if open.len() > 1 {
                Deal::new(class, &open)
            } else {
                None
            },
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
        let mut at = nominal(self.class, number).unwrap_or(0);
        if let Some(deal) = &self.deal {
            let q = number / self.class.dividers.below;
            let paper = || paper_port(self.class, &self.open, q);
            if let Some(at) = if self.circle.is_none() { paper() } else { None } {
                return Some(at);
            }
            at = deal.port(q);
            if self.open.has(at) {
                return Some(at);
            }
        }
        let Dividers { below, here, .. } = self.class.dividers;
        let cycle = number / here;
        match &self.circle {
            Some(circle) if number < HASHED => Some(circle.port(at, cycle, number % below)),
            _ => ring::next(self.class.ports.len(), &self.open, at, cycle),
        }
    }
}
