//! Topological numbers: a digit for the position of a host on its leaf, then from the leaf up a digit for the position of
//! each switch at its parents.
//!
//! The number of a switch is its own digit plus the most common of [number of a parent − Δ], where Δ is by how much this
//! plane's parents usually exceed those of the first usual plane: parents of one switch differ where several of a pod are
//! below the same tops. Where slots are unknown, a position is that of the part of the fabric without the ranks above,
//! within the outer part. Numbers may overlap and leave gaps; what grows at the end moves nobody.
//!
//! Hosts above the leaves, aggregation nodes and the LIDs of switches have a hash of their place in place of a number,
//! so that no other switch shifts them. A place is the chain of planes below, and the number above; or the GUID.
//!
//! Invariant: numbers of leaves depend on positions alone. Cost: linear in links and hosts, but for sorting.

use super::digits::Digit;
use super::known::Known;
use super::places::Places;
use super::reference::Was;
use super::table::{Kind, Kinds, Uses};
use super::{NodeType, NodeTypes};
use crate::ids::{BySwitch, KindId, SwitchId};
use crate::spread::{do_agree, golden_step, hash, most_common};
use crate::tree::{join, root};
use dmodc_fabric::{EndNode, Guid, NodeId, NodeKind, Peer};
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// Numbers on leaves have 24 bits.
const MASK: u32 = 0xff_ffff;
/// Numbers from here on belong to hosts above the leaves: a hash of the switch, and the port.
pub const SINGLE: u32 = 1 << 30;
/// Numbers from here on are hashes: of LIDs of switches, of aggregation nodes.
pub const HASHED: u32 = 1 << 31;

/// The numbers of all destinations.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// By end node.
    pub node: TiVec<NodeId, u32>,
    /// By node of [`Roles::absent`](super::Roles::absent).
    pub absent: Vec<u32>,
    /// By switch: the number of its own LID.
    pub switch: BySwitch<u32>,
    /// By switch: the number of the first place of a leaf.
    pub first: BySwitch<u32>,
    /// End nodes in the order of numbers.
    pub order: Vec<NodeId>,
}

/// By how much the numbers of the parents in a plane exceed those of the first usual plane.
#[derive(Clone, Copy, Default)]
struct Step {
    usual: u32,
    /// Three of four members agree, which the first plane does with itself. Where pods differ, one dead parent turns the
    /// vote.
    is_known: bool,
}

/// What numbers are made of.
struct Numbering<'k> {
    known: &'k Known<'k>,
    kinds: &'k Kinds,
    places: &'k Places,
    /// All nodes that are not there.
    absent: &'k [EndNode],
    /// The usual number of ways up from a leaf, but for fabrics with more of them than numbers need.
    ways: u32,
}

impl Numbers {
    /// Numbers all destinations: end nodes on leaves by type, then all others.
    pub fn new(
        known: &Known,
        kinds: &Kinds,
        places: &Places,
        absent: &[EndNode],
        types: &NodeTypes,
    ) -> Self {
        let fabric = known.fabric;
        let mut ways: Vec<u32> = known
            .leaves()
            .map(|s| kinds.of_switch(s).dividers.ways)
            .collect();
        let with = &Numbering {
            known,
            kinds,
            places,
            absent,
            ways: most_common(&mut ways).0.clamp(1, 1 << 16),
        };
        let positions = Positions::new(with);
        let place = with.switch_places();
        let mut numbers = Numbers {
            node: vec![HASHED; fabric.end_nodes().len()].into(),
            absent: vec![HASHED; absent.len()],
            ..Numbers::default()
        };
        let mut base = 0;
        for &of_type in types.all() {
            base = match of_type {
                NodeType::Io => numbers.number_listed(with, types, base),
                _ => {
                    let is_it = |guid| types.type_of(guid) == of_type;
                    numbers.number_by_position(with, is_it, &positions, &place, base)
                }
            };
        }
        numbers.number_by_place(with);
        numbers
    }

    /// Numbers I/O nodes on leaves in the order of their list, from `base`: they spread evenly, and one that leaves moves
    /// no other. Returns the next number.
    fn number_listed(&mut self, with: &Numbering, types: &NodeTypes, base: u32) -> u32 {
        let fabric = with.known.fabric;
        let number = |node: &EndNode| {
            let place = types.place_in_list(node.guid).unwrap_or(0);
            let is_it = with.is_on_leaf(node) && types.type_of(node.guid) == NodeType::Io;
            is_it.then_some(base + place as u32)
        };
        let nodes = fabric.end_nodes().iter_enumerated();
        let nodes = nodes.filter_map(|(n, node)| Some((number(node)?, n)));
        let mut nodes: Vec<(u32, NodeId)> = nodes.collect();
        nodes.sort_unstable();
        self.number(with, nodes.into_iter().map(|(_, n)| n), number);
        base + types.io_count() as u32
    }

