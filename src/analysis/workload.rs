//! Traffic of parallel programs: senders and receivers, phase by phase, and the load that a phase puts on the ports.
//!
//! Ranks are positions in an order: rank `r` runs on node `r` of the order. All flows of a phase are active at once.
//! Phases follow each other. The figures of ports are of the worst phase; the rates are over the flows of all phases.

use super::traffic::{elementwise, greatest};
use super::{Rates, Risk, Traffic};
use rayon::prelude::*;
use std::fmt;
use std::str::FromStr;

/// A pattern of senders and receivers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Workload {
    /// Every rank sends to the next, the last to the first.
    Ring,
    /// In phase `k` ranks whose numbers differ in bit `k` alone send to each other: the exchanges of an allreduce or an
    /// allgather. Ranks without a partner pause.
    RecursiveDoubling,
    /// Ranks are points of a grid, the first dimension fastest, and send to the next points of each dimension, both
    /// ways. The grid does not wrap around.
    Stencil(Vec<usize>),
    /// In groups of N + 1 ranks the last N send to the first. Ranks that fill no group pause.
    Incast(usize),
    /// The given pairs of positions, sender and receiver.
    Pairs(Vec<(usize, usize)>),
}

/// The text names no workload.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no traffic pattern: ring, recursive-doubling, stencil:XxYxZ and incast:N are some")]
pub struct NoWorkload;

/// The grid has more points than there are ranks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a grid of {points} points needs as many ranks; there are {ranks}")]
pub struct TooFewRanks {
    /// Number of points.
    pub points: usize,
    /// Number of ranks.
    pub ranks: usize,
}

impl FromStr for Workload {
    type Err = NoWorkload;

    fn from_str(s: &str) -> Result<Self, NoWorkload> {
        let number = |word: &str| word.parse().ok().filter(|&n: &usize| n > 0);
        match s.split_once(':').unwrap_or((s, "")) {
            ("ring", "") => Ok(Workload::Ring),
            ("recursive-doubling", "") => Ok(Workload::RecursiveDoubling),
            ("stencil", grid) => {
                let grid: Option<Vec<usize>> = grid.split('x').map(number).collect();
                let points = |g: &Vec<usize>| g.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
                let grid = grid.filter(|grid| points(grid).is_some());
                grid.map(Workload::Stencil).ok_or(NoWorkload)
            }
            ("incast", n) => number(n).map(Workload::Incast).ok_or(NoWorkload),
            _ => Err(NoWorkload),
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Workload::Ring => f.write_str("ring"),
            Workload::RecursiveDoubling => f.write_str("recursive-doubling"),
            Workload::Stencil(grid) => {
                let sides: Vec<String> = grid.iter().map(usize::to_string).collect();
                write!(f, "stencil:{}", sides.join("x"))
            }
            Workload::Incast(n) => write!(f, "incast:{n}"),
            Workload::Pairs(_) => f.write_str("pairs"),
        }
    }
}

impl Workload {
    /// Sender and receiver of each flow, phase by phase.
    pub fn phases(&self, ranks: usize) -> Result<Vec<Vec<(usize, usize)>>, TooFewRanks> {
        Ok(match self {
            Workload::Ring => {
                let next = |rank| (rank, (rank + 1) % ranks);
                vec![(0..ranks).map(next).filter(|(a, b)| a != b).collect()]
            }
            Workload::RecursiveDoubling => {
                let bits = (0..usize::BITS).take_while(|bit| (1usize << bit) < ranks);
                let phase = |bit| {
                    let pairs = (0..ranks).map(|rank: usize| (rank, rank ^ (1usize << bit)));
                    pairs.filter(|&(_, partner)| partner < ranks).collect()
                };
                bits.map(phase).collect()
            }
            Workload::Stencil(grid) => {
                let points = grid.iter().product();
                if points > ranks {
                    return Err(TooFewRanks { points, ranks });
                }
                let mut flows = Vec::new();
                for rank in 0..points {
                    let mut step = 1;
                    for &side in grid {
                        let at = rank / step % side;
                        flows.extend((at > 0).then(|| (rank, rank - step)));
                        flows.extend((at + 1 < side).then(|| (rank, rank + step)));
                        step *= side;
                    }
                }
                vec![flows]
            }
            Workload::Incast(n) => {
                let groups = 0..ranks / (n + 1);
                let flows = groups.flat_map(|group| {
                    let first = group * (n + 1);
                    (1..=*n).map(move |i| (first + i, first))
                });
                vec![flows.collect()]
            }
            Workload::Pairs(pairs) => vec![pairs.clone()],
        })
    }
}

/// The figures of a workload: its load on the ports, and the rates of its flows.
#[derive(Clone, PartialEq, Debug)]
pub struct Worked {
    /// The congestion risk of the worst phase.
    pub risk: Risk,
    /// The most flows over one port, in the worst phase. Unlike the risk this counts each flow, also several of one
    /// source or to one destination.
    pub flows: Risk,
    /// The max-min fair rates of the flows of all phases; `None` without flows.
    pub rates: Option<Rates>,
    /// By channel, the least rate of a flow over it in any phase; `None` without a flow.
    pub least_rates: Vec<Option<f64>>,
    /// Number of flows, of all phases.
    pub count: usize,
}

impl Traffic {
    /// Measures the flows of each phase, given as positions: risk, flows and max-min fair rates. A flow whose route
    /// does not arrive has the rate 0.
    pub fn worked(&self, phases: &[Vec<(usize, usize)>]) -> Worked {
        let channels = self.channels().len();
        let of_phases: Vec<_> = phases
            .par_iter()
            .map(|phase| {
                let mut flows = vec![0u32; channels];
                for &(from, to) in phase {
                    self.follow(self.switch[from], to, |c| flows[c as usize] += 1);
                }
                let rates = self.fair_rates(phase);
                let least = self.least_by_channel(phase, &rates);
                (self.ends_met(phase.clone()), flows, rates, least)
            })
            .collect();
        let (mut risk, mut flows) = (vec![0; channels], vec![0; channels]);
        let (mut least_rates, mut rates) = (vec![f64::INFINITY; channels], Vec::new());
        for (of_phase, flows_of_phase, rates_of_phase, least) in of_phases {
            risk = greatest(risk, of_phase);
            flows = greatest(flows, flows_of_phase);
            least_rates = elementwise(least_rates, least, |a, b| *a = a.min(b));
            rates.extend(rates_of_phase);
        }
        let known = |least: f64| Some(least).filter(|least| least.is_finite());
        Worked {
            risk: Risk::of(risk, self.channels()),
            flows: Risk::of(flows, self.channels()),
            count: rates.len(),
            rates: Rates::of(&mut rates),
            least_rates: least_rates.into_iter().map(known).collect(),
        }
    }

    /// For each channel the least rate of the flows over it; infinity without a flow.
    fn least_by_channel(&self, flows: &[(usize, usize)], rates: &[f64]) -> Vec<f64> {
        let mut least = vec![f64::INFINITY; self.channels().len()];
        for (&(from, to), &rate) in flows.iter().zip(rates) {
            self.follow(self.switch[from], to, |c| {
                least[c as usize] = rate.min(least[c as usize]);
            });
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let bad = "stencil: stencil:2x stencil:0 incast:0 incast rings ring:1";
        for bad in bad.split(' ') {
            assert_eq!(bad.parse::<Workload>(), Err(NoWorkload), "{bad}");
        }
    }
}
