//! Effective bisection bandwidth, as the literature on InfiniBand routing has it (Hoefler,
//! Schneider, Lumsdaine: Multistage Switches are not Crossbars, 2008).
//!
//! The nodes are split into two halves at random and each node of the first sends to one of the
//! second. A flow gets 1/k of a link's bandwidth, k the number of flows on the most loaded link of
//! its route; a flow whose route does not arrive gets none. The figure is the mean over the flows
//! of many such patterns, in percent of what the nodes can send. Unlike the risks it says what all
//! flows get and not how bad the worst port is; it is no throughput either.

use super::Traffic;
use super::congestion::{Tick, permutation};
use rayon::prelude::*;

/// Effective bisection bandwidth, in percent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ebb {
    /// The mean over the patterns.
    pub percent: f64,
    /// Half the width of its 95 % confidence interval.
    pub confidence: f64,
}

impl Traffic {
    /// The effective bisection bandwidth over `count` patterns drawn by `seed`. They depend on the
    /// fabric and the seed alone. `None` with less than two nodes, or without a pattern. Ticks once
    /// per pattern.
    pub fn effective_bisection_bandwidth(
        &self,
        count: usize,
        seed: u64,
        tick: Tick,
    ) -> Option<Ebb> {
        let mut places: Vec<u32> = (0..self.nodes().len() as u32).collect();
        places.sort_by_key(|&place| self.nodes()[place as usize]);
        let half = places.len() / 2;
        if half == 0 || count == 0 {
            return None;
        }
        let one = |number: usize| {
            let drawn = permutation(&places, seed, number as u64);
            let share = self.mean_share(&drawn[..half], &drawn[half..2 * half]);
            tick(1);
            100.0 * share
        };
        let shares: Vec<f64> = (0..count).into_par_iter().map(one).collect();
        let mean = shares.iter().sum::<f64>() / count as f64;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        let deviation = (squares / (count.max(2) - 1) as f64).sqrt();
        Some(Ebb {
            percent: mean,
            confidence: 1.96 * deviation / (count as f64).sqrt(),
        })
    }

    /// What the flows from each source to its destination get of a link, in the mean.
    fn mean_share(&self, sources: &[u32], destinations: &[u32]) -> f64 {
        let mut flows = vec![0u32; self.channels().len()];
        let pairs = || sources.iter().zip(destinations);
        for (&from, &to) in pairs() {
            let from = self.switch(from as usize);
            self.follow(from, to as usize, |channel| flows[channel as usize] += 1);
        }
        let share = |(&from, &to): (&u32, &u32)| {
            let (from, to) = (self.switch(from as usize), to as usize);
            if !self.arrives(from, to) {
                return 0.0;
            }
            let mut most = 1;
            self.follow(from, to, |channel| most = most.max(flows[channel as usize]));
            1.0 / f64::from(most)
        };
        pairs().map(share).sum::<f64>() / sources.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Net, shortest, two_spines};
    use super::*;
    use crate::lft::Tables;

    #[test]
    fn by_hand() {
        let of = |traffic: &Traffic| traffic.effective_bisection_bandwidth(400, 1, &|_| ());
        // All on one switch: nothing is shared.
        let fabric = Net::new(&[], &[0, 0, 0, 0]).build();
        let traffic = Traffic::new(&fabric, &shortest(&fabric), &[0, 1, 2, 3]);
        let all = Ebb {
            percent: 100.0,
            confidence: 0.0,
        };
        assert_eq!(of(&traffic), Some(all));
        assert_eq!(traffic.effective_bisection_bandwidth(0, 1, &|_| ()), None);
        // Two nodes on each end of one link. Of three ways to pair four nodes one keeps each pair on
        // its switch, where both flows get all. In the other two both flows cross the link: in the
        // same direction, and share it, in half of the cases: 1/3 + 2/3 (1/2 + 1/2 · 1/2) = 5/6.
        let fabric = Net::new(&[(0, 1)], &[0, 0, 1, 1]).build();
        let traffic = Traffic::new(&fabric, &shortest(&fabric), &[0, 1, 2, 3]);
        let found = of(&traffic).unwrap();
        let off = (found.percent - 500.0 / 6.0).abs();
        assert!(
            off < 2.0 * found.confidence && found.confidence < 3.0,
            "{found:?}"
        );
        // Nothing arrives.
        let (fabric, _) = two_spines();
        let traffic = Traffic::new(&fabric, &Tables::for_fabric(&fabric), &[0, 3]);
        assert_eq!(of(&traffic).unwrap().percent, 0.0);
    }
}
