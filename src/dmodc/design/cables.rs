//! The *plane* of each switch, the port at which most of its children have it, and its *slot*, the port at which most
//! of its parents have it.
//!
//! Majorities decide, so a wrong cable or a lost link changes neither. Where the ports of a level do not agree (cables
//! at random), its planes or slots are unknown.

use crate::dmodc::tree::{Group, Ranking, Sides};

/// Ports decide the places of a level if at least this many of four votes agree.
const AGREE: usize = 3;

/// The planes and slots of all switches.
#[derive(Clone, Debug, Default)]
pub struct Cables {
    /// By switch: the port at which most of its children have it; 0 if ports do not agree.
    pub plane: Vec<u8>,
    /// By switch: the port at which most of its parents have it; 0 if ports do not agree.
    pub slot: Vec<u8>,
    /// By switch: a number for the planes on the path up to it, equal for equal planes of one rank.
    pub class: Vec<u32>,
    /// By rank: the usual group of parallel links up of its switches, and the usual group down.
    pub groups_up: Vec<UsualGroup>,
    pub groups_down: Vec<UsualGroup>,
}

impl Cables {
    /// Finds planes, slots, classes and usual groups by the votes of all switches.
    pub fn new(groups: &Sides, ranking: &Ranking) -> Self {
        let count = groups.switches();
        let ranks = ranking.per_rank().len();
        let rank = |s: u32| ranking.rank(s);
        let above = |s: u32| groups.up(s).iter();
        let below = |s: u32| groups.children(s);
        let cables = Cables {
            groups_up: usual_groups(groups, ranking, above),
            groups_down: usual_groups(groups, ranking, below),
            ..Cables::default()
        };
        // A leaf below a higher switch than other leaves has ports of its own there, which do not vote.
        let up = |s: u32| {
            let usual = cables.groups_up[rank(s) as usize];
            let next = above(s).filter(move |g| rank(g.remote) == rank(s) + 1);
            next.map(move |g| (g.remote, usual.first_port(groups.ports(g))))
        };
        let plane = most_voted(count, up, ranks, rank);
        let down = |s: u32| {
            let usual = cables.groups_down[rank(s) as usize];
            below(s).map(move |g| (g.remote, usual.first_port(groups.ports(g))))
        };
        let slot = most_voted(count, down, ranks, rank);
        Cables {
            class: classes(groups, ranking, &plane),
            plane,
            slot,
            ..cables
        }
    }

    /// The ranks on which ports do not decide the places.
    pub fn ranks_by_guid(&self, ranking: &Ranking) -> Vec<u32> {
        let ranks = ranking.per_rank().len() as u32;
        let mut known = vec![[false; 2]; ranks as usize];
        for (s, (&plane, &slot)) in (0u32..).zip(self.plane.iter().zip(&self.slot)) {
            let known = &mut known[ranking.rank(s) as usize];
            *known = [known[0] || plane != 0, known[1] || slot != 0];
        }
        let is_by_guid = |&rank: &u32| {
            let [plane, slot] = known[rank as usize];
            (rank > 0 && !plane) || (rank + 1 < ranks && !slot)
        };
        (0..ranks).filter(is_by_guid).collect()
    }
}

/// The usual group of parallel links at adjacent ports: how many links, and its first port modulo that number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsualGroup {
    width: u8,
    start: u8,
}

impl UsualGroup {
    /// The first port of a group, even if its link is lost, as far as the other ports show it. Without this a lost link
    /// would move the place of a switch.
    pub fn first_port(self, ports: &[u8]) -> u8 {
        let (first, last) = (ports[0], ports[ports.len() - 1]);
        if ports.len() >= usize::from(self.width) {
            return first;
        }
        let [at, width, start] = [first, self.width, self.start].map(u32::from);
        let lost = (at % width + width - start) % width;
        let whole = at.saturating_sub(lost);
        match whole > 0 && u32::from(last) < whole + width {
            true => whole as u8,
            false => first,
        }
    }
}

