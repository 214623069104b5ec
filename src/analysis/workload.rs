//! Traffic of parallel programs: who sends to whom, phase by phase, and what a phase does to the ports.
//!
//! Ranks are the places of an order: rank `r` runs on its `r`th node. All flows of a phase are there at once. Phases
//! follow each other, and the figures of a workload are those of its worst phase for the ports, and of the flows of
//! all phases for the rates.

use super::{Rates, Risk, Traffic};
use rayon::prelude::*;
use std::fmt;
use std::str::FromStr;

/// Who sends to whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Workload {
    /// Every rank sends to the next, the last to the first.
    Ring,
    /// In phase `k` ranks whose numbers differ in bit `k` alone send to each other: the exchanges of a
    /// reduction or a gathering over all. Ranks without a partner pause.
    RecursiveDoubling,
    /// Ranks are points of a grid, the first dimension fastest, and send to the next points of each dimension, both
    /// ways. The grid has an edge.
    Stencil(Vec<usize>),
    /// In groups of N + 1 ranks the last N send to the first. Ranks that fill no group pause.
    Incast(usize),
    /// These pairs of places, sender and receiver.
    Pairs(Vec<(usize, usize)>),
}

/// Not a workload.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no traffic pattern: ring, recursive-doubling, stencil:XxYxZ and incast:N are some")]
pub struct NoWorkload;

/// A grid that has more points than there are ranks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a grid of {points} points needs as many ranks; there are {ranks}")]
pub struct TooFewRanks {
    /// Points.
    pub points: usize,
    /// Ranks.
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

/// What a workload does to the ports.
#[derive(Clone, PartialEq, Debug)]
pub struct Worked {
    /// The congestion risk of the worst phase.
    pub risk: Risk,
    /// The most flows over one port, in the worst phase. Other than the risk it counts flows of one source, or to one
    /// destination, each for itself.
    pub flows: Risk,
    /// What the flows of all phases get; `None` if there are none.
    pub rates: Option<Rates>,
    /// By channel, the least that a flow over it gets, in any phase; `None` if there is none.
    pub least_rates: Vec<Option<f64>>,
    /// Flows.
    pub count: usize,
}

impl Traffic {
    /// Risk, flows and max-min fair rates of flows between places, phase by phase. A flow whose route does not arrive
    /// gets nothing.
    pub fn worked(&self, phases: &[Vec<(usize, usize)>]) -> Worked {
        let channels = self.channels().len();
        let of_phases: Vec<_> = phases
            .par_iter()
            .map(|phase| {
                let mut flows = vec![0u32; channels];
                for &(from, to) in phase {
                    self.follow(self.switch(from), to, |c| flows[c as usize] += 1);
                }
                let rates = self.fair_rates(phase);
                let least = self.least_by_channel(phase, &rates);
                (self.ends_met(phase.clone()), flows, rates, least)
            })
            .collect();
        let worst = |of: &dyn Fn(usize) -> u32| (0..channels).map(of).collect::<Vec<u32>>();
        let most = |figures: Vec<&Vec<u32>>| {
            worst(&|c| {
                figures
                    .iter()
                    .map(|of_phase| of_phase[c])
                    .max()
                    .unwrap_or(0)
            })
        };
        let risk = most(of_phases.iter().map(|(risk, ..)| risk).collect());
        let flows = most(of_phases.iter().map(|(_, flows, ..)| flows).collect());
        let rates = of_phases.iter().flat_map(|(_, _, rates, _)| rates);
        let mut rates: Vec<f64> = rates.copied().collect();
        let least_rate = |c: usize| {
            let of_phases = of_phases.iter().filter_map(|(.., least)| least[c]);
            of_phases.min_by(f64::total_cmp)
        };
        Worked {
            risk: Risk::of(risk, self.channels()),
            flows: Risk::of(flows, self.channels()),
            count: rates.len(),
            rates: Rates::of(&mut rates),
            least_rates: (0..channels).map(least_rate).collect(),
        }
    }

    /// For each channel the least rate of the flows over it.
    fn least_by_channel(&self, flows: &[(usize, usize)], rates: &[f64]) -> Vec<Option<f64>> {
        let mut least: Vec<Option<f64>> = vec![None; self.channels().len()];
        for (&(from, to), &rate) in flows.iter().zip(rates) {
            self.follow(self.switch(from), to, |c| {
                let least = &mut least[c as usize];
                *least = Some(least.map_or(rate, |known| known.min(rate)));
            });
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Net, shortest};
    use super::*;

    fn phases(name: &str, ranks: usize) -> Vec<Vec<(usize, usize)>> {
        name.parse::<Workload>().unwrap().phases(ranks).unwrap()
    }

    #[test]
    fn flows_by_hand() {
        assert_eq!(phases("ring", 3), [[(0, 1), (1, 2), (2, 0)]]);
        assert_eq!(phases("ring", 1), [[]]);
        let doubling = phases("recursive-doubling", 3);
        assert_eq!(doubling, [vec![(0, 1), (1, 0)], vec![(0, 2), (2, 0)]]);
        let grid = [
            (0, 1),
            (0, 2),
            (1, 0),
            (1, 3),
            (2, 3),
            (2, 0),
            (3, 2),
            (3, 1),
        ];
        assert_eq!(phases("stencil:2x2", 5), [grid]);
        assert_eq!(
            phases("stencil:3x1x1", 3),
            [[(0, 1), (1, 0), (1, 2), (2, 1)]]
        );
        assert_eq!(phases("incast:2", 7), [[(1, 0), (2, 0), (4, 3), (5, 3)]]);
        let large: Workload = "stencil:2x3".parse().unwrap();
        let (points, ranks) = (6, 5);
        assert_eq!(large.phases(5), Err(TooFewRanks { points, ranks }));
        for bad in [
            "stencil:",
            "stencil:2x",
            "stencil:0",
            "incast:0",
            "incast",
            "rings",
            "ring:1",
        ] {
            assert_eq!(bad.parse::<Workload>(), Err(NoWorkload), "{bad}");
        }
    }

    #[test]
    fn the_worst_port_and_the_rates_of_an_incast() {
        let fabric = Net::new(&[(0, 1)], &[0, 0, 1, 1]).build();
        let traffic = Traffic::new(&fabric, &shortest(&fabric), &[0, 2, 3, 1]);
        // Two from the other switch, one from the same.
        let worked = traffic.worked(&phases("incast:3", 4));
        assert_eq!(
            (worked.risk.value, worked.flows.value, worked.count),
            (1, 2, 3)
        );
        let rates = worked.rates.unwrap();
        assert!((rates.mean - 1.0 / 3.0).abs() < 1e-12 && rates.least == rates.median);
        assert_eq!(traffic.worked(&[vec![]]).rates, None);
    }
}
