//! Effective bisection bandwidth, as defined in the literature on InfiniBand routing (Hoefler, Schneider, Lumsdaine:
//! Multistage Switches are not Crossbars, 2008).
//!
//! The nodes are split into two halves at random and each node of the first half sends to one of the second. A flow
//! gets 1/k of a link's bandwidth, k the number of flows on the most loaded link of its route; a flow whose route does
//! not arrive gets none. Where links between switches differ in speed, k flows on a link of
//! [capacity](super::Channels::capacity) c count as k/c. The figure is the mean over the flows of many such patterns,
//! in percent of the nodes' own bandwidth. The second half sends nothing; with both ways, two nodes send to each other
//! at once. Unlike the risks it measures all flows and not the worst port; it is no throughput either.

use super::Traffic;
use super::congestion::{Tick, permutation};
use dmodc_fabric::SwitchId;
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
    /// The effective bisection bandwidth over `count` patterns drawn by `seed`; if `both`, the halves send to each
    /// other at once. The patterns depend on the fabric and the seed alone. `None` with less than two nodes, or
    /// without a pattern. Ticks once per pattern.
    pub fn effective_bisection_bandwidth(
        &self,
        count: usize,
        seed: u64,
        both: bool,
        tick: Tick,
    ) -> Option<Ebb> {
        let positions = self.positions_by_node();
        if positions.len() < 2 || count == 0 {
            return None;
        }
        let share = |number| {
            let share = self.mean_share(&permutation(&positions, seed, number), both);
            tick(1);
            100.0 * share
        };
        let shares: Vec<f64> = (0..count as u64).into_par_iter().map(share).collect();
        let mean = shares.iter().sum::<f64>() / count as f64;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        let deviation = (squares / (count.max(2) - 1) as f64).sqrt();
        Some(Ebb {
            percent: mean,
            confidence: 1.96 * deviation / (count as f64).sqrt(),
        })
    }

    /// The mean share of a link per flow: the first half of the drawn nodes sends to the second, and if `both` the
    /// second to the first.
    fn mean_share(&self, drawn: &[u32], both: bool) -> f64 {
        let half = drawn.len() / 2;
        let (first, second) = (&drawn[..half], &drawn[half..2 * half]);
        let there = first.iter().zip(second);
        let back = second.iter().zip(first).filter(|_| both);
        let pairs = there.chain(back);
        let pairs = pairs.map(|(&from, &to)| (self.switch[from as usize], to as usize));
        let pairs: Vec<(SwitchId, usize)> = pairs.collect();
        let mut flows = self.channels().each(0u16);
        for &(from, to) in &pairs {
            self.follow(from, to, |c| flows[c] += 1);
        }
        let share = |&(from, to): &(SwitchId, usize)| {
            let mut most = 1.0;
            self.follow(from, to, |c| {
                let flows = f64::from(flows[c]);
                most = f64::max(flows / self.channels().capacity(c), most);
            });
            f64::from(u8::from(self.arrives(from, to))) / most
        };
        pairs.iter().map(share).sum::<f64>() / pairs.len() as f64
    }
}
