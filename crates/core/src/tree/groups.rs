//! Port groups: the ports of a switch that lead to the same remote switch (paper, section III.A, "Port Groups"). Ports
//! are ascending, groups in the order of the GUIDs of the remote switches. Groups that lead down and groups that lead up
//! are apart, since no set of candidates mixes them.
//!
//! Later phases use two more partitions of the switches:
//! - *layers*: all switches below a switch are in earlier layers. Within a layer all work is independent. In
//!   a tree without links between equal ranks a layer is a rank.
//! - *up classes*: switches with the same set of switches above them, which share all results that depend on that set
//!   (costs over the top, candidates up); and *down classes*, likewise for the switches below.

use super::links::{Group, Links};
use super::partition::{Partition, mix, sort_by_small_key};
use super::ranking::Ranking;
use crate::ids::{BySwitch, ClassId, SwitchId};
use crate::threads::{ALONE, Threads};
use dmodc_fabric::Fabric;
use typed_index_collections::TiSlice;

/// The port groups of a fabric, with layers, for work in parallel, and classes, whose members share results.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    groups: Vec<Group>,
    ports: Vec<u8>,
    /// By switch: the start of its groups, which lead down, the start of its groups that lead up, and the end.
    span: BySwitch<[u32; 3]>,
    /// Switches by layer, and within a layer by up class.
    bottom_up: Vec<SwitchId>,
    /// The start of each layer in `bottom_up`, and the end.
    layer_start: Vec<usize>,
    up_class: Partition,
    down_class: Partition,
}

impl Groups {
    /// The port groups of a fabric whose ranks are known.
    pub fn of_fabric(fabric: &Fabric, ranking: &Ranking) -> Self {
        Self::new(&Links::new(fabric), ranking, ALONE)
    }

    /// The port groups of these links.
    pub(crate) fn new(links: &Links, ranking: &Ranking, threads: &Threads) -> Self {
        let mut all = Groups {
            groups: Vec::with_capacity(links.groups.len()),
            ports: links.ports.clone(),
            span: BySwitch::with_capacity(links.switches().len()),
            ..Groups::default()
        };
        let mut up = Vec::new();
        for s in links.switches() {
            let start = all.groups.len() as u32;
            let rank = ranking.rank(s);
            for group in links.groups_of(s) {
                let level = ranking.rank(group.remote) == rank;
                match ranking.is_up(s, group.remote) {
                    true => up.push(Group { level, ..*group }),
                    false => all.groups.push(Group { level, ..*group }),
                }
            }
            let up_start = all.groups.len() as u32;
            all.groups.append(&mut up);
            all.span.push([start, up_start, all.groups.len() as u32]);
        }
        (all.up_class, all.down_class) =
            threads.both(|| all.classes(Groups::up), || all.classes(Groups::down));
        all.make_layers(ranking);
        all
    }

    /// All switches.
    pub fn switches(&self) -> impl ExactSizeIterator<Item = SwitchId> + Clone + use<> {
        self.span.keys()
    }

    /// The groups of `switch` that lead down, in ascending index of the remote switch.
    #[inline]
    pub fn down(&self, switch: SwitchId) -> &[Group] {
        let [start, up, _] = self.span[switch];
        &self.groups[start as usize..up as usize]
    }

    /// The groups of `switch` that lead up, in ascending index of the remote switch.
    #[inline]
    pub fn up(&self, switch: SwitchId) -> &[Group] {
        let [_, up, end] = self.span[switch];
        &self.groups[up as usize..end as usize]
    }

    /// The neighbours of a switch: those above, then those below.
    pub fn neighbours(&self, switch: SwitchId) -> impl Iterator<Item = SwitchId> + Clone {
        let all = self.up(switch).iter().chain(self.down(switch));
        all.map(|group| group.remote)
    }

    /// The groups that lead to switches of higher rank.
    #[inline]
    pub fn parents(&self, switch: SwitchId) -> impl Iterator<Item = &Group> + Clone {
        self.up(switch).iter().filter(|g| !g.level)
    }

    /// The groups that lead to switches of lower rank.
    #[inline]
    pub fn children(&self, switch: SwitchId) -> impl Iterator<Item = &Group> + Clone {
        self.down(switch).iter().filter(|g| !g.level)
    }

    /// The group of `switch` that leads to `remote`.
    #[inline]
    pub fn to(&self, switch: SwitchId, remote: SwitchId) -> Option<&Group> {
        let in_order = |groups: &'_ [Group]| groups.binary_search_by_key(&remote, |g| g.remote);
        let (down, up) = (self.down(switch), self.up(switch));
        match in_order(down) {
            Ok(at) => Some(&down[at]),
            Err(_) => in_order(up).ok().map(|at| &up[at]),
        }
    }

    /// The ports of a group, ascending.
    #[inline]
    pub fn ports(&self, group: &Group) -> &[u8] {
        &self.ports[group.range()]
    }

    /// Partitions the switches by the remote switches of their groups in `list`.
    fn classes(&self, list: impl Fn(&Self, SwitchId) -> &[Group]) -> Partition {
        let remotes = |s: SwitchId| list(self, s).iter().map(|g| g.remote);
        Partition::new(
            self.span.len(),
            self.span.keys(),
            |s| remotes(s).fold(0, |hash, remote| mix(hash, remote.0.into())),
            |a, b| remotes(a).eq(remotes(b)),
        )
    }

    /// All switches, each after all switches below it; the switches of one layer and up class side by side.
    pub fn bottom_up(&self) -> &[SwitchId] {
        &self.bottom_up
    }

    /// The start of each layer in [`Groups::bottom_up`], and the end of the last one.
    pub fn layer_starts(&self) -> &[usize] {
        &self.layer_start
    }

    /// The up class of a switch: equal for two switches exactly if their groups that lead up lead
    /// to the same switches.
    pub fn up_class(&self, switch: SwitchId) -> ClassId {
        self.up_class.class(switch)
    }

    /// A switch of each up class.
    pub fn up_classes(&self) -> &TiSlice<ClassId, SwitchId> {
        self.up_class.firsts()
    }

    /// The down class of a switch: as [`Groups::up_class`], for the groups that lead down.
    pub fn down_class(&self, switch: SwitchId) -> ClassId {
        self.down_class.class(switch)
    }

    /// A switch of each down class.
    pub fn down_classes(&self) -> &TiSlice<ClassId, SwitchId> {
        self.down_class.firsts()
    }

    fn make_layers(&mut self, ranking: &Ranking) {
        let switches: Vec<SwitchId> = self.switches().collect();
        let mut layer: BySwitch<u32> = vec![0; switches.len()].into();
        // In the order of (rank, index) all switches below a switch come before it.
        for s in sort_by_small_key(&switches, |s| ranking.rank(s)) {
            let below = self.down(s).iter().map(|g| layer[g.remote] + 1);
            layer[s] = below.max().unwrap_or(0);
        }
        let by_class = sort_by_small_key(&switches, |s| self.up_class(s).0);
        self.bottom_up = sort_by_small_key(&by_class, |s| layer[s]);
        let layers = layer.iter().max().map_or(0, |&top| top + 1);
        let start = |of: u32| self.bottom_up.partition_point(|&s| layer[s] < of);
        self.layer_start = (0..=layers).map(start).collect();
    }
}