/// The usual group of each rank.
fn usual_groups<'g, G: Iterator<Item = &'g Group>>(
    groups: &Sides,
    ranking: &Ranking,
    of: impl Fn(u32) -> G,
) -> Vec<UsualGroup> {
    let mut found = vec![Vec::new(); ranking.per_rank().len()];
    for s in 0..groups.switches() as u32 {
        for ports in of(s).map(|g| groups.ports(g)) {
            let width = ports.len() as u8;
            let start = ports[0] % width;
            if ports[ports.len() - 1] - ports[0] == width - 1 {
                found[ranking.rank(s) as usize].push(UsualGroup { width, start });
            }
        }
    }
    found
        .iter_mut()
        .map(|of_rank| most_common(of_rank).0)
        .collect()
}

/// Numbers for the planes on the path up to each switch.
fn classes(groups: &Sides, ranking: &Ranking, plane: &[u8]) -> Vec<u32> {
    let mut class = vec![0; plane.len()];
    let mut of_children: Vec<u32> = Vec::new();
    for of_rank in ranking
        .ascending()
        .chunk_by(|&a, &b| ranking.rank(a) == ranking.rank(b))
    {
        let mut keys: Vec<(u32, u8, u32)> = Vec::with_capacity(of_rank.len());
        for &s in of_rank {
            of_children.clear();
            let next = |g: &&Group| ranking.rank(g.remote) + 1 == ranking.rank(s);
            let children = groups.down(s).iter().filter(next);
            of_children.extend(children.map(|g| class[g.remote as usize]));
            keys.push((most_common(&mut of_children).0, plane[s as usize], s));
        }
        keys.sort_unstable();
        let mut number = 0;
        for (i, key) in keys.iter().enumerate() {
            let before = keys[i.saturating_sub(1)];
            number += u32::from((before.0, before.1) != (key.0, key.1));
            class[key.2 as usize] = number;
        }
    }
    class
}

/// The most common port of each item, or 0 if the ports of its level do not agree. `votes` returns the votes of one
/// switch, each with its item and port.
pub(super) fn most_voted<V: Iterator<Item = (u32, u8)>>(
    count: usize,
    votes: impl Fn(u32) -> V,
    levels: usize,
    level: impl Fn(u32) -> u32,
) -> Vec<u8> {
    let all = || (0..count as u32).flat_map(&votes);
    let mut start = vec![0u32; count + 1];
    all().for_each(|(of, _)| start[of as usize] += 1);
    let mut end = 0;
    for start in &mut start {
        end += *start;
        *start = end;
    }
    let mut ports = vec![0u8; end as usize];
    for (of, port) in all() {
        let at = &mut start[of as usize];
        *at -= 1;
        ports[*at as usize] = port;
    }
    let (mut agree, mut voters) = (vec![0; levels], vec![0; levels]);
    let most = start.windows(2).zip(0..).map(|(of, i)| {
        let votes = &mut ports[of[0] as usize..of[1] as usize];
        let (port, count) = most_common(votes);
        // A single vote always agrees with itself.
        if votes.len() > 1 {
            agree[level(i) as usize] += count;
            voters[level(i) as usize] += votes.len();
        }
        port
    });
    let mut most: Vec<u8> = most.collect();
    for (i, port) in (0..).zip(&mut most) {
        let level = level(i) as usize;
        if 4 * agree[level] < AGREE * voters[level] {
            *port = 0;
        }
    }
    most
}

/// The most common value, the lowest of several, and how often it occurs.
pub fn most_common<T: Ord + Clone + Default>(values: &mut [T]) -> (T, usize) {
    if let Some(first) = values.first()
        && values.iter().all(|value| value == first)
    {
        return (first.clone(), values.len());
    }
    values.sort_unstable();
    let runs = values
        .chunk_by(|a, b| a == b)
        .map(|run| (run[0].clone(), run.len()));
    let most = runs.rev().max_by_key(|&(_, count)| count);
    most.unwrap_or_default()
}