    /// Numbers end nodes in this order, and absent ones, if they have a number by this rule.
    fn number(
        &mut self,
        with: &Numbering,
        order: impl Iterator<Item = NodeId>,
        number: impl Fn(&EndNode) -> Option<u32>,
    ) {
        for n in order {
            if let Some(number) = number(&with.known.fabric.end_nodes()[n]) {
                self.node[n] = number;
                self.order.push(n);
            }
        }
        for (absent, node) in self.absent.iter_mut().zip(with.absent) {
            *absent = number(node).unwrap_or(*absent);
        }
    }

    /// Numbers the end nodes of a type on leaves by their positions and those of the switches, from `base`. Returns the
    /// next number.
    fn number_by_position(
        &mut self,
        with: &Numbering,
        is_type: impl Fn(Guid) -> bool,
        positions: &Positions,
        place: &BySwitch<u32>,
        base: u32,
    ) -> u32 {
        let (known, fabric) = (with.known, with.known.fabric);
        let is_it = |node: &EndNode| with.is_on_leaf(node) && is_type(node.guid);
        let mut leaves: BySwitch<Vec<u32>> = vec![Vec::new(); place.len()].into();
        let (mut used, mut away) = ([false; 256], [0; 256]);
        for node in fabric.end_nodes().iter().filter(|node| is_it(node)) {
            let at = positions.at(node.switch, node.port.0);
            used[at as usize] = true;
            leaves[node.switch].push(at);
        }
        let dark = known.reference.dark.iter();
        let all_away = dark.filter_map(|dark| match dark.was {
            Was::Host(guid) if known.model(dark.switch).is_leaf && is_type(guid) => {
                Some((dark.switch, positions.at(dark.switch, dark.port)))
            }
            _ => None,
        });
        let all_away: Vec<(SwitchId, u32)> = all_away.collect();
        all_away.iter().for_each(|&(_, at)| away[at as usize] += 1);
        // A host that is away counts where others are. A position that most leaves had and none has is none.
        for (leaf, at) in all_away {
            if used[at as usize] || 2 * away[at as usize] <= known.ranking.leaves().count() {
                leaves[leaf].push(at);
            }
        }
        let mut leaves = leaves.raw;
        leaves.retain(|positions| !positions.is_empty());
        let has_planes = known.leaves().any(|s| with.kinds.of_switch(s).has_planes);
        let hosts = Digit::hosts(&leaves, has_planes, positions.most, with.ways);
        let first = with.first_numbers(place, hosts.next);
        // The next type begins behind all places, also those of hosts that are not there.
        let last = (0..256).rfind(|&at| used[at] || away[at] > 0);
        let places = last.map_or(0, |at| hosts.value(at as u32) + 1);
        let end = base + known.leaves().map(|s| first[s]).max().unwrap_or(0) + places;
        let mut leaves: Vec<SwitchId> = known.ranking.leaves().collect();
        leaves.sort_by_key(|&leaf| first[leaf]);
        let order = leaves.iter().flat_map(|&leaf| fabric.node_ids_of(leaf));
        self.number(with, order, |node| {
            let position = positions.at(node.switch, node.port.0);
            is_it(node).then(|| base + first[node.switch] + hosts.value(position))
        });
        if self.first.is_empty() {
            self.first = first;
        }
        end
    }

    /// Numbers hosts above the leaves, aggregation nodes and switches by a hash of their place.
    fn number_by_place(&mut self, with: &Numbering) {
        let fabric = with.known.fabric;
        let names = with.names(&self.first);
        let step = golden_step(with.ways);
        let is_aggregation = |node: &EndNode| node.kind == NodeKind::Aggregation;
        let nodes = fabric.end_nodes().keys();
        let (last, above): (Vec<_>, Vec<_>) =
            nodes.partition(|&n| is_aggregation(&fabric.end_nodes()[n]));
        self.number(with, above.into_iter().chain(last), |node| {
            let name = names[node.switch];
            (!with.is_on_leaf(node)).then(|| match is_aggregation(node) {
                true => HASHED | hashed(name, node.port.0),
                false => SINGLE + hashed(name, 0) + u32::from(node.port.0) * step,
            })
        });
        let switches = fabric.switches().keys();
        self.switch = switches.map(|s| HASHED | hashed(names[s], 0)).collect();
    }
}

