//! Positions: the ports of a leaf that are no uplinks, counted from the first.

use crate::dmodc::design::Design;
use crate::fabric::Fabric;
use std::collections::BTreeMap;

/// A leaf is cabled like the others if at least this many of four of its uplinks are at the usual ports.
const AGREE: usize = 3;

/// The positions of the ports of leaves; `None` at an uplink.
pub struct Positions {
    /// By switch and port.
    of_port: Vec<Vec<Option<u8>>>,
    /// The most positions that a leaf has.
    pub most: usize,
    /// Whether most leaves have uplinks at the same ports.
    pub are_known: bool,
}

impl Positions {
    /// Finds the uplinks of leaves by the votes of all leaves with as many ports.
    pub fn new(design: &Design) -> Self {
        let fabric = &design.expected;
        let mut votes: BTreeMap<u8, (u32, [u32; 256])> = BTreeMap::new();
        for leaf in design.ranking.leaves() {
            let ports = fabric.switches()[leaf as usize].ports;
            let (voters, votes) = votes.entry(ports).or_insert((0, [0; 256]));
            *voters += 1;
            uplinks(fabric, leaf).for_each(|port| votes[port] += 1);
        }
        // By number of ports: the ports that are uplinks on half of the leaves or more.
        let usual = votes.into_iter().map(|(ports, (voters, votes))| {
            let is_uplink = votes.map(|votes| votes > 0 && 2 * votes >= voters);
            // Where cables are at random, some ports are uplinks of half of the leaves by chance: none counts then.
            let sum = |least: u32| votes.iter().filter(|&&n| n >= least).sum::<u32>();
            match 4 * sum(voters - voters / 3) >= 3 * sum(0) {
                true => (ports, is_uplink),
                false => (ports, [false; 256]),
            }
        });
        let usual: BTreeMap<u8, [bool; 256]> = usual.collect();
        let mut all = Positions {
            of_port: vec![Vec::new(); fabric.switches().len()],
            most: 0,
            are_known: usual.values().flatten().any(|&is_uplink| is_uplink),
        };
        for leaf in design.ranking.leaves() {
            let ports = fabric.switches()[leaf as usize].ports;
            let usual = &usual[&ports];
            let own = || uplinks(fabric, leaf);
            let agree = 4 * own().filter(|&port| usual[port]).count() >= AGREE * own().count();
            let mut is_uplink = *usual;
            if !agree {
                // This leaf is cabled differently: its own uplinks count.
                is_uplink = [false; 256];
                own().for_each(|port| is_uplink[port] = true);
            }
            let of_port = &mut all.of_port[leaf as usize];
            of_port.resize(usize::from(ports) + 1, None);
            let others = (1..of_port.len()).filter(|&port| !is_uplink[port]);
            for (at, port) in (0..).zip(others) {
                of_port[port] = Some(at);
            }
            let free = usual[1..=usize::from(ports)].iter().filter(|&&is| !is);
            all.most = all.most.max(free.count());
        }
        all
    }

    /// The position of a port of a leaf; `None` at an uplink, and at other switches.
    pub fn of(&self, leaf: u32, port: u8) -> Option<usize> {
        let position = self.of_port[leaf as usize].get(usize::from(port))?;
        position.map(usize::from)
    }
}

/// The ports of a leaf that lead to switches.
fn uplinks(fabric: &Fabric, leaf: u32) -> impl Iterator<Item = usize> {
    fabric.links_of(leaf).map(|(port, ..)| usize::from(port))
}
