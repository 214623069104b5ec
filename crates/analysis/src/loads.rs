//! A2A, RP and SP of a fabric again and again, each time with some routes changed, as after the loss of a link.
//!
//! The figures are those of [`Traffic`] to the last flow, from counts that are kept: by channel and leaf the
//! destinations, and by round the flows of each channel. A round is a permutation of RP or a shift of SP. A loss
//! changes the routes to few destinations, so a figure takes milliseconds where a new count takes a second.

use super::congestion::permutation;
use super::{ChannelId, Tick, Traffic};
use dmodc_fabric::SwitchId;
use rayon::prelude::*;
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// The most flows that are kept, 512 MiB of them: with more, SP is over some of the shifts.
const MOST: usize = 1 << 28;

/// The congestion risks of three patterns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Risks {
    /// All to all.
    pub a2a: u32,
    /// Random permutations.
    pub rp: u32,
    /// Shifts.
    pub sp: u32,
}

/// The loads of some routes.
pub struct Loads<'t> {
    traffic: &'t Traffic,
    /// By position, the number of its leaf; and by number of a leaf, its positions.
    leaf: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// By channel, then by number of a leaf: the number of destinations to which it sends.
    uses: Vec<u16>,
    /// By channel: the numbers of sources and destinations of all to all.
    ends: TiVec<ChannelId, (u32, u32)>,
    permutations: Rounds,
    shifts: Rounds,
}

/// The changed routes to one position.
struct Changes {
    to: usize,
    /// By number of a leaf: the place of its steps.
    places: Vec<u32>,
}

/// The channels of a changed route, with -1 for the old and +1 for the new one. The first are of a route that stays.
type Steps = Vec<Vec<(ChannelId, i32)>>;

impl<'t> Loads<'t> {
    /// Counts the loads of `permutations` permutations drawn from `seed`, and of all shifts. Ticks once per round.
    pub fn new(traffic: &'t Traffic, permutations: usize, seed: u64, tick: Tick) -> Self {
        let nodes = traffic.nodes().len();
        let number = |s: &SwitchId| traffic.leaves.partition_point(|leaf| leaf < s) as u32;
        let positions = traffic.positions_by_node();
        let drawn = (0..permutations as u64).into_par_iter().map(|round| {
            let mut senders = vec![0; nodes];
            let drawn = permutation(&positions, seed, round);
            for (&from, &to) in drawn.iter().zip(&positions) {
                senders[to as usize] = from;
            }
            senders
        });
        let step = (nodes * traffic.channels().len()).div_ceil(MOST).max(1);
        let shifts = Senders::Shifted { nodes, step };
        let leaf: Vec<u32> = traffic.switch.iter().map(number).collect();
        let mut members = vec![Vec::new(); traffic.leaves.len()];
        (0..)
            .zip(&leaf)
            .for_each(|(position, &leaf)| members[leaf as usize].push(position));
        let mut loads = Loads {
            leaf,
            members,
            uses: vec![0; traffic.leaves.len() * traffic.channels().len()],
            ends: traffic.ends_by_channel(&|_| ()),
            permutations: Rounds::new(traffic, Senders::Drawn(drawn.collect()), tick),
            shifts: Rounds::new(traffic, shifts, tick),
            traffic,
        };
        for to in 0..nodes {
            for (number, &leaf) in traffic.leaves.iter().enumerate() {
                traffic.follow(leaf, to, |channel| {
                    let place = loads.place(channel, number);
                    loads.uses[place] += 1;
                });
            }
        }
        loads
    }

    /// The place in `uses` of a channel and a leaf.
    fn place(&self, channel: ChannelId, number: usize) -> usize {
        usize::from(channel) * self.traffic.leaves.len() + number
    }

    /// Every how many shifts count in SP: 1 unless a fabric is too large.
    pub fn step(&self) -> usize {
        match self.shifts.senders {
            Senders::Shifted { step, .. } => step,
            Senders::Drawn(_) => 1,
        }
    }

    /// The risks with the routes to some nodes changed: `changed` are their positions, `routes` has the new routes to
    /// these nodes in the same order, on the same fabric.
    pub fn with(&self, changed: &[usize], routes: &Traffic) -> Risks {
        let traffic = self.traffic;
        let mut ends = self.ends.clone();
        let mut uses: BTreeMap<(ChannelId, usize), i32> = BTreeMap::new();
        // The last destination with an old route over a channel, and with a new one.
        let mut last = [usize::MAX; 2].map(|none| traffic.channels().each(none));
        let (mut changes, mut steps): (Vec<Changes>, Steps) = (Vec::new(), vec![Vec::new()]);
        let (mut old, mut new): (Vec<(ChannelId, i32)>, Vec<_>) = (Vec::new(), Vec::new());
        for (place, &to) in changed.iter().enumerate() {
            let mut places = vec![0; traffic.leaves.len()];
            for (number, &leaf) in traffic.leaves.iter().enumerate() {
                old.clear();
                new.clear();
                traffic.follow(leaf, to, |channel| old.push((channel, -1)));
                routes.follow(leaf, place, |channel| new.push((channel, 1)));
                for (last, route) in last.iter_mut().zip([&old, &new]) {
                    for &(channel, step) in route {
                        if std::mem::replace(&mut last[channel], to) != to {
                            let (_, destinations) = &mut ends[channel];
                            *destinations = destinations.wrapping_add_signed(step);
                        }
                    }
                }
                if !old.iter().map(|c| c.0).eq(new.iter().map(|c| c.0)) {
                    let both = [&old[..], &new].concat();
                    for &(channel, step) in &both {
                        *uses.entry((channel, number)).or_default() += step;
                    }
                    places[number] = steps.len() as u32;
                    steps.push(both);
                }
            }
            changes.push(Changes { to, places });
        }
        for ((channel, number), step) in uses {
            let leaf = traffic.leaves[number];
            let before = i32::from(self.uses[self.place(channel, number)]);
            let (sources, _) = &mut ends[channel];
            match (before > 0, before + step > 0) {
                (true, false) => *sources -= traffic.weight[leaf],
                (false, true) => *sources += traffic.weight[leaf],
                _ => {}
            }
        }
        let mut maxima = self.permutations.maxima(self, &changes, &steps);
        maxima.sort_unstable();
        let middle = maxima.len().saturating_sub(1) / 2;
        let most = self.shifts.maxima(self, &changes, &steps).into_iter().max();
        let a2a = ends.into_iter().map(|(sources, to)| sources.min(to)).max();
        Risks {
            a2a: a2a.unwrap_or(0),
            rp: maxima.get(middle).copied().unwrap_or(0).into(),
            sp: most.unwrap_or(0).into(),
        }
    }
}

