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
                shares[0][i] += rate;
                shares[1][j] += rate;
            }
            shares
        });
        let own = |nodes: &[usize]| nodes.iter().map(|&n| self.capacity[n]).sum::<f64>();
        let least = own(from).min(own(to));
        Between {
            flows,
            lost,
            ports: Risk::new(counts, self.channels()),
            mean: sum / used as f64,
            shares,
            ideal: [from, to].map(|nodes| least / nodes.len().max(1) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dmodc_fabric::NodeId;
    use fabrics::{Net, shortest};

    #[test]
    fn three_senders_share_one_link() {
        // Leaf 0 with three nodes and leaf 1 with two, joined by one link.
        let fabric = Net::new(&[(0, 1)], &[0, 0, 0, 1, 1]).build();
        let nodes = [0, 1, 2, 3, 4].map(NodeId);
        let traffic = Traffic::new(&fabric, &shortest(&fabric), &nodes);
        let found = traffic.between(&[0, 1, 2], &[3, 4]);
        assert_eq!((found.flows, found.lost, found.ports.value), (6, 0, 6));
        assert_eq!(found.mean, 6.0);
        let near = |all: &[f64], one: f64| all.iter().all(|share| (share - one).abs() < 1e-9);
        let [sent, received] = found.shares.expect("few flows");
        assert!(near(&sent, 1.0 / 3.0) && near(&received, 0.5));
        assert!(near(&found.ideal[..1], 2.0 / 3.0) && near(&found.ideal[1..], 1.0));
        // A node of both sets does not send to itself; within a leaf no link is shared.
        let found = traffic.between(&[3, 4], &[3, 4]);
        assert_eq!((found.flows, found.ports.value), (2, 0));
        assert!(near(&found.shares.expect("few flows")[0], 1.0));
    }
}
