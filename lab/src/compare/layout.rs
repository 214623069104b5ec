//! The places of switches in a drawing: a row for each level, and in each row an order that keeps links
//! short.

use super::throw_drawing::{DrawnLink, DrawnSwitch};
use dmodc::dmodc::{Options, Ranking};
use dmodc::fabric::{Fabric, Guid, Peer};
use std::collections::HashMap;

/// The places of a fabric's switches.
pub struct Layout<'a> {
    fabric: &'a Fabric,
    ranking: Ranking,
    /// Switches in drawing order, and the place of each switch.
    order: Vec<u32>,
    place: Vec<usize>,
}

impl<'a> Layout<'a> {
    /// Leaves are in the order of their first nodes in `nodes` (missing ones come last), every other
    /// switch is above the middle of its neighbours below.
    pub fn new(fabric: &'a Fabric, nodes: &[u32]) -> Layout<'a> {
        let ranking = Ranking::new(fabric, &Options::default());
        let count = fabric.switches().len();
        let mut middle = vec![f64::MAX; count];
        for (at, &node) in nodes.iter().enumerate().rev() {
            middle[fabric.end_nodes()[node as usize].switch as usize] = at as f64;
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_key(|&s| ranking.rank(s));
        for &s in order.iter().filter(|&&s| ranking.rank(s) > 0) {
            let below = fabric
                .neighbours(s)
                .filter(|&other| ranking.rank(other) < ranking.rank(s));
            let known: Vec<f64> = below.map(|other| middle[other as usize]).collect();
            if !known.is_empty() {
                middle[s as usize] = known.iter().sum::<f64>() / known.len() as f64;
            }
        }
        order.sort_by(|&a, &b| {
            let key = |s: u32| (ranking.rank(s), middle[s as usize]);
            key(a).partial_cmp(&key(b)).expect("no place is NaN")
        });
        let mut place = vec![0; count];
        (0..)
            .zip(&order)
            .for_each(|(at, &s)| place[s as usize] = at);
        Layout {
            fabric,
            ranking,
            order,
            place,
        }
    }

    /// The place of a switch.
    pub fn place(&self, guid: Guid) -> Option<usize> {
        let index = self.fabric.switch_by_guid(guid)?;
        Some(self.place[index as usize])
    }

    /// The switches in drawing order, with their names; gone are those that `left` lacks.
    pub fn switches(&self, left: &Fabric, names: &HashMap<Guid, &str>) -> Vec<DrawnSwitch> {
        let drawn = |&s: &u32| {
            let guid = self.fabric.switches()[s as usize].guid;
            DrawnSwitch {
                guid,
                name: names.get(&guid).copied().unwrap_or_default().to_owned(),
                level: self.ranking.rank(s),
                gone: left.switch_by_guid(guid).is_none(),
            }
        };
        self.order.iter().map(drawn).collect()
    }

    /// The links between switches, each once; gone are those that `left` lacks, or has slower.
    pub fn links(&self, left: &Fabric) -> Vec<DrawnLink> {
        let there: HashMap<Guid, u32> = (0..)
            .zip(left.switches())
            .map(|(index, switch)| (switch.guid, index))
            .collect();
        let mut links = Vec::new();
        for a in 0..self.order.len() as u32 {
            let guid = self.fabric.switches()[a as usize].guid;
            for (port, peer) in (1..).zip(self.fabric.peers_of(a)) {
                let Peer::Switch { index: b, .. } = *peer else {
                    continue;
                };
                if a < b {
                    let speed = self.fabric.speed(a, port);
                    let stays = |&s: &u32| {
                        let is_there = matches!(left.peer(s, port), Peer::Switch { .. });
                        is_there && left.speed(s, port) >= speed
                    };
                    links.push(DrawnLink {
                        a: self.place[a as usize],
                        b: self.place[b as usize],
                        gone: !there.get(&guid).is_some_and(stays),
                    });
                }
            }
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dmodc::netlist::generate::{Order, Pgft, build};

    #[test]
    fn levels_stand_in_rows_and_what_is_gone_is_marked() {
        let shape: Pgft = "PGFT(3;2,2,3;1,2,2;1,2,1)".parse().unwrap();
        let order = Order {
            seed: Some(1),
            lids: true,
        };
        let netlist = build(&shape.into(), order);
        let (fabric, _) = netlist.to_fabric(None).unwrap();
        let (less, _) = netlist.without_switches(2, 1, false).unwrap();
        let (left, _) = less.to_fabric(None).unwrap();
        let nodes: Vec<u32> = (0..fabric.end_nodes().len() as u32).collect();
        let layout = Layout::new(&fabric, &nodes);

        let switches = layout.switches(&left, &HashMap::new());
        let levels: Vec<u32> = switches.iter().map(|s| s.level).collect();
        assert_eq!(levels, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(switches.iter().filter(|s| s.gone).count(), 2);
        // The node order is that of the leaves.
        let first: Vec<Guid> = switches[..6].iter().map(|s| s.guid).collect();
        assert!(first.is_sorted());

        let links = layout.links(&left);
        assert_eq!(links.len(), 36);
        let lost = fabric.switch_links() - left.switch_links();
        assert_eq!(links.iter().filter(|l| l.gone).count(), lost);
        for link in links {
            assert_eq!(levels[link.a].abs_diff(levels[link.b]), 1);
            let end_gone = switches[link.a].gone || switches[link.b].gone;
            assert_eq!(link.gone, end_gone);
        }
    }
}