/// 24 bits of a hash of a place and one of its ports.
fn hashed(name: u64, port: u8) -> u32 {
    (hash(name ^ u64::from(port) << 56) >> 40) as u32
}

/// The positions of hosts among the ports of their leaf that are no uplinks, neither usually nor on this switch; behind
/// them those at usual uplink ports.
struct Positions {
    /// By leaf and port.
    of_port: BySwitch<[u8; 256]>,
    /// The most positions that a leaf has.
    most: u32,
}

impl Positions {
    fn new(with: &Numbering) -> Self {
        let (known, fabric) = (with.known, with.known.fabric);
        let mut positions = Positions {
            of_port: vec![[0; 256]; known.switches().len()].into(),
            most: 0,
        };
        let was_link = |s, port| matches!(known.reference.was(s, port), Some(Was::Switch(..)));
        for s in known.leaves() {
            let kind = with.kinds.of_switch(s);
            let at = &mut positions.of_port[s];
            let peers = match known.is_there(s) {
                true => fabric.peers_of(s),
                false => &[],
            };
            let mut next = 0;
            for (port, leader) in kind.expected.iter().enumerate().skip(1) {
                let peer = peers.get(port - 1).copied().unwrap_or(Peer::None);
                at[port] = next;
                let is_link = matches!(peer, Peer::Switch { .. }) || was_link(s, port as u8);
                next += u8::from(leader.is_none() && !is_link);
            }
            for (at_end, (port, _)) in (next..).zip(kind.uplinks()) {
                at[usize::from(port)] = at_end;
            }
            positions.most = positions.most.max(next.into());
        }
        positions
    }

    fn at(&self, leaf: SwitchId, port: u8) -> u32 {
        self.of_port[leaf][usize::from(port)].into()
    }
}

