//! The switches at the top, for OpenSM's other engines.

use crate::dmodc::Ranking;
use crate::fabric::Fabric;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dmodc::Options;
    use crate::netlist::Netlist;

    /// Three branches of so many switches, with two hosts each at their ends, below a top; and a small spine over two
    /// of these ends. Each link is at the lower end alone.
    fn roots_of_branches(height: usize) -> Vec<String> {
        let mut net = "Switch 8 \"top\"\nSwitch 8 \"small\"\n".to_owned();
        for (number, branch) in (3..).zip(["a", "b", "c"]) {
            for at in 0..height {
                let above = match at + 1 == height {
                    true => "top".to_owned(),
                    false => format!("{branch}{}", at + 1),
                };
                net += &format!("Switch 8 \"{branch}{at}\"\n[8] \"{above}\"[{number}]\n");
                if at == 0 && branch != "c" {
                    net += &format!("[7] \"small\"[{number}]\n");
                }
            }
            for host in 1..=2 {
                net += &format!("Hca 1 \"{branch}-{host}\"\n[1] \"{branch}0\"[{host}]\n");
            }
        }
        let netlist = Netlist::parse_leniently(net.as_bytes()).unwrap().value;
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
