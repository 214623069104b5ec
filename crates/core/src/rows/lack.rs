//! Displaced entries that go up: a circle of the open ports, each as wide as what it lacks.
//!
//! A port should have entries in proportion to the up paths behind it, as the fabric is. It *keeps* those columns of
//! leaves in which it is open; columns count, not hosts, so hosts that come and go move nothing. What is missing from its
//! target it *lacks*. Since an entry moves only to the open ports of its own column, two rounds correct the lacks by what
//! would come to each port. The circle is hit at φ · (index of the nominal port) + √2 · ⌊t/here⌋ + √7 · (t mod Π), steps
//! that fall evenly on every arc. The last counts where other planes' numbers come, too, since two pods have few planes in
//! common: the mean SP of 8,640 nodes with 20 to 62 switches gone is 0.89 times that without it. Entries of ports that are
//! dark on all switches of the kind, as where a spine is gone, go around it one after the other instead, so that no two of
//! one leaf meet: the mean SP of 648 nodes with 2 to 8 of 18 spines gone is 2.7 with it, 3.4 without.
//!
//! Invariant: a port that lacks nothing has still 1/64 of its target, else one port would draw all. Cost: linear in the
//! distinct sets of open ports of a class.

use super::open::{Set, is_one};
use crate::kinds::Class;

/// Rounds that correct lacks.
const ROUNDS: usize = 2;
/// Each port has at least this part of its target.
const LEAST: f64 = 1.0 / 64.0;
/// The length of the circle.
const CIRCLE: f64 = 4_294_967_296.0;
/// The circle in equal parts.
const PARTS: usize = 16;
const PART: u64 = (1 << 32) / PARTS as u64;
/// The steps on the circle, in 2⁻³²: φ by nominal port, √2 by cycle, √7 by what is left of the number below.
const STEPS: [u32; 3] = [0x9e37_79b9, 0x6a09_e667, 0xa54f_f53a];

/// What each port that leads up lacks. `weights` are the up paths behind each port. `sets` has each set of open ports,
/// ascending, and the number of leaf columns that have it.
pub fn lacks(class: &Class, weights: &[u32], sets: &[(Set, u32)]) -> Vec<f64> {
    let n = class.cycle.len();
    // Here and in `Circle::new` vectors get their length at once: 9 % of the routes of 27,648 nodes with faults.
    let up = |set: &Set| {
        let mut up: Vec<usize> = Vec::with_capacity(set.len());
        up.extend(set.iter().filter(|&i| i < n));
        up
    };
    let mut kept = vec![0.0; n];
    let mut columns = 0.0;
    let mut several: Vec<(Vec<usize>, f64)> = Vec::new();
    for (set, count) in sets {
        let (open, count) = (up(set), f64::from(*count));
        if open.is_empty() {
            continue;
        }
        columns += count;
        let one = is_one(class, set);
        let each = if one {
            n as f64 / open.len() as f64
        } else {
            1.0
        };
        open.iter().for_each(|&i| kept[i] += count * each);
        if !one {
            several.push((open, count));
        }
    }
    let weight = |i: usize| f64::from(weights[i]);
    let sum: f64 = (0..n).map(weight).sum();
    let each = columns * n as f64 / sum.max(1.0);
    let need = |i: usize| (each * weight(i) - kept[i]).max(0.0) + LEAST * each * weight(i);
    let need: Vec<f64> = (0..n).map(need).collect();
    let mut lack = need.clone();
    for _ in 0..ROUNDS {
        let mut comes = vec![0.0; n];
        for (open, count) in &several {
            let among: f64 = open.iter().map(|&i| lack[i]).sum();
            if among > 0.0 {
                let lost = (n - open.len()) as f64 * count;
                open.iter()
                    .for_each(|&i| comes[i] += lost * lack[i] / among);
            }
        }
        for i in (0..n).filter(|&i| comes[i] > 0.0) {
            lack[i] *= need[i] / comes[i];
        }
    }
    lack
}

/// The circle of some open ports.
pub struct Circle<'c> {
    class: &'c Class,
    /// The ports, and where the part of each ends.
    ends: Vec<(u64, u8)>,
    /// By part of the circle: the first port whose part ends behind its begin.
    first: [u8; PARTS],
}

impl<'c> Circle<'c> {
    /// The circle of at least one open port. Ports without a lack take part only if no port has one.
    pub fn new(class: &'c Class, lack: &[f64], open: &Set) -> Self {
        let wide = |i: usize| lack.get(i).copied().unwrap_or(0.0);
        let all: f64 = open.iter().map(wide).sum();
        let even = all <= 0.0;
        let all = if even { open.len() as f64 } else { all };
        let mut end = 0.0;
        let mut ends = Vec::with_capacity(open.len());
        ends.extend(open.iter().map(|i| {
            end += if even { 1.0 } else { wide(i) };
            ((end / all * CIRCLE) as u64, i as u8)
        }));
        let mut first = [0; PARTS];
        let mut at = 0;
        for (part, first) in (0..).zip(&mut first) {
            while at + 1 < ends.len() && ends[at].0 <= part * PART {
                at += 1;
            }
            *first = at as u8;
        }
        Circle { class, ends, first }
    }