impl Numbering<'_> {
    fn is_on_leaf(&self, node: &EndNode) -> bool {
        self.known.model(node.switch).is_leaf && node.kind != NodeKind::Aggregation
    }

    /// The position of each switch at its parents; where ports do not tell, that of its part.
    fn switch_places(&self) -> BySwitch<u32> {
        let known = self.known;
        let mut place: BySwitch<u32> = vec![0; known.switches().len()].into();
        let has_slots = &self.places.has_slots;
        let positions: Vec<Vec<u32>> = (0..known.ranks())
            .map(|rank| positions_down(self.kinds, rank + 1))
            .collect();
        for s in known.switches() {
            let of_rank = &positions[known.rank(s) as usize];
            place[s] = of_rank[usize::from(self.places.slot[s])];
        }
        if has_slots.contains(&false) {
            self.places_by_parts(&mut place);
        }
        place
    }

    /// The parts of the fabric up to each rank, in the order of their first switches within the part of the next rank.
    fn places_by_parts(&self, place: &mut BySwitch<u32>) {
        let known = self.known;
        // All links by the rank of the upper end, those within a rank included.
        let mut links: Vec<(u32, SwitchId, SwitchId)> = known
            .all_up()
            .iter()
            .map(|group| (known.rank(group.parent), group.child, group.parent))
            .collect();
        for s in known.fabric.switches().keys() {
            let level = known.groups.up(s).iter().filter(|group| group.level);
            links.extend(level.map(|group| (known.rank(s), s, group.remote)));
        }
        links.sort_unstable();
        let mut parent: BySwitch<SwitchId> = place.keys().collect();
        let mut links = links.into_iter().peekable();
        let mut inner = parent.clone();
        for rank in 0..known.ranks() {
            while let Some((_, a, b)) = links.next_if(|link| link.0 <= rank) {
                join(&mut parent, a, b);
            }
            let outer: BySwitch<SwitchId> = place.keys().map(|s| root(&mut parent, s)).collect();
            if rank > 0 && !self.places.has_slots[rank as usize - 1] {
                self.places_in_parts(rank - 1, &inner, &outer, place);
            }
            inner = outer;
        }
    }

    fn places_in_parts(
        &self,
        rank: u32,
        inner: &BySwitch<SwitchId>,
        outer: &BySwitch<SwitchId>,
        place: &mut BySwitch<u32>,
    ) {
        let known = self.known;
        let mut first: BySwitch<(u32, u64)> = vec![(u32::MAX, u64::MAX); inner.len()].into();
        for s in known.switches() {
            let first = &mut first[inner[s]];
            *first = known.order(s).min(*first);
        }
        let key = |s: SwitchId| (outer[s], first[inner[s]], inner[s]);
        let members = known
            .switches()
            .filter(|&s| known.rank(s) == rank && !known.up(s).is_empty());
        let mut parts: Vec<_> = members.clone().map(key).collect();
        parts.sort_unstable();
        parts.dedup();
        for s in members {
            let own = key(s);
            let nth = parts.partition_point(|part| *part < own);
            place[s] = (nth - parts.partition_point(|part| part.0 < own.0)) as u32;
        }
    }

    /// The first number of each switch, if one position of its parents' hosts weighs `weight`.
    fn first_numbers(&self, place: &BySwitch<u32>, weight: u32) -> BySwitch<u32> {
        let known = self.known;
        let mut of_rank: Vec<Vec<SwitchId>> = vec![Vec::new(); known.ranks() as usize];
        for s in known.switches().filter(|&s| !known.up(s).is_empty()) {
            of_rank[known.rank(s) as usize].push(s);
        }
        let mut weight = weight;
        let digits = (1..).zip(&of_rank).map(|(above, members)| {
            let all = positions_down(self.kinds, above).last().copied();
            let era = |s: SwitchId| known.order(s).0;
            let upper = known.switches().filter(|&s| known.rank(s) >= above);
            let last = upper.map(era).max().unwrap_or(0);
            let places = members.iter().map(|&s| (place[s], era(s) > last));
            let digit = Digit::switches(places, all.unwrap_or(0), weight, self.ways);
            weight = digit.next;
            digit
        });
        let digits: Vec<Digit> = digits.collect();
        let mut number: BySwitch<u32> = vec![0; place.len()].into();
        let mut less = Vec::new();
        for (members, digit) in of_rank
            .iter()
            .zip(&digits)
            .rev()
            .filter(|of| !of.0.is_empty())
        {
            let steps = self.steps(members, &number);
            for &s in members {
                let kind = self.kinds.of_switch[s];
                // A parent that has lost all its parents has no number.
                let has_number = |at: &usize| !known.up(known.all_up()[*at].parent).is_empty();
                less.clear();
                less.extend(known.range_up(s).filter(has_number).map(|at| {
                    let step = steps.get(&(kind, self.places.plane[at]));
                    let step = step.copied().unwrap_or_default();
                    let above = number[known.all_up()[at].parent];
                    (step.is_known, above.wrapping_sub(step.usual) & MASK)
                }));
                if less.iter().any(|vote| vote.0) {
                    less.retain(|vote| vote.0);
                }
                let (_, above) = most_common(&mut less).0;
                number[s] = above.wrapping_add(digit.value(place[s])) & MASK;
            }
            // It has the number that its children show.
            for s in known.switches().filter(|&s| known.up(s).is_empty()) {
                less.clear();
                less.extend(known.down(s).filter_map(|(at, group)| {
                    let (child, plane) = (group.child, self.places.plane[at]);
                    let step = steps.get(&(self.kinds.of_switch[child], plane));
                    let above = number[child].wrapping_sub(digit.value(place[child]));
                    let is_of_rank = known.rank(child) == known.rank(members[0]);
                    let step = step.map_or(0, |step| step.usual);
                    is_of_rank.then(|| (true, above.wrapping_add(step) & MASK))
                }));
                if !less.is_empty() {
                    number[s] = most_common(&mut less).0.1;
                }
            }
        }
        number
    }

    /// By kind and plane: by how much the number of the parent in this plane usually exceeds that of the parent in the
    /// first usual plane. None where all parents have one number.
    fn steps(&self, members: &[SwitchId], number: &BySwitch<u32>) -> BTreeMap<(KindId, u8), Step> {
        let known = self.known;
        let above = |s: SwitchId| {
            known
                .range_up(s)
                .map(|at| (self.places.plane[at], number[known.all_up()[at].parent]))
        };
        let differ = |&s: &SwitchId| {
            let mut numbers = above(s).map(|(_, number)| number);
            let first = numbers.next();
            numbers.any(|number| Some(number) != first)
        };
        if !members.iter().any(differ) {
            return BTreeMap::new();
        }
        let mut users: BTreeMap<(KindId, u8), usize> = BTreeMap::new();
        for &s in members {
            let kind = self.kinds.of_switch[s];
            above(s).for_each(|(plane, _)| *users.entry((kind, plane)).or_default() += 1);
        }
        let mut first: BTreeMap<KindId, u8> = BTreeMap::new();
        let mut most: BTreeMap<KindId, usize> = BTreeMap::new();
        for (&(kind, _), &count) in &users {
            let most = most.entry(kind).or_default();
            *most = count.max(*most);
        }
        for (&(kind, plane), &count) in &users {
            if 2 * count >= most[&kind] {
                first.entry(kind).or_insert(plane);
            }
        }
        let mut steps: BTreeMap<(KindId, u8), Vec<u32>> = BTreeMap::new();
        for &s in members {
            let kind = self.kinds.of_switch[s];
            let base = above(s).find(|(plane, _)| first.get(&kind) == Some(plane));
            let Some((_, base)) = base else { continue };
            for (plane, number) in above(s) {
                let step = number.wrapping_sub(base) & MASK;
                steps.entry((kind, plane)).or_default().push(step);
            }
        }
        let usual = steps.into_iter().map(|(key, mut steps)| {
            let (usual, agree) = most_common(&mut steps);
            let is_known = first[&key.0] != key.1 && do_agree(agree, steps.len());
            (key, Step { usual, is_known })
        });
        usual.collect()
    }

    /// The names of all places: hashes of the planes on the chain below, and of the number above. Where ports do not
    /// tell these, a switch has its own.
    fn names(&self, number: &BySwitch<u32>) -> BySwitch<u64> {
        let known = self.known;
        let own = |s: SwitchId| hash(known.order(s).1);
        let mut planes: BySwitch<u64> = vec![0; number.len()].into();
        let mut ascending: Vec<SwitchId> = known.switches().collect();
        ascending.sort_by_key(|&s| known.rank(s));
        let mut below = Vec::new();
        for &s in &ascending {
            let children = known.down(s).map(|(_, group)| group.child);
            let tells = |child| self.kinds.of_switch(child).has_planes;
            let is_told = children.clone().all(tells);
            below.clear();
            below.extend(children.map(|child| planes[child]));
            let (plane, agree) = most_common(&mut below);
            // Of a tie, one dead switch would turn the vote.
            let plane = match do_agree(agree, below.len()) {
                true => plane,
                false => 0,
            };
            planes[s] = match is_told {
                true => hash(plane ^ u64::from(self.places.seen_as[s])),
                false => own(s),
            };
        }
        let name = |s: SwitchId| match self.places.has_slots.get(known.rank(s) as usize) {
            Some(false) => own(s),
            _ => hash(planes[s] ^ u64::from(number[s])),
        };
        known.switches().map(name).collect()
    }
}

