//! Maps each switch of a fabric, a box, to its place: the switch of a reference with the same GUID, else a switch of
//! the reference that is gone and had most of the cables of the box.
//!
//! A cable is identified by the port at its far end, since another model may number its own ports differently. Each
//! round uses the matches of the rounds before, so a whole pod may be replaced.

use super::ids::{Guid, SwitchId};
use super::snapshot::{Fabric, Peer};
use std::collections::{BTreeMap, HashMap, HashSet};
use typed_index_collections::{TiSlice, TiVec};

/// By switch of the fabric, its switch of the reference.
pub fn known(fabric: &Fabric, reference: &Fabric) -> TiVec<SwitchId, Option<SwitchId>> {
    let guids = reference.switches().iter_enumerated();
    let guids: HashMap<Guid, SwitchId> = guids.map(|(g, s)| (s.guid, g)).collect();
    let switches = fabric.switches().iter();
    let mut known: TiVec<SwitchId, _> = switches.map(|s| guids.get(&s.guid).copied()).collect();
    let mut taken: HashSet<SwitchId> = known.iter().flatten().copied().collect();
    if taken.len() == reference.switches().len() || !known.contains(&None) {
        return known;
    }
    let nodes = reference.end_nodes().iter();
    let hosts: HashMap<Guid, SwitchId> = nodes.map(|n| (n.guid, n.switch)).collect();
    loop {
        // By place: the most cables of a box there, the box, and whether no other box has as many.
        let mut best: BTreeMap<SwitchId, (usize, SwitchId, bool)> = BTreeMap::new();
        for s in known.keys().filter(|&s| known[s].is_none()) {
            let is_free = |place: &SwitchId| !taken.contains(place);
            if let Some((place, votes)) = place(fabric, reference, &known, &hosts, s, is_free) {
                let first = best.entry(place).or_insert((votes, s, true));
                match votes.cmp(&first.0) {
                    std::cmp::Ordering::Greater => *first = (votes, s, true),
                    std::cmp::Ordering::Equal => first.2 &= first.1 == s,
                    std::cmp::Ordering::Less => {}
                }
            }
        }
        best.retain(|_, &mut (_, _, alone)| alone);
        if best.is_empty() {
            return known;
        }
        for (place, (_, s, _)) in best {
            known[s] = Some(place);
            taken.insert(place);
        }
    }
}

/// The boxes in the places of switches of a reference that are gone, each with its place.
pub fn replaced(fabric: &Fabric, reference: &Fabric) -> Vec<(SwitchId, SwitchId)> {
    let known = known(fabric, reference);
    let known = known
        .iter_enumerated()
        .filter_map(|(s, place)| Some((s, (*place)?)));
    let is_other = |&(s, place): &(SwitchId, SwitchId)| fabric.guid(s) != reference.guid(place);
    known.filter(is_other).collect()
}

/// The place that most cables of a box belong to, and their number.
fn place(
    fabric: &Fabric,
    reference: &Fabric,
    known: &TiSlice<SwitchId, Option<SwitchId>>,
    hosts: &HashMap<Guid, SwitchId>,
    s: SwitchId,
    is_free: impl Fn(&SwitchId) -> bool,
) -> Option<(SwitchId, usize)> {
    let mut votes: BTreeMap<SwitchId, usize> = BTreeMap::new();
    let mut all = 0;
    for peer in fabric.peers_of(s) {
        let place = match *peer {
            Peer::None => continue,
            Peer::EndNode(node) => {
                let node = &fabric.end_nodes()[node];
                hosts.get(&node.guid).copied()
            }
            Peer::Switch { index, port } => match known[index] {
                // The place of the far switch is not known yet.
                None => continue,
                Some(far) => reference.far(far, port).map(|(place, _)| place),
            },
        };
        all += 1;
        if let Some(place) = place.filter(&is_free) {
            *votes.entry(place).or_default() += 1;
        }
    }
    let (place, count) = votes.into_iter().max_by_key(|&(_, count)| count)?;
    (2 * count > all).then_some((place, count))
}