    /// The index of the port for a number t with this nominal port and cycle; `left` is t mod Π. Inlined: 3 % of the routes
    /// of 8,640 nodes with faults.
    #[inline]
    pub fn port(&self, nominal: usize, cycle: u32, left: u32) -> usize {
        let gone = &self.class.gone;
        let at = match gone.binary_search(&(nominal as u8)) {
            Ok(nth) => {
                let nth = (cycle as usize * gone.len() + nth) % self.ends.len();
                ((nth as f64 + 0.5) / self.ends.len() as f64 * CIRCLE) as u64
            }
            Err(_) => {
                let by = [nominal as u32, cycle, left].into_iter().zip(STEPS);
                let at = by.map(|(by, step)| by.wrapping_mul(step));
                at.fold(0, u32::wrapping_add).into()
            }
        };
        // From the first port of this part on: 6 % of the routes of 27,648 nodes with faults.
        let ends = &self.ends[usize::from(self.first[(at / PART) as usize])..];
        let to = ends.iter().find(|&&(end, _)| end > at);
        usize::from(to.or(self.ends.last()).map_or(0, |&(_, port)| port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::open::tests::class;

    /// The entries that each port has at last, if each set of open ports has so many columns.
    fn entries(sets: &[(Set, u32)], weights: &[u32]) -> Vec<f64> {
        let class = class(&vec![1; weights.len()]);
        let lack = lacks(&class, weights, sets);
        let n = weights.len();
        let mut entries = vec![0.0; n];
        for (open, count) in sets {
            let circle = Circle::new(&class, &lack, open);
            for cycle in 0..*count {
                for nominal in 0..n {
                    let port = if open.has(nominal) {
                        nominal
                    } else {
                        circle.port(nominal, cycle, 0)
                    };
                    entries[port] += 1.0;
                }
            }
        }
        entries
    }

    /// With even parts, port 2 would have a third of the displaced entries, though it lost none of its own columns.
    #[test]
    fn entries_move_to_the_ports_that_lost_columns() {
        // Port 0 is dark for all; port 1 is open in half of the columns.
        let sets = [(Set::new(4, |i| i > 1), 300), (Set::new(4, |i| i > 0), 300)];
        let entries = entries(&sets, &[0, 1, 1, 1]);
        let mean = entries.iter().sum::<f64>() / 3.0;
        assert_eq!(entries[0], 0.0);
        assert!(entries[1] > 0.55 * mean, "{entries:?}");
        assert!((entries[2] - entries[3]).abs() < 0.02 * mean, "{entries:?}");
    }

    /// A port behind which half of the ways are gone takes half of what others take.
    #[test]
    fn targets_follow_the_ways_behind_a_port() {
        let sets = [(Set::new(4, |i| i > 0), 1000)];
        let entries = entries(&sets, &[0, 1, 2, 2]);
        assert!(entries[1] < 1.03 * 1000.0, "{entries:?}");
        assert!(entries[2] > 1.4 * 1000.0, "{entries:?}");
    }

    /// Without the least part of 1/64, a port that alone lacks anything would draw all displaced entries.
    #[test]
    fn every_open_port_has_a_part_of_the_circle() {
        let class = class(&[1; 3]);
        let circle = Circle::new(&class, &[0.0, 1.0, 1.0], &Set::new(3, |i| i > 0));
        let hits = (0..1000).map(|cycle| circle.port(0, cycle, 0));
        let first = hits.filter(|&port| port == 1).count();
        assert!((490..=510).contains(&first), "{first}");
        // Nothing is lacking: all are alike.
        let even = Circle::new(&class, &[], &Set::new(3, |_| true));
        assert!((0..3).all(|port| (0..100).any(|cycle| even.port(0, cycle, 0) == port)));
    }

    /// Between pods that have one plane in common, the numbers of all six take the plane's ports: by nominal port and cycle
    /// alone, six in a row would move to one port.
    #[test]
    fn numbers_of_other_planes_part() {
        let class = class(&[1; 15]);
        let open = Set::new(15, |i| i > 1);
        let circle = Circle::new(&class, &[1.0; 15], &open);
        let mut counts = [0; 15];
        for t in 0..360u32 {
            let nominal = t as usize / 6 % 15;
            if !open.has(nominal) {
                counts[circle.port(nominal, t / 90, t % 6)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count <= 6), "{counts:?}");
    }

    /// By low-discrepancy steps alone, two of these would meet at one port of a leaf, beside the entry that it has.
    #[test]
    fn entries_of_spines_that_are_gone_do_not_meet() {
        let mut class = class(&[1; 18]);
        class.gone = vec![3, 4, 9, 12, 16];
        let open = Set::new(18, |i| !class.gone.contains(&(i as u8)));
        let circle = Circle::new(&class, &[1.0; 18], &open);
        for first in 0..36 * 18 {
            // A shift sends from one leaf to 18 nodes in a row, of two leaves.
            let numbers = (first..first + 18).map(|t| (t as usize % 18, t / 18));
            let gone = numbers.filter(|(nominal, _)| !open.has(*nominal));
            let mut ports: Vec<usize> = gone
                .map(|(nominal, cycle)| circle.port(nominal, cycle, 0))
                .collect();
            ports.sort_unstable();
            ports.dedup();
            assert_eq!(ports.len(), 5);
        }
    }
}