/// The position of each port of a switch of a rank among those that are not mostly uplinks.
fn positions_down(kinds: &Kinds, rank: u32) -> Vec<u32> {
    let mut sums = [Uses::default(); 256];
    let mut ports = 0;
    for kind in kinds.kinds.iter().filter(|kind: &&Kind| kind.rank == rank) {
        ports = kind.uses.len().max(ports);
        for (sum, uses) in sums.iter_mut().zip(&kind.uses) {
            sum.up += uses.up;
            sum.other += uses.other;
        }
    }
    let mut next = 0;
    let at = sums.iter().enumerate().map(|(port, uses)| {
        let at = next;
        next += u32::from((1..ports).contains(&port) && uses.other >= uses.up);
        at
    });
    at.collect()
}

#[cfg(test)]
mod tests {
    use crate::Options;
    use crate::tests::route;
    use dmodc_fabric::SwitchId;
    use fabrics::Net;
    use std::sync::Arc;

    /// The numbers of I/O nodes began behind the last compute node that was there.
    #[test]
    fn the_last_compute_node_moves_no_io_node() {
        for leaves in 2..6 {
            let links: Vec<(u32, u32)> = (0..3 * leaves).map(|i| (i / 3, leaves + i % 3)).collect();
            let hosts: Vec<u32> = (0..5 * leaves).map(|host| host / 5).collect();
            let [whole, less] =
                [0, 1].map(|less| Net::new(&links, &hosts[..hosts.len() - less]).build());
            let first = whole.end_nodes().iter().step_by(5);
            let options = Options {
                io_guids: first.map(|node| node.guid).collect(),
                reference: Some(Arc::new(whole.clone())),
                ..Options::default()
            };
            let [before, after] = [&whole, &less].map(|fabric| route(fabric, &options, 1).1);
            for (lid, ..) in less.lids() {
                for s in (0..leaves + 3).map(SwitchId) {
                    assert_eq!(before.get(s, lid), after.get(s, lid), "{s:?}, LID {lid}");
                }
            }
        }
    }
}
