//! What slow pairs of hosts have in common: a link, one direction of it, a switch or a host.
//!
//! Each thing splits the pairs into those whose route takes it and the others. How well it tells slow from fast pairs
//! is the logarithm of a likelihood ratio: pairs over the thing are slow with one probability and others with a lower
//! one, against one probability for all. So single measurements may be wrong: a thing with ten of eleven pairs slow
//! tells well, though fifty pairs elsewhere are slow for no reason. Chance tells a little, too, so a thing counts only
//! if among all things tried one such by chance is less likely than one in a hundred.

use super::{ChannelId, Traffic};
use dmodc_fabric::SwitchId;
use std::collections::{BTreeMap, BTreeSet};
use typed_index_collections::TiVec;

/// A measured pair. A server with several ports sends from each of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// Sender and receiver, as positions in the order of the nodes.
    pub ends: Vec<(usize, usize)>,
    /// Whether it was slow.
    pub slow: bool,
}

/// What routes take. A host is a position in the order of the nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Thing {
    /// A link between switches in one direction.
    Channel(ChannelId),
    /// A link between switches in both directions, by the lower channel.
    Link(ChannelId),
    /// What a host sends.
    From(usize),
    /// What a host receives.
    To(usize),
    /// A host, or its link, in both directions.
    Host(usize),
    /// A switch.
    Switch(SwitchId),
}

/// A thing, and the pairs that take it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Told {
    /// The thing.
    pub thing: Thing,
    /// Slow pairs that take it.
    pub slow: u32,
    /// Fast pairs that take it.
    pub fast: u32,
    /// Twice the logarithm of the likelihood ratio, at least 0.
    pub score: f64,
}

/// What some pairs have in common.
#[derive(Clone, PartialEq, Debug)]
pub struct Common {
    /// All slow pairs.
    pub slow: u32,
    /// All fast pairs.
    pub fast: u32,
    /// Whether the routes back count as well: then they tell better.
    pub both_ways: bool,
    /// The things with more slow pairs than others have, the best first; of equal ones the least.
    pub told: Vec<Told>,
    /// The score that chance seldom reaches: by less than one in a hundred for all things together.
    pub limit: f64,
}

/// Two explanations are as good as each other if the better one is less than a hundred times as likely.
const AS_GOOD: f64 = 4.0 * std::f64::consts::LN_10;

impl Common {
    /// The best thing of each piece of equipment, the best first.
    pub fn ranked<'c>(&'c self, traffic: &'c Traffic) -> impl Iterator<Item = Told> + 'c {
        let mut seen = BTreeSet::new();
        let is_new = move |told: &&Told| seen.insert(traffic.equipment(told.thing));
        self.told.iter().filter(is_new).copied()
    }

    /// The best things: none if chance can have made the best one, several if the pairs do not tell them apart.
    pub fn best(&self, traffic: &Traffic) -> Vec<Told> {
        let Some(first) = self.told.first().filter(|told| told.score >= self.limit) else {
            return Vec::new();
        };
        let is_as_good = |told: &Told| first.score - told.score < AS_GOOD;
        self.ranked(traffic).take_while(is_as_good).collect()
    }
}

impl Traffic {
    /// The number of routes of all to all over each channel, by source and destination.
    pub fn routes_by_channel(&self) -> TiVec<ChannelId, u64> {
        self.counted_routes(|leaf| self.weight[leaf])
    }

    /// The things that tell slow pairs from fast ones.
    pub fn in_common(&self, pairs: &[Measured]) -> Common {
        let [one, both] = [false, true].map(|both_ways| self.told(pairs, both_ways));
        let score = |common: &Common| common.told.first().map_or(0.0, |told| told.score);
        match score(&both) > score(&one) {
            true => both,
            false => one,
        }
    }

    fn told(&self, pairs: &[Measured], both_ways: bool) -> Common {
        let mut counts: BTreeMap<Thing, [u32; 2]> = BTreeMap::new();
        let mut all = [0; 2];
        for pair in pairs {
            all[usize::from(pair.slow)] += 1;
            for thing in self.taken(pair, both_ways) {
                counts.entry(thing).or_default()[usize::from(pair.slow)] += 1;
            }
        }
        let [fast, slow] = all;
        let told = counts.iter().map(|(&thing, &[f, s])| Told {
            thing,
            slow: s,
            fast: f,
            score: score([s, f], [slow - s, fast - f]),
        });
        let mut told: Vec<Told> = told.filter(|told| told.score > 0.0).collect();
        told.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.thing.cmp(&b.thing)));
        Common {
            slow,
            fast,
            both_ways,
            told,
            // Two ways of looking at each thing.
            limit: 2.0 * (100.0 * 2.0 * counts.len() as f64).ln(),
        }
    }

    /// Whether a pair takes a thing.
    pub fn takes(&self, pair: &Measured, both_ways: bool, thing: Thing) -> bool {
        self.taken(pair, both_ways).contains(&thing)
    }

    /// The things that a pair takes, each once.
    fn taken(&self, pair: &Measured, both_ways: bool) -> Vec<Thing> {
        let mut things = Vec::new();
        let mut add = |from: usize, to: usize| {
            things.extend([
                Thing::From(from),
                Thing::Host(from),
                Thing::To(to),
                Thing::Host(to),
            ]);
            things.extend([self.switch[from], self.switch[to]].map(Thing::Switch));
            self.follow(self.switch[from], to, |channel| {
                let link = Thing::Link(self.lower(channel));
                let to = self.channels().get(channel).to;
                things.extend([Thing::Channel(channel), link, Thing::Switch(to)]);
            });
        };
        for &(from, to) in &pair.ends {
            add(from, to);
            if both_ways {
                add(to, from);
            }
        }
        things.sort_unstable();
        things.dedup();
        things
    }

    /// The lower channel of a link.
    fn lower(&self, channel: ChannelId) -> ChannelId {
        let c = self.channels().get(channel);
        let back = self.channels().by_port(c.to, c.to_port);
        back.map_or(channel, |back| channel.min(back))
    }

    /// A thing in both directions.
    pub fn equipment(&self, thing: Thing) -> Thing {
        match thing {
            Thing::Channel(channel) => Thing::Link(self.lower(channel)),
            Thing::From(host) | Thing::To(host) => Thing::Host(host),
            whole => whole,
        }
    }
}

/// Twice the logarithm of the likelihood ratio of two rates of slow pairs, by numbers of slow and fast pairs; 0 if the
/// first rate is not the higher one.
fn score(over: [u32; 2], others: [u32; 2]) -> f64 {
    let likelihood = |[slow, fast]: [f64; 2]| {
        let term = |n: f64| match n > 0.0 {
            true => n * (n / (slow + fast)).ln(),
            false => 0.0,
        };
        term(slow) + term(fast)
    };
    let [over, others] = [over, others].map(|counts| counts.map(f64::from));
    if over[0] * (others[0] + others[1]) <= others[0] * (over[0] + over[1]) {
        return 0.0;
    }
    let all = [over[0] + others[0], over[1] + others[1]];
    2.0 * (likelihood(over) + likelihood(others) - likelihood(all))
}
