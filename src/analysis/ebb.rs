//! Effective bisection bandwidth, as defined in the literature on InfiniBand routing (Hoefler, Schneider, Lumsdaine:
//! Multistage Switches are not Crossbars, 2008).
//!
//! The nodes are split into two halves at random and each node of the first sends to one of the second. A flow gets
//! 1/k of a link's bandwidth, k the number of flows on the most loaded link of its route; a flow whose route does not
//! arrive gets none. Where links between switches differ in speed, k flows on a link of
//! [capacity](super::Channels::capacity) c count as k/c. The figure is the mean over the flows of many such patterns,
//! in percent of the nodes' own bandwidth. The second half sends nothing; with both ways, each pair sends to each
//! other at once. Unlike the risks it measures all flows and not the worst port; it is no throughput either.

use super::Traffic;
use super::congestion::{BATCH, Tick, permutation};
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
        let mut places: Vec<u32> = (0..self.nodes().len() as u32).collect();
        places.sort_by_key(|&place| self.nodes()[place as usize]);
        let half = places.len() / 2;
        if half == 0 || count == 0 {
            return None;
        }
        let numbers: Vec<u64> = (0..count as u64).collect();
        let shares: Vec<Vec<f64>> = numbers
            .par_chunks(BATCH)
            .map(|numbers| {
                let drawn = numbers.iter().map(|&n| permutation(&places, seed, n));
                let shares = self.mean_shares(&places, &drawn.collect::<Vec<_>>(), both);
                tick(numbers.len() as u64);
                shares.into_iter().map(|share| 100.0 * share).collect()
            })
            .collect();
        let shares = shares.concat();
        let mean = shares.iter().sum::<f64>() / count as f64;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        let deviation = (squares / (count.max(2) - 1) as f64).sqrt();
        Some(Ebb {
            percent: mean,
            confidence: 1.96 * deviation / (count as f64).sqrt(),
        })
    }

    /// The mean share of a link per flow, for each pattern: the first half of the drawn nodes sends to the second,
    /// and if `both` the second to the first. Reads the entries of a destination once for all patterns.
    fn mean_shares(&self, places: &[u32], drawn: &[Vec<u32>], both: bool) -> Vec<f64> {
        let half = places.len() / 2;
        let flows = if both { 2 * half } else { half };
        let mut patterns: Vec<Pattern> = drawn
            .iter()
            .map(|drawn| {
                let mut flow_to = vec![NO_FLOW; places.len()];
                for flow in 0..flows {
                    let to = drawn[(flow + half) % (2 * half)];
                    flow_to[to as usize] = flow as u32;
                }
                Pattern {
                    sources: &drawn[..flows],
                    flow_to,
                    flows: vec![0; self.channels().len()],
                    shares: vec![0.0; flows],
                }
            })
            .collect();
        for &to in places {
            for pattern in &mut patterns {
                if let Some((_, from)) = pattern.flow(to) {
                    let flows = &mut pattern.flows;
                    self.follow(self.switch(from), to as usize, |c| flows[c as usize] += 1);
                }
            }
        }
        for &to in places {
            for pattern in &mut patterns {
                let Some((flow, from)) = pattern.flow(to) else {
                    continue;
                };
                let from = self.switch(from);
                if self.arrives(from, to as usize) {
                    let mut most = 1.0;
                    self.follow(from, to as usize, |c| {
                        let flows = f64::from(pattern.flows[c as usize]);
                        most = f64::max(flows / self.channels().capacity(c), most);
                    });
                    pattern.shares[flow] = 1.0 / most;
                }
            }
        }
        let mean = |pattern: &Pattern| pattern.shares.iter().sum::<f64>() / flows as f64;
        patterns.iter().map(mean).collect()
    }
}

/// A destination without a sender.
const NO_FLOW: u32 = u32::MAX;

/// One of the patterns.
struct Pattern<'a> {
    /// The position of each flow's source.
    sources: &'a [u32],
    /// The flow to each position.
    flow_to: Vec<u32>,
    /// By channel.
    flows: Vec<u16>,
    /// The share of each flow.
    shares: Vec<f64>,
}

impl Pattern<'_> {
    /// The flow to a position, and the position of its source.
    fn flow(&self, to: u32) -> Option<(usize, usize)> {
        let flow = self.flow_to[to as usize] as usize;
        let from = *self.sources.get(flow)?;
        Some((flow, from as usize))
    }
}
