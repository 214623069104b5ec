//! GUID files for OpenSM's other engines: the switches at the top, the order of switches, the compute nodes.
//!
//! A line has a GUID, for some options a number, and a comment for people, which OpenSM skips.

use crate::dmodc::{Options, Ranking};
use crate::fabric::{Fabric, Guid, NodeKind};
use std::collections::BTreeMap;

/// The switches for `root_guid_file`, which have no neighbour of a higher rank. Engines count levels down
/// from them, so a switch two ranks below the highest of its part is none: it would lift the switches below
/// it above their parents.
pub fn roots(fabric: &Fabric, ranking: &Ranking) -> Vec<u32> {
    let part = fabric.parts(|_| true);
    let mut highest: BTreeMap<Option<u32>, u32> = BTreeMap::new();
    for (switch, part) in (0..).zip(&part) {
        let rank = highest.entry(*part).or_default();
        *rank = ranking.rank(switch).max(*rank);
    }
    let is_root = |&s: &u32| {
        let rank = ranking.rank(s);
        let mut neighbours = fabric.neighbours(s);
        rank + 1 >= highest[&part[s as usize]]
            && neighbours.all(|other| ranking.rank(other) <= rank)
    };
    let switches = 0..fabric.switches().len() as u32;
    switches.filter(is_root).collect()
}

/// End nodes of a fabric, by their role for the engine `ftree`.
pub struct Hosts {
    /// Compute nodes: the hosts of all switches as far below the roots as most hosts are.
    pub compute: Vec<u32>,
    /// The other hosts.
    pub io: Vec<u32>,
}

impl Hosts {
    /// Divides the hosts by their distance from the roots of a ranking: OpenSM wants all compute nodes at one
    /// distance.
    pub fn new(fabric: &Fabric, ranking: &Ranking) -> Hosts {
        let roots = roots(fabric, ranking);
        let root_guids = roots.iter().map(|&s| fabric.switches()[s as usize].guid);
        let options = Options {
            root_guids: root_guids.collect(),
            ..Options::default()
        };
        let counted_down = Ranking::new(fabric, &options);
        let mut at: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (index, node) in (0..).zip(fabric.end_nodes()) {
            if node.kind == NodeKind::Ca {
                let rank = counted_down.rank(node.switch);
                at.entry(rank).or_default().push(index);
            }
        }
        let most = at.values().map(Vec::len).max();
        let rank = at.iter().find(|(_, hosts)| Some(hosts.len()) == most);
        let compute = match rank.map(|(&rank, _)| rank) {
            Some(rank) => at.remove(&rank).unwrap_or_default(),
            None => Vec::new(),
        };
        let mut io: Vec<u32> = at.into_values().flatten().collect();
        io.sort_unstable();
        Hosts { compute, io }
    }
}

/// A GUID file of some nodes, each with its name.
pub fn guid_file<'n>(nodes: impl IntoIterator<Item = (Guid, &'n str)>) -> String {
    let line = |(guid, name)| format!("{guid} # {name}\n");
    nodes.into_iter().map(line).collect()
}

/// The lines of `ids_guid_file`: all switches from the top down, numbered. Of two switches that `updn` finds
/// at one level, the one with the lesser number is above.
pub fn rank_file<'n>(fabric: &Fabric, ranking: &Ranking, name: impl Fn(u32) -> &'n str) -> String {
    let from_above = ranking.ascending().into_iter().rev();
    let line = |(number, switch): (u32, u32)| {
        let (guid, rank) = (
            fabric.switches()[switch as usize].guid,
            ranking.rank(switch),
        );
        format!("{guid} {number} # rank {rank}: {}\n", name(switch))
    };
    (1..).zip(from_above).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::Netlist;

    /// Three branches of so many switches, with two hosts each at their ends, below a top; and a small spine over two
    /// of these ends.
    fn roots_of_branches(height: usize) -> Vec<String> {
        let end = |name: &str, port: usize| format!("\"{name}\"[{port}]");
        let switch = |name: &str, links: &[String]| {
            let ports = (1..).zip(links).map(|(n, to)| format!("[{n}] {to}\n"));
            format!("Switch 8 \"{name}\"\n{}", ports.collect::<String>())
        };
        let (mut net, mut of_top, mut of_small) = (String::new(), Vec::new(), Vec::new());
        for branch in ["a", "b", "c"] {
            let name = |at: usize| format!("{branch}{at}");
            let [x, y] = ["x", "y"].map(|host| format!("{branch}{host}"));
            of_top.push(end(&name(height - 1), 1));
            for at in 0..height {
                let mut links = vec![match at + 1 == height {
                    true => end("top", of_top.len()),
                    false => end(&name(at + 1), 2),
                }];
                match at {
                    0 => links.extend([end(&x, 1), end(&y, 1)]),
                    _ => links.push(end(&name(at - 1), 1)),
                }
                if at == 0 && branch != "c" {
                    of_small.push(end(&name(0), 4));
                    links.push(end("small", of_small.len()));
                }
                net += &switch(&name(at), &links);
            }
            for (host, port) in [(x, 2), (y, 3)] {
                net += &format!("Hca 1 \"{host}\"\n[1] {}\n", end(&name(0), port));
            }
        }
        net += &switch("top", &of_top);
        net += &switch("small", &of_small);
        let netlist = Netlist::parse(net.as_bytes()).unwrap();
        let (fabric, names) = netlist.to_fabric(None).unwrap();
        let ranking = Ranking::new(&fabric, &Options::default());
        let roots = roots(&fabric, &ranking).into_iter();
        roots.map(|s| names.switches[s as usize].clone()).collect()
    }

    #[test]
    fn what_is_far_below_the_top_is_no_root() {
        for (height, expected) in [(1, 2), (2, 2), (3, 1)] {
            let roots = roots_of_branches(height);
            assert_eq!(roots.len(), expected, "{roots:?}");
            assert!(roots.contains(&"top".to_owned()), "{roots:?}");
        }
    }
}
