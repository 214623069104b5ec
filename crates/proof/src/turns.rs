//! Whether turns close a cycle with the dependencies that the order of switches allows.
//!
//! The order alone allows no cycle, so each cycle has a turn: a walk from the channel after a turn, over allowed
//! dependencies and turns (or over those in use), that comes to a turn's channel before. One depth-first search over (switch, switch) channels
//! finds one if there is one. A packet that goes up to a switch and back over the same link would have to turn below it,
//! back again: such a turn is a cycle at once, so no dependency leads back.

use crate::Reason;
use crate::rows::{Fault, Turns};
use crate::ways::{Way, Ways};
use dmodc_fabric::{Fabric, PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};
use typed_index_collections::{TiSlice, TiVec};

/// A channel: the switches from and to.
type Channel = (SwitchId, SwitchId);

/// By channel: the switches that its packets go on to.
pub type Followers = BTreeMap<Channel, BTreeSet<SwitchId>>;

/// The dependencies that tables have.
pub fn used(ways: &Ways, rows: &TiSlice<SwitchId, &[u8]>) -> Followers {
    let to = |s: SwitchId, entry: u8| match ways.way(s, PortNumber(entry)) {
        Way::Up(to) | Way::Down(to) => Some(to),
        Way::Home | Way::Nowhere => None,
    };
    let mut all = Followers::new();
    // By entry and next entry.
    let mut seen = vec![false; 1 << 16];
    for (s, row) in rows.iter_enumerated() {
        seen.fill(false);
        for lid in 0..ways.owner.len() {
            let Some(at) = to(s, row[lid]) else { continue };
            let (entry, onward) = (row[lid], rows[at][lid]);
            let pair = usize::from(entry) << 8 | usize::from(onward);
            if !std::mem::replace(&mut seen[pair], true)
                && let Some(next) = to(at, onward)
            {
                all.entry((s, at)).or_default().insert(next);
            }
        }
    }
    all
}

/// Checks that turns close no cycle with the dependencies in use, or with all that the order allows.
///
/// # Errors
/// A turn on a cycle, at the switch before it.
pub fn check(
    fabric: &Fabric,
    ways: &Ways,
    turns: &Turns,
    used: Option<&Followers>,
) -> Result<(), Fault> {
    let mut above: BTreeMap<Channel, Vec<SwitchId>> = BTreeMap::new();
    for &(from, at, to) in turns.keys() {
        above.entry((from, at)).or_default().push(to);
    }
    let neighbours: TiVec<SwitchId, Vec<Way>> = fabric
        .switches()
        .keys()
        .map(|s| {
            let ways = ways.ways(s).iter();
            let links = ways.filter(|way| matches!(way, Way::Up(_) | Way::Down(_)));
            links
                .copied()
                .collect::<BTreeSet<Way>>()
                .into_iter()
                .collect()
        })
        .collect();
    // The channels that may follow a channel.
    let next = |(from, at): Channel| {
        if let Some(used) = used {
            let to = used.get(&(from, at)).into_iter().flatten();
            return to.map(|&to| (at, to)).collect();
        }
        let came_up = neighbours[at].contains(&Way::Down(from));
        let allowed = neighbours[at].iter().filter_map(move |way| match *way {
            Way::Up(to) if came_up => Some(to),
            Way::Down(to) if to != from => Some(to),
            _ => None,
        });
        let turned = above.get(&(from, at)).into_iter().flatten().copied();
        let all: Vec<Channel> = allowed.chain(turned).map(|to| (at, to)).collect();
        all
    };
    // `true`: on the way of the search; `false`: all behind it is searched.
    let mut seen: BTreeMap<Channel, bool> = BTreeMap::new();
    for (&(from, at, to), &lid) in turns {
        if from == to {
            return Err((from, lid, Reason::Cycle(port(ways, from, at))));
        }
        if seen.contains_key(&(at, to)) {
            continue;
        }
        let mut open = vec![((at, to), next((at, to)))];
        seen.insert((at, to), true);
        while let Some((channel, left)) = open.last_mut() {
            let Some(follower) = left.pop() else {
                seen.insert(*channel, false);
                open.pop();
                continue;
            };
            match seen.get(&follower) {
                Some(true) => return Err((from, lid, Reason::Cycle(port(ways, from, at)))),
                Some(false) => {}
                None => {
                    seen.insert(follower, true);
                    open.push((follower, next(follower)));
                }
            }
        }
    }
    Ok(())
}

/// The lowest port from one switch to another.
fn port(ways: &Ways, from: SwitchId, to: SwitchId) -> PortNumber {
    let is_there = |way: &Way| matches!(way, Way::Up(s) | Way::Down(s) if *s == to);
    let at = ways.ways(from).iter().position(is_there);
    PortNumber(at.unwrap_or_default() as u8)
}
