//! Port groups: the ports of a switch that lead to the same remote switch (paper, section III.A,
//! "Port Groups"). Ports stand in ascending port number, groups in ascending UUID of the remote
//! switch; those that lead down and those that lead up are kept apart, since no set of candidates
//! ever mixes them.
//!
//! Two more things are read off the groups here, because every later phase walks the tree by them:
//! - *layers*: switches such that all below a switch stand in earlier layers. Within a layer all
//!   work is independent. In a tree without links between equal ranks a layer is a rank.
//! - *up classes*: switches with the same set of switches above them, which therefore share
//!   whatever is computed from those (costs over the top, which parents lead where).

use super::partition::{Partition, mix};
use super::rank::Ranking;
use crate::fabric::{Fabric, Peer};

/// The ports of one switch that lead to one remote switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// The remote switch: Ω of the paper.
    pub remote: u32,
    /// The two ends have the same rank. Such a group does not count in the divider.
    pub level: bool,
    first: u32,
    size: u8,
}

impl Group {
    /// Number of ports: #g of the paper.
    pub fn size(&self) -> usize {
        usize::from(self.size)
    }
}

/// All port groups of a fabric.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    groups: Vec<Group>,
    ports: Vec<u8>,
    /// Per switch: where its groups start, and where those that lead up start.
    span: Vec<(u32, u32)>,
    /// Switches by layer, ascending index within a layer.
    bottom_up: Vec<u32>,
    /// Where each layer starts in `bottom_up`, and the end.
    layer_start: Vec<usize>,
    up_class: Partition,
}

impl Groups {
    /// Collects the groups of every switch.
    pub fn new(fabric: &Fabric, ranking: &Ranking) -> Self {
        let mut all = Groups::default();
        let mut links: Vec<(bool, u32, u8)> = Vec::new();
        for s in 0..fabric.switches().len() as u32 {
            links.clear();
            for (i, peer) in fabric.peers_of(s).iter().enumerate() {
                if let Peer::Switch { index, .. } = *peer {
                    links.push((ranking.is_up(s, index), index, i as u8 + 1));
                }
            }
            links.sort_unstable();
            let start = all.groups.len() as u32;
            let mut up_start = None;
            for (i, &(up, remote, port)) in links.iter().enumerate() {
                if up && up_start.is_none() {
                    up_start = Some(all.groups.len() as u32);
                }
                if i == 0 || links[i - 1].1 != remote {
                    let level = ranking.rank(remote) == ranking.rank(s);
                    let first = all.ports.len() as u32;
                    all.groups.push(Group {
                        remote,
                        level,
                        first,
                        size: 0,
                    });
                }
                all.ports.push(port);
                if let Some(group) = all.groups.last_mut() {
                    group.size += 1;
                }
            }
            all.span
                .push((start, up_start.unwrap_or(all.groups.len() as u32)));
        }
        all.span
            .push((all.groups.len() as u32, all.groups.len() as u32));
        all.make_layers(ranking);
        all.make_up_classes();
        all
    }

    /// The groups of `switch` that lead down, in ascending UUID of the remote switch.
    pub fn down(&self, switch: u32) -> &[Group] {
        let (start, up) = self.span[switch as usize];
        &self.groups[start as usize..up as usize]
    }

    /// The groups of `switch` that lead up, in ascending UUID of the remote switch.
    pub fn up(&self, switch: u32) -> &[Group] {
        let (_, up) = self.span[switch as usize];
        let (end, _) = self.span[switch as usize + 1];
        &self.groups[up as usize..end as usize]
    }

    /// The ports of a group, ascending.
    pub fn ports(&self, group: &Group) -> &[u8] {
        &self.ports[group.first as usize..][..group.size()]
    }

    /// All switches such that every switch stands after all below it.
    pub fn bottom_up(&self) -> &[u32] {
        &self.bottom_up
    }

    /// Where each layer starts in [`Groups::bottom_up`], and the end of the last one.
    pub fn layer_starts(&self) -> &[usize] {
        &self.layer_start
    }

    /// The up class of a switch: equal for two switches exactly if their groups that lead up lead
    /// to the same switches.
    pub fn up_class(&self, switch: u32) -> u32 {
        self.up_class.class(switch).unwrap_or_default()
    }

    /// A switch of each up class.
    pub fn up_classes(&self) -> &[u32] {
        self.up_class.firsts()
    }

    fn make_layers(&mut self, ranking: &Ranking) {
        let switches = self.span.len() as u32 - 1;
        let mut order: Vec<u32> = (0..switches).collect();
        order.sort_unstable_by_key(|&s| (ranking.rank(s), s));
        let mut layer = vec![0u32; switches as usize];
        for &s in &order {
            let below = self.down(s).iter().map(|g| layer[g.remote as usize] + 1);
            layer[s as usize] = below.max().unwrap_or(0);
        }
        order.sort_unstable_by_key(|&s| (layer[s as usize], s));
        self.layer_start = vec![0];
        for i in 1..order.len() {
            if layer[order[i] as usize] != layer[order[i - 1] as usize] {
                self.layer_start.push(i);
            }
        }
        self.layer_start.push(order.len());
        self.bottom_up = order;
    }

    fn make_up_classes(&mut self) {
        let switches = self.span.len() - 1;
        let above = |s: u32| self.up(s).iter().map(|g| g.remote);
        self.up_class = Partition::new(
            switches,
            0..switches as u32,
            |s| above(s).fold(0, |hash, remote| mix(hash, u64::from(remote))),
            |a, b| above(a).eq(above(b)),
        );
    }
}
