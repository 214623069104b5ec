//! Traffic of given pairs, sender and receiver, all at once: the load of the ports and the rates of the flows.
//!
//! Pairs are of positions in the order of the nodes. A node may send to several, and receive from several.

use super::{ChannelId, Rates, Risk, Traffic};
use typed_index_collections::TiVec;

/// The figures of some pairs: their load on the ports, and the rates of their flows.
#[derive(Clone, PartialEq, Debug)]
pub struct Workload {
    /// The congestion risk.
    pub risk: Risk,
    /// The most flows over one port. Unlike the risk this counts each flow, also several of one source or to one
    /// destination.
    pub flows: Risk,
    /// The max-min fair rates of the flows; `None` without flows.
    pub rates: Option<Rates>,
    /// By channel, the least rate of a flow over it; `None` without a flow.
    pub least_rates: TiVec<ChannelId, Option<f64>>,
    /// Number of flows.
    pub count: usize,
}

impl Traffic {
    /// Measures the flows of some pairs: risk, flows and max-min fair rates. A flow whose route does not arrive has the
    /// rate 0.
    pub fn workload(&self, pairs: &[(usize, usize)]) -> Workload {
        let channels = self.channels();
        let mut rates = self.fair_rates(pairs);
        let (mut flows, mut least_rates) = (channels.each(0u32), channels.each(None));
        for (&(from, to), &rate) in pairs.iter().zip(&rates) {
            self.follow(self.switch[from], to, |c| {
                flows[c] += 1;
                let least = least_rates[c].get_or_insert(rate);
                *least = rate.min(*least);
            });
        }
        Workload {
            risk: Risk::new(self.ends_met(pairs.to_vec()), self.channels()),
            flows: Risk::new(flows, self.channels()),
            count: pairs.len(),
            rates: Rates::new(&mut rates),
            least_rates,
        }
    }
}
