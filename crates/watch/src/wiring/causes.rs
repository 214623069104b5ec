//! Joins the differences that have one cause: there is one line for each thing to do.
//!
//! Two cables that changed places are one thing, and so are a node that is gone with its links and hosts, several gone
//! switches that were linked, the ports of one server, and many links of one switch (a line card, a bundle, a box).

use super::lines::list;
use super::{Difference, End, Kind};
use dmodc_fabric::{Guid, PortNumber, counted, grouped};
use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// So many links of one switch have one cause; two are two cables.
const BUNDLE: usize = 3;

/// How many nodes a line names.
const NAMED: usize = 8;

/// The differences with one cause.
pub struct Cause {
    /// At least one.
    pub differences: Vec<Difference>,
    what: What,
}

impl Cause {
    /// A difference that is a cause of its own.
    pub fn alone(difference: Difference) -> Cause {
        Cause {
            differences: vec![difference],
            what: What::One,
        }
    }

    /// Ends that have each other's cables: who swaps the cables at each two of them puts all right. Empty if this is no
    /// such cause, or a port is not known.
    pub fn swaps(&self) -> Vec<[&End; 2]> {
        let pairs = self.differences.chunks(2);
        let swaps = match self.what {
            What::Swapped => pairs.map(swap).collect(),
            _ => None,
        };
        swaps.unwrap_or_default()
    }
}

/// The ends at which to swap the cables of two links, on one node if there is such a choice.
fn swap(pair: &[Difference]) -> Option<[&End; 2]> {
    let [one, other] = pair else { return None };
    let ([a, b], [mut c, mut d]) = (ends_of(&one.ends)?, ends_of(&other.ends)?);
    let found = [ends_of(&one.found)?, ends_of(&other.found)?];
    let same = |x: &End, y: &End| (x.guid, x.port) == (y.guid, y.port);
    let joined = |x: &End, y: &End| {
        let is = |[p, q]: [&End; 2]| same(p, x) && same(q, y) || same(p, y) && same(q, x);
        found.into_iter().any(is)
    };
    if joined(a, c) && joined(b, d) {
        (c, d) = (d, c);
    }
    let fits = joined(a, d) && joined(c, b);
    let at_far_ends = a.guid != c.guid && b.guid == d.guid;
    fits.then_some(if at_far_ends { [b, d] } else { [a, c] })
}

/// Both ends of a link whose ports are known.
fn ends_of(ends: &[End]) -> Option<[&End; 2]> {
    match ends {
        [a, b] if a.port.is_some() && b.port.is_some() => Some([a, b]),
        _ => None,
    }
}

enum What {
    One,
    /// Two cables that changed places.
    Swapped,
    Nodes,
    Links(Guid),
}

/// The causes of some differences, in the order of their first differences.
pub fn causes(found: Vec<Difference>) -> Vec<Cause> {
    let order: BTreeMap<Difference, usize> = found.iter().cloned().zip(0..).collect();
    let (nodes, links): (Vec<Difference>, Vec<Difference>) =
        found.into_iter().partition(Difference::is_node);
    let mut causes = joined_nodes(nodes);
    let (swapped, links) = swapped(links);
    causes.extend(bundles(swapped));
    for links in grouped(links.into_iter().map(|link| (link.kind, link))).into_values() {
        let ends = |link: &Difference| link.ends.iter().map(|end| end.guid).collect();
        for (switch, differences) in by_switch(links, ends) {
            let what = switch.map_or(What::One, What::Links);
            causes.push(Cause { differences, what });
        }
    }
    causes.sort_by_key(|cause| cause.differences.iter().map(|d| order[d]).min());
    causes
}

/// Links by a switch that at least `BUNDLE` of them share, the switch with most links first; each other link alone.
/// `ends` gives the ends of a link.
pub fn by_switch<T, S: Ord + Copy>(
    mut links: Vec<T>,
    ends: impl Fn(&T) -> Vec<S>,
) -> Vec<(Option<S>, Vec<T>)> {
    let mut bundles = Vec::new();
    loop {
        let all = links.iter();
        let count = counted(all.flat_map(|link| BTreeSet::from_iter(ends(link))));
        let most = count.into_iter().max_by_key(|&(s, n)| (n, Reverse(s)));
        let Some((switch, _)) = most.filter(|&(_, n)| n >= BUNDLE) else {
            break;
        };
        let (bundle, others) = links.into_iter().partition(|l| ends(l).contains(&switch));
        bundles.push((Some(switch), bundle));
        links = others;
    }
    bundles.extend(links.into_iter().map(|link| (None, vec![link])));
    bundles
}

