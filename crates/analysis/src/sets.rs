//! Traffic from one set of nodes to another: each sends to each at once.

use super::{Risk, Traffic};

/// The most flows whose rates are counted: more take gigabytes.
const MOST: usize = 1 << 23;

/// The traffic from one set to another.
#[derive(Clone, PartialEq, Debug)]
pub struct Between {
    /// Number of flows, none of a node to itself.
    pub flows: usize,
    /// Number of flows without a route.
    pub lost: usize,
    /// The flows of each channel.
    pub ports: Risk,
    /// The mean number of flows of the channels that have any.
    pub mean: f64,
    /// What each sender and each receiver gets, in their orders: the sum of the max-min fair rates of its flows, in
    /// parts of the fastest link between switches. `None` of more than some million flows.
    pub shares: Option<[Vec<f64>; 2]>,
    /// The mean that a sender and that a receiver gets if the nodes' own links alone limit the traffic.
    pub ideal: [f64; 2],
}

impl Traffic {
    /// Measures the traffic from some nodes to others, both by position, each once.
    pub fn between(&self, from: &[usize], to: &[usize]) -> Between {
        let mut counts = self.channels().each(0u32);
        let (mut flows, mut lost) = (0, 0);
        let pairs = || {
            let all = (0..from.len()).flat_map(|i| (0..to.len()).map(move |j| (i, j)));
            all.filter(|&(i, j)| from[i] != to[j])
        };
        for (i, j) in pairs() {
            let leaf = self.switch[from[i]];
            flows += 1;
            lost += usize::from(!self.arrives(leaf, to[j]));
            self.follow(leaf, to[j], |channel| counts[channel] += 1);
        }
        let used = counts.iter().filter(|&&n| n > 0).count().max(1);
        let sum: f64 = counts.iter().copied().map(f64::from).sum();
        let shares = (flows <= MOST).then(|| {
            let ends: Vec<(usize, usize)> = pairs().map(|(i, j)| (from[i], to[j])).collect();
            let mut shares = [vec![0.0; from.len()], vec![0.0; to.len()]];
            for ((i, j), rate) in pairs().zip(self.fair_rates(&ends)) {
                let rate = rate.unwrap_or_default();
                shares[0][i] += rate;
                shares[1][j] += rate;
            }
            shares
        });
        // A node alone in the other set has nobody to send to, or to hear from.
        let own = [(from, to), (to, from)].map(|(nodes, others)| {
            let nodes = nodes.iter().filter(|&&n| others != [n]);
            let own: Vec<f64> = nodes.map(|&n| self.capacity[n]).collect();
            (own.len(), own.iter().sum::<f64>())
        });
        let least = own[0].1.min(own[1].1);
        Between {
            flows,
            lost,
            ports: Risk::new(counts, self.channels()),
            mean: sum / used as f64,
            shares,
            ideal: own.map(|(count, _)| least / count.max(1) as f64),
        }
    }
}
