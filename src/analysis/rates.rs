//! Max-min fair rates: the rates of simultaneous flows if every link is shared fairly.
//!
//! All flows grow alike until a link is full; its flows stay, the others grow on. The links of the nodes
//! count like those between switches.

use super::Traffic;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The rates of some flows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// The mean over all flows.
    pub mean: f64,
    /// The least.
    pub least: f64,
    /// The most that the worse-off twentieth gets.
    pub fifth_percentile: f64,
    /// The most that the worse-off half gets.
    pub median: f64,
}

impl Traffic {
    /// The max-min fair rate of each flow between positions, in parts of the fastest link between switches.
    /// The links of the nodes count, both ways.
    pub fn fair_rates(&self, flows: &[(usize, usize)]) -> Vec<f64> {
        let (channels, nodes) = (self.channels().len(), self.nodes().len());
        // Links: the channels, then the nodes' links to the fabric, then those from it.
        let mut left: Vec<f64> = (0..channels as u32)
            .map(|c| self.channels().capacity(c))
            .collect();
        left.extend((0..2 * nodes).map(|i| self.node_capacity(i % nodes)));
        let mut over: Vec<Vec<u32>> = vec![Vec::new(); left.len()];
        let mut ways: Vec<Vec<u32>> = Vec::with_capacity(flows.len());
        for (flow, &(from, to)) in (0..).zip(flows) {
            let mut way = Vec::new();
            if self.arrives(self.switch(from), to) {
                way = vec![(channels + from) as u32, (channels + nodes + to) as u32];
                self.follow(self.switch(from), to, |c| way.push(c));
            }
            way.iter().for_each(|&link| over[link as usize].push(flow));
            ways.push(way);
        }
        let mut growing: Vec<usize> = over.iter().map(Vec::len).collect();
        let mut rates: Vec<Option<f64>> = ways
            .iter()
            .map(|way| way.is_empty().then_some(0.0))
            .collect();
        // Links by the rate at which they are full. A rate only rises as flows stay behind, so one that is
        // out of date comes again.
        let full = |link: usize, left: &[f64], growing: &[usize]| left[link] / growing[link] as f64;
        let mut open: BTreeSet<(Share, usize)> = (0..left.len())
            .filter(|&link| growing[link] > 0)
            .map(|link| (Share(full(link, &left, &growing)), link))
            .collect();
        while let Some((Share(rate), link)) = open.pop_first() {
            for flow in std::mem::take(&mut over[link]) {
                if rates[flow as usize].is_some() {
                    continue;
                }
                rates[flow as usize] = Some(rate);
                for &other in &ways[flow as usize] {
                    let other = other as usize;
                    if other != link {
                        open.remove(&(Share(full(other, &left, &growing)), other));
                        left[other] = (left[other] - rate).max(0.0);
                        growing[other] -= 1;
                        if growing[other] > 0 {
                            open.insert((Share(full(other, &left, &growing)), other));
                        }
                    }
                }
            }
        }
        rates.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// A rate, in order.
#[derive(Clone, Copy, PartialEq)]
struct Share(f64);

impl Eq for Share {}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Share {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Rates {
    /// The rates of some flows; `None` for none.
    pub(super) fn of(rates: &mut [f64]) -> Option<Rates> {
        rates.sort_by(f64::total_cmp);
        let part = |part: usize| rates.get((rates.len() * part).div_ceil(100).max(1) - 1);
        Some(Rates {
            mean: rates.iter().sum::<f64>() / rates.len() as f64,
            least: *rates.first()?,
            fifth_percentile: *part(5)?,
            median: *part(50)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Net, shortest, with_speeds};
    use super::*;

    #[test]
    fn fair_rates_by_hand() {
        // Three hosts on each end of one link.
        let fabric = Net::new(&[(0, 1)], &[0, 0, 0, 1, 1, 1]).build();
        let order = [0, 1, 2, 3, 4, 5];
        let rates = |fabric: &_, flows: &[(usize, usize)]| {
            Traffic::new(fabric, &shortest(fabric), &order).fair_rates(flows)
        };
        // Two over the link have half of it each. A third from a host of theirs shares that host's link as well, and
        // gets what is left of it.
        assert_eq!(rates(&fabric, &[(0, 3), (1, 4)]), [0.5, 0.5]);
        assert_eq!(rates(&fabric, &[(0, 3), (1, 4), (1, 2)]), [0.5, 0.5, 0.5]);
        // Three over the link have a third; the host's own flow the two thirds that are left.
        let three = [(0, 3), (1, 4), (2, 5), (2, 1)];
        let third = 1.0 / 3.0;
        let found = rates(&fabric, &three);
        let expected = [third, third, third, 2.0 * third];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        // Both ways do not meet; what goes to one host does.
        assert_eq!(rates(&fabric, &[(0, 3), (3, 0)]), [1.0, 1.0]);
        assert_eq!(rates(&fabric, &[(4, 3), (5, 3), (0, 1)]), [0.5, 0.5, 1.0]);
        // The link at a quarter of the second link's speed, which is not used.
        let fabric = Net::new(&[(0, 1), (0, 1)], &[0, 0, 0, 1, 1, 1]).build();
        let fabric = with_speeds(fabric, |_, port| match port {
            1 => "1xHDR",
            2 => "4xHDR",
            _ => "",
        });
        assert_eq!(
            rates(&fabric, &[(0, 3), (1, 4), (2, 0)]),
            [0.125, 0.125, 1.0]
        );
    }
}