/// Pairs of links that have each other's ends, and the other links.
fn swapped(mut links: Vec<Difference>) -> (Vec<Cause>, Vec<Difference>) {
    let (mut pairs, mut others) = (Vec::new(), Vec::new());
    while !links.is_empty() {
        let one = links.remove(0);
        match links.iter().position(|other| are_swapped(&one, other)) {
            Some(at) => pairs.push(Cause {
                differences: vec![one, links.remove(at)],
                what: What::Swapped,
            }),
            None => others.push(one),
        }
    }
    (pairs, others)
}

/// Pairs of swapped links, those of one bundle together: with their swaps at the same nodes, and the same nodes beyond.
fn bundles(pairs: Vec<Cause>) -> Vec<Cause> {
    let mut bundles: BTreeMap<Vec<Guid>, Cause> = BTreeMap::new();
    let mut others = Vec::new();
    for mut pair in pairs {
        let nodes = |ends: &[&End]| ends.iter().map(|end| end.guid).collect::<Vec<Guid>>();
        let Some(swap) = pair.swaps().first().map(|swap| nodes(swap)) else {
            others.push(pair);
            continue;
        };
        let beyond = pair.differences.iter().flat_map(|link| &link.ends);
        let mut beyond = nodes(&Vec::from_iter(beyond));
        beyond.sort_unstable();
        match bundles.entry([swap, beyond].concat()) {
            Entry::Occupied(bundle) => bundle.into_mut().differences.append(&mut pair.differences),
            Entry::Vacant(place) => drop(place.insert(pair)),
        }
    }
    others.extend(bundles.into_values());
    others
}

/// Whether two links together are at the ends where they should be, or are one link that should be two. The port of an
/// end may be unknown. Of *same switch*, either server has no port at the switch where the other has two.
fn are_swapped(a: &Difference, b: &Difference) -> bool {
    if [a.kind, b.kind] == [Kind::SameSwitch; 2] {
        let is_at = |one: &Difference, other: &Difference| other.beside.contains(&one.ends[1].guid);
        return is_at(a, b) && is_at(b, a);
    }
    if !a.found.is_empty() && ends(&a.found) == ends(&b.found) {
        return a.ends[0].guid != b.ends[0].guid;
    }
    let mut found: Vec<&End> = a.found.iter().chain(&b.found).collect();
    let mut wanted: Vec<&End> = a.ends.iter().chain(&b.ends).collect();
    if found.len() != 4 || wanted.len() != 4 {
        return false;
    }
    // Ends with a port choose first.
    wanted.sort_by_key(|end| end.port.is_none());
    wanted.iter().all(|want| {
        let fits =
            |end: &&End| end.guid == want.guid && (want.port.is_none() || want.port == end.port);
        let at = found.iter().position(fits);
        at.map(|at| found.remove(at)).is_some()
    })
}

fn ends(link: &[End]) -> BTreeSet<&End> {
    link.iter().collect()
}

