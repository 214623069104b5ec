//! Traffic of given pairs, sender and receiver, all at once: the load of the ports, and max-min fair rates, the rates of
//! the flows if every link is shared fairly. Pairs are of positions in the order of the nodes. A node may send to
//! several, and receive from several.
//!
//! The rates of all flows grow alike until a link is full; the flows over it keep their rate, the others grow on. The
//! links of the nodes count like the links between switches.

use super::{ChannelId, Risk, Traffic};
use std::collections::BTreeSet;
use typed_index_collections::TiVec;

/// The rates of some flows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// The mean rate of all flows.
    pub mean: f64,
    /// The least rate.
    pub least: f64,
    /// The greatest rate of the slowest twentieth of the flows.
    pub fifth_percentile: f64,
    /// The greatest rate of the slower half of the flows.
    pub median: f64,
}

/// The figures of some pairs: their load on the ports, and the rates of their flows.
#[derive(Clone, PartialEq, Debug)]
pub struct Workload {
    /// The congestion risk.
    pub risk: Risk,
    /// The most flows over one port. Unlike the risk this counts each flow, also several of one source or to one
    /// destination.
    pub flows: Risk,
    /// The max-min fair rates of the flows that arrive; `None` without one.
    pub rates: Option<Rates>,
    /// By channel, the least rate of a flow over it; `None` without a flow.
    pub least_rates: TiVec<ChannelId, Option<f64>>,
    /// Number of flows.
    pub count: usize,
}

impl Traffic {
    /// Measures the flows of some pairs: risk, flows and max-min fair rates of those whose route arrives.
    pub fn workload(&self, pairs: &[(usize, usize)]) -> Workload {
        let channels = self.channels();
        let rates = self.fair_rates(pairs);
        let (mut flows, mut least_rates) = (channels.each(0u32), channels.each(None));
        for (&(from, to), &rate) in pairs.iter().zip(&rates) {
            self.follow(self.switch[from], to, |c| {
                flows[c] += 1;
                least_rates[c] = least_rates[c].into_iter().chain(rate).reduce(f64::min);
            });
        }
        Workload {
            risk: Risk::new(self.ends_met(pairs.to_vec()), self.channels()),
            flows: Risk::new(flows, self.channels()),
            count: pairs.len(),
            rates: Rates::new(rates.into_iter().flatten().collect()),
            least_rates,
        }
    }

    /// The max-min fair rate of each flow between positions, in parts of the fastest link between switches; `None` if
    /// its route does not arrive. The links of the nodes count, both ways.
    pub fn fair_rates(&self, flows: &[(usize, usize)]) -> Vec<Option<f64>> {
        let (channels, nodes) = (self.channels().len(), self.nodes().len());
        // Links: the channels, then the nodes' links to the fabric, then the nodes' links from it.
        let capacities = self.channels().ids().map(|c| self.channels().capacity(c));
        let mut left: Vec<f64> = capacities.collect();
        left.extend((0..2 * nodes).map(|i| self.capacity[i % nodes]));
        let mut over: Vec<Vec<u32>> = vec![Vec::new(); left.len()];
        let mut ways: Vec<Vec<u32>> = Vec::with_capacity(flows.len());
        for (flow, &(from, to)) in (0..).zip(flows) {
            let mut way = Vec::new();
            if self.arrives(self.switch[from], to) {
                way = vec![(channels + from) as u32, (channels + nodes + to) as u32];
                self.follow(self.switch[from], to, |c| way.push(c.0));
            }
            way.iter().for_each(|&link| over[link as usize].push(flow));
            ways.push(way);
        }
        let mut growing: Vec<usize> = over.iter().map(Vec::len).collect();
        let mut rates = vec![None; flows.len()];
        // Links by the rate at which they are full. Rates are not negative, so their bits have the same order.
        let full = |link: usize, left: &[f64], growing: &[usize]| {
            let rate: f64 = left[link] / growing[link] as f64;
            (rate.to_bits(), link)
        };
        let open = (0..left.len()).filter(|&link| growing[link] > 0);
        let open = open.map(|link| full(link, &left, &growing));
        let mut open: BTreeSet<(u64, usize)> = open.collect();
        while let Some((rate, link)) = open.pop_first() {
            let rate = f64::from_bits(rate);
            for flow in std::mem::take(&mut over[link]) {
                if rates[flow as usize].is_some() {
                    continue;
                }
                rates[flow as usize] = Some(rate);
                for &other in &ways[flow as usize] {
                    let other = other as usize;
                    if other != link {
                        open.remove(&full(other, &left, &growing));
                        left[other] = (left[other] - rate).max(0.0);
                        growing[other] -= 1;
                        if growing[other] > 0 {
                            open.insert(full(other, &left, &growing));
                        }
                    }
                }
            }
        }
        rates
    }
}

impl Rates {
    /// The summary of the rates of some flows; `None` without flows.
    fn new(mut rates: Vec<f64>) -> Option<Rates> {
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