/// Who sends to whom in each round.
enum Senders {
    /// By round and position of the destination.
    Drawn(Vec<Vec<u32>>),
    /// By one shift more than a multiple of the step each.
    Shifted { nodes: usize, step: usize },
}

impl Senders {
    fn rounds(&self) -> usize {
        match self {
            Senders::Drawn(drawn) => drawn.len(),
            Senders::Shifted { nodes, step } => nodes.saturating_sub(1).div_ceil(*step),
        }
    }

    /// By round: the places of the steps of all changed routes that it takes.
    fn changed(&self, loads: &Loads, changes: &[Changes]) -> Vec<Vec<u32>> {
        let mut rounds = vec![Vec::new(); self.rounds()];
        match self {
            Senders::Drawn(drawn) => {
                for (round, senders) in rounds.iter_mut().zip(drawn) {
                    let places = changes.iter().map(|Changes { to, places }| {
                        let from = senders[*to] as usize;
                        places[loads.leaf[from] as usize]
                    });
                    round.extend(places.filter(|&place| place > 0));
                }
            }
            &Senders::Shifted { nodes, step } => {
                for Changes { to, places } in changes {
                    let leaves = places.iter().zip(&loads.members);
                    for (&place, members) in leaves.filter(|&(&place, _)| place > 0) {
                        for &from in members {
                            let shift = (to + nodes - from as usize) % nodes;
                            if shift % step == 1 % step && shift > 0 {
                                rounds[(shift - 1) / step].push(place);
                            }
                        }
                    }
                }
            }
        }
        rounds
    }

    /// The position of the sender to a position.
    fn sender(&self, round: usize, to: usize) -> usize {
        match self {
            Senders::Drawn(drawn) => drawn[round][to] as usize,
            Senders::Shifted { nodes, step } => {
                let shift = 1 + round * step;
                to.checked_sub(shift).unwrap_or(to + nodes - shift)
            }
        }
    }
}

/// The flows of some rounds.
struct Rounds {
    senders: Senders,
    /// By round: the flows of each channel.
    flows: Vec<Vec<u16>>,
    /// By round: how many channels have each number of flows.
    counts: Vec<Vec<u32>>,
}

impl Rounds {
    fn new(traffic: &Traffic, senders: Senders, tick: Tick) -> Rounds {
        let rounds = (0..senders.rounds()).into_par_iter().map(|round| {
            let mut flows = vec![0u16; traffic.channels().len()];
            for to in 0..traffic.nodes().len() {
                let from = traffic.switch[senders.sender(round, to)];
                traffic.follow(from, to, |channel| flows[usize::from(channel)] += 1);
            }
            let mut counts = vec![0; flows.iter().max().map_or(0, |&most| usize::from(most)) + 1];
            flows.iter().for_each(|&n| counts[usize::from(n)] += 1);
            tick(1);
            (flows, counts)
        });
        let (flows, counts) = rounds.unzip();
        Rounds {
            senders,
            flows,
            counts,
        }
    }

    /// By round: the most flows over a channel after some changes.
    fn maxima(&self, loads: &Loads, changes: &[Changes], steps: &Steps) -> Vec<u16> {
        let mut sums = loads.traffic.channels().each(0i32);
        let mut touched = Vec::new();
        let rounds = self.senders.changed(loads, changes).into_iter();
        let maximum = |(round, places): (usize, Vec<u32>)| {
            for &(channel, step) in places.iter().flat_map(|&place| &steps[place as usize]) {
                sums[channel] += step;
                touched.push(channel);
            }
            let mut counts = self.counts[round].clone();
            for channel in touched.drain(..) {
                // Zero when it is here again.
                let step = std::mem::take(&mut sums[channel]);
                if step == 0 {
                    continue;
                }
                let before = usize::from(self.flows[round][usize::from(channel)]);
                let after = before.wrapping_add_signed(step as isize);
                counts.resize(counts.len().max(after + 1), 0);
                counts[before] -= 1;
                counts[after] += 1;
            }
            counts.iter().rposition(|&n| n > 0).unwrap_or(0) as u16
        };
        rounds.enumerate().map(maximum).collect()
    }
}
