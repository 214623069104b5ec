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

use super::links::Links;
use super::partition::{Partition, mix};
use super::rank::Ranking;
use std::ops::Range;

/// The ports of one switch that lead to one remote switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// The remote switch: Ω of the paper.
    pub remote: u32,
    /// The two ends have the same rank. Such a group does not count in the divider.
    pub level: bool,
    first: u32,
    size: u8,
}

impl Group {
    /// A group of one port, the `first` of those of its switch that are not in a group yet.
    pub(super) fn new(remote: u32, first: u32) -> Self {
        Group {
            remote,
            level: false,
            first,
            size: 1,
        }
    }

    /// Takes in the next port.
    pub(super) fn grow(&mut self) {
        self.size += 1;
    }

    /// Where its ports are.
    pub(super) fn range(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.size()
    }

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
    /// Per switch: where its groups start, where those that lead up start, and the end.
    span: Vec<[u32; 3]>,
    has_level_links: bool,
    /// Switches by layer, ascending index within a layer.
    bottom_up: Vec<u32>,
    /// Where each layer starts in `bottom_up`, and the end.
    layer_start: Vec<usize>,
    up_class: Partition,
}

impl Groups {
    /// Sorts the links of every switch into those that lead down and those that lead up.
    pub fn new(links: Links, ranking: &Ranking) -> Self {
        let Links {
            mut groups,
            ports,
            span: spans,
        } = links;
        let mut has_level_links = false;
        let mut up = Vec::new();
        let mut span = Vec::with_capacity(spans.len());
        for (s, (start, end)) in (0u32..).zip(spans) {
            let mut up_start = start;
            up.clear();
            for i in start..end {
                let mut group = groups[i as usize];
                group.level = ranking.rank(group.remote) == ranking.rank(s);
                has_level_links |= group.level;
                if ranking.is_up(s, group.remote) {
                    up.push(group);
                } else {
                    groups[up_start as usize] = group;
                    up_start += 1;
                }
            }
            groups[up_start as usize..end as usize].copy_from_slice(&up);
            span.push([start, up_start, end]);
        }
        let mut all = Groups {
            groups,
            ports,
            span,
            has_level_links,
            ..Groups::default()
        };
        all.make_layers(ranking);
        all.make_up_classes();
        all
    }

    /// Whether any link joins switches of equal rank.
    pub fn has_level_links(&self) -> bool {
        self.has_level_links
    }

    /// The groups of `switch` that lead down, in ascending UUID of the remote switch.
    pub fn down(&self, switch: u32) -> &[Group] {
        let [start, up, _] = self.span[switch as usize];
        &self.groups[start as usize..up as usize]
    }

    /// The groups of `switch` that lead up, in ascending UUID of the remote switch.
    pub fn up(&self, switch: u32) -> &[Group] {
        let [_, up, end] = self.span[switch as usize];
        &self.groups[up as usize..end as usize]
    }

    /// The ports of a group, ascending.
    pub fn ports(&self, group: &Group) -> &[u8] {
        &self.ports[group.range()]
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
        let switches = self.span.len();
        let (order, _) = in_order(switches, |s| ranking.rank(s));
        let mut layer = vec![0u32; switches];
        for &s in &order {
            let below = self.down(s).iter().map(|g| layer[g.remote as usize] + 1);
            layer[s as usize] = below.max().unwrap_or(0);
        }
        (self.bottom_up, self.layer_start) = in_order(switches, |s| layer[s as usize]);
    }

    fn make_up_classes(&mut self) {
        let switches = self.span.len();
        let above = |s: u32| self.up(s).iter().map(|g| g.remote);
        self.up_class = Partition::new(
            switches,
            0..switches as u32,
            |s| above(s).fold(0, |hash, remote| mix(hash, u64::from(remote))),
            |a, b| above(a).eq(above(b)),
        );
    }
}

/// The switches in ascending order of a small key, by index where it is equal, and where each key
/// that occurs starts, with the end.
fn in_order(switches: usize, key: impl Fn(u32) -> u32) -> (Vec<u32>, Vec<usize>) {
    let keys = (0..switches as u32)
        .map(&key)
        .max()
        .map_or(0, |most| most + 1);
    let mut next = vec![0usize; keys as usize + 1];
    for s in 0..switches as u32 {
        next[key(s) as usize + 1] += 1;
    }
    for k in 1..next.len() {
        next[k] += next[k - 1];
    }
    let mut starts = next.clone();
    starts.dedup();
    let mut order = vec![0; switches];
    for s in 0..switches as u32 {
        let at = &mut next[key(s) as usize];
        order[*at] = s;
        *at += 1;
    }
    (order, starts)
}