/// Nodes that are joined: linked switches, hosts that were linked to these switches alone, and ports of one server.
fn joined_nodes(nodes: Vec<Difference>) -> Vec<Cause> {
    let mut of_kind: BTreeMap<Kind, BTreeMap<Guid, Difference>> = BTreeMap::new();
    for node in nodes {
        let of_kind = of_kind.entry(node.kind).or_default();
        of_kind.insert(node.ends[0].guid, node);
    }
    let mut causes = Vec::new();
    for mut left in of_kind.into_values() {
        // By node: the nodes that it is joined with.
        let mut joined: BTreeMap<Guid, Vec<Guid>> = BTreeMap::new();
        let mut servers: BTreeMap<String, Guid> = BTreeMap::new();
        for (&guid, node) in &left {
            let gone = |other: &&Guid| left.get(other).is_some_and(|node| !node.is_host);
            let mut with: Vec<Guid> = node.beside.iter().filter(gone).copied().collect();
            if node.is_host && with.len() < node.beside.len() {
                with.clear();
            }
            let server = node.ends[0].name.split_once(char::is_whitespace);
            if let Some((server, _)) = server.filter(|_| node.is_host && with.is_empty()) {
                with.push(*servers.entry(server.to_owned()).or_insert(guid));
            }
            for other in with {
                joined.entry(guid).or_default().push(other);
                joined.entry(other).or_default().push(guid);
            }
        }
        while let Some((guid, first)) = left.pop_first() {
            let (mut differences, mut next) = (vec![first], vec![guid]);
            while let Some(guid) = next.pop() {
                for other in joined.get(&guid).into_iter().flatten() {
                    if let Some(node) = left.remove(other) {
                        differences.push(node);
                        next.push(*other);
                    }
                }
            }
            // Switches first.
            differences.sort_by_key(|node| (node.is_host, node.ends[0].clone()));
            let what = match differences.len() {
                1 => What::One,
                _ => What::Nodes,
            };
            causes.push(Cause { differences, what });
        }
    }
    causes
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = &self.differences;
        let first = &all[0];
        let link = |ends: &[End]| format!("{} -- {}", ends[0], ends[1]);
        let after_colon = |reason: &str| match reason {
            "" => String::new(),
            reason => format!(": {reason}"),
        };
        match self.what {
            What::One => first.fmt(f),
            What::Swapped if !self.swaps().is_empty() => {
                let swap = |[a, b]: [&End; 2]| match a.guid == b.guid {
                    true => format!("{a} and{}", b.bracketed_port()),
                    false => format!("{a} and {b}"),
                };
                let swaps: Vec<String> = self.swaps().into_iter().map(swap).collect();
                let links = all.iter().map(|one| link(&one.ends));
                write!(f, "swapped: swap the cables at {}", swaps.join(", at "))?;
                write!(f, ": right is {}", list(links, 2))?;
                f.write_str(&after_colon(&first.reason))
            }
            What::Swapped => {
                let other = &all[1];
                let (one, two) = (link(&first.ends), link(&other.ends));
                write!(f, "swapped: {one} and {two}")?;
                if !first.found.is_empty() {
                    write!(f, ", found {}", link(&first.found))?;
                }
                if ends(&first.found) != ends(&other.found) {
                    write!(f, " and {}", link(&other.found))?;
                }
                f.write_str(&after_colon(&first.reason))
            }
            What::Nodes => {
                let switches = all.iter().filter(|node| !node.is_host).count();
                let hosts = all.len() - switches;
                let shown = if switches > 0 { switches } else { hosts };
                let names = all.iter().take(shown).map(|node| node.ends[0].to_string());
                let names = list(names, NAMED);
                let hosts = format!("{hosts} host{}", if hosts == 1 { "" } else { "s" });
                let seen = first.reason.find(", ").map_or("", |at| &first.reason[at..]);
                match switches {
                    0 => write!(f, "{}: {hosts}: {names}{seen}", first.kind),
                    1 => write!(f, "{first}, and {hosts}"),
                    _ => {
                        let what = format!("{switches} switches and {hosts}");
                        write!(f, "{}: {what}: {names}{seen}", first.kind)
                    }
                }
            }
            What::Links(switch) => {
                let ends = || all.iter().flat_map(|link| &link.ends);
                let own = || ends().filter(move |end| end.guid == switch);
                let ports: BTreeSet<PortNumber> = own().filter_map(|end| end.port).collect();
                let others = ends().map(|end| end.guid).filter(|guid| *guid != switch);
                let others = BTreeSet::from_iter(others).len();
                let reasons: BTreeSet<&str> = all.iter().map(|link| &*link.reason).collect();
                let name = own().next().map_or("", |end| &end.name);
                let (kind, count) = (first.kind, all.len());
                write!(f, "{kind}: {count} links of {switch} '{name}'")?;
                if !ports.is_empty() {
                    write!(f, " [{}]", ranges(&ports))?;
                }
                let nodes = if others == 1 { "node" } else { "nodes" };
                write!(f, " to {others} {nodes}")?;
                let common = reasons.first().filter(|_| reasons.len() == 1);
                f.write_str(&after_colon(common.unwrap_or(&"")))
            }
        }
    }
}

/// Ports as in `1-4, 7`.
fn ranges(ports: &BTreeSet<PortNumber>) -> String {
    let ports: Vec<u8> = ports.iter().map(|port| port.0).collect();
    let range = |run: &[u8]| match *run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    let runs: Vec<String> = ports.chunk_by(|a, b| a + 1 == *b).map(range).collect();
    runs.join(", ")
}
